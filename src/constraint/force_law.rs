//! Constraint force laws φ(q, v, qₙ, vₙ, f) ≥ 0: forces that are found together with the motion.

use super::error::ConstraintError;
use crate::erased::casts_of_its_own;
use crate::force::ForceContext;
use crate::math::SpatialAcceleration;
use crate::parameter::Parameter;
use crate::tree::{BodyIndex, RigidBodyTree, TreeError};
use crate::{DefaultScalar, Scalar};
use nalgebra::{DMatrix, Vector3};
use std::fmt::Debug;

/// A NaN that no computation makes.
const UNWRITTEN: u64 = 0x7ff8_0000_0f0f_0f0f;

/// One row of a [`ConstraintForceLaw`]: the force `f` of the row is within bounds, and `φ` is zero where it is
/// strictly between them, not negative at the lower one, not positive at the upper one (mixed complementarity):
///
/// ```text
/// lower ≤ f ≤ upper,     φ = 0 if lower < f < upper,     φ ≥ 0 if f = lower,     φ ≤ 0 if f = upper
/// ```
///
/// Bounds may depend on all that `φ` depends on, other forces too, as those of friction do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForceLawRow<T> {
    /// The quantity `φ`, in a unit of its own.
    pub phi: T,
    /// The smallest force; `−∞` if there is none.
    pub lower: T,
    /// The largest force; `+∞` if there is none.
    pub upper: T,
}

impl<T: Scalar> ForceLawRow<T> {
    /// `φ = 0`, by a force of any size and sign.
    pub fn equation(phi: T) -> Self {
        let infinity = T::from(f64::INFINITY);
        Self::between(phi, -infinity, infinity)
    }

    /// `φ ≥ 0, f ≥ 0, φ f = 0`.
    pub fn inequality(phi: T) -> Self {
        Self::between(phi, T::zero(), T::from(f64::INFINITY))
    }

    /// What a row is before a law writes it.
    pub(crate) fn unwritten() -> Self {
        Self::equation(T::from(f64::from_bits(UNWRITTEN)))
    }

    /// Checks that a law has written a row.
    pub(crate) fn check_written(&self, law: &str, row: usize) -> Result<(), ConstraintError> {
        if self.phi.re().to_bits() != UNWRITTEN {
            return Ok(());
        }
        let name = law.to_owned();
        Err(ConstraintError::RowNotWritten { name, row })
    }

    /// `φ = 0` as far as a force between the bounds can hold it.
    pub fn between(phi: T, lower: T, upper: T) -> Self {
        ForceLawRow { phi, lower, upper }
    }
}

/// A discrete step, as the rows of a [`ConstraintForceLaw`] see it.
#[derive(Debug, Clone, Copy)]
pub struct StepMotion<'a, T> {
    /// The state `(q, v)` at the start of the step, at its time.
    pub start: ForceContext<'a, T>,
    /// The state `(qₙ, vₙ)` at its end.
    pub end: ForceContext<'a, T>,
    /// The length of the step, in s.
    pub time_step: T,
}

/// An instant, as the rows of a [`ConstraintForceLaw`] see it.
#[derive(Debug, Clone, Copy)]
pub struct InstantMotion<'a, T> {
    pub(crate) state: ForceContext<'a, T>,
    pub(crate) vdot: &'a [T],
    pub(crate) body_accelerations: &'a [SpatialAcceleration<T>],
}

