//! Constraints on the motion of a tree.

use super::error::ConstraintError;
use crate::Scalar;
use crate::tree::{RigidBodyTree, TreeWorkspace};
use nalgebra::{DMatrix, DVector};

/// Whether a constraint holds in both senses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstraintKind {
    /// `= 0`.
    Bilateral,
    /// `≥ 0`.
    Unilateral,
}

/// What a constraint is a function of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstraintLevel {
    /// Positions (and time): `φ(q, t)`, with `φ̇ = J v + ∂φ/∂t` and `φ̈ = J v̇ + bias`.
    Position,
    /// Velocities, linearly: `φ̇ = J v + ∂φ/∂t`, without a `φ` (nonholonomic).
    Velocity,
    /// Accelerations, linearly: `J v̇ + bias` only.
    Acceleration,
}

/// A constraint at one state: as many rows as the constraint has, zero beforehand.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstraintRows<T: Scalar> {
    /// The error `φ` (m or rad); not used above the level of positions.
    pub phi: DVector<T>,
    /// `∂φ/∂t` (m/s or rad/s); not used at the level of accelerations.
    pub explicit_rate: DVector<T>,
    /// What remains of `φ̈` (m/s² or rad/s²) when `v̇ = 0`.
    pub bias: DVector<T>,
    /// `J` (rows × nv). Its transpose takes constraint forces to generalized forces.
    pub jacobian: DMatrix<T>,
}

impl<T: Scalar> ConstraintRows<T> {
    /// Zeros.
    pub fn zeros(rows: usize, nv: usize) -> Self {
        let zeros = || DVector::zeros(rows);
        ConstraintRows {
            phi: zeros(),
            explicit_rate: zeros(),
            bias: zeros(),
            jacobian: DMatrix::zeros(rows, nv),
        }
    }
}

/// A constraint on the motion of a tree, at accelerations and in time steps alike.
///
/// One implementation, generic over the scalar, is evaluated with duals for derivatives. The
/// constraint force `f` acts as `Jᵀ f`, so that it does no work on motions that the constraint allows.
///
/// ```
/// use dualbody::Scalar;
/// use dualbody::constraint::{
///     ConstraintError, ConstraintKind, ConstraintRows, TreeConstraint,
/// };
/// use dualbody::tree::{RigidBodyTree, TreeWorkspace};
///
/// /// The first two coordinates have a given sum.
/// struct Sum<T> {
///     sum: T,
/// }
///
/// impl<T: Scalar> TreeConstraint<T> for Sum<T> {
///     fn num_rows(&self) -> usize {
///         1
///     }
///     fn kind(&self) -> ConstraintKind {
///         ConstraintKind::Bilateral
///     }
///     fn evaluate(
///         &self,
///         _tree: &RigidBodyTree<T>,
///         workspace: &TreeWorkspace<T>,
///         rows: &mut ConstraintRows<T>,
///     ) -> Result<(), ConstraintError> {
///         rows.phi[0] = workspace.q()[0] + workspace.q()[1] - self.sum;
///         rows.jacobian[(0, 0)] = T::one();
///         rows.jacobian[(0, 1)] = T::one();
///         Ok(())
///     }
/// }
/// ```
pub trait TreeConstraint<T: Scalar> {
    /// Number of rows.
    fn num_rows(&self) -> usize;

    /// Whether the rows are equations or inequalities.
    fn kind(&self) -> ConstraintKind;

    /// What the rows are functions of: by default positions.
    fn level(&self) -> ConstraintLevel {
        ConstraintLevel::Position
    }

    /// Writes the rows at the state of the workspace.
    ///
    /// # Errors
    /// As the implementation says, when the constraint is not defined there.
    fn evaluate(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError>;
}
