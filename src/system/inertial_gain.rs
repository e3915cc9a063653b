//! What a discrete step gains in kinetic energy and angular momentum because masses move while its forces are those of one
//! instant.
//!
//! With the forces that act, and with Coriolis forces C less those that carry momentum over, `M(q) (v' − v) = δt (τ − C)`. At
//! the mean velocity the forces τ do the work `T(q, v') − T(q, v) + δt ½ (v + v')·C`. With it, the kinetic energy is
//!
//! ```text
//! T_τ = T(q, v') + δt ½ (v + v')·C
//! ```
//!
//! and what that at the end, `T(q⁺, v⁺)`, has beyond it, nothing has supplied. The angular momentum of a mechanism on a floating joint about its centre of mass is at the end what
//! impulses from outside have made it where it [flies](super::movement); else it is compared with that.

use super::error::SystemError;
use super::kinematics::StepKinematics;
use super::step::StepEvaluation;
use super::stepper::Stepper;
use crate::Scalar;

/// Part of the kinetic energy, or of the angular momentum, from which on a gain is told.
const TOLD: f64 = 0.01;
/// Angle in rad by which a body turns in a step that is looked at: Coriolis forces of one instant gain some `2 ε²` of the
/// energy of what moves along a joint across a turn by ε.
const LOOKED_AT: f64 = 0.05;

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
        let may_gain =
            kinematics.fast_rotation.has_mechanisms() || tree.any_armature(&kinematics.free);
        if status.turn <= LOOKED_AT || !may_gain {
            return Ok(());
        }
        real.copy_real(start);
        let (q, before) = (real.q.as_slice(), real.v.as_slice());
        kinematics.place(tree, (q, before), dt, self.is_substep)?;
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
        let supplied = after_forces + 0.5 * dt * work;
        let gain = tree.kinetic_energy(bodies)? - supplied;
        if gain > TOLD * supplied {
            status.inertial_gain = Some(gain);
        }
        if !flies {
            status.momentum_gain = tree.momentum_gain(flights, bodies, TOLD);
        }
        Ok(())
    }
}
