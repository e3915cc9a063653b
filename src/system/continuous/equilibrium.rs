//! Where a system stays at rest.

use super::rigid_body_system::RigidBodySystem;
use crate::actuator::Actuator;
use crate::autodiff::{CHUNK, JacobianWorkspace, implicit_step, jacobian_into};
use crate::constraint::ConstraintSet;
use crate::math::{Factorization, Lu};
use crate::sensor::Sensor;
use crate::system::error::PlantError;
use crate::system::plant_state::PlantState;
use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector};
use num_dual::DualSVec64;

const MAX_ITERATIONS: usize = 200;

impl<T: Scalar, A: Actuator<T>, S: Sensor<T>, C: ConstraintSet<T>> RigidBodySystem<T, A, S, C> {
    /// Positions near those of `guess` at which the system stays at rest with the constant input
    /// `input`; actuators have the states of `guess`, whose velocities are not used.
    ///
    /// The generalized forces at rest and the errors of constraints vanish,
    ///
    /// ```text
    /// r(q, λ) = [τ_g + τ_actuators + J_cᵀ f_contact + Jᵀ λ; φ(q)] = 0
    /// ```
    ///
    /// a root that a damped Newton iteration (Levenberg 1944; Marquardt 1963) finds in `f64`, in the
    /// velocity coordinates of a displacement, to `tolerance` (N m or N; m or rad for constraints).
    /// Derivatives with respect to whatever the system, its input and its actuators' states carry come
    /// from the implicit function theorem at the root.
    ///
    /// # Errors
    /// [`PlantError::NoEquilibrium`]; [`PlantError::EquilibriumUndefined`] for rigid contacts and
    /// constraints other than equations of positions; with a scalar that carries derivatives
    /// [`PlantError::IndifferentEquilibrium`] where neighbouring positions are equilibria too, or
    /// redundant constraints leave their forces open; [`PlantError::Invalid`] for a tolerance that is
    /// not positive; and the errors of [`Self::accelerations`].
    pub fn equilibrium(
        &self,
        guess: &PlantState<T>,
        input: &[T],
        tolerance: f64,
    ) -> Result<PlantState<T>, PlantError> {
        InvalidInput::check_range("tolerance", &[tolerance], "positive", |x| x > 0.0)?;
        let nv = self.tree().num_velocities();
        InvalidInput::check_size("v", guess.tree.v.len(), nv)?;
        let mut size = nv;
        (self.constraints).visit(&mut |constraint| size += constraint.num_rows());
        let real = self.cast::<f64>();
        let dual = self.cast::<DualSVec64<CHUNK>>();
        let (mut real_workspace, mut dual_workspace) = (real.workspace(), dual.workspace());
        let a: Vec<f64> = guess.actuators.iter().map(|x| x.re()).collect();
        let u: Vec<f64> = input.iter().map(|x| x.re()).collect();
        let dual_a: Vec<DualSVec64<CHUNK>> = a.iter().map(|x| (*x).into()).collect();
        let dual_u: Vec<DualSVec64<CHUNK>> = u.iter().map(|x| (*x).into()).collect();
        let mut q = guess.tree.q.map(|x| x.re());
        let mut multipliers = vec![0.0; size - nv];
        let (mut force, mut jacobian) = (DVector::zeros(size), DMatrix::zeros(size, size));
        let mut memory = JacobianWorkspace::default();
        // The residual and its Jacobian by a displacement and by changes of the multipliers, at q.
        let mut linearize =
            |q: &DVector<f64>, multipliers: &[f64], r: &mut DVector<f64>, j: &mut DMatrix<f64>| {
                let mut point = vec![0.0; nv];
                point.extend(multipliers);
                let base = q.map(DualSVec64::from);
                let mut moved = base.clone();
                jacobian_into(
                    |x, out| {
                        let one = DualSVec64::from_re(1.0);
                        let to = moved.as_mut_slice();
                        let (x, multipliers) = x.split_at(nv);
                        (dual.tree()).integrate_exponential(base.as_slice(), x, one, to)?;
                        let state = (moved.as_slice(), dual_a.as_slice());
                        let workspace = &mut dual_workspace;
                        dual.write_rest_residual(workspace, state, &dual_u, multipliers, out)
                    },
                    &point,
                    &mut memory,
                    r.as_mut_slice(),
                    j.as_mut_slice(),
                )
            };
        linearize(&q, &multipliers, &mut force, &mut jacobian)?;
        let mut damping: f64 = 1e-6;
        let (mut trial_q, mut trial_force) = (q.clone(), force.clone());
        let mut trial_multipliers = multipliers.clone();
        let mut iterations = 0;
        while force.amax() > tolerance {
            iterations += 1;
            if iterations > MAX_ITERATIONS || !damping.is_finite() {
                return Err(PlantError::NoEquilibrium {
                    iterations,
                    force: force.amax(),
                });
            }
            let mut normal = jacobian.tr_mul(&jacobian);
            let scale = normal.diagonal().amax().max(f64::MIN_POSITIVE);
            for i in 0..size {
                normal[(i, i)] += damping * scale;
            }
            let mut step = -jacobian.tr_mul(&force);
            let mut lu = Lu::identity(size);
            let solved = lu.factor(&normal).is_ok();
            lu.solve_in_place(step.as_mut_slice())?;
            let to = trial_q.as_mut_slice();
            let (dq, change) = step.as_slice().split_at(nv);
            let moved = (real.tree()).integrate_exponential(q.as_slice(), dq, 1.0, to);
            for ((trial, &value), &d) in trial_multipliers.iter_mut().zip(&multipliers).zip(change)
            {
                *trial = value + d;
            }
            let out = trial_force.as_mut_slice();
            let state = (trial_q.as_slice(), a.as_slice());
            let improves = solved
                && moved.is_ok()
                && (real.write_rest_residual(
                    &mut real_workspace,
                    state,
                    &u,
                    &trial_multipliers,
                    out,
                ))
                .is_ok()
                && trial_force.norm() < force.norm();
            if improves {
                q.copy_from(&trial_q);
                multipliers.copy_from_slice(&trial_multipliers);
                linearize(&q, &multipliers, &mut force, &mut jacobian)?;
                damping *= 0.1;
            } else {
                damping = (damping * 10.0).max(1e-12);
            }
        }

        let mut state = guess.clone();
        state.tree.v.fill(T::zero());
        let base = q.map(T::from);
        state.tree.q.copy_from(&base);
        if T::NDERIV > 0 {
            let mut lu = Lu::identity(size);
            let largest = jacobian.amax();
            lu.factor(&jacobian)
                .map_err(|_| PlantError::IndifferentEquilibrium)?;
            check_conditioning(&lu, largest, size)?;
            let mut workspace = self.workspace();
            let mut x = vec![T::zero(); nv];
            x.extend(multipliers.iter().map(|&f| T::from(f)));
            let mut scratch = vec![T::zero(); size];
            let moved = state.tree.q.as_mut_slice();
            let a = guess.actuators.as_slice();
            implicit_step(&lu, &mut x, &mut scratch, |x, r| {
                let (x, multipliers) = x.split_at(nv);
                self.tree()
                    .integrate_exponential(base.as_slice(), x, T::one(), moved)?;
                self.write_rest_residual(&mut workspace, (moved, a), input, multipliers, r)
            })?;
            self.tree()
                .integrate_exponential(base.as_slice(), &x[..nv], T::one(), moved)?;
        }
        Ok(state)
    }
}

/// Refuses a Jacobian that is singular but for round-off: some displacement of unit size changes the
/// forces by less than round-off of the largest stiffness.
fn check_conditioning(lu: &Lu, largest: f64, size: usize) -> Result<(), PlantError> {
    for i in 0..size {
        let mut unit = vec![0.0f64; size];
        unit[i] = 1.0;
        lu.solve_in_place(&mut unit)?;
        let response = unit.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        if !response.is_finite() || response * largest >= 1e13 {
            return Err(PlantError::IndifferentEquilibrium);
        }
    }
    Ok(())
}
