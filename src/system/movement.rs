//! The update of positions in a discrete step, and the flight of free bodies and mechanisms.
//!
//! Forces act at the positions of the start: they change the velocities v to `v'`, `M(q) (v' − v) = δt τ`, with Coriolis
//! forces in τ for mechanisms only. Then bodies move at `v'`: coordinates at constant rates, `q⁺ = q ⊕ δt v'` and
//! `v⁺ = v'`, free bodies by themselves as they do when nothing acts on them, with their momentum and energy kept; the
//! first bodies of mechanisms on floating joints as the momentum of the whole and the motion of the joints have it.
//! So forces change these by what they give, at any length of step. Splitting a step into forces and motion is of first
//! order as the rest of it.

use super::error::SystemError;
use super::kinematics::StepKinematics;
use super::step::StepEvaluation;
use super::stepper::Stepper;
use crate::Scalar;
use crate::tree::{Flights, FreeBody, RigidBodyTree};

impl<'s, T: Scalar> Stepper<'s, T> {
    /// Moves with the velocities in the next state, which it replaces by those at the end; real parts are those of
    /// `f64`. Bodies are at the start of the step, and momenta of mechanisms in `f64` known where they are `given`.
    pub(super) fn move_bodies(
        &self,
        evaluation: &mut StepEvaluation<T>,
        given: bool,
    ) -> Result<(), SystemError> {
        let StepEvaluation {
            kinematics,
            start,
            next,
            v_after_forces,
            free,
            flights,
            real,
            real_next,
            real_v_after_forces,
            real_kinematics,
            real_flights,
            ..
        } = evaluation;
        v_after_forces.copy_from_slice(next.v.as_slice());
        (real_v_after_forces.iter_mut().zip(&*v_after_forces)).for_each(|(real, v)| *real = v.re());
        let made = self.flying(start.q.as_slice(), v_after_forces);
        let real_step = self.real();
        if !flights.is_empty() && self.real.options.keep_momentum {
            if T::NDERIV == 0 && given {
                flights.take_over(real_flights);
            } else {
                made.find_momenta(kinematics, flights);
            }
            if T::NDERIV > 0 && !given {
                real.copy_real(start);
                let (start, dt) = ((real.q.as_slice(), real.v.as_slice()), made.dt.re());
                real_kinematics.place(&self.real.tree, start, dt, self.is_substep)?;
                let made = real_step.flying(&[], real_v_after_forces);
                made.find_momenta(real_kinematics, real_flights);
            }
        }
        made.move_on(
            (free, flights),
            (next.q.as_mut_slice(), next.v.as_mut_slice()),
        )?;
        if T::NDERIV == 0 {
            return Ok(());
        }
        real.copy_real(start);
        real_next.v.copy_from_slice(real_v_after_forces);
        let end = (real_next.q.as_mut_slice(), real_next.v.as_mut_slice());
        let made = real_step.flying(real.q.as_slice(), real_v_after_forces);
        made.move_on((free, real_flights), end)?;
        for (x, &re) in
            (next.q.iter_mut().zip(&real_next.q)).chain(next.v.iter_mut().zip(&real_next.v))
        {
            *x = x.with_real(re);
        }
        Ok(())
    }

    /// A step whose forces lead to the velocities `v`.
    fn flying<'a>(&self, q: &'a [T], v: &'a [T]) -> Flying<'a, T>
    where
        's: 'a,
    {
        Flying {
            tree: &self.system.tree,
            q,
            v,
            dt: self.time_step,
            keeps_momentum: self.real.options.keep_momentum,
        }
    }
}

/// A step whose forces have been found.
struct Flying<'a, T: Scalar> {
    tree: &'a RigidBodyTree<T>,
    q: &'a [T],
    /// The velocities with which bodies move.
    v: &'a [T],
    dt: T,
    keeps_momentum: bool,
}

impl<T: Scalar> Flying<'_, T> {
    /// The momenta of mechanisms, from bodies at the start.
    fn find_momenta(&self, kinematics: &mut StepKinematics<T>, flights: &mut Flights<T>) {
        let StepKinematics {
            bodies,
            fast_rotation,
            ..
        } = kinematics;
        (self.tree).find_momenta(flights, (bodies, fast_rotation.forces()), self.v, self.dt);
    }

    #[inline(never)]
    fn move_on(
        &self,
        (free, flights): (&[FreeBody], &mut Flights<T>),
        (next_q, next_v): (&mut [T], &mut [T]),
    ) -> Result<(), SystemError> {
        let Flying { tree, q, v, dt, .. } = *self;
        tree.integrate(q, v, dt, next_q)?;
        tree.fly(free, (q, v), dt, (&mut *next_q, &mut *next_v))?;
        if self.keeps_momentum {
            tree.fly_mechanisms(flights, (q, v), dt, (next_q, next_v))?;
        }
        Ok(())
    }
}