impl<'a, T: Scalar> InstantMotion<'a, T> {
    /// The state `(q, v)`, at its time.
    pub fn state(&self) -> ForceContext<'a, T> {
        self.state
    }

    /// The accelerations `v̇` of the velocity coordinates.
    pub fn vdot(&self) -> &'a [T] {
        self.vdot
    }

    /// The acceleration `a_WQ` in m/s² of a point that is fixed on a body at `p_BoQ_B`, expressed in W.
    ///
    /// # Errors
    /// [`ConstraintError::Tree`] when there is no such body.
    pub fn point_acceleration(
        &self,
        body: BodyIndex,
        p_boq_b: &Vector3<T>,
    ) -> Result<Vector3<T>, ConstraintError> {
        let pose = self.state.tree().body_pose(self.state.workspace(), body)?;
        let velocity = self
            .state
            .tree()
            .body_velocity(self.state.workspace(), body)?;
        let Some(acceleration) = self.body_accelerations.get(body.get()) else {
            let len = self.body_accelerations.len();
            return Err(TreeError::NoSuchBody { index: body, len }.into());
        };
        let r = pose.rotation * p_boq_b;
        let w = velocity.angular;
        Ok(acceleration.linear + acceleration.angular.cross(&r) + w.cross(&w.cross(&r)))
    }
}

