//! Whether the forces of constraints can uphold them at all, judged when a machine is complete.
//!
//! A force along a [direction of its own](crate::constraint::ConstraintRows::force_directions) may not move its row, alone or
//! beside the forces of other rows. At single configurations that is a singular one, which the step that meets it names.
//! Where it is so at every configuration and time looked at, no motion of the machine would get through a step: the machine is
//! refused.

use super::error::SystemError;
use super::rigid_body_system::RigidBodySystem;
use super::scheme::Scheme;
use crate::constraint::{
    Baumgarte, ConstraintError, ConstraintForceLaw, ConstraintRows, ConstraintSolver, ForceLawRow,
    InstantMotion, Motion, StepMotion, TreeConstraints, evaluate_rows,
};
use crate::force::ForceContext;
use crate::math::SpatialAcceleration;
use crate::solver::lcp::LcpSolverParameters;
use crate::tree::{RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar};

/// Configurations that are looked at.
const SAMPLES: usize = 8;

impl<T: Scalar> RigidBodySystem<T> {
    /// Refuses constraints that no forces of the machine uphold, by name, and forces that do not fit to their rows.
    ///
    /// Damping of joints couples what the mass matrix does not, in steps that are implicit in it, and counts as inertia there. What elements whose forces
    /// depend on velocities couple is left to steps.
    pub(super) fn check_upheld(&self, scheme: Scheme) -> Result<(), SystemError> {
        if self.constraints.iter().next().is_none() {
            return Ok(());
        }
        let constraints = self.constraints.cast::<f64>();
        let mut tree = self.tree.cast::<f64>();
        let mut workspace = tree.workspace();
        let initial = tree.neutral_configuration().as_slice().to_vec();
        tree.set_positions(&mut workspace, &initial)?;
        let (mut rows, mut any) = (ConstraintRows::zeros(0, 0), false);
        for constraint in constraints.iter() {
            match evaluate_rows(constraint, (&tree, &workspace, 0.0), &mut rows) {
                Ok(()) => any |= rows.force_directions.is_some(),
                Err(error) if is_of_form(&error) => return Err(error.into()),
                Err(_) => {} // not defined there
            }
        }
        if !any || self.forces_depend_on_velocity() {
            return Ok(());
        }
        if matches!(scheme, Scheme::Compliant | Scheme::Rigid) {
            tree.add_damping_to_armature();
        }
        let mut problem = TreeConstraints::new();
        let stabilization = Baumgarte {
            alpha: 0.0,
            beta: 0.0,
        };
        (constraints.iter()).for_each(|constraint| problem.add(constraint, stabilization));
        let (mut q, nv) = (initial.clone(), tree.num_velocities());
        let mut refusal = Ok(());
        for sample in 0..SAMPLES {
            let number = |i: usize| 2.0 * ((1 + i + sample * nv) as f64 * GOLDEN).fract() - 1.0;
            let displacement: Vec<f64> = (0..nv).map(number).collect();
            tree.integrate_exponential(&initial, &displacement, 1.0, &mut q)?;
            let v: Vec<f64> = (nv..2 * nv).map(number).collect();
            tree.set_state(&mut workspace, &q, &v)?;
            problem.time = sample as f64;
            refusal = self.uphold(&problem, &mut workspace, &tree);
            if refusal.is_ok() {
                break;
            }
        }
        refusal
    }

    /// Refuses force laws that do not describe the time of a scheme, by name.
    pub(super) fn check_described(&self, scheme: Scheme) -> Result<(), SystemError> {
        if self.force_laws.is_empty() {
            return Ok(());
        }
        let (laws, tree) = (self.force_laws.cast::<f64>(), self.tree.cast::<f64>());
        let mut workspace = tree.workspace();
        tree.set_positions(&mut workspace, tree.neutral_configuration().as_slice())?;
        let state = ForceContext::new(&tree, &workspace);
        let vdot = vec![0.0; tree.num_velocities()];
        let accelerations = vec![SpatialAcceleration::zero(); tree.num_bodies()];
        let motion = match scheme {
            Scheme::Continuous { .. } => Motion::Instant(InstantMotion {
                state,
                vdot: &vdot,
                body_accelerations: &accelerations,
            }),
            Scheme::Compliant | Scheme::Rigid => Motion::Step(StepMotion {
                start: state,
                end: state,
                time_step: 1.0,
            }),
        };
        for law in laws.iter() {
            let count = law.num_rows();
            let mut rows = vec![ForceLawRow::equation(0.0); count];
            match law.evaluate(&motion, &vec![0.0; count], &mut rows) {
                Err(error) if is_not_described(&error) => return Err(error.into()),
                _ => {} // not defined there, or not with these forces
            }
        }
        Ok(())
    }

    /// The error of rows that are not upheld at the state of a workspace; whatever else is wrong there is not judged.
    fn uphold(
        &self,
        constraints: &TreeConstraints<'_, f64>,
        workspace: &mut TreeWorkspace<f64>,
        tree: &RigidBodyTree<f64>,
    ) -> Result<(), SystemError> {
        let tau = vec![0.0; tree.num_velocities()];
        let Ok(mut posed) = constraints.acceleration_problem(tree, workspace, &tau) else {
            return Ok(());
        };
        let mut solver = ConstraintSolver::new(LcpSolverParameters::default())?;
        match solver.solve_accelerations(&mut posed.data) {
            Err(error @ ConstraintError::NotUpheld { .. }) => {
                Err(self.in_row(error, &posed.bilateral))
            }
            _ => Ok(()),
        }
    }
}

/// The golden ratio, whose multiples fill an interval evenly.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

fn is_not_described(error: &ConstraintError) -> bool {
    matches!(error, ConstraintError::NotDescribed { .. })
}

/// Whether an error is about what a constraint is, not about a state.
fn is_of_form(error: &ConstraintError) -> bool {
    matches!(
        error,
        ConstraintError::DirectionsOfInequality { .. }
            | ConstraintError::InvalidConstraint {
                source: InvalidInput::Dimension { .. },
                ..
            }
    )
}
