//! One step: detect contacts, assemble, solve, differentiate, integrate, measure.

use super::compliant::{CompliantSolution, CompliantSolve};
use super::continuous::IntegrationMemory;
use super::error::SystemError;
use super::force_laws::DrivenMemory;
use super::kinematics::StepKinematics;
use super::measurement::Measurement;
use super::rigid::RigidMemory;
use super::rollout::Kept;
use super::scheme::Scheme;
use super::state::State;
use super::status::{StepKink, StepStatus};
use super::stepper::Stepper;
use super::substeps::Substeps;
use super::time_stepping::TimeSteppingRigidBodySystem;
use crate::constraint::ConstraintForce;
use crate::contact::ContactResult;
use crate::force::ForceContext;
use crate::kink::ElementKink;
use crate::sensor::SensorContext;
use crate::tree::{Flights, FreeBody};
use crate::{InvalidInput, Parallelism, Scalar};
use nalgebra::DVector;

/// Memory of the steps of a system.
///
/// Made by [`TimeSteppingRigidBodySystem::workspace`]; once it has made steps, such steps, with no more contacts, coupled
/// and solved as before, allocate nothing, in any scheme.
#[derive(Debug, Clone)]
pub struct StepWorkspace<T: Scalar> {
    pub(super) solve: CompliantSolve,
    pub(super) evaluation: StepEvaluation<T>,
    /// That of steps with force laws.
    driven: Option<Box<DrivenMemory<T>>>,
    /// What rollouts keep.
    pub(super) kept: Kept,
}

impl<T: Scalar> StepWorkspace<T> {
    /// Warm start (default: no). A compliant step that continues or repeats the last one made with this workspace starts its
    /// iteration from the last velocity increment, if that is better than none; a rigid step starts from the last active
    /// set.
    ///
    /// Fewer iterations are needed where contacts last. What is found then depends, within the residual
    /// tolerance of the solver, on the steps before: a run that goes on from a state that has been
    /// stored has not the bits of one that was not interrupted. Of forces of rigid contacts that are not unique, it is
    /// those of the active set.
    pub fn set_warm_start(&mut self, warm_start: bool) {
        if let Some(driven) = &mut self.driven {
            driven.step_mut().set_warm_start(warm_start);
        }
        self.evaluation.rigid.set_warm_start(warm_start);
        self.solve.warm_start.is_on = warm_start;
    }

    /// Lets the next compliant step start its iteration from the velocities (nv) that its end is expected to have, where these are
    /// better than those of its start: in a plan that is changed little by little they are those of the plan before. What is
    /// found depends on them within the residual tolerance of the solver, whatever [`Self::set_warm_start`] says.
    ///
    /// # Errors
    /// [`InvalidInput`] unless they are as many as the machine has, and finite.
    pub fn expect_velocity(&mut self, v: &[f64]) -> Result<(), InvalidInput> {
        InvalidInput::check_size(
            "expected velocities",
            v.len(),
            self.solve.warm_start.end_v.len(),
        )?;
        InvalidInput::check_finite("expected velocities", v)?;
        match &mut self.driven {
            Some(driven) => driven.step_mut().solve.warm_start.expect(v),
            None => self.solve.warm_start.expect(v),
        }
        Ok(())
    }

    /// Counts steps from here on.
    pub(super) fn restart(&mut self) {
        self.evaluation.index = 0;
    }

    /// Where the parts of a compliant step that no contact couples are solved, as
    /// [`ImplicitStribeckSolver::set_parallelism`](crate::solver::ImplicitStribeckSolver::set_parallelism) (default:
    /// serially).
    #[inline(never)]
    pub fn set_parallelism(&mut self, parallelism: Parallelism) {
        if let Some(driven) = &mut self.driven {
            driven.step_mut().set_parallelism(parallelism);
        }
        self.solve.set_parallelism(parallelism);
    }

    /// What [rollouts](TimeSteppingRigidBodySystem::rollout_with) with this workspace keep beside states.
    pub fn keep(&mut self, kept: Kept) {
        self.kept = kept;
    }

    /// Whether steps in continuous time look for the kinks that their ends are nearest to (default: no). Each then
    /// searches twice more for contacts. The kinks of discrete steps are known without a search.
    pub fn set_kink_search(&mut self, searches: bool) {
        self.evaluation.searches_kinks = searches;
    }
}

