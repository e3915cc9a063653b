//! The problem in the scalar of the caller, evaluated at the solution for its derivatives.

use super::contact_law::{FrictionLaw, NormalLaw};
use super::problem::{Common, NormalForces};
use crate::Scalar;

/// A problem with the regularisation and the step that belong to it.
#[derive(Clone, Copy)]
pub(super) struct Lifted<'a, T> {
    pub common: Common<'a, T>,
    pub normal_forces: NormalForces<'a, T>,
    pub dt: T,
    pub stiction_tolerance: T,
    pub softening: T,
}

impl<T: Scalar> Lifted<'_, T> {
    /// `(vₙ, vₜ₁, vₜ₂)` of contact `c`. Entries of the Jacobian whose real part is zero count: they
    /// may carry derivatives.
    pub fn contact_velocity(&self, c: usize, v: &[T]) -> [T; 3] {
        let (jn, jt) = (self.common.normal_jacobian, self.common.tangent_jacobian);
        let mut sum = [T::zero(); 3];
        for (j, &v) in v.iter().enumerate() {
            sum[0] += jn[(c, j)] * v;
            sum[1] += jt[(2 * c, j)] * v;
            sum[2] += jt[(2 * c + 1, j)] * v;
        }
        sum
    }

    /// `(fₙ, fₜ₁, fₜ₂)` of contact `c` at a contact velocity.
    pub fn contact_force(&self, c: usize, [vn, vt0, vt1]: [T; 3]) -> [T; 3] {
        let normal = match self.normal_forces {
            NormalForces::Given(forces) => forces[c],
            NormalForces::Compliant {
                x0,
                stiffness,
                dissipation,
            } => NormalLaw {
                x0: x0[c],
                stiffness: stiffness[c],
                dissipation: dissipation[c],
            }
            .force(self.dt, vn),
        };
        let friction = FrictionLaw {
            mu: self.common.mu[c],
            stribeck: self.common.stribeck.map(|curves| curves[c]),
            stiction_tolerance: self.stiction_tolerance,
            softening: self.softening,
        };
        let [ft0, ft1] = friction.force(normal, [vt0, vt1]);
        [normal, ft0, ft1]
    }

    /// `(fₙ, fₜ₁, fₜ₂)` of contact `c` at a contact velocity, as far as it acts.
    pub fn acting_force(&self, c: usize, velocity: [T; 3]) -> [T; 3] {
        let [normal, ft0, ft1] = self.contact_force(c, velocity);
        match self.common.is_friction_only(c) {
            true => [T::zero(), ft0, ft1],
            false => [normal, ft0, ft1],
        }
    }

    /// The momentum balance `M v − p* − δt Jᵀ f(v)`.
    pub fn residual(&self, v: &[T], residual: &mut [T]) {
        let Common {
            mass_matrix,
            normal_jacobian,
            tangent_jacobian,
            p_star,
            ..
        } = self.common;
        for (r, &p) in residual.iter_mut().zip(p_star) {
            *r = -p;
        }
        for (&v, column) in v.iter().zip(mass_matrix.column_iter()) {
            for (r, &m) in residual.iter_mut().zip(column.iter()) {
                *r += m * v;
            }
        }
        for c in 0..self.common.nc() {
            let impulse = self
                .acting_force(c, self.contact_velocity(c, v))
                .map(|f| f * self.dt);
            for (i, r) in residual.iter_mut().enumerate() {
                *r -= normal_jacobian[(c, i)] * impulse[0]
                    + tangent_jacobian[(2 * c, i)] * impulse[1]
                    + tangent_jacobian[(2 * c + 1, i)] * impulse[2];
            }
        }
    }
}
