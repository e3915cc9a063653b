//! The trait of constraints on the motion of a tree.

use super::error::ConstraintError;
use crate::erased::casts_of_its_own;
use crate::math::{reset_matrix, reset_vector};
use crate::parameter::Parameter;
use crate::tree::{BodyIndex, RigidBodyTree, TreeWorkspace};
use crate::{DefaultScalar, Scalar};
use nalgebra::{DMatrix, DVector, Vector3};
use std::fmt::Debug;

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
    /// `J` (rows × nv). Its transpose takes constraint forces to generalized forces, unless these have
    /// directions of their own (non-collocated forces).
    pub jacobian: DMatrix<T>,
    /// Generalized forces (rows × nv) of unit forces, where they are not the rows of the Jacobian: a servo
    /// drives one joint so that another point moves as told. None by default. Equations must be independent
    /// of all others and be moved by these forces together; inequalities are [force laws](super::ConstraintLaw) then.
    pub force_directions: Option<DMatrix<T>>,
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
            force_directions: None,
        }
    }

    /// Zeros, in the memory of these rows.
    pub(crate) fn reset(&mut self, rows: usize, nv: usize) {
        for vector in [&mut self.phi, &mut self.explicit_rate, &mut self.bias] {
            reset_vector(vector, rows);
        }
        reset_matrix(&mut self.jacobian, rows, nv);
        self.force_directions = None;
    }

    /// `J v` of a row.
    pub(crate) fn rate(&self, row: usize, v: &[T]) -> T {
        let terms = self.jacobian.row(row).into_iter().zip(v);
        terms.fold(T::zero(), |sum, (&g, &v)| sum + g * v)
    }

    /// The generalized forces (rows × nv) of unit forces.
    pub fn directions(&self) -> &DMatrix<T> {
        self.force_directions.as_ref().unwrap_or(&self.jacobian)
    }
}

