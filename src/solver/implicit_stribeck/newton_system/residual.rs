//! Contact forces at a point, and the residual of the momentum balance.

use super::{Contact, NewtonSystem, add_combination, add_product, dot3};
use crate::solver::implicit_stribeck::contact_law::FrictionLaw;
use crate::solver::implicit_stribeck::direction_limiter::{DirectionLimiter, norm};
use crate::solver::implicit_stribeck::kink::{KinkKind, friction_kink, normal_kinks};
use crate::solver::implicit_stribeck::sparse_problem::NormalForce;

/// Error of a relative residual that does not matter beside the tolerances of solves.
const UNSEEN: f64 = 1e-12;

impl NewtonSystem {
    pub fn friction(&self, c: usize) -> FrictionLaw<f64> {
        let Contact {
            mut mu,
            mut stribeck,
            ..
        } = self.contacts[c];
        if self.coupling != 1.0
            && let Some(curve) = &mut stribeck
        {
            let excess = curve.static_friction - mu;
            mu += (1.0 - self.coupling) * self.lagged[c][1] * excess;
            curve.static_friction = mu + self.coupling * excess;
        }
        FrictionLaw {
            mu,
            stribeck,
            stiction_tolerance: self.laws.stiction_tolerance,
            softening: self.laws.softening,
        }
    }

    /// Contact velocities of a generalized velocity.
    pub fn contact_velocity(&self, c: usize, v: &[f64]) -> [f64; 3] {
        let mut velocity = [0.0; 3];
        for (run, rows) in self.runs(c) {
            add_product(rows, &v[run.columns()], &mut velocity);
        }
        velocity
    }

    /// What is lagged, as it is now: fₙ, and the share q of static friction (0 where there is none).
    pub fn limits(&self, c: usize) -> [f64; 2] {
        let [_, vt0, vt1] = self.contact_velocities[c];
        let slip_squared = vt0 * vt0 + vt1 * vt1 + self.laws.softening * self.laws.softening;
        let curve = self.contacts[c].stribeck;
        let share = curve.map_or(0.0, |curve| curve.share(slip_squared));
        [self.contact_forces[c][0], share]
    }

    /// From here on, until the next [`Self::place`], velocities have twice the precision of `f64`.
    ///
    /// A stiff contact makes a force of the last digit of a velocity, which may be more than the
    /// tolerance of the residual.
    pub fn extend_precision(&mut self) {
        if self.remainder.is_empty() {
            self.remainder.resize(self.v.len(), 0.0);
        }
    }

    /// The residual at the velocities as they are read, rounded to `f64`, evaluated with twice that precision.
    pub fn rounded_residual(&mut self) -> f64 {
        if self.remainder.iter().all(|rest| *rest == 0.0) {
            return self.relative_residual;
        }
        let remainder = self.remainder.clone();
        self.remainder.fill(0.0);
        self.evaluate();
        let rounded = self.relative_residual;
        self.remainder = remainder;
        self.evaluate();
        rounded
    }

    /// The relative residual of the velocities and forces as they are read, in `f64`, evaluated with twice that precision where
    /// sums in `f64` may lose what is left: where forces of contacts balance each other.
    pub fn residual_of_result(&mut self) -> f64 {
        let mut gross = std::mem::take(&mut self.gross);
        self.sum_balance(&mut gross);
        let rows = gross.iter().zip(&self.inverse_diagonal);
        let size: f64 = rows
            .map(|([momenta, forces], w)| w * (momenta.0 + self.laws.dt * forces.0).powi(2))
            .sum();
        self.gross = gross;
        let is_sure = f64::EPSILON.powi(2) * size <= UNSEEN.powi(2) * self.momentum_scale;
        if is_sure && self.remainder.is_empty() {
            return self.relative_residual;
        }
        let mut sums = std::mem::take(&mut self.sums);
        self.sum_balance(&mut sums);
        let (mut residual, mut impulse) = (0.0, 0.0);
        for (([r, forces], p), w) in (sums.iter_mut())
            .zip(&self.p_star)
            .zip(&self.inverse_diagonal)
        {
            r.add(-p);
            r.add_product(-self.laws.dt, forces.value);
            r.error -= self.laws.dt * forces.error;
            residual += w * r.total().powi(2);
            impulse += w * (self.laws.dt * forces.total()).powi(2);
        }
        self.sums = sums;
        match residual {
            0.0 => 0.0,
            _ => (residual / f64::max(self.momentum_scale, impulse)).sqrt(),
        }
    }

