//! What a discrete step gains in kinetic energy and angular momentum because masses move while its forces are those of one
//! instant.
//!
//! With the forces that act, and with Coriolis forces C less those that carry momentum over, `M(q) (v' − v) = δt (τ − C)`. At
//! the mean velocity the forces τ do the work `T(q, v') − T(q, v) + δt ½ (v + v')·C`. What kinetic energy grows by beside it,
//!
//! ```text
//! ΔT = T(q⁺, v⁺) − T(q, v') − δt ½ (v + v')·C
//! ```
//!
//! nothing has supplied. The angular momentum of a mechanism on a floating joint about its centre of mass is at the end what
//! impulses from outside have made it where it [flies](super::movement); else it is compared with that.

use super::error::SystemError;
use super::kinematics::StepKinematics;
use super::step::StepEvaluation;
use super::stepper::Stepper;
use crate::Scalar;

/// Part of the kinetic energy, or of the angular momentum, from which on a gain is told.
pub(super) const TOLD: f64 = 0.01;

impl<T: Scalar> Stepper<'_, T> {
    /// Puts into the status what masses that turn fast have gained in a step that has been made.
    pub(super) fn tell_gain(&self, evaluation: &mut StepEvaluation<T>) -> Result<(), SystemError> {
        let StepEvaluation {
            start,
            next,
            real,
            real_next,
            real_v_after_forces: v,
            real_kinematics: kinematics,
            real_flights: flights,
            powers: [bias, carrying],
            status,
            ..
        } = evaluation;
        let (tree, dt) = (&self.real.tree, self.time_step.re());
        if status.turn <= super::fast_rotation::SLOW {
            return Ok(());
        }
        real.copy_real(start);
        let (q, before) = (real.q.as_slice(), real.v.as_slice());
        kinematics.place(tree, (q, before), dt, self.is_substep)?;
        if !kinematics.fast_rotation.acts {
            return Ok(());
        }
        kinematics.carry_momentum(tree, carrying)?;
        let StepKinematics {
            bodies,
            fast_rotation,
            ..
        } = kinematics;
        tree.bias_forces(bodies, bias)?;
        let flies = self.real.options.keep_momentum || flights.is_empty();
        if !flies {
            tree.find_momenta(flights, (&mut *bodies, fast_rotation.forces()), v, dt);
        }
        let rates = before.iter().zip(&*v).map(|(before, after)| before + after);
        let forces = bias.iter().zip(&*carrying).map(|(c, carried)| c - carried);
        let work: f64 = rates.zip(forces).map(|(rate, force)| rate * force).sum();
        tree.set_state(bodies, q, v)?;
        let after_forces = tree.kinetic_energy(bodies)?;
        real_next.copy_real(next);
        tree.set_state(bodies, real_next.q.as_slice(), real_next.v.as_slice())?;
        let gain = tree.kinetic_energy(bodies)? - after_forces - 0.5 * dt * work;
        if gain > TOLD * after_forces {
            status.inertial_gain = Some(gain);
        }
        if !flies {
            status.momentum_gain = tree.momentum_gain(flights, bodies, TOLD);
        }
        Ok(())
    }
}