/// A constraint on the motion of a tree, at accelerations and in time steps alike.
///
/// One implementation, generic over the scalar, is evaluated with duals for derivatives. The
/// constraint force `f` acts as `Jᵀ f`, so that it does no work on motions that the constraint allows,
/// or along [directions of its own](ConstraintRows::force_directions) (non-collocated).
///
/// ```
/// use dualbody::{Scalar, constants};
/// use dualbody::constraint::{
///     Baumgarte, ConstraintError, ConstraintRows, ConstraintSolver, TreeConstraint,
///     TreeConstraints,
/// };
/// use dualbody::math::{RigidTransform, SpatialInertia};
/// use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder, TreeWorkspace};
/// use nalgebra::Vector3;
/// use num_dual::Dual64;
///
/// /// The first two coordinates lie on a circle: `φ = (q₀² + q₁² − r²)/2`, `φ̇ = q₀ v₀ + q₁ v₁`.
/// #[derive(Debug, Clone)]
/// struct Circle<T> {
///     radius: T,
/// }
///
/// impl<T: Scalar> TreeConstraint<T> for Circle<T> {
///     constants! { TreeConstraint for Circle, named "circle" { radius: positive("m"); } }
///     fn num_rows(&self) -> usize {
///         1
///     }
///     fn evaluate(
///         &self,
///         _tree: &RigidBodyTree<T>,
///         workspace: &TreeWorkspace<T>,
///         _time: T,
///         rows: &mut ConstraintRows<T>,
///     ) -> Result<(), ConstraintError> {
///         rows.phi[0] = -self.radius * self.radius * 0.5;
///         for k in 0..2 {
///             let (q, v) = (workspace.q()[k], workspace.v()[k]);
///             rows.phi[0] += q * q * 0.5;
///             rows.jacobian[(0, k)] = q;
///             rows.bias[0] += v * v;
///         }
///         Ok(())
///     }
/// }
///
/// // A bead of 2 kg on two slides without mass, along x and z, at rest at the height of the centre.
/// let mut builder = RigidBodyTreeBuilder::<Dual64>::new();
/// let inertia = |mass: f64| SpatialInertia::point_mass(mass.into(), Vector3::zeros());
/// let slide = builder.add_body("slide", inertia(0.0))?;
/// let bead = builder.add_body("bead", inertia(2.0))?;
/// for (name, axis, parent, child) in [
///     ("x", Vector3::x(), BodyIndex::WORLD, slide),
///     ("z", Vector3::z(), slide, bead),
/// ] {
///     let kind = JointKind::Prismatic { axis };
///     builder.add_joint(name, kind, parent, RigidTransform::identity(), child)?;
/// }
/// let tree = builder.finish()?;
/// let radius = Dual64::from(0.5).derivative();
/// let mut workspace = tree.workspace();
/// let (down, zero) = (Dual64::from(-3.0), Dual64::from(0.0));
/// tree.set_state(&mut workspace, &[radius, zero], &[zero, down])?;
///
/// let circle = Circle { radius };
/// let mut constraints = TreeConstraints::new();
/// constraints.add(&circle, Baumgarte::none());
/// let mut solver = ConstraintSolver::default();
///
/// // Accelerations: towards the centre with v²/r, which has the derivative −v²/r² by r.
/// let mut problem = constraints.acceleration_problem(&tree, &mut workspace, &[zero; 2])?;
/// let inwards = solver.solve_accelerations(&mut problem.data)?.generalized_acceleration[0];
/// assert!((inwards.re + 18.0).abs() < 1e-12 && (inwards.eps - 36.0).abs() < 1e-12);
///
/// // A time step: the velocity after it is tangential.
/// let mut problem = constraints.time_step_problem(&tree, &mut workspace, &[zero; 2], 0.01.into())?;
/// let velocity = solver.solve_velocities(&mut problem.data)?.generalized_velocity;
/// assert!(velocity[0].re.abs() < 1e-14 && (velocity[1].re + 3.0 + 0.0981).abs() < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait TreeConstraint<T: Scalar>: Debug + Send + Sync + 'static {
    /// The same constraint with constants in another scalar.
    type Cast<U: DefaultScalar>: TreeConstraint<U> + Clone
    where
        Self: Sized;

    /// The same constraint in another scalar; only real parts are carried over.
    fn cast<U: DefaultScalar>(&self) -> Self::Cast<U>
    where
        Self: Sized;

    casts_of_its_own! { AnyConstraint }

    /// The name, by which errors and parameters call the constraint.
    fn name(&self) -> &str;

    /// Number of rows.
    fn num_rows(&self) -> usize;

    /// Whether the rows are equations, as by default, or inequalities.
    fn kind(&self) -> ConstraintKind {
        ConstraintKind::Bilateral
    }

    /// Whether `φ` is an angle in rad; a length in m unless the constraint says otherwise.
    fn is_angular(&self) -> bool {
        false
    }

    /// What the rows are functions of: by default positions.
    fn level(&self) -> ConstraintLevel {
        ConstraintLevel::Position
    }

    /// Writes the rows at the state of the workspace and the time in s.
    ///
    /// # Errors
    /// As the implementation says, when the constraint is not defined there.
    fn evaluate(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        time: T,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError>;

    /// Calls `visit` with every constant that can be differentiated, in an order that does not
    /// depend on values; names start with that of the constraint.
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let _ = visit;
    }

    /// Checks the constants, and that the tree has what the constraint is on.
    ///
    /// # Errors
    /// What does not fit.
    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ConstraintError> {
        let _ = tree;
        Ok(())
    }

    /// What the forces `f` of the rows exert on two bodies at a point, for constraints that act there; none by default, for
    /// those that act on joints.
    ///
    /// # Errors
    /// As [`Self::evaluate`].
    fn point_force(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        f: &[T],
    ) -> Result<Option<PointForce<T>>, ConstraintError> {
        let _ = (tree, workspace, f);
        Ok(None)
    }
}

/// The force of a constraint at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointForce<T> {
    /// The body that it acts on; its opposite acts on `body_b`.
    pub body_a: BodyIndex,
    /// The other body.
    pub body_b: BodyIndex,
    /// The point `p_WP`, in m.
    pub point: Vector3<T>,
    /// The force in N, expressed in W.
    pub force: Vector3<T>,
    /// The torque about the point in N m, expressed in W.
    pub torque: Vector3<T>,
}
