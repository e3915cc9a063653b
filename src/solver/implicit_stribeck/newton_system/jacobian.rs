//! The Jacobian of the momentum balance, its factors, and Newton steps.

use super::{Contact, NewtonSystem, add_combination, dot3};
use crate::math::Singular;
use crate::solver::implicit_stribeck::contact_law::FrictionLaw;
use crate::solver::implicit_stribeck::sparse_problem::NormalForce;
use nalgebra::SVector;

impl NewtonSystem {
    /// `−∂(fₙ, fₜ)/∂(vₙ, vₜ)` of contact `c` at the evaluated point, by rows; `None` if the contact
    /// has no force and no slope.
    pub fn damping(&self, c: usize) -> Option<[[f64; 3]; 3]> {
        let [vn, vt0, vt1] = self.contact_velocities[c];
        let (force, slope) = match &self.contacts[c].normal {
            NormalForce::Given(force) => (*force, 0.0),
            NormalForce::Compliant(law) => law.force_and_slope(self.laws.dt, vn),
        };
        let force = self.pressing(c, force);
        if force == 0.0 && slope == 0.0 {
            return None;
        }
        let coupled = self.coupling * slope;
        let (h, h_slope) = self.friction(c).coefficient_and_slope([vt0, vt1]);
        let (isotropic, directed) = (force * h, force * h_slope);
        let damping = [
            [-slope, 0.0, 0.0],
            [
                coupled * h * vt0,
                isotropic + directed * vt0 * vt0,
                directed * vt0 * vt1,
            ],
            [
                coupled * h * vt1,
                directed * vt0 * vt1,
                isotropic + directed * vt1 * vt1,
            ],
        ];
        Some(self.as_it_acts(c, damping))
    }

    /// Whether the impulse of contact `c` has a derivative at the evaluated point, with respect to velocities or data:
    /// a force that is given, or a stiffness, may be zero and have one.
    pub fn has_slopes(&self, c: usize) -> bool {
        match &self.contacts[c].normal {
            NormalForce::Given(_) => true,
            NormalForce::Compliant(law) => law.stiffness == 0.0 || self.damping(c).is_some(),
        }
    }

    /// `Mᵢᵢ / Σ (pᵢ*²/Mᵢᵢ)`, the weights that make squared velocities comparable to one.
    pub fn metric(&self) -> impl Iterator<Item = f64> + '_ {
        let scale = if self.momentum_scale > 0.0 {
            self.momentum_scale
        } else {
            1.0
        };
        self.inverse_diagonal.iter().map(move |w| 1.0 / (w * scale))
    }

    /// `∂r/∂θ = δt Σ J_cᵀ [h (fₙ − f̂ₙ) + g (μ_s − μ_d) (q − q̂) (θ fₙ + (1 − θ) f̂ₙ)] (0, vₜ)` at the evaluated
    /// point.
    pub fn coupling_derivative(&self, target: &mut Vec<f64>) {
        target.clear();
        target.resize(self.nv(), 0.0);
        for c in 0..self.contacts.len() {
            let [_, vt0, vt1] = self.contact_velocities[c];
            let law = self.friction(c);
            let slip_speed = law.slip_speed([vt0, vt1]);
            let ([force, share], [old_force, old_share]) = (self.limits(c), self.lagged[c]);
            let mut weight = self.laws.dt * (force - old_force) * law.coefficient(slip_speed);
            let Contact { mu, stribeck, .. } = self.contacts[c];
            if let Some(curve) = stribeck {
                let excess = FrictionLaw {
                    mu: (curve.static_friction - mu) * (share - old_share),
                    stribeck: None,
                    ..law
                };
                weight += self.laws.dt * self.pressing(c, force) * excess.coefficient(slip_speed);
            }
            for (i, column) in self.jacobian(c) {
                target[i] += weight * (column[1] * vt0 + column[2] * vt1);
            }
        }
    }

    /// Factors `∂r/∂v = M + δt Σ Jᵀ D J` at the evaluated point.
    pub fn factor(&mut self) -> Result<(), Singular> {
        let mut lu = std::mem::take(&mut self.lu);
        let result = lu.factor(&self.base, |values| self.add_damping(values));
        self.lu = lu;
        result
    }

    /// Factors M in place of `∂r/∂v`.
    pub fn factor_mass(&mut self) -> Result<(), Singular> {
        self.lu.factor(&self.base, |_| ())
    }

    /// Replaces right-hand sides in the range of Jᵀ by `M⁻¹` times them at the velocities that contacts depend
    /// on, with M that was factored.
    pub fn respond<const N: usize>(&self, b: &mut [SVector<f64, N>]) {
        self.lu.solve_on_path(b, &self.path);
    }

    /// Adds what contacts do not depend on to a response.
    pub fn complete_response(&self, b: &mut [f64]) {
        self.lu.solve_off_path(b, &self.path);
    }

    /// `(∂r/∂v)⁻¹ r`, with the Jacobian that was factored last. Friction of contacts that are held back goes on along
    /// its slope to the velocities of `self.v`.
    pub fn newton_step(&self, step: &mut Vec<f64>) {
        step.clone_from(&self.residual);
        if self.is_held_back {
            for (c, &[ahead0, ahead1]) in self.ahead.iter().enumerate() {
                if [ahead0, ahead1] != [0.0; 2]
                    && let Some(damping) = self.damping(c)
                {
                    let lost =
                        damping.map(|row| self.laws.dt * (row[1] * ahead0 + row[2] * ahead1));
                    for (i, column) in self.jacobian(c) {
                        step[i] += dot3(column, lost);
                    }
                }
            }
        }
        self.lu.solve_in_place(step);
    }

    /// Adds `δt Σ Jᵀ D J` to the values of the fronts.
    fn add_damping(&self, values: &mut [f64]) {
        for (c, contact) in self.contacts.iter().enumerate() {
            let Some(damping) = self.damping(c) else {
                continue;
            };
            let damping = damping.map(|row| row.map(|x| x * self.laws.dt));
            let (first, size) = contact.front;
            let front = &mut values[first..first + size * size];
            for (run, [n, t1, t2]) in self.runs(c) {
                for (k, j) in run.positions().enumerate() {
                    let weights =
                        damping.map(|row| row[0] * n[k] + row[1] * t1[k] + row[2] * t2[k]);
                    let target = &mut front[j * size..(j + 1) * size];
                    for (run, rows) in self.runs(c) {
                        add_combination(rows, weights, &mut target[run.positions()]);
                    }
                }
            }
        }
    }
}
