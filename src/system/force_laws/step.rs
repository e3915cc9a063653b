//! The forces of laws over a step, and the step with them.

use super::directions::{Directions, Place, varying_parameters};
use super::drive::{constant_forces, drive, name_row, seeded_chunks, write_rows};
use super::instant::driven_by_forces;
use crate::Scalar;
use crate::autodiff::implicit_step;
use crate::constraint::{ConstraintForceLaw, ForceLawRow, ForceLaws, Motion, StepMotion};
use crate::decision::{Margin, Observable, Observer, Stage};
use crate::force::ForceContext;
use crate::math::Lu;
use crate::solver::mixed_complementarity::{
    self, Functions, Place as RowPlace, Solution, jacobian_of_places,
};
use crate::system::damping::Dual;
use crate::system::error::SystemError;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::system::scheme::Scheme;
use crate::system::state::State;
use crate::system::step::{Step, StepWorkspace};
use crate::system::time_stepping::TimeSteppingRigidBodySystem;
use crate::tree::{RigidBodyTree, TreeWorkspace};
use nalgebra::DVector;

/// How far the force of a row is from a bound, or its `φ` from where the force leaves it.
fn kink(solution: &Solution, row: usize, place: RowPlace) -> f64 {
    let (f, at) = (solution.f[row], &solution.functions);
    match place {
        RowPlace::Between => f64::min(f - at.lower[row], at.upper[row] - f),
        RowPlace::AtLower | RowPlace::AtUpper => at.phi[row].abs(),
    }
}

/// To which rows hold at the end of a step, in their units.
const TOLERANCE: f64 = 1e-11;

/// A machine without its laws, whose last inputs are generalized forces.
#[derive(Debug, Clone)]
pub(in crate::system) struct DrivenMachine<T: Scalar> {
    machine: TimeSteppingRigidBodySystem<T>,
    dual: TimeSteppingRigidBodySystem<Dual>,
    dual_laws: ForceLaws<Dual>,
    /// The parameters of the tree, then of the laws, if one has derivative parts.
    parameters: Vec<T>,
    /// The machine that shows what it decides, if somebody observes.
    observed: Option<Box<TimeSteppingRigidBodySystem<T>>>,
}

/// Memory of steps with laws.
#[derive(Debug, Clone)]
pub(in crate::system) struct DrivenMemory<T: Scalar> {
    step: StepWorkspace<T>,
    rows: RowMemory<T>,
    directions: Directions<T>,
    dual_step: StepWorkspace<Dual>,
    dual_rows: RowMemory<Dual>,
    real_directions: Directions<f64>,
    real_start: TreeWorkspace<f64>,
}

impl<T: Scalar> DrivenMemory<T> {
    /// The memory of the step that is made with the forces.
    pub fn step_mut(&mut self) -> &mut StepWorkspace<T> {
        &mut self.step
    }
}

/// The places of bodies at both ends of a step, and the rows; a workspace.
#[derive(Debug, Clone)]
struct RowMemory<T: Scalar> {
    start: TreeWorkspace<T>,
    end: TreeWorkspace<T>,
    rows: Vec<ForceLawRow<T>>,
    input: Vec<T>,
}

impl<T: Scalar> RowMemory<T> {
    fn new(tree: &RigidBodyTree<T>, rows: usize) -> Self {
        RowMemory {
            start: tree.workspace(),
            end: tree.workspace(),
            rows: vec![ForceLawRow::equation(T::zero()); rows],
            input: Vec::new(),
        }
    }

    /// Writes the rows at the end of a step; bodies are placed at its start.
    fn evaluate(
        &mut self,
        (laws, tree): (&ForceLaws<T>, &RigidBodyTree<T>),
        (start, end, time_step): (&State<T>, &State<T>, T),
        forces: &[T],
    ) -> Result<(), SystemError> {
        tree.set_state(&mut self.end, end.q.as_slice(), end.v.as_slice())?;
        let motion = Motion::Step(StepMotion {
            start: ForceContext::new(tree, &self.start).at_time(start.time),
            end: ForceContext::new(tree, &self.end).at_time(end.time),
            time_step,
        });
        Ok(laws.evaluate(&motion, forces, &mut self.rows)?)
    }
}

impl<T: Scalar> DrivenMachine<T> {
    /// That of a machine with laws.
    pub fn new(system: &RigidBodySystem<T>, time_step: T, scheme: Scheme) -> Option<Box<Self>> {
        if system.force_laws.is_empty() || matches!(scheme, Scheme::Continuous { .. }) {
            return None;
        }
        let driven = driven_by_forces(system);
        let machine = TimeSteppingRigidBodySystem::of_parts(driven, time_step, scheme);
        let mut driven = DrivenMachine {
            dual: machine.cast(),
            dual_laws: system.force_laws.cast(),
            parameters: varying_parameters(system),
            observed: None,
            machine,
        };
        driven.observe(system.observer.clone());
        Some(Box::new(driven))
    }

    /// Has the last of the steps that find forces, which is made with them, show what it decides.
    pub fn observe(&mut self, observer: Option<Observer<T>>) {
        self.machine.observe(None);
        self.observed = observer.map(|observer| {
            let mut observed = self.machine.clone();
            observed.observe(Some(observer));
            Box::new(observed)
        });
    }

    pub fn memory(
        &self,
        system: &RigidBodySystem<T>,
        real: &RigidBodySystem<f64>,
    ) -> Result<Box<DrivenMemory<T>>, SystemError> {
        let rows = system.force_laws.num_rows();
        Ok(Box::new(DrivenMemory {
            step: self.machine.workspace()?,
            rows: RowMemory::new(&system.tree, rows),
            directions: Directions::new((&system.tree, &system.force_laws)),
            dual_step: self.dual.workspace()?,
            dual_rows: RowMemory::new(&self.dual.tree, rows),
            real_directions: Directions::new((&real.tree, &real.force_laws)),
            real_start: real.tree.workspace(),
        }))
    }