/// A force that is found together with the motion that it makes: the class `TimeSteppingConstraintForce` and
/// `ContinuousTimeConstraintForce` of a design of rigid body engines for Drake, with φ any function.
///
/// In discrete time the forces `f` of all laws, constant over a step, are such that the step
///
/// ```text
/// (qₙ, vₙ) = step(q, v, u, τ = Gᵀ f)
/// ```
///
/// with all contacts, limits, constraints and actuators ends where every [row](ForceLawRow) of
/// `φ(q, v, qₙ, vₙ, f)` holds, to 1e-10 in its unit, however long the step is. In continuous time they hold at every
/// instant for `φ(q, v, v̇, f)`. A law has one of the two descriptions, or both.
///
/// `G` (rows × nv) are the generalized forces of unit forces at the start of the step: by default what `φ` makes of
/// velocities, `∂φ/∂vₙ`, or `∂φ/∂qₙ N(q)` for a row that does not depend on velocities, so that a force does no work on
/// motions that its row allows at the start of the step; or [its own](Self::force_directions). A step that carries a body
/// past where these directions turn, as a rope's do at its anchor, may have no solution, which is an error. One that starts
/// where a row does not hold moves bodies there, at the speed that this takes.
///
/// In continuous time `∂φ/∂v̇` are the directions, and a row that does not depend on `v̇` is held by no force. So a
/// condition `g(q) = 0` is written by its second derivative, and brought back by a feedback of a rate ω:
/// `g̈ + 2 ω ġ + ω² g = 0` (Baumgarte 1972, *Comput. Methods Appl. Mech. Eng.* 1, 1–16); so is `g ≥ 0`, of which forces act from
/// a little before `g = 0` on. For a coordinate, `g̈`, `ġ` and `g` are entries of [`InstantMotion`].
///
/// In the [energy ledger](crate::system::EnergyLedger) of a step the work of these forces is with that of actuators.
/// [`Step::law_forces`](crate::system::Step::law_forces), [`Rollout::law_forces`](crate::system::Rollout::law_forces) and, at an
/// instant, [`DynamicsWorkspace::law_forces`](crate::system::DynamicsWorkspace::law_forces) are the forces.
///
/// No derivative is written by hand: one implementation, generic over the scalar, is evaluated with duals. Directions that
/// follow from φ have derivatives in the [default scalars](crate::DefaultScalar), other scalars ask for directions of its own.
/// Third derivatives of the former are the only ones that are not exact: they are of the fourth order in φ, which no scalar
/// carries, and found to eight digits by extrapolated differences of exact third ones, or refused.
///
/// ```
/// use dualbody::constraint::{ConstraintError, ConstraintForceLaw, ForceLawRow, StepMotion};
/// use dualbody::prelude::*;
/// use dualbody::{Scalar, constants};
/// use dualbody::contact::ContactModel;
/// use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
/// use nalgebra::Vector3;
///
/// /// A rope from a point of the world to the origin of a body, of which it knows that it is not longer than L.
/// #[derive(Debug, Clone)]
/// struct Rope<T> {
///     name: String,
///     body: BodyIndex,
///     anchor: Vector3<T>,
///     length: T,
/// }
///
/// impl<T: Scalar> ConstraintForceLaw<T> for Rope<T> {
///     constants! { ConstraintForceLaw for Rope {
///         name;
///         body: in_tree;
///         anchor: any("m");
///         length: positive("m");
///     } }
///     fn num_rows(&self) -> usize {
///         1
///     }
///     fn over_step(
///         &self,
///         motion: &StepMotion<'_, T>,
///         _: &[T],
///         rows: &mut [ForceLawRow<T>],
///     ) -> Result<(), ConstraintError> {
///         let p = motion.end.body_pose(self.body)?.translation - self.anchor;
///         rows[0] = ForceLawRow::inequality(self.length - T::norm_lifted(p.as_slice()));
///         Ok(())
///     }
/// }
///
/// let mut tree = RigidBodyTreeBuilder::<f64>::new();
/// let stone = tree.add_body("stone", SpatialInertia::solid_sphere(2.0, 0.05))?;
/// let mut system = TimeSteppingRigidBodySystem::new(tree.finish()?, ContactModel::none(), 0.01)?;
/// let anchor = Vector3::new(0.0, 0.0, 1.0);
/// system.add_force_law(Rope { name: "rope".into(), body: stone, anchor, length: 1.0 })?;
/// let mut state = system.neutral_state();
/// system.set_body_position(&mut state, "stone", Vector3::new(0.6, 0.0, 1.0))?;
/// let last = system.rollout(&state, 200)?.last().clone();
/// let hangs_from = system.body_pose(&last, "stone")?.translation - anchor;
/// assert!(hangs_from.norm() < 1.0 + 1e-10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "semismooth Newton")]
#[doc(alias = "mixed complementarity")]
pub trait ConstraintForceLaw<T: Scalar>: Debug + Send + Sync + 'static {
    /// The same law with constants in another scalar.
    type Cast<U: DefaultScalar>: ConstraintForceLaw<U> + Clone
    where
        Self: Sized;

    /// The same law in another scalar; only real parts are carried over.
    fn cast<U: DefaultScalar>(&self) -> Self::Cast<U>
    where
        Self: Sized;

    casts_of_its_own! { AnyForceLaw }

    /// The name, by which errors and parameters call the law.
    fn name(&self) -> &str;

    /// Number of rows, and of forces; it may depend on parameters.
    fn num_rows(&self) -> usize;

    /// Writes the rows for a discrete step; not implemented by a law of continuous time. One that is not written is an error.
    ///
    /// # Errors
    /// [`ConstraintError::NotDescribed`] by default; as the implementation says, when the rows are not defined there.
    fn over_step(
        &self,
        motion: &StepMotion<'_, T>,
        forces: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), ConstraintError> {
        let _ = (motion, forces, rows);
        Err(ConstraintError::not_described(self.name(), "discrete"))
    }

    /// Writes the rows at an instant of continuous time, as [`Self::over_step`]; not implemented by a law of discrete steps.
    ///
    /// # Errors
    /// As [`Self::over_step`].
    fn at_instant(
        &self,
        motion: &InstantMotion<'_, T>,
        forces: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), ConstraintError> {
        let _ = (motion, forces, rows);
        Err(ConstraintError::not_described(self.name(), "continuous"))
    }

    /// Writes the generalized forces (rows × nv, zero beforehand) of unit forces at a state, and returns whether it has;
    /// by default not, and they follow from `φ`. Those of forces on bodies are products with
    /// [`ForceContext::spatial_jacobian`].
    ///
    /// # Errors
    /// As the implementation says, when they are not defined there.
    fn force_directions(
        &self,
        state: &ForceContext<'_, T>,
        directions: &mut DMatrix<T>,
    ) -> Result<bool, ConstraintError> {
        let _ = (state, directions);
        Ok(false)
    }

    /// Calls `visit` with every constant that can be differentiated, in an order that does not
    /// depend on values; names start with that of the law.
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let _ = visit;
    }

    /// Checks the constants, and that the tree has what the law is on.
    ///
    /// # Errors
    /// What does not fit.
    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ConstraintError> {
        let _ = tree;
        Ok(())
    }
}
