//! Residuals of contact forces and of energies.

use crate::ControlError;
use crate::by_duals::{Configuration, MachineFunction};
use dualbody::DefaultScalar;
use dualbody::tree::BodyIndex;
use nalgebra::Vector3;

/// The force that contacts exert on a body in the step, less a target, in W, N. Three entries; not for the end of a horizon.
///
/// Its derivative is zero where nothing touches. A [`ForceAtDistance`](crate::ForceAtDistance) is a force element, and does
/// not count.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactForce {
    /// The body.
    pub body: BodyIndex,
    /// The body that exerts it; all others if none is given.
    pub by: Option<BodyIndex>,
    /// The target, N.
    pub target: Vector3<f64>,
}

impl MachineFunction for ContactForce {
    fn size(&self) -> usize {
        3
    }

    fn evaluate<T: DefaultScalar>(
        &self,
        at: &mut Configuration<'_, T>,
        out: &mut [T],
    ) -> Result<(), ControlError> {
        let mut force = -self.target.map(T::from);
        for contact in at.step()?.contacts()? {
            let counts = |other| self.by.is_none_or(|by| by == other);
            if contact.body_a == self.body && counts(contact.body_b) {
                force += contact.force_on_a();
            }
            if contact.body_b == self.body && counts(contact.body_a) {
                force += contact.force_on_b();
            }
        }
        out.copy_from_slice(force.as_slice());
        Ok(())
    }
}

/// The energy of a state less a target, J: kinetic, of gravity, and stored in force elements and contacts. One entry.
/// Allocates.
#[derive(Debug, Clone, PartialEq)]
pub struct MechanicalEnergy {
    /// The target, J.
    pub target: f64,
}

impl MachineFunction for MechanicalEnergy {
    fn size(&self) -> usize {
        1
    }

    fn evaluate<T: DefaultScalar>(
        &self,
        at: &mut Configuration<'_, T>,
        out: &mut [T],
    ) -> Result<(), ControlError> {
        // What is stored depends on no input.
        let input = vec![T::zero(); at.system.num_inputs()];
        let energy = at.system.energy(at.state, &input)?;
        let known = energy.kinetic + energy.gravitational + energy.stored_in_contact;
        let elements = energy.elements.iter();
        out[0] = elements.fold(known - self.target, |sum, (_, e)| sum + e.stored);
        Ok(())
    }
}

/// What a step dissipates in joints, force elements and contacts, J. One entry; not for the end of a horizon. Allocates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dissipation;

impl MachineFunction for Dissipation {
    fn size(&self) -> usize {
        1
    }

    fn evaluate<T: DefaultScalar>(
        &self,
        at: &mut Configuration<'_, T>,
        out: &mut [T],
    ) -> Result<(), ControlError> {
        out[0] = at.step()?.energy()?.dissipated();
        Ok(())
    }
}
