//! The forces of laws at an instant of continuous time, and the accelerations with them.

use super::directions::{Directions, Place, varying_parameters};
use super::drive::{constant_forces, drive, name_row, seeded_chunks, write_rows};
use crate::Scalar;
use crate::actuator::{AnyActuator, GeneralizedForces};
use crate::autodiff::implicit_step;
use crate::constraint::{ForceLawRow, ForceLaws, InstantMotion, Motion};
use crate::force::ForceContext;
use crate::math::{Lu, SpatialAcceleration};
use crate::solver::mixed_complementarity::{self, Functions, jacobian_of_places};
use crate::system::continuous::{DynamicsWorkspace, Instant};
use crate::system::damping::Dual;
use crate::system::error::SystemError;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::tree::{RigidBodyTree, TreeWorkspace};
use nalgebra::{DMatrix, DVector};
use std::sync::OnceLock;

/// To which rows hold, relative to what forces of one make of them.
const TOLERANCE: f64 = 1e-11;

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
    real_laws: ForceLaws<f64>,
    real_tree: RigidBodyTree<f64>,
    parameters: Vec<T>,
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
    real_directions: Directions<f64>,
    real_placed: TreeWorkspace<f64>,
    directions: Directions<T>,
    placed: TreeWorkspace<T>,
    accelerations: Vec<SpatialAcceleration<T>>,
    dual_accelerations: Vec<SpatialAcceleration<Dual>>,
    input: Vec<T>,
    rows: Vec<ForceLawRow<T>>,
}

impl<T: Scalar> RigidBodySystem<T> {
    fn machines(&self) -> &Machines<T> {
        self.driven.0.get_or_init(|| {
            let driven = driven_by_forces(self);
            Box::new(Machines {
                dual: driven.cast(),
                dual_laws: self.force_laws.cast(),
                real_laws: self.force_laws.cast(),
                real_tree: self.tree.cast(),
                parameters: varying_parameters(self),
                driven,
            })
        })
    }

    fn instant_memory(&self, machines: &Machines<T>) -> Box<InstantMemory<T>> {
        let (bodies, rows) = (self.tree.num_bodies(), self.force_laws.num_rows());
        Box::new(InstantMemory {
            dual: machines.dual.dynamics_workspace(),
            real_directions: Directions::new((&machines.real_tree, &machines.real_laws)),
            real_placed: machines.real_tree.workspace(),
            directions: Directions::new((&self.tree, &self.force_laws)),
            placed: self.tree.workspace(),
            accelerations: vec![SpatialAcceleration::zero(); bodies],
            dual_accelerations: vec![SpatialAcceleration::zero(); bodies],
            input: Vec::new(),
            rows: vec![ForceLawRow::equation(T::zero()); rows],
        })
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
        let real = |values: &[T]| -> Vec<f64> { values.iter().map(|x| x.re()).collect() };
        let (q, v, own) = (real(instant.q), real(instant.v), real(instant.actuators));
        let (tree, placed) = (&machines.real_tree, &mut memory.real_placed);
        tree.set_state(placed, &q, &v)?;
        let context = ForceContext::new(tree, placed).at_time(instant.time.re());
        let at = Place {
            context,
            time_step: 0.0,
        };
        let of_laws = &mut memory.real_directions;
        of_laws.evaluate(&machines.real_laws, &[], &at)?;

        let dual = |values: &[f64]| -> Vec<Dual> { values.iter().map(|&x| x.into()).collect() };
        let (q, v, own) = (dual(&q), dual(&v), dual(&own));
        let dual_instant = Instant {
            time: Dual::from_re(instant.time.re()),
            q: &q,
            v: &v,
            actuators: &own,
        };
        let dual_input = dual(&real(input));
        let dual_directions = of_laws.matrix.map(Dual::from_re);
        let (dual_workspace, accelerations) = (&mut memory.dual, &mut memory.dual_accelerations);
        let touching = &workspace.touching;
        dual_workspace.touching.clone_from(touching);
        let size = self.force_laws.num_rows();
        let mut rows = vec![ForceLawRow::equation(Dual::from_re(0.0)); size];
        let mut driven_input = Vec::new();
        let evaluate = |f: &DVector<f64>, at: &mut Functions| {
            for (first, forces) in seeded_chunks(f) {
                drive(&mut driven_input, &dual_input, &dual_directions, &forces);
                let system = &machines.dual;
                system.evaluate_dynamics(dual_workspace, dual_instant, &driven_input)?;
                evaluate_rows(
                    (&machines.dual_laws, &system.tree),
                    dual_workspace,
                    (dual_instant.time, accelerations),
                    &forces,
                    &mut rows,
                )?;
                write_rows(at, first, &rows);
            }
            Ok::<(), SystemError>(())
        };
        let guess = DVector::zeros(size);
        let solution = mixed_complementarity::solve(guess, TOLERANCE, evaluate)?
            .map_err(|failed| name_row(&machines.real_laws, failed))?;

        let (laws, tree) = (&self.force_laws, &self.tree);
        if T::NDERIV == 0 {
            memory.directions.matrix = memory.real_directions.matrix.map(T::from);
        } else {
            tree.set_state(&mut memory.placed, instant.q, instant.v)?;
            let at = Place {
                context: ForceContext::new(tree, &memory.placed).at_time(instant.time),
                time_step: T::zero(),
            };
            (memory.directions).evaluate(laws, &machines.parameters, &at)?;
        }
        let directions: &DMatrix<T> = &memory.directions.matrix;
        let mut forces = constant_forces(&solution);
        let driven = &machines.driven;
        if T::NDERIV > 0 {
            let mut jacobian = Lu::identity(size);
            jacobian.factor(&jacobian_of_places(&solution.functions, &solution.places))?;
            let mut residual = vec![T::zero(); size];
            let (rows, accelerations) = (&mut memory.rows, &mut memory.accelerations);
            let of_drive = &mut memory.input;
            implicit_step(&jacobian, &mut forces, &mut residual, |forces, residual| {
                drive(of_drive, input, directions, forces);
                driven.evaluate_dynamics(workspace, instant, of_drive)?;
                let at = (instant.time, &mut *accelerations);
                evaluate_rows((laws, tree), workspace, at, forces, rows)?;
                for (i, residual) in residual.iter_mut().enumerate() {
                    *residual = solution.places[i].residual(forces[i], rows[i]);
                }
                Ok::<(), SystemError>(())
            })?;
        }
        drive(&mut memory.input, input, directions, &forces);
        driven.evaluate_dynamics(workspace, instant, &memory.input)
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
    let (placed, vdot) = (&mut workspace.placed, &workspace.vdot);
    tree.body_accelerations(placed, vdot, accelerations)?;
    let motion = Motion::Instant(InstantMotion {
        state: ForceContext::new(tree, placed).at_time(time),
        vdot,
        body_accelerations: accelerations,
    });
    Ok(laws.evaluate(&motion, forces, rows)?)
}