/// What a step computes in the scalar of the caller.
#[derive(Debug, Clone)]
pub(super) struct StepEvaluation<T: Scalar> {
    pub kinematics: StepKinematics<T>,
    pub compliant: CompliantSolution<T>,
    pub rigid: RigidMemory<T>,
    pub integration: IntegrationMemory<T>,
    pub measurement: Measurement<T>,
    pub substeps: Substeps<T>,
    pub start: State<T>,
    pub input: Vec<T>,
    pub next: State<T>,
    /// The velocities to which the forces of a discrete step lead, with which it moves.
    pub v_after_forces: Vec<T>,
    pub free: Vec<FreeBody>,
    pub flights: Flights<T>,
    /// The start and the end in `f64`.
    pub real: State<f64>,
    pub real_next: State<f64>,
    pub real_v_after_forces: Vec<f64>,
    /// Forces whose power is compared.
    pub powers: [Vec<f64>; 2],
    pub real_kinematics: StepKinematics<f64>,
    pub real_flights: Flights<f64>,
    /// Whether the contacts and constraint forces are those of the step.
    pub has_results: bool,
    /// The number of the step.
    pub index: usize,
    /// Whether a step in continuous time looks for kinks.
    pub searches_kinks: bool,
    pub contacts: Vec<ContactResult<T>>,
    pub constraint_forces: Vec<ConstraintForce<T>>,
    pub law_forces: Vec<T>,
    pub status: StepStatus,
}

/// A step that has been made.
#[derive(Debug)]
pub struct Step<'w, T: Scalar> {
    pub(super) stepper: Stepper<'w, T>,
    pub(super) workspace: &'w mut StepWorkspace<T>,
}

impl<T: Scalar> Step<'_, T> {
    /// The state at the end of the step.
    pub fn state(&self) -> &State<T> {
        &self.workspace.evaluation.next
    }

    /// The outputs of the sensors, in the order of
    /// [`output_names`](super::RigidBodySystem::output_names).
    pub fn output(&self) -> &DVector<T> {
        self.workspace.evaluation.measurement.output()
    }

    /// How the step went.
    pub fn status(&self) -> &StepStatus {
        &self.workspace.evaluation.status
    }

    pub(super) fn take_law_forces(&mut self, forces: Vec<T>) {
        self.workspace.evaluation.law_forces = forces;
    }

    pub(super) fn offer_law_kink(&mut self, kink: StepKink) {
        self.workspace.evaluation.status.offer(kink);
    }

    /// The contacts of the step, also those that exert no force; in continuous time those at its start, of
    /// a step in [substeps](super::SystemOptions::max_turn) those of the first.
    ///
    /// # Errors
    /// As [`TimeSteppingRigidBodySystem::step`]; none, in practice, after a step that succeeded.
    #[inline(never)]
    pub fn contacts(&mut self) -> Result<&[ContactResult<T>], SystemError> {
        self.stepper.write_results(&mut self.workspace.evaluation)?;
        Ok(&self.workspace.evaluation.contacts)
    }

    /// The mean forces of the constraints that acted in the step; in continuous time those at its start, of
    /// a step in substeps those of the first. Rows that depend on each other share their forces. In compliant steps the derivatives
    /// of these forces are right for what they do together only: rows that are independent have all of them.
    ///
    /// # Errors
    /// As [`Self::contacts`].
    #[inline(never)]
    pub fn constraint_forces(&mut self) -> Result<&[ConstraintForce<T>], SystemError> {
        self.stepper.write_results(&mut self.workspace.evaluation)?;
        Ok(&self.workspace.evaluation.constraint_forces)
    }

    /// The forces `f` of [force laws](crate::constraint::ConstraintForceLaw) over the step, of all their rows in the order
    /// of the machine; in continuous time those at its start.
    ///
    /// # Errors
    /// As [`Self::contacts`].
    #[inline(never)]
    pub fn law_forces(&mut self) -> Result<&[T], SystemError> {
        if matches!(self.stepper.scheme, Scheme::Continuous { .. }) {
            self.stepper.write_results(&mut self.workspace.evaluation)?;
        }
        Ok(&self.workspace.evaluation.law_forces)
    }
}

