//! Steps without contacts and constraints, by articulated bodies.
//!
//! Their balance `(M + δt D) v⁺ = p` is linear, with the damping D of joints on the diagonal: articulated bodies
//! solve it without the matrix, in O(n) whatever the depth of the tree.

use crate::system::status::StepStatus;
use crate::tree::{MassMatrixFactor, RigidBodyTree, TreeError, TreeWorkspace};

/// Residual of the balance, relative to p, up to which a solution counts.
const TOLERANCE: f64 = 1e-12;

/// Solves such steps; a workspace.
#[derive(Debug, Clone)]
pub(super) struct FreeMotion {
    factor: MassMatrixFactor<f64>,
    /// `M v`.
    momentum: Vec<f64>,
}

impl FreeMotion {
    pub fn new(tree: &RigidBodyTree<f64>) -> Self {
        FreeMotion {
            factor: MassMatrixFactor::new(tree),
            momentum: vec![0.0; tree.num_velocities()],
        }
    }

    /// Checks that the matrix of the balance, whose mass matrix has just been evaluated, is regular with `damping`, which is
    /// δt D.
    ///
    /// # Errors
    /// [`TreeError::SingularInertia`].
    pub fn check(
        &mut self,
        tree: &RigidBodyTree<f64>,
        kinematics: &mut TreeWorkspace<f64>,
        damping: &[f64],
    ) -> Result<(), TreeError> {
        if tree.is_opposed_by_own_inertia(kinematics) {
            return Ok(());
        }
        tree.check_regular(kinematics, &mut self.factor, |i| damping[i])
    }

    /// Finds the velocities `v` at the end of a step with the momentum `p` and `damping`, which is δt D; `None`
    /// where they are not found to round-off.
    pub fn solve(
        &mut self,
        tree: &RigidBodyTree<f64>,
        kinematics: &mut TreeWorkspace<f64>,
        (damping, p): (&[f64], &[f64]),
        v: &mut [f64],
    ) -> Option<StepStatus> {
        v.copy_from_slice(p);
        let factor = &mut self.factor;
        let solved = tree.solve_damped_mass_matrix(kinematics, factor, |i| damping[i], v);
        if !solved.ok()? {
            return None;
        }
        let momentum = &mut self.momentum;
        tree.multiply_mass_matrix(kinematics, v, momentum).ok()?;
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
