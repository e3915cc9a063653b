//! Forces of laws at an instant of continuous time, and accelerations with them.

use super::directions::{Directions, JetModel};
use super::forces::{Time, drive, find_forces, kinks, lift_forces, show_rows};
use crate::Scalar;
use crate::actuator::{AnyActuator, GeneralizedForces};
use crate::constraint::{ForceLawRow, ForceLaws, InstantMotion, Motion};
use crate::decision::Stage;
use crate::force::ForceContext;
use crate::math::SpatialAcceleration;
use crate::solver::mixed_complementarity::Solution;
use crate::system::continuous::{DynamicsWorkspace, Instant};
use crate::system::damping::Dual;
use crate::system::error::SystemError;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::system::status::StepKink;
use crate::tree::{RigidBodyTree, TreeWorkspace};
use std::sync::OnceLock;

/// A machine without its laws, whose last inputs are generalized forces; made when it is first needed.
#[derive(Debug, Clone)]
pub(crate) struct DrivenDynamics<T: Scalar>(OnceLock<Box<Machines<T>>>);

impl<T: Scalar> Default for DrivenDynamics<T> {
    fn default() -> Self {
        DrivenDynamics(OnceLock::new())
    }
}

#[derive(Debug, Clone)]
struct Machines<T: Scalar> {
    driven: RigidBodySystem<T>,
    dual: RigidBodySystem<Dual>,
    dual_laws: ForceLaws<Dual>,
    jets: JetModel<T>,
}

/// A machine without laws, with an input more for each velocity coordinate.
pub(super) fn driven_by_forces<T: Scalar>(system: &RigidBodySystem<T>) -> RigidBodySystem<T> {
    let mut driven = system.clone();
    driven.force_laws = ForceLaws::default();
    driven.driven = DrivenDynamics::default();
    let forces = GeneralizedForces::of_tree(&system.tree);
    driven.actuators.push(AnyActuator::new(forces));
    driven
}

/// Memory of evaluations with laws.
#[derive(Debug, Clone)]
pub(in crate::system) struct InstantMemory<T: Scalar> {
    dual: DynamicsWorkspace<Dual>,
    directions: Directions<T>,
    kinematics: TreeWorkspace<T>,
    accelerations: Vec<SpatialAcceleration<T>>,
    dual_accelerations: Vec<SpatialAcceleration<Dual>>,
    /// Those of the machine, then `Gᵀ f`.
    input: Vec<T>,
    /// Of the last evaluation.
    pub forces: Vec<T>,
    solution: Option<Solution>,
}

impl<T: Scalar> InstantMemory<T> {
    /// The power of the forces of the last evaluation at the velocities `v`, in W.
    pub fn power(&self, v: &[T]) -> T {
        let pairs = self.input.iter().rev().zip(v.iter().rev());
        pairs.fold(T::zero(), |sum, (&force, &v)| sum + force * v)
    }

    pub fn kinks(&self, laws: &ForceLaws<T>) -> impl Iterator<Item = StepKink> {
        (self.solution.iter()).flat_map(|solution| kinks(laws, solution))
    }
}

impl<T: Scalar> RigidBodySystem<T> {
    fn machines(&self) -> &Machines<T> {
        self.driven.0.get_or_init(|| {
            let driven = driven_by_forces(self);
            Box::new(Machines {
                dual: driven.cast(),
                dual_laws: self.force_laws.cast(),
                jets: JetModel::new(self),
                driven,
            })
        })
    }

    fn instant_memory(&self, machines: &Machines<T>) -> Box<InstantMemory<T>> {
        let bodies = self.tree.num_bodies();
        Box::new(InstantMemory {
            dual: machines.dual.dynamics_workspace(),
            directions: Directions::new(&machines.jets),
            kinematics: self.tree.workspace(),
            accelerations: vec![SpatialAcceleration::zero(); bodies],
            dual_accelerations: vec![SpatialAcceleration::zero(); bodies],
            input: Vec::new(),
            forces: Vec::new(),
            solution: None,
        })
    }

