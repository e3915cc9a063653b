//! One step: decided in `f64`, differentiated at the solution.

use super::lifted_step::LiftedStep;
use super::real_step::RealStep;
use super::system::TimeSteppingRigidBodySystem;
use crate::autodiff::implicit_step;
use crate::contact::ContactResult;
use crate::contact::{FoundContact, PointContact};
use crate::force::ForceElement;
use crate::solver::ImplicitStribeckSolver;
use crate::solver::implicit_stribeck::{Kink, Solution, Strategy};
use crate::system::error::StepError;
use crate::system::state::State;
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;

/// Memory of the steps of a system.
///
/// Made by [`TimeSteppingRigidBodySystem::workspace`]; after the first step, steps with no more
/// contacts than any before allocate nothing.
#[derive(Debug, Clone)]
pub struct StepWorkspace<T: Scalar> {
    real: RealStep,
    solver: ImplicitStribeckSolver<f64>,
    lifted: LiftedStep<T>,
    residual: Vec<T>,
    found: Vec<FoundContact>,
    start: State<T>,
    tau: Vec<T>,
    next: State<T>,
    contacts: Vec<ContactResult<T>>,
    status: StepStatus,
}

/// How a step went.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepStatus {
    /// Iterations of the contact solver.
    pub iterations: usize,
    /// How the contact solver found the solution.
    pub strategy: Strategy,
    /// Relative residual of the momentum balance.
    pub residual: f64,
    /// The kink nearest to the solution at which first derivatives jump. Its `contact` is the
    /// position in [`Step::contacts`].
    pub nearest_kink: Option<Kink>,
}

/// A step that has been made.
#[derive(Debug)]
pub struct Step<'w, T: Scalar, F: ForceElement<T> = ()> {
    pub(super) system: &'w TimeSteppingRigidBodySystem<T, F>,
    workspace: &'w mut StepWorkspace<T>,
}

impl<T: Scalar, F: ForceElement<T>> Step<'_, T, F> {
    /// The state at the end of the step.
    pub fn state(&self) -> &State<T> {
        &self.workspace.next
    }

    /// How the step went.
    pub fn status(&self) -> &StepStatus {
        &self.workspace.status
    }

    /// The contacts of the step, also those that exert no force.
    ///
    /// # Errors
    /// As [`TimeSteppingRigidBodySystem::step`]; none, in practice, after a step that succeeded.
    pub fn contacts(&mut self) -> Result<&[ContactResult<T>], StepError> {
        let mut contacts = std::mem::take(&mut self.workspace.contacts);
        contacts.clear();
        let result = self.for_each_contact(|found, point, velocity, force| {
            contacts.push(ContactResult::new(found, point, velocity, force));
        });
        self.workspace.contacts = contacts;
        result?;
        Ok(&self.workspace.contacts)
    }

    /// The state at the start of the step.
    pub(super) fn start(&self) -> &State<T> {
        &self.workspace.start
    }

    /// The generalized forces that the step was given.
    pub(super) fn tau(&self) -> &[T] {
        &self.workspace.tau
    }

    /// Calls `visit` with every contact: what was found, the point, the relative velocity and the
    /// force, both in the contact frame.
    pub(super) fn for_each_contact(
        &mut self,
        mut visit: impl FnMut(FoundContact, &PointContact<T>, Vector3<T>, Vector3<T>),
    ) -> Result<(), StepError> {
        let StepWorkspace {
            lifted,
            found,
            start,
            next,
            ..
        } = &mut *self.workspace;
        if T::NDERIV == 0 {
            lifted.prepare(&self.system.model, start, found)?;
        }
        lifted.for_each_contact(
            &self.system.model,
            self.system.softening(),
            next.v.as_slice(),
            |index, point, velocity, force| visit(found[index], point, velocity, force),
        )
    }
}

impl<T: Scalar, F: ForceElement<T>> TimeSteppingRigidBodySystem<T, F> {
    /// Memory for steps of this system.
    ///
    /// # Errors
    /// [`InvalidInput`] for parameters of the solver outside their range.
    pub fn workspace(&self) -> Result<StepWorkspace<T>, InvalidInput> {
        Ok(StepWorkspace {
            real: RealStep::new(&self.real),
            solver: ImplicitStribeckSolver::new(self.solver)?,
            lifted: LiftedStep::new(&self.model),
            residual: vec![T::zero(); self.tree().num_velocities()],
            found: Vec::new(),
            start: self.neutral_state(),
            tau: vec![T::zero(); self.tree().num_velocities()],
            next: self.neutral_state(),
            contacts: Vec::new(),
            status: StepStatus::default(),
        })
    }

    /// Makes one step from `state` with the generalized forces `tau` (nv) of actuators, constant over
    /// the step.
    ///
    /// # Errors
    /// [`StepError`], when sizes do not fit, an entry is not finite, a quaternion is not of unit
    /// length, a force element cannot compute its force, or the velocities at the end of the step are
    /// not found.
    pub fn step<'w>(
        &'w self,
        workspace: &'w mut StepWorkspace<T>,
        state: &State<T>,
        tau: &[T],
    ) -> Result<Step<'w, T, F>, StepError> {
        let StepWorkspace {
            real,
            solver,
            lifted,
            residual,
            found,
            start,
            tau: given,
            next,
            status,
            ..
        } = workspace;
        solver.set_parameters(self.real_solver_parameters())?;
        real.prepare(&self.real, self.detection, state, tau, found)?;
        start.q.copy_from(&state.q);
        start.v.copy_from(&state.v);
        given.copy_from_slice(tau);
        let damping = self.damping.as_ref();
        if T::NDERIV == 0 {
            *status = real.solve(&self.real, damping, solver)?;
            write_real(&mut next.v, real.next_v());
        } else {
            let (how, jacobian) = real.linearize(&self.real, damping, solver)?;
            *status = how;
            write_real(&mut next.v, real.next_v());
            lifted.prepare(&self.model, state, found)?;
            let softening = self.softening();
            implicit_step(&jacobian, next.v.as_mut_slice(), residual, |v, r| {
                lifted.residual(&self.model, softening, state, tau, v, r)
            })?;
        }
        let (q, v) = (state.q.as_slice(), next.v.as_slice());
        let time_step = self.model.time_step;
        self.tree()
            .integrate(q, v, time_step, next.q.as_mut_slice())?;
        if T::NDERIV > 0 {
            let real_q = real.integrate(&self.real)?;
            for (q, &re) in next.q.iter_mut().zip(real_q) {
                *q = q.with_real(re);
            }
        }
        Ok(Step {
            system: self,
            workspace,
        })
    }
}

impl StepStatus {
    pub(super) fn of(solution: &Solution<f64>) -> Self {
        StepStatus {
            iterations: solution.statistics.iterations(),
            strategy: solution.statistics.strategy,
            residual: solution.statistics.residual,
            nearest_kink: solution.nearest_kink(1).copied(),
        }
    }
}

fn write_real<T: Scalar>(target: &mut nalgebra::DVector<T>, values: &[f64]) {
    for (x, &re) in target.iter_mut().zip(values.iter()) {
        *x = T::from(re);
    }
}
