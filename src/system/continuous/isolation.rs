//! Whether an equilibrium is isolated: regularity of its Jacobian.

use super::equilibrium::{RestResidual, Root};
use crate::math::{SingularValues, SpatialInertia, SpatialVelocity};
use crate::system::error::SystemError;
use nalgebra::{DMatrix, DVector};

/// Entries that are smaller than this, relative to what they are differences of, are round-off.
const ROUND_OFF: f64 = 1e3 * f64::EPSILON;

impl RestResidual<'_, f64> {
    /// Whether a row neither has a gap nor a force between its bounds, as far as `tolerance` tells.
    pub fn is_undecided(&mut self, root: &Root, tolerance: f64) -> Result<bool, SystemError> {
        let nv = self.state.v.len();
        let mut x = vec![0.0; nv];
        x.extend(&root.multipliers);
        let mut residual = vec![0.0; x.len()];
        self.evaluate(&root.q, &x, &mut residual)?;
        let mut rows = residual[nv..]
            .iter()
            .zip(&root.multipliers)
            .zip(&self.bounds);
        Ok(rows.any(|((phi, force), bounds)| {
            let at_bound = |bound: &f64| (force - bound).abs() <= tolerance;
            phi.abs() <= tolerance && bounds.iter().any(at_bound)
        }))
    }

    /// Whether the Jacobian at the state of the last evaluation is singular but for round-off and the forces `left` there.
    pub fn is_singular(
        &self,
        (left, jacobian): (&DVector<f64>, &DMatrix<f64>),
        multipliers: &[f64],
    ) -> Result<bool, SystemError> {
        let mut scaled = jacobian.clone();
        let noise = self.round_off(multipliers)?;
        for (x, noise) in scaled.iter_mut().zip(&noise) {
            if x.abs() <= *noise {
                *x = 0.0;
            }
        }
        for mut row in scaled.row_iter_mut() {
            let largest = row.amax();
            row /= if largest > 0.0 { largest } else { 1.0 };
        }
        for mut column in scaled.column_iter_mut() {
            let largest = column.amax();
            column /= if largest > 0.0 { largest } else { 1.0 };
        }
        let round_off = 1e2 * f64::EPSILON * jacobian.nrows() as f64;
        let limit = round_off.max(1e2 * left.amax() / jacobian.amax());
        Ok(SingularValues::of(scaled).rank(limit) < jacobian.nrows())
    }

    /// How large the entries of a Jacobian may be by round-off: forces are sums over bodies of what a turn changes, whose
    /// levers are as long as bodies are large, also where they cancel; rows of constraints and contacts are velocities
    /// of points.
    fn round_off(&self, multipliers: &[f64]) -> Result<DMatrix<f64>, SystemError> {
        let (tree, kinematics) = (&self.system.tree, &self.workspace.kinematics);
        let (nv, size) = (self.state.v.len(), self.state.v.len() + multipliers.len());
        let held: f64 = multipliers.iter().map(|f| f.abs()).sum();
        let gravity = tree.gravity().norm();
        let mut bodies = vec![SpatialVelocity::zero(); tree.num_bodies()];
        let mut unit = vec![0.0; nv];
        let (mut forces, mut turns) = (DVector::zeros(nv), DVector::zeros(nv));
        let mut speeds = DVector::zeros(nv);
        for i in 0..nv {
            unit.fill(0.0);
            unit[i] = 1.0;
            tree.body_velocities(kinematics, &unit, &mut bodies)?;
            let (mut fastest, mut turn, mut force) = (0.0_f64, 0.0_f64, 0.0);
            let applied = self.workspace.forces_on_bodies();
            for (body, (velocity, applied)) in tree.bodies().zip(bodies.iter().zip(applied)) {
                let (angular, linear) = (velocity.angular.norm(), velocity.linear.norm());
                let weight = body.inertia().mass * gravity;
                force += (weight + applied.force.norm())
                    * (linear + angular * spread(body.inertia()))
                    + applied.torque.norm() * angular;
                fastest = fastest.max(linear + angular);
                turn = turn.max(angular);
            }
            forces[i] = force + held * fastest;
            (speeds[i], turns[i]) = (fastest, turn);
        }
        Ok(DMatrix::from_fn(size, size, |i, j| {
            let scale = match (i < nv, j < nv) {
                (true, true) => forces[i] * turns[j],
                (true, false) => speeds[i],
                (false, true) => speeds[j],
                (false, false) => 0.0,
            };
            ROUND_OFF * scale
        }))
    }
}

/// How far a body's mass is from its origin: its center, and the radius of gyration beside it.
fn spread(inertia: &SpatialInertia<f64>) -> f64 {
    let gyration = inertia.rotational_inertia.trace() / inertia.mass;
    let beside = if gyration.is_finite() {
        gyration.max(0.0).sqrt()
    } else {
        0.0
    };
    inertia.center_of_mass.norm() + beside
}