    /// Makes the step.
    pub fn step<'w>(
        &'w self,
        (system, real): (&RigidBodySystem<T>, &RigidBodySystem<f64>),
        memory: &'w mut DrivenMemory<T>,
        (state, input, index): (&State<T>, &[T], usize),
        normal: &mut dyn FnMut() -> f64,
    ) -> Result<Step<'w, T>, SystemError> {
        system.check_sizes(state, input)?;
        let solution = self.solve(real, memory, state, input)?;
        let (laws, tree, time_step) = (&system.force_laws, &system.tree, self.machine.time_step());
        let DrivenMemory {
            step,
            rows,
            directions,
            real_directions,
            ..
        } = memory;
        let (q, v) = (state.q.as_slice(), state.v.as_slice());
        tree.set_state(&mut rows.start, q, v)?;
        if T::NDERIV == 0 {
            directions.matrix = real_directions.matrix.map(T::from);
        } else {
            let context = ForceContext::new(tree, &rows.start).at_time(state.time);
            let at = Place { context, time_step };
            directions.evaluate(laws, &self.parameters, &at)?;
        }
        let mut forces: Vec<T> = constant_forces(&solution);
        if T::NDERIV > 0 {
            let mut jacobian = Lu::identity(forces.len());
            let matrix = jacobian_of_places(&solution.functions, &solution.places);
            jacobian.factor(&matrix)?;
            let mut residual = vec![T::zero(); forces.len()];
            implicit_step(&jacobian, &mut forces, &mut residual, |forces, residual| {
                drive(&mut rows.input, input, &directions.matrix, forces);
                let made = self.machine.step(step, state, &rows.input)?;
                rows.evaluate((laws, tree), (state, made.state(), time_step), forces)?;
                for (i, residual) in residual.iter_mut().enumerate() {
                    *residual = solution.places[i].residual(forces[i], rows.rows[i]);
                }
                Ok::<(), SystemError>(())
            })?;
        }
        drive(&mut rows.input, input, &directions.matrix, &forces);
        step.evaluation.index = index;
        let machine = self.observed.as_deref().unwrap_or(&self.machine);
        let mut made = machine.step_with_noise(step, state, &rows.input, normal)?;
        if let Some(observer) = &system.observer {
            let (step, time) = (index, state.time.re());
            let stage = Stage {
                observer,
                step,
                time,
            };
            rows.evaluate((laws, tree), (state, made.state(), time_step), &forces)?;
            for (i, (row, &place)) in rows.rows.iter().zip(&solution.places).enumerate() {
                let Some((law, _)) = laws.row(i) else {
                    continue;
                };
                let name = format_args!("{}", law.name());
                let mut show =
                    |number: T| stage.show(name, "row", "of the row", Margin::Sign(number));
                match place {
                    RowPlace::Between => {
                        let bounds = [forces[i] - row.lower, row.upper - forces[i]];
                        let finite = bounds.into_iter().filter(|x| x.re().is_finite());
                        finite.for_each(&mut show);
                    }
                    RowPlace::AtLower | RowPlace::AtUpper => show(row.phi),
                }
            }
        }
        made.take_law_forces(forces);
        for (row, place) in solution.places.iter().enumerate() {
            made.offer_law_kink(row, kink(&solution, row, *place));
        }
        Ok(made)
    }

    /// The forces of the rows, found in `f64`.
    fn solve(
        &self,
        real: &RigidBodySystem<f64>,
        memory: &mut DrivenMemory<T>,
        state: &State<T>,
        input: &[T],
    ) -> Result<Solution, SystemError> {
        let DrivenMemory {
            dual_step,
            dual_rows,
            real_directions,
            real_start,
            ..
        } = memory;
        let mut start = self.dual.neutral_state().cast::<f64>();
        start.copy_real(state);
        let time_step = self.machine.time_step().re();
        let (q, v) = (start.q.as_slice(), start.v.as_slice());
        real.tree.set_state(real_start, q, v)?;
        let context = ForceContext::new(&real.tree, real_start).at_time(start.time);
        let at = Place { context, time_step };
        real_directions.evaluate(&real.force_laws, &[], &at)?;
        let directions = real_directions.matrix.map(Dual::from);
        let dual_time_step = Dual::from_re(time_step);
        let start = start.cast::<Dual>();
        let input: Vec<Dual> = input.iter().map(|u| Dual::from(u.re())).collect();
        let tree = &self.dual.tree;
        let (q, v) = (start.q.as_slice(), start.v.as_slice());
        tree.set_state(&mut dual_rows.start, q, v)?;
        let evaluate = |f: &DVector<f64>, at: &mut Functions| {
            for (first, forces) in seeded_chunks(f) {
                drive(&mut dual_rows.input, &input, &directions, &forces);
                let made = self.dual.step(dual_step, &start, &dual_rows.input)?;
                let ends = (&start, made.state(), dual_time_step);
                dual_rows.evaluate((&self.dual_laws, tree), ends, &forces)?;
                write_rows(at, first, &dual_rows.rows);
            }
            Ok::<(), SystemError>(())
        };
        let guess = DVector::zeros(real.force_laws.num_rows());
        let solved = mixed_complementarity::solve(guess, TOLERANCE, evaluate)?;
        solved.map_err(|failed| name_row(&real.force_laws, failed))
    }
}