    /// `M v` and `Jᵀ f`, row by row.
    fn sum_balance<S: Accumulator>(&self, sums: &mut Vec<[S; 2]>) {
        sums.clear();
        sums.resize(self.nv(), [S::default(); 2]);
        for c in 0..self.contacts.len() {
            let force = self.acting_force(c);
            for (i, column) in self.jacobian(c) {
                for (j, f) in column.into_iter().zip(force) {
                    sums[i][1].add_product(j, f);
                }
            }
        }
        for (([momenta, _], m), v) in sums.iter_mut().zip(&self.diagonal).zip(&self.v) {
            momenta.add_product(*m, *v);
        }
        for (&[i, j], m) in self.symmetric.places.iter().zip(&self.symmetric.values) {
            sums[i][0].add_product(*m, self.v[j]);
            sums[j][0].add_product(*m, self.v[i]);
        }
        for (&[i, j], m) in self.one_sided.places.iter().zip(&self.one_sided.values) {
            sums[i][0].add_product(*m, self.v[j]);
        }
    }

    /// `v ← v − fraction · step`.
    pub fn retreat(&mut self, fraction: f64, step: &[f64]) {
        if self.remainder.is_empty() {
            for (v, dv) in self.v.iter_mut().zip(step) {
                *v -= fraction * dv;
            }
            return;
        }
        for ((v, rest), dv) in self.v.iter_mut().zip(&mut self.remainder).zip(step) {
            let (sum, error) = two_sum(*v, -fraction * dv);
            (*v, *rest) = two_sum(sum, error + *rest);
        }
    }

    /// `J v` of contact `c` as if computed with twice the precision (Ogita, Rump & Oishi 2005, *SIAM
    /// Journal on Scientific Computing* 26(6), algorithm 5.3).
    fn extended_contact_velocity(&self, c: usize) -> [f64; 3] {
        let (mut sum, mut error) = ([0.0; 3], [0.0; 3]);
        for (i, column) in self.jacobian(c) {
            for row in 0..3 {
                let product = column[row] * self.v[i];
                let lost = column[row].mul_add(self.v[i], -product);
                let (total, rounded) = two_sum(sum[row], product);
                sum[row] = total;
                error[row] += rounded + lost + column[row] * self.remainder[i];
            }
        }
        std::array::from_fn(|row| sum[row] + error[row])
    }

    /// Evaluates velocities, forces and the residual at `self.v`.
    pub fn evaluate(&mut self) {
        self.is_held_back = false;
        self.evaluate_by(|system, c, velocity| {
            system.contact_velocities[c] = velocity;
            system.contact_forces[c] = system.force(c, velocity);
        });
    }

    /// As [`Self::evaluate`], with friction of each contact at the tangential velocity that a limiter allows it on the
    /// way from the one before to that of `self.v`. Returns the smallest fraction of their ways, and the largest change.
    pub fn evaluate_limited(&mut self, limiter: &DirectionLimiter) -> (f64, f64) {
        let (mut least, mut change) = (1.0f64, 0.0f64);
        self.evaluate_by(|system, c, [vn, vt0, vt1]| {
            let [_, from0, from1] = system.contact_velocities[c];
            let way = [vt0 - from0, vt1 - from1];
            let was_free = system.contact_forces[c][0] == 0.0;
            let mut fraction = if was_free {
                1.0
            } else {
                limiter.step_fraction([from0, from1], way)
            };
            let mut at = [vn, vt0, vt1];
            if fraction < 1.0 {
                at = [vn, from0 + fraction * way[0], from1 + fraction * way[1]];
            }
            let force = system.force(c, at);
            if force[0] == 0.0 {
                (fraction, at) = (1.0, [vn, vt0, vt1]);
            }
            system.ahead[c] = [vt0 - at[1], vt1 - at[2]];
            system.contact_velocities[c] = at;
            system.contact_forces[c] = force;
            least = least.min(fraction);
            change = change.max(fraction * norm(way));
        });
        self.is_held_back = least < 1.0;
        (least, change)
    }