impl<T: Scalar> Step<'_, T> {
    /// Calls `visit` with the kinks of force elements, actuators and sensors that are near the states at
    /// which the step evaluated them: elements and actuators at the velocity at its end; sensors at its start; in continuous time all of them at its start, then
    /// at its end. A step in substeps is taken as one, from its start and over all of its length. Those of contacts are in
    /// [`Self::status`].
    ///
    /// # Errors
    /// As [`TimeSteppingRigidBodySystem::step`]; none, in practice, after a step that succeeded.
    #[inline(never)]
    pub fn visit_element_kinks(
        &mut self,
        visit: &mut dyn FnMut(ElementKink<'_, T>),
    ) -> Result<(), SystemError> {
        (self.stepper).visit_element_kinks(&mut self.workspace.evaluation, visit)
    }
}

impl<T: Scalar> Stepper<'_, T> {
    /// As [`Step::visit_element_kinks`].
    pub(super) fn visit_element_kinks(
        &self,
        evaluation: &mut StepEvaluation<T>,
        visit: &mut dyn FnMut(ElementKink<'_, T>),
    ) -> Result<(), SystemError> {
        let StepEvaluation {
            kinematics: StepKinematics { bodies, .. },
            start,
            input,
            next,
            v_after_forces,
            ..
        } = evaluation;
        let (system, kinematics) = (self.system, bodies);
        let tree = &system.tree;
        let ends: &[(&State<T>, &[T])] = match self.scheme {
            Scheme::Compliant | Scheme::Rigid => &[(&*start, v_after_forces)],
            Scheme::Continuous { .. } => {
                &[(&*start, start.v.as_slice()), (&*next, next.v.as_slice())]
            }
        };
        let time_step = match self.scheme {
            Scheme::Compliant | Scheme::Rigid => self.time_step,
            Scheme::Continuous { .. } => T::zero(),
        };
        for (state, moving) in ends {
            let q = state.q.as_slice();
            tree.set_state(kinematics, q, moving)?;
            let context = ForceContext::new(tree, kinematics)
                .at_time(state.time)
                .over_step(time_step);
            system.forces.visit_kinks(&context, visit)?;
            let own = state.actuators.as_slice();
            (system.actuators).visit_kinks(&context, input, own, visit)?;
            tree.set_state(kinematics, q, state.v.as_slice())?;
            let context = SensorContext::new(tree, kinematics, &system.contact).at_time(state.time);
            (system.sensors).visit_kinks(&context, state.sensors.as_slice(), visit)?;
        }
        Ok(())
    }
}

impl<T: Scalar> TimeSteppingRigidBodySystem<T> {
    /// Memory for steps of this system.
    ///
    /// # Errors
    /// [`SystemError::Invalid`] for parameters of the solver outside their range.
    #[inline(never)]
    pub fn workspace(&self) -> Result<StepWorkspace<T>, SystemError> {
        let mut workspace = self.stepper().workspace()?;
        if let Some(driven) = &self.driven {
            workspace.driven = Some(driven.memory()?);
        }
        Ok(workspace)
    }

    /// Makes one step from `state` with the inputs `input`, constant over the step, without noise of
    /// sensors.
    ///
    /// # Errors
    /// [`SystemError`], when sizes do not fit, an entry is not finite, a quaternion is not of unit
    /// length, a force element cannot compute its force, the velocities at the end of the step are
    /// not found, or an actuator or sensor gives a number that is not finite.
    #[inline(never)]
    pub fn step<'w>(
        &'w self,
        workspace: &'w mut StepWorkspace<T>,
        state: &State<T>,
        input: &[T],
    ) -> Result<Step<'w, T>, SystemError> {
        self.step_with_noise(workspace, state, input, &mut || 0.0)
    }

    /// As [`Self::step`]; `normal` gives independent standard normal numbers for the noise of sensors.
    ///
    /// # Errors
    /// As [`Self::step`].
    #[inline(never)]
    pub fn step_with_noise<'w>(
        &'w self,
        workspace: &'w mut StepWorkspace<T>,
        state: &State<T>,
        input: &[T],
        normal: &mut dyn FnMut() -> f64,
    ) -> Result<Step<'w, T>, SystemError> {
        let Some(driven) = &self.driven else {
            return self.stepper().step(workspace, state, input, normal);
        };
        let memory = workspace
            .driven
            .as_mut()
            .ok_or(SystemError::ForeignWorkspace)?;
        let index = workspace.evaluation.index;
        workspace.evaluation.index += 1;
        driven.step(&self.system, memory, (state, input, index), normal)
    }
}

