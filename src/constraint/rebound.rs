//! The rebound of a contact in a time step.
//!
//! Newton's law of impact `v⁺ = −e v⁻`, for the change that the contact makes: a step of length δt, in which
//! velocities without contact would go from `v` to `v_free`, has for a contact that closes within it
//!
//! ```text
//! vₙ⁺ ≥ vₙ_free − (1 + e) vₙ      if −vₙ > rebound speed and φ + δt vₙ ≤ 0
//! ```
//!
//! in place of `vₙ⁺ ≥ −φ/δt`, if that demands less: the impact at the start of the step, and forces after it. (Moreau
//! 1988, *Unilateral contact and dry friction in finite freedom dynamics*, CISM 302, has −e vₙ alone: gravity would
//! then be given back what it does in the step, and bodies rise above where they fell from.)

use super::contact_rows::{contact_jacobian, relative_velocity};
use super::error::ConstraintError;
use super::tree_rows::{RowConstants, dot};
use crate::Scalar;
use crate::contact::PointContact;
use crate::tree::{RigidBodyTree, TreeWorkspace};
use nalgebra::Vector3;

/// A step in which bodies may rebound.
pub(super) struct Rebound<'a, T> {
    pub dt: T,
    pub rebound_speed: f64,
    /// The velocities at the end of the step without contacts.
    pub free: &'a [T],
}

impl<T: Scalar> Rebound<'_, T> {
    /// Puts the rebound of a contact into its constants; returns what it has changed `k` by.
    pub fn of_contact(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        contact: &PointContact<T>,
        constants: &mut RowConstants<T>,
    ) -> Result<Option<T>, ConstraintError> {
        let Some(restitution) = contact.material.restitution else {
            return Ok(None);
        };
        let (dt, approach) = (self.dt, relative_velocity(tree, workspace, contact)?.z);
        let beyond = (contact.penetration - approach * dt).re();
        let fast = (-approach.re() - self.rebound_speed) * dt.re();
        // Both must be positive: in m, how far they are from where the other law holds.
        let margin = beyond.min(fast);
        constants.gap = constants.gap.min(margin.abs());
        if beyond < 0.0 || fast <= 0.0 {
            return Ok(None);
        }
        let normal = contact_jacobian(tree, workspace, &[(*contact, Vector3::z())])?;
        let free = dot(normal.as_slice(), self.free);
        let change = approach * (restitution + 1.0) - free - constants.k;
        constants.gap = margin.min(change.re().abs() * dt.re());
        if change.re() >= 0.0 {
            return Ok(None);
        }
        constants.k += change;
        constants.push = T::zero();
        Ok(Some(change))
    }
}