    /// Shows where the rows of laws are in the last evaluation of the dynamics.
    pub(in crate::system) fn show_laws(
        &self,
        workspace: &mut DynamicsWorkspace<T>,
        time: T,
        stage: &Stage<'_, T>,
    ) -> Result<(), SystemError> {
        let Some(mut memory) = workspace.laws.take() else {
            return Ok(());
        };
        let of = &mut *memory;
        let (laws, at) = (&self.force_laws, (time, &mut of.accelerations));
        let mut rows = vec![ForceLawRow::equation(T::zero()); of.forces.len()];
        let result = evaluate_rows((laws, &self.tree), workspace, at, &of.forces, &mut rows);
        if let (Ok(()), Some(solution)) = (&result, &of.solution) {
            show_rows(stage, laws, &solution.places, (&of.forces, &rows));
        }
        workspace.laws = Some(memory);
        result
    }

    /// Finds accelerations with the forces of laws, and those of contacts and constraints beside them.
    pub(in crate::system) fn evaluate_with_laws(
        &self,
        workspace: &mut DynamicsWorkspace<T>,
        instant: Instant<'_, T>,
        input: &[T],
    ) -> Result<(), SystemError> {
        let machines = self.machines();
        let mut memory = match workspace.laws.take() {
            Some(memory) => memory,
            None => self.instant_memory(machines),
        };
        let result = self.find_with_laws(machines, &mut memory, workspace, instant, input);
        workspace.laws = Some(memory);
        result
    }

    fn find_with_laws(
        &self,
        machines: &Machines<T>,
        memory: &mut InstantMemory<T>,
        workspace: &mut DynamicsWorkspace<T>,
        instant: Instant<'_, T>,
        input: &[T],
    ) -> Result<(), SystemError> {
        let (laws, tree) = (&self.force_laws, &self.tree);
        tree.set_state(&mut memory.kinematics, instant.q, instant.v)?;
        let context = ForceContext::new(tree, &memory.kinematics).at_time(instant.time);
        (memory.directions).evaluate(&machines.jets, laws, &context)?;

        let dual = |values: &[T]| -> Vec<Dual> {
            let constants = values.iter().map(|x| Dual::from_re(x.re()));
            constants.collect()
        };
        let (q, v, own) = (dual(instant.q), dual(instant.v), dual(instant.actuators));
        let dual_instant = Instant {
            time: Dual::from_re(instant.time.re()),
            q: &q,
            v: &v,
            actuators: &own,
        };
        let dual_input = dual(input);
        let directions = memory.directions.matrix.map(|x| Dual::from_re(x.re()));
        let (of_duals, accelerations) = (&mut memory.dual, &mut memory.dual_accelerations);
        of_duals.touching.clone_from(&workspace.touching);
        let mut driven = Vec::new();
        let solution = find_forces(laws, Time::Instant, |forces, rows| {
            drive(&mut driven, &dual_input, &directions, forces);
            let system = &machines.dual;
            system.evaluate_dynamics(of_duals, dual_instant, &driven)?;
            let at = (dual_instant.time, &mut *accelerations);
            let laws = (&machines.dual_laws, &system.tree);
            evaluate_rows(laws, of_duals, at, forces, rows)
        })?;

        let InstantMemory {
            directions: Directions { matrix, .. },
            accelerations,
            input: driven,
            forces,
            ..
        } = memory;
        *forces = lift_forces(laws, &solution, |forces, rows| {
            drive(driven, input, matrix, forces);
            (machines.driven).evaluate_dynamics(workspace, instant, driven)?;
            let at = (instant.time, &mut *accelerations);
            evaluate_rows((laws, tree), workspace, at, forces, rows)
        })?;
        memory.solution = Some(solution);
        drive(driven, input, matrix, forces);
        (machines.driven).evaluate_dynamics(workspace, instant, driven)
    }
}

/// Writes the rows at the state and the accelerations of a workspace.
fn evaluate_rows<T: Scalar>(
    (laws, tree): (&ForceLaws<T>, &RigidBodyTree<T>),
    workspace: &mut DynamicsWorkspace<T>,
    (time, accelerations): (T, &mut Vec<SpatialAcceleration<T>>),
    forces: &[T],
    rows: &mut [ForceLawRow<T>],
) -> Result<(), SystemError> {
    let (kinematics, vdot) = (&mut workspace.kinematics, &workspace.vdot);
    tree.body_accelerations(kinematics, vdot, accelerations)?;
    let motion = Motion::Instant(InstantMotion {
        state: ForceContext::new(tree, kinematics).at_time(time),
        vdot,
        body_accelerations: accelerations,
    });
    Ok(laws.evaluate(&motion, forces, rows)?)
}
