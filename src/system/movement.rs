//! The update of positions in a discrete step, and the flight of free bodies.
//!
//! Forces act at the positions of the start: they change the velocities v to `v'`, `M(q) (v' − v) = δt τ`, with Coriolis
//! forces in τ for mechanisms only. Then bodies move at `v'`: coordinates at constant rates, `q⁺ = q ⊕ δt v'` and
//! `v⁺ = v'`, free bodies by themselves as they do when nothing acts on them, with their momentum and energy kept.
//! So forces change these by what they give, at any length of step. Splitting a step into forces and motion is of first
//! order as the rest of it.

use super::error::SystemError;
use super::step::StepEvaluation;
use super::stepper::Stepper;
use crate::Scalar;

impl<T: Scalar> Stepper<'_, T> {
    /// Moves with the velocities in the next state, which it replaces by those at the end; real parts are those of
    /// `f64`.
    pub(super) fn move_bodies(
        &self,
        evaluation: &mut StepEvaluation<T>,
    ) -> Result<(), SystemError> {
        let StepEvaluation {
            start,
            next,
            v_after_forces,
            free,
            real,
            real_next,
            ..
        } = evaluation;
        let (tree, dt, q) = (&self.system.tree, self.time_step, start.q.as_slice());
        v_after_forces.copy_from_slice(next.v.as_slice());
        tree.integrate(q, v_after_forces, dt, next.q.as_mut_slice())?;
        let end = (next.q.as_mut_slice(), next.v.as_mut_slice());
        tree.fly(free, (q, v_after_forces), dt, end)?;
        if T::NDERIV == 0 {
            return Ok(());
        }
        real.copy_real(start);
        (real.v.iter_mut().zip(&*v_after_forces)).for_each(|(real, v)| *real = v.re());
        real_next.v.copy_from(&real.v);
        let (tree, dt) = (&self.real.tree, dt.re());
        let (q, v) = (real.q.as_slice(), real.v.as_slice());
        tree.integrate(q, v, dt, real_next.q.as_mut_slice())?;
        let end = (real_next.q.as_mut_slice(), real_next.v.as_mut_slice());
        tree.fly(free, (q, v), dt, end)?;
        for (x, &re) in
            (next.q.iter_mut().zip(&real_next.q)).chain(next.v.iter_mut().zip(&real_next.v))
        {
            *x = x.with_real(re);
        }
        Ok(())
    }
}
