//! Forces of laws over a step, and the step with them.

use super::directions::{Directions, JetModel};
use super::forces::{Time, drive, find_forces, kinks, lift_forces, show_rows};
use super::instant::driven_by_forces;
use crate::Scalar;
use crate::constraint::{ForceLawRow, ForceLaws, Motion, StepMotion};
use crate::decision::{Observable, Observer, Stage};
use crate::force::ForceContext;
use crate::solver::mixed_complementarity::Solution;
use crate::system::damping::Dual;
use crate::system::error::SystemError;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::system::scheme::Scheme;
use crate::system::state::State;
use crate::system::step::{Step, StepWorkspace};
use crate::system::time_stepping::TimeSteppingRigidBodySystem;
use crate::tree::{RigidBodyTree, TreeWorkspace};

/// A machine without its laws, whose last inputs are generalized forces.
#[derive(Debug, Clone)]
pub(in crate::system) struct DrivenMachine<T: Scalar> {
    machine: TimeSteppingRigidBodySystem<T>,
    dual: TimeSteppingRigidBodySystem<Dual>,
    dual_laws: ForceLaws<Dual>,
    jets: JetModel<T>,
    /// The machine that shows what it decides, if somebody observes.
    observed: Option<Box<TimeSteppingRigidBodySystem<T>>>,
}

/// Memory of steps with laws.
#[derive(Debug, Clone)]
pub(in crate::system) struct DrivenMemory<T: Scalar> {
    step: StepWorkspace<T>,
    ends: Ends<T>,
    input: Vec<T>,
    directions: Directions<T>,
    dual_step: StepWorkspace<Dual>,
    dual_ends: Ends<Dual>,
}

impl<T: Scalar> DrivenMemory<T> {
    /// The memory of the step that is made with the forces.
    pub fn step_mut(&mut self) -> &mut StepWorkspace<T> {
        &mut self.step
    }
}

/// The places of bodies at both ends of a step; a workspace.
#[derive(Debug, Clone)]
struct Ends<T: Scalar> {
    start: TreeWorkspace<T>,
    end: TreeWorkspace<T>,
}

impl<T: Scalar> Ends<T> {
    fn new(tree: &RigidBodyTree<T>) -> Self {
        Ends {
            start: tree.workspace(),
            end: tree.workspace(),
        }
    }

    /// Writes the rows at the end of a step; bodies are placed at its start.
    fn evaluate(
        &mut self,
        (laws, tree): (&ForceLaws<T>, &RigidBodyTree<T>),
        (start, end, time_step): (&State<T>, &State<T>, T),
        forces: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), SystemError> {
        tree.set_state(&mut self.end, end.q.as_slice(), end.v.as_slice())?;
        let motion = Motion::Step(StepMotion {
            start: ForceContext::new(tree, &self.start).at_time(start.time),
            end: ForceContext::new(tree, &self.end).at_time(end.time),
            time_step,
        });
        Ok(laws.evaluate(&motion, forces, rows)?)
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
            jets: JetModel::new(system),
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

    pub fn memory(&self) -> Result<Box<DrivenMemory<T>>, SystemError> {
        Ok(Box::new(DrivenMemory {
            step: self.machine.workspace()?,
            ends: Ends::new(&self.machine.tree),
            input: Vec::new(),
            directions: Directions::new(&self.jets),
            dual_step: self.dual.workspace()?,
            dual_ends: Ends::new(&self.dual.tree),
        }))
    }

    /// Makes the step.
    pub fn step<'w>(
        &'w self,
        system: &RigidBodySystem<T>,
        memory: &'w mut DrivenMemory<T>,
        (state, input, index): (&State<T>, &[T], usize),
        normal: &mut dyn FnMut() -> f64,
    ) -> Result<Step<'w, T>, SystemError> {
        system.check_sizes(state, input)?;
        let (laws, tree, time_step) = (&system.force_laws, &system.tree, self.machine.time_step());
        let (q, v) = (state.q.as_slice(), state.v.as_slice());
        tree.set_state(&mut memory.ends.start, q, v)?;
        let context = ForceContext::new(tree, &memory.ends.start)
            .at_time(state.time)
            .over_step(time_step);
        (memory.directions).evaluate(&self.jets, laws, &context)?;
        let solution = self.solve(laws, memory, state, input)?;
        let DrivenMemory {
            step,
            ends,
            input: driven,
            directions: Directions { matrix, .. },
            ..
        } = memory;
        let forces = lift_forces(laws, &solution, |forces, rows| {
            drive(driven, input, matrix, forces);
            let made = self.machine.step(step, state, driven)?;
            let of_step = (state, made.state(), time_step);
            ends.evaluate((laws, tree), of_step, forces, rows)
        })?;
        drive(driven, input, matrix, &forces);
        step.evaluation.index = index;
        let machine = self.observed.as_deref().unwrap_or(&self.machine);
        let mut made = machine.step_with_noise(step, state, driven, normal)?;
        if let Some(observer) = &system.observer {
            let (step, time) = (index, state.time.re());
            let stage = Stage {
                observer,
                step,
                time,
            };
            let mut rows = vec![ForceLawRow::equation(T::zero()); forces.len()];
            let of_step = (state, made.state(), time_step);
            ends.evaluate((laws, tree), of_step, &forces, &mut rows)?;
            show_rows(&stage, laws, &solution.places, (&forces, &rows));
        }
        made.take_law_forces(forces);
        kinks(laws, &solution).for_each(|kink| made.offer_law_kink(kink));
        Ok(made)
    }

    /// The forces of the rows, found in `f64`.
    fn solve(
        &self,
        laws: &ForceLaws<T>,
        memory: &mut DrivenMemory<T>,
        state: &State<T>,
        input: &[T],
    ) -> Result<Solution, SystemError> {
        let (tree, time_step) = (&self.dual.tree, self.dual.time_step());
        let (step, ends) = (&mut memory.dual_step, &mut memory.dual_ends);
        let start = state.cast::<Dual>();
        let (q, v) = (start.q.as_slice(), start.v.as_slice());
        tree.set_state(&mut ends.start, q, v)?;
        let constant = |x: &T| Dual::from_re(x.re());
        let directions = memory.directions.matrix.map(|x| constant(&x));
        let input: Vec<Dual> = input.iter().map(constant).collect();
        let mut driven = Vec::new();
        find_forces(laws, Time::Step, |forces, rows| {
            drive(&mut driven, &input, &directions, forces);
            let made = self.dual.step(step, &start, &driven)?;
            let of_step = (&start, made.state(), time_step);
            ends.evaluate((&self.dual_laws, tree), of_step, forces, rows)
        })
    }
}
