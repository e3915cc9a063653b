//! The trait of force elements.

use super::context::ForceContext;
use super::error::ForceError;
use super::forces::Forces;
use crate::erased::casts_of_its_own;
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;
use crate::{DefaultScalar, ElementKink, Scalar};
use std::fmt::Debug;

/// The energy that a force element stores, and its powers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElementEnergy<T> {
    /// Stored energy `U` in J.
    pub stored: T,
    /// `−dU/dt` in W.
    pub conservative_power: T,
    /// The power of its forces in W, positive when they drive the bodies.
    pub power: T,
}

impl<T: Scalar> ElementEnergy<T> {
    /// The power that does not come from the store: negative for a damper.
    pub fn nonconservative_power(&self) -> T {
        self.power - self.conservative_power
    }
}

/// A force that follows from the state of a tree, with constants in the scalar `T`.
///
/// See the [module](super) for an element written outside this crate. An implementation for every
/// scalar `T` is all that derivatives need, provided that it is written with arithmetic and the
/// functions of [`Scalar`] that are safe where the element is used.
pub trait ForceElement<T: Scalar>: Debug + Send + Sync + 'static {
    /// The same element with constants in another scalar.
    type Cast<U: DefaultScalar>: ForceElement<U> + Clone
    where
        Self: Sized;

    /// The same element in another scalar; only real parts are carried over.
    fn cast<U: DefaultScalar>(&self) -> Self::Cast<U>
    where
        Self: Sized;

    casts_of_its_own! { AnyForce }

    /// Adds the forces at the state of `context`.
    ///
    /// # Errors
    /// As the element says.
    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError>;

    /// The name under which the element reports and lists its parameters, its own in a system.
    fn name(&self) -> &str {
        ""
    }

    /// Whether the generalized forces depend on positions, also by where forces on bodies act.
    ///
    /// An element that says no must mean it, and must not take mass properties, damping or armature of the tree into
    /// account either; derivatives with respect to positions and to these then do not ask it.
    fn depends_on_position(&self) -> bool {
        true
    }

    /// Whether the forces depend on velocities.
    ///
    /// An element that says no must mean it; a step then does not look for its damping.
    fn depends_on_velocity(&self) -> bool {
        true
    }

    /// Whether the element asks for poses or velocities of bodies, or acts on bodies; otherwise it lives by the coordinates of
    /// joints alone ([`ForceContext::q`], [`ForceContext::v`] and [`Forces::add_generalized`]).
    ///
    /// Where no element asks for bodies, none are placed for them. One that says no and asks is refused with
    /// [`ForceError::CoordinatesAlone`].
    fn depends_on_bodies(&self) -> bool {
        true
    }

    /// The energy `U` that the element stores, in J; zero unless it says otherwise.
    ///
    /// # Errors
    /// As [`Self::add_forces`].
    fn potential_energy(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let _ = context;
        Ok(T::zero())
    }

    /// The rate `−dU/dt` at which the element gives stored energy away, in W; zero unless it says
    /// otherwise.
    ///
    /// # Errors
    /// As [`Self::add_forces`].
    fn conservative_power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let _ = context;
        Ok(T::zero())
    }

    /// Calls `visit` with every state near that of `context` at which the force is not smooth; with
    /// none unless the element says otherwise.
    ///
    /// # Errors
    /// As [`Self::add_forces`].
    fn visit_kinks<'a>(
        &'a self,
        context: &ForceContext<'_, T>,
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), ForceError> {
        let _ = (context, visit);
        Ok(())
    }

    /// Calls `visit` with every constant that can be differentiated, in an order that does not
    /// depend on values; names start with that of the element.
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let _ = visit;
    }

    /// Checks the constants, and that the tree has what the element acts on.
    ///
    /// A system calls this when it is made and when its parameters have changed.
    ///
    /// # Errors
    /// What does not fit.
    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        let _ = tree;
        Ok(())
    }

    /// The element itself, if it is [valid](Self::validate); the last line of a constructor.
    ///
    /// # Errors
    /// What does not fit.
    fn validated(self, tree: &RigidBodyTree<T>) -> Result<Self, ForceError>
    where
        Self: Sized,
    {
        self.validate(tree)?;
        Ok(self)
    }
}