impl<'s, T: Scalar> Stepper<'s, T> {
    pub(super) fn workspace(&self) -> Result<StepWorkspace<T>, SystemError> {
        Ok(StepWorkspace {
            solve: CompliantSolve::new(self.real)?,
            evaluation: self.evaluation(),
            driven: None,
            kept: Kept::default(),
        })
    }

    /// As [`TimeSteppingRigidBodySystem::step_with_noise`].
    pub(super) fn step<'w>(
        self,
        workspace: &'w mut StepWorkspace<T>,
        state: &State<T>,
        input: &[T],
        normal: &mut dyn FnMut() -> f64,
    ) -> Result<Step<'w, T>, SystemError>
    where
        's: 'w,
    {
        let StepWorkspace {
            solve, evaluation, ..
        } = workspace;
        self.start(evaluation, state, input)?;
        self.advance(solve, evaluation, normal)?;
        evaluation.index += 1;
        Ok(Step {
            stepper: self,
            workspace,
        })
    }

    pub(super) fn evaluation(&self) -> StepEvaluation<T> {
        let system = &self.system;
        StepEvaluation {
            kinematics: StepKinematics::new(&system.tree),
            compliant: CompliantSolution::new(system),
            rigid: RigidMemory::new(&system.tree),
            integration: IntegrationMemory::default(),
            measurement: Measurement::new(system),
            substeps: Substeps::new(system),
            start: system.initial_state(),
            input: vec![T::zero(); system.num_inputs()],
            next: system.initial_state(),
            v_after_forces: vec![T::zero(); system.tree.num_velocities()],
            free: system.tree.free_bodies(),
            flights: Flights::new(&system.tree),
            real: self.real.initial_state(),
            real_next: self.real.initial_state(),
            real_v_after_forces: vec![0.0; system.tree.num_velocities()],
            powers: [(); 2].map(|()| vec![0.0; system.tree.num_velocities()]),
            real_kinematics: StepKinematics::new(&self.real.tree),
            real_flights: Flights::new(&self.real.tree),
            has_results: false,
            index: 0,
            searches_kinks: false,
            contacts: Vec::new(),
            constraint_forces: Vec::new(),
            law_forces: Vec::new(),
            status: StepStatus::default(),
        }
    }

    /// The path of a step.
    pub(super) fn advance(
        &self,
        solve: &mut CompliantSolve,
        evaluation: &mut StepEvaluation<T>,
        normal: &mut dyn FnMut() -> f64,
    ) -> Result<(), SystemError> {
        match self.scheme {
            Scheme::Compliant => self.make_compliant_step(solve, evaluation, normal),
            Scheme::Rigid => self.make_rigid_step(evaluation, normal),
            Scheme::Continuous { method, substeps } => {
                self.make_continuous_step(evaluation, (method, substeps), normal)
            }
        }
    }

    /// Checks and takes over what a step starts from.
    pub(super) fn start(
        &self,
        evaluation: &mut StepEvaluation<T>,
        state: &State<T>,
        input: &[T],
    ) -> Result<(), SystemError> {
        self.system.check_sizes(state, input)?;
        let made_for = [
            evaluation.input.len(),
            evaluation.measurement.output().len(),
        ];
        if evaluation.start.sizes() != state.sizes()
            || made_for != [input.len(), self.system.num_outputs()]
        {
            return Err(SystemError::ForeignWorkspace);
        }
        evaluation.start.clone_from(state);
        evaluation.input.copy_from_slice(input);
        evaluation.next.time = state.time + self.time_step;
        evaluation.has_results = false;
        Ok(())
    }

    /// Writes contacts and constraint forces, if they are not there yet.
    pub(super) fn write_results(
        &self,
        evaluation: &mut StepEvaluation<T>,
    ) -> Result<(), SystemError> {
        if evaluation.has_results {
            return Ok(());
        }
        evaluation.contacts.clear();
        evaluation.constraint_forces.clear();
        match self.scheme {
            Scheme::Compliant => self.write_compliant_results(evaluation)?,
            Scheme::Rigid => self.write_rigid_results(evaluation)?,
            Scheme::Continuous { .. } => self.write_continuous_results(evaluation)?,
        }
        for contact in &evaluation.contacts {
            InvalidInput::check_finite("contact forces", contact.force.as_slice())?;
            InvalidInput::check_finite("contact torques", contact.torque.as_slice())?;
        }
        for constraint in &evaluation.constraint_forces {
            InvalidInput::check_finite("constraint forces", &[constraint.force])?;
        }
        evaluation.has_results = true;
        Ok(())
    }
}
