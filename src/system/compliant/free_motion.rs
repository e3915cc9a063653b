//! Steps in which nothing touches and nothing is constrained.
//!
//! Their balance `(M + δt D) v⁺ = p` is linear, with the damping D of joints on the diagonal: articulated bodies
//! solve it without the matrix, in O(n) whatever the depth of the tree.

use crate::system::status::StepStatus;
use crate::tree::{ArticulatedBodies, RigidBodyTree, TreeWorkspace};

/// Residual of the balance, relative to p, up to which a solution counts.
const TOLERANCE: f64 = 1e-12;

/// Solves such steps; a workspace.
#[derive(Debug, Clone)]
pub(super) struct FreeMotion {
    bodies: Option<ArticulatedBodies>,
    /// `M v`.
    momentum: Vec<f64>,
}

impl FreeMotion {
    pub fn new(tree: &RigidBodyTree<f64>) -> Self {
        FreeMotion {
            bodies: tree.new_articulated_bodies(),
            momentum: vec![0.0; tree.num_velocities()],
        }
    }

    /// Finds the velocities `v` at the end of a step with the momentum `p` and `damping`, which is δt D; `None`
    /// where they are not found to round-off.
    pub fn solve(
        &mut self,
        tree: &RigidBodyTree<f64>,
        placed: &mut TreeWorkspace<f64>,
        (damping, p): (&[f64], &[f64]),
        v: &mut [f64],
    ) -> Option<StepStatus> {
        let bodies = self.bodies.as_mut()?;
        v.copy_from_slice(p);
        (tree.solve_damped_mass_matrix(placed, bodies, |i| damping[i], v)).ok()?;
        let momentum = &mut self.momentum;
        tree.multiply_mass_matrix(placed, v, momentum).ok()?;
        let (mut error, mut scale) = (0.0, 0.0);
        for (((mv, d), v), p) in momentum.iter().zip(damping).zip(&*v).zip(p) {
            error += (mv + d * v - p).powi(2);
            scale += p * p;
        }
        let residual = if error == 0.0 {
            0.0
        } else {
            (error / scale).sqrt()
        };
        (residual <= TOLERANCE).then(|| StepStatus {
            residual,
            ..StepStatus::default()
        })
    }
}