    /// Evaluates the residual at `self.v` with contact velocities and forces that `follow` writes, given those of
    /// `self.v`.
    fn evaluate_by(&mut self, mut follow: impl FnMut(&mut Self, usize, [f64; 3])) {
        let mut sum = std::mem::take(&mut self.impulse);
        sum.fill(0.0);
        for c in 0..self.contacts.len() {
            let velocity = if self.remainder.is_empty() {
                self.contact_velocity(c, &self.v)
            } else {
                self.extended_contact_velocity(c)
            };
            follow(self, c, velocity);
            let impulse = self.acting_force(c).map(|f| f * self.laws.dt);
            for (run, rows) in self.runs(c) {
                add_combination(rows, impulse, &mut sum[run.columns()]);
            }
        }
        self.impulse = sum;
        let mut residual = std::mem::take(&mut self.residual);
        for ((r, p), impulse) in residual.iter_mut().zip(&self.p_star).zip(&self.impulse) {
            *r = -p - impulse;
        }
        self.add_product(&self.v, &mut residual);
        self.residual = residual;
        let residual = self.squared_norm(&self.residual);
        let impulse = self.squared_norm(&self.impulse);
        self.relative_residual = if residual == 0.0 {
            0.0
        } else {
            (residual / f64::max(self.momentum_scale, impulse)).sqrt()
        };
    }

    /// `max(‖p*‖², ‖δt Jᵀ f‖²)` at the evaluated point.
    pub fn balanced_momenta(&self) -> f64 {
        f64::max(self.momentum_scale, self.squared_norm(&self.impulse))
    }

    /// `Σ Mᵢᵢ vᵢ²`.
    pub fn kinetic_energy(&self) -> f64 {
        (self.v.iter().zip(&self.inverse_diagonal))
            .map(|(v, w)| v * v / w)
            .sum()
    }

    /// `Σ pᵢ²/Mᵢᵢ` of a momentum.
    pub(super) fn squared_norm(&self, momentum: &[f64]) -> f64 {
        momentum
            .iter()
            .zip(&self.inverse_diagonal)
            .map(|(p, w)| p * p * w)
            .sum()
    }

    /// `(fₙ, fₜ₁, fₜ₂)` of contact `c` at a contact velocity.
    #[inline(always)]
    pub fn force(&self, c: usize, [vn, vt0, vt1]: [f64; 3]) -> [f64; 3] {
        let normal = match &self.contacts[c].normal {
            NormalForce::Given(force) => *force,
            NormalForce::Compliant(law) => law.force(self.laws.dt, vn),
        };
        let [ft0, ft1] = (self.friction(c)).force(self.pressing(c, normal), [vt0, vt1]);
        [normal, ft0, ft1]
    }

    /// `(fₙ, fₜ₁, fₜ₂)` of contact `c` at the evaluated point, as far as it acts.
    pub fn acting_force(&self, c: usize) -> [f64; 3] {
        self.as_it_acts(c, self.contact_forces[c])
    }

    /// A force of contact `c`, or a row of slopes for each, without the part that acts in another contact.
    pub fn as_it_acts<X: Default>(&self, c: usize, mut force: [X; 3]) -> [X; 3] {
        if self.contacts[c].friction_only {
            force[0] = X::default();
        }
        force
    }

