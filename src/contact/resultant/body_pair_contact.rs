//! The contact forces of a step, by pairs of bodies.

use super::calculator::{ContactResultantForceCalculator, ResultantKinks};
use super::contact_detail::ContactDetail;
use super::contact_force::ContactForce;
use crate::contact::ContactResult;
use crate::tree::BodyIndex;
use crate::{InvalidInput, Scalar};

/// What one body does to another by contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyPairContact<T> {
    /// Body A.
    pub body_a: BodyIndex,
    /// Body B.
    pub body_b: BodyIndex,
    /// Number of contact points that exert a force.
    pub num_contacts: usize,
    /// The resultant on A, in W. That on B is its [reaction](ContactForce::reaction).
    pub resultant: ContactForce<T>,
    /// How far its application point is from where it has no derivative.
    pub kinks: ResultantKinks,
}

/// The resultants of contacts, one for each pair of bodies between which a force acts, in the order
/// of the first contact of each pair.
///
/// # Errors
/// [`InvalidInput`] when forces are not finite.
pub fn body_pair_contacts<T: Scalar>(
    contacts: &[ContactResult<T>],
) -> Result<Vec<BodyPairContact<T>>, InvalidInput> {
    let acts = |c: &&ContactResult<T>| c.force.z.re() > 0.0;
    let mut pairs: Vec<(BodyIndex, BodyIndex)> = Vec::new();
    for contact in contacts.iter().filter(acts) {
        let (a, b) = (contact.body_a, contact.body_b);
        if !pairs.contains(&(a, b)) && !pairs.contains(&(b, a)) {
            pairs.push((a, b));
        }
    }
    let mut results = Vec::with_capacity(pairs.len());
    for (body_a, body_b) in pairs {
        let mut calculator = ContactResultantForceCalculator::new();
        for contact in contacts.iter().filter(acts) {
            if (contact.body_a, contact.body_b) == (body_a, body_b) {
                calculator.add_contact_force(contact.contact_force()?);
            } else if (contact.body_b, contact.body_a) == (body_a, body_b) {
                calculator.add_contact_force(contact.contact_force()?.reaction());
            }
        }
        results.push(BodyPairContact {
            body_a,
            body_b,
            num_contacts: calculator.forces().len(),
            resultant: calculator.resultant()?,
            kinks: calculator.kinks()?,
        });
    }
    Ok(results)
}

/// The force on A, with its pure torque, in W.
impl<T: Scalar> ContactDetail<T> for ContactResult<T> {
    fn contact_force(&self) -> Result<ContactForce<T>, InvalidInput> {
        let normal = self.rotation.column(2).into_owned();
        let (force, torque) = (self.force_on_a(), self.torque_on_a());
        ContactForce::with_torque(self.position, normal, force, torque)
    }
}
