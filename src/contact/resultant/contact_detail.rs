//! The trait of whatever a contact force is computed from.

use super::contact_force::ContactForce;
use crate::{InvalidInput, Scalar};
use std::fmt::Debug;

/// Whatever a contact model knows of a contact, from which a contact force follows.
///
/// A [`ContactForce`] is the detail of a point contact.
pub trait ContactDetail<T: Scalar>: Debug {
    /// The force of the contact.
    ///
    /// # Errors
    /// When the detail holds numbers that are not those of a force.
    fn contact_force(&self) -> Result<ContactForce<T>, InvalidInput>;
}

impl<T: Scalar> ContactDetail<T> for ContactForce<T> {
    fn contact_force(&self) -> Result<ContactForce<T>, InvalidInput> {
        Ok(*self)
    }
}