    /// The normal force that friction at contact `c` goes by, when the one of now is `normal`.
    pub(super) fn pressing(&self, c: usize, normal: f64) -> f64 {
        if self.coupling == 1.0 {
            normal
        } else {
            self.coupling * normal + (1.0 - self.coupling) * self.lagged[c][0]
        }
    }

    /// Adds `M x` to `out`.
    pub(super) fn add_product(&self, x: &[f64], out: &mut [f64]) {
        for ((out, m), x) in out.iter_mut().zip(&self.diagonal).zip(x) {
            *out += m * x;
        }
        for (&[i, j], m) in self.symmetric.places.iter().zip(&self.symmetric.values) {
            out[i] += m * x[j];
            out[j] += m * x[i];
        }
        for (&[i, j], m) in self.one_sided.places.iter().zip(&self.one_sided.values) {
            out[i] += m * x[j];
        }
    }

    /// `d·(M v − p*)` and `d·M d`.
    pub fn momentum_along(&self, d: &[f64]) -> (f64, f64) {
        let mut constant: f64 = -(d.iter().zip(&self.p_star).map(|(d, p)| d * p)).sum::<f64>();
        let mut linear = 0.0;
        let mut add = |m: f64, row: usize, column: usize| {
            constant += m * d[row] * self.v[column];
            linear += m * d[row] * d[column];
        };
        for (i, &m) in self.diagonal.iter().enumerate() {
            add(m, i, i);
        }
        for (&[i, j], &m) in self.symmetric.places.iter().zip(&self.symmetric.values) {
            add(m, i, j);
            add(m, j, i);
        }
        for (&[i, j], &m) in self.one_sided.places.iter().zip(&self.one_sided.values) {
            add(m, i, j);
        }
        (constant, linear)
    }

    /// Power of the force of contact `c` along `change`, at the evaluated velocity plus `α change`.
    pub fn power_along(&self, c: usize, alpha: f64, change: [f64; 3]) -> f64 {
        let velocity = self.contact_velocities[c];
        let force = self.force(c, std::array::from_fn(|i| velocity[i] + alpha * change[i]));
        dot3(self.as_it_acts(c, force), change)
    }

    /// The kinks that contact `c` could reach, with their distances in m/s.
    pub fn kinks(&self, c: usize) -> impl Iterator<Item = (KinkKind, f64)> {
        let [vn, vt0, vt1] = self.contact_velocities[c];
        let Contact {
            normal,
            friction_only,
            ..
        } = &self.contacts[c];
        let normal = match normal {
            NormalForce::Compliant(law) if !friction_only => {
                Some(normal_kinks(law, self.laws.dt, vn))
            }
            _ => None,
        };
        let force = self.contact_forces[c][0];
        let friction = friction_kink(&self.friction(c), force, [vt0, vt1]);
        normal.into_iter().flatten().chain(friction)
    }

    /// p*.
    pub fn momentum(&self) -> &[f64] {
        &self.p_star
    }
}

/// A sum of products.
trait Accumulator: Copy + Default {
    fn add_product(&mut self, a: f64, b: f64);
}

/// A sum of sizes: rounding errors are some `2⁻⁵²` of it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Gross(f64);

impl Accumulator for Gross {
    fn add_product(&mut self, a: f64, b: f64) {
        self.0 += (a * b).abs();
    }
}

/// A sum with its rounding errors (Ogita, Rump & Oishi 2005, *SIAM Journal on Scientific Computing* 26(6)).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    value: f64,
    error: f64,
}

impl Accumulator for Sum {
    fn add_product(&mut self, a: f64, b: f64) {
        let high = a * b;
        self.add(high);
        self.error += a.mul_add(b, -high);
    }
}

impl Sum {
    fn add(&mut self, x: f64) {
        let (value, lost) = two_sum(self.value, x);
        self.value = value;
        self.error += lost;
    }

    fn total(&self) -> f64 {
        self.value + self.error
    }
}

/// A sum and its rounding error (Knuth, *The Art of Computer Programming* 2, §4.2.2).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}
