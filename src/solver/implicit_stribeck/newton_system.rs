//! The problem as `f64` solves it: compressed, ordered for elimination, in one workspace.
//!
//! Velocities are permuted so that blocks of the mass matrix (bodies, or branches of trees) come in
//! an order that keeps elimination sparse; contact Jacobians are stored by contact, with the columns
//! that are not zero. Everything here is in permuted order.

use super::contact_law::{FrictionLaw, NormalLaw};
use super::kink::{KinkKind, friction_kink, normal_kinks};
use super::lifted::Lifted;
use super::problem::NormalForces;
use super::velocity_order::VelocityOrder;
use crate::math::{Factorization, Lu, Singular};
use crate::{InvalidInput, Scalar};

/// How the normal force of a contact follows from its velocity.
#[derive(Debug, Clone, Copy)]
pub(super) enum NormalForce {
    Given(f64),
    Compliant(NormalLaw<f64>),
}

/// A contact point: its laws, and where its Jacobian lies in the compressed arrays.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contact {
    pub normal: NormalForce,
    pub mu: f64,
    first: usize,
    end: usize,
}

/// The momentum balance `r(v) = M v − p* − δt Jᵀ f(v)` and its Jacobian.
///
/// Normal forces press on friction by `θ fₙ(v) + (1 − θ) f̂ₙ`: as they are for `θ = 1`, which is the
/// problem itself; as they were, `f̂ₙ`, for `θ = 0`, a [convex problem](super::lagged_friction).
#[derive(Debug, Clone)]
pub(super) struct NewtonSystem {
    /// The order of everything here.
    pub order: VelocityOrder,
    /// M, column-major.
    mass: Vec<f64>,
    p_star: Vec<f64>,
    inverse_diagonal: Vec<f64>,
    /// `Σ (pᵢ*²/Mᵢᵢ)`.
    momentum_scale: f64,
    pub contacts: Vec<Contact>,
    /// Column index and Jacobian column `(n, t₁, t₂)` of every non-zero column of every contact.
    columns: Vec<usize>,
    values: Vec<[f64; 3]>,
    pub dt: f64,
    pub stiction_tolerance: f64,
    pub softening: f64,
    /// θ, 1 for the problem itself.
    pub coupling: f64,
    /// f̂ₙ by contact; not used for θ = 1.
    pub lagged: Vec<f64>,

    /// The point at which the following were evaluated.
    pub v: Vec<f64>,
    /// What `v` lacks of velocities with twice its precision; empty unless that is needed.
    remainder: Vec<f64>,
    /// `(vₙ, vₜ₁, vₜ₂)` by contact.
    pub contact_velocities: Vec<[f64; 3]>,
    /// `(fₙ, fₜ₁, fₜ₂)` by contact.
    pub contact_forces: Vec<[f64; 3]>,
    /// δt Jᵀ f.
    impulse: Vec<f64>,
    /// r(v).
    pub residual: Vec<f64>,
    /// Norm of the residual relative to the momenta that are balanced.
    pub relative_residual: f64,
}

/// `∂r/∂v` of a system, factored, for vectors in the original order.
#[derive(Debug, Clone, Copy)]
pub(super) struct FactoredJacobian<'s> {
    pub system: &'s NewtonSystem,
    pub lu: &'s Lu,
}

impl Factorization for FactoredJacobian<'_> {
    fn size(&self) -> usize {
        self.system.nv()
    }

    fn solve_in_place<T: Scalar>(&self, b: &mut [T]) -> Result<(), InvalidInput> {
        InvalidInput::check_size("right-hand side", b.len(), self.size())?;
        self.system.order.permute(b);
        self.lu.solve_in_place(b)?;
        self.system.order.permute_back(b);
        Ok(())
    }
}

impl FactoredJacobian<'_> {
    /// Replaces `b` by `(∂r/∂v)⁻ᵀ b`.
    pub fn solve_transposed_in_place(&self, b: &mut [f64]) -> Result<(), InvalidInput> {
        InvalidInput::check_size("right-hand side", b.len(), self.size())?;
        self.system.order.permute(b);
        self.lu.solve_transposed_in_place(b)?;
        self.system.order.permute_back(b);
        Ok(())
    }
}

impl NewtonSystem {
    pub fn new() -> Self {
        NewtonSystem {
            order: VelocityOrder::default(),
            mass: Vec::new(),
            p_star: Vec::new(),
            inverse_diagonal: Vec::new(),
            momentum_scale: 0.0,
            contacts: Vec::new(),
            columns: Vec::new(),
            values: Vec::new(),
            dt: 0.0,
            stiction_tolerance: 0.0,
            softening: 0.0,
            coupling: 1.0,
            lagged: Vec::new(),
            v: Vec::new(),
            remainder: Vec::new(),
            contact_velocities: Vec::new(),
            contact_forces: Vec::new(),
            impulse: Vec::new(),
            residual: Vec::new(),
            relative_residual: f64::INFINITY,
        }
    }

    pub fn nv(&self) -> usize {
        self.p_star.len()
    }

    /// Whether normal forces are data, not functions of the velocity.
    pub fn has_given_forces(&self) -> bool {
        self.contacts
            .first()
            .is_some_and(|contact| matches!(contact.normal, NormalForce::Given(_)))
    }

    /// Takes over the real parts of a problem, and gives `lu` its block structure.
    ///
    /// # Errors
    /// [`InvalidInput`] for a mass matrix that is not symmetric and positive definite, and for momenta
    /// whose norm is not finite.
    pub fn load_problem<T: Scalar>(
        &mut self,
        lu: &mut Lu,
        problem: &Lifted<T>,
    ) -> Result<(), InvalidInput> {
        let Lifted {
            common,
            normal_forces,
            ..
        } = problem;
        let (nv, nc) = (common.nv(), common.nc());
        self.dt = problem.dt.re();
        self.stiction_tolerance = problem.stiction_tolerance.re();
        self.softening = problem.softening.re();
        self.coupling = 1.0;
        self.order.rebuild(lu, common)?;
        let (order, touched) = (self.order.indices(), self.order.touched());
        self.p_star.clear();
        self.p_star
            .extend(order.iter().map(|&i| common.p_star[i].re()));
        let mass = common.mass_matrix.as_slice();
        self.mass.clear();
        for &j in order {
            let column = &mass[j * nv..(j + 1) * nv];
            self.mass.extend(order.iter().map(|&i| column[i].re()));
        }
        self.inverse_diagonal.clear();
        self.inverse_diagonal
            .extend((0..nv).map(|i| 1.0 / self.mass[i * nv + i]));
        self.momentum_scale = self.squared_norm(&self.p_star);
        if !self.momentum_scale.is_finite() {
            return Err(self.unbalanceable("p*", common.p_star.iter().map(|p| p.re())));
        }
        self.contacts.clear();
        self.columns.clear();
        self.values.clear();
        let jn = common.normal_jacobian.as_slice();
        let jt = common.tangent_jacobian.as_slice();
        for c in 0..nc {
            let first = self.columns.len();
            for (i, &j) in order.iter().enumerate() {
                let entry = c + nc * j;
                if touched[entry] {
                    self.columns.push(i);
                    self.values
                        .push([jn[entry].re(), jt[2 * entry].re(), jt[2 * entry + 1].re()]);
                }
            }
            let normal = match normal_forces {
                NormalForces::Given(forces) => NormalForce::Given(forces[c].re()),
                NormalForces::Compliant {
                    x0,
                    stiffness,
                    dissipation,
                } => NormalForce::Compliant(NormalLaw {
                    x0: x0[c].re(),
                    stiffness: stiffness[c].re(),
                    dissipation: dissipation[c].re(),
                }),
            };
            self.contacts.push(Contact {
                normal,
                mu: common.mu[c].re(),
                first,
                end: self.columns.len(),
            });
        }
        self.v.resize(nv, 0.0);
        self.remainder.clear();
        self.residual.resize(nv, 0.0);
        self.impulse.resize(nv, 0.0);
        self.contact_velocities.resize(nc, [0.0; 3]);
        self.contact_forces.resize(nc, [0.0; 3]);
        Ok(())
    }

    /// The normal force that is too large for a residual, if the one here is not finite.
    pub fn check_finite(&self) -> Result<(), InvalidInput> {
        if self.relative_residual.is_finite() {
            return Ok(());
        }
        let forces = self.contact_forces.iter().map(|f| f[0]);
        Err(self.unbalanceable("normal force", forces))
    }

    fn unbalanceable(
        &self,
        quantity: &'static str,
        values: impl Iterator<Item = f64>,
    ) -> InvalidInput {
        let (index, value) = values.enumerate().fold((0, 0.0f64), |worst, (i, x)| {
            if worst.1.is_nan() || x.abs() <= worst.1.abs() {
                worst
            } else {
                (i, x)
            }
        });
        InvalidInput::OutOfRange {
            quantity,
            index,
            value,
            expected: "a number whose kinetic energy is finite",
        }
    }

    /// The non-zero columns of the Jacobian of contact `c`.
    pub fn jacobian(&self, c: usize) -> impl Iterator<Item = (usize, [f64; 3])> + '_ {
        let Contact { first, end, .. } = self.contacts[c];
        (self.columns[first..end].iter().copied()).zip(self.values[first..end].iter().copied())
    }

    pub fn friction(&self, c: usize) -> FrictionLaw<f64> {
        FrictionLaw {
            mu: self.contacts[c].mu,
            stiction_tolerance: self.stiction_tolerance,
            softening: self.softening,
        }
    }

    /// Contact velocities of a generalized velocity.
    pub fn contact_velocity(&self, c: usize, v: &[f64]) -> [f64; 3] {
        self.jacobian(c).fold([0.0; 3], |sum, (i, column)| {
            std::array::from_fn(|row| sum[row] + column[row] * v[i])
        })
    }

    /// Goes to the velocities `v` and evaluates there.
    pub fn place(&mut self, v: &[f64]) {
        self.v.copy_from_slice(v);
        self.remainder.clear();
        self.evaluate();
    }

    /// Sets all velocities to zero and evaluates.
    pub fn rest(&mut self) {
        self.v.fill(0.0);
        self.remainder.clear();
        self.evaluate();
    }

    /// Sets θ and evaluates.
    pub fn couple(&mut self, coupling: f64) {
        self.coupling = coupling;
        self.evaluate();
    }

    /// Takes the normal forces of now for `f̂ₙ`.
    pub fn lag_normal_forces(&mut self) {
        self.lagged.clear();
        self.lagged.extend(self.contact_forces.iter().map(|f| f[0]));
    }

    /// `‖fₙ − f̂ₙ‖ / ‖fₙ‖`.
    pub fn lag(&self) -> f64 {
        let (mut change, mut size) = (0.0, 0.0);
        for (force, lagged) in self.contact_forces.iter().zip(&self.lagged) {
            change += (force[0] - lagged).powi(2);
            size += force[0].powi(2);
        }
        if change == 0.0 {
            0.0
        } else {
            (change / size).sqrt()
        }
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
        let nv = self.nv();
        self.impulse.fill(0.0);
        for c in 0..self.contacts.len() {
            let velocity = if self.remainder.is_empty() {
                self.contact_velocity(c, &self.v)
            } else {
                self.extended_contact_velocity(c)
            };
            let force = self.force(c, velocity);
            self.contact_velocities[c] = velocity;
            self.contact_forces[c] = force;
            let impulse = force.map(|f| f * self.dt);
            let Contact { first, end, .. } = self.contacts[c];
            for (&i, column) in self.columns[first..end]
                .iter()
                .zip(&self.values[first..end])
            {
                self.impulse[i] += dot3(*column, impulse);
            }
        }
        for ((r, p), impulse) in self
            .residual
            .iter_mut()
            .zip(&self.p_star)
            .zip(&self.impulse)
        {
            *r = -p - impulse;
        }
        for (columns, rows) in self.order.mass_blocks() {
            for j in columns.clone() {
                let column = &self.mass[j * nv..(j + 1) * nv][rows.clone()];
                let x = self.v[j];
                for (r, &m) in self.residual[rows.clone()].iter_mut().zip(column) {
                    *r += m * x;
                }
            }
        }
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
    fn squared_norm(&self, momentum: &[f64]) -> f64 {
        momentum
            .iter()
            .zip(&self.inverse_diagonal)
            .map(|(p, w)| p * p * w)
            .sum()
    }

    fn force(&self, c: usize, [vn, vt0, vt1]: [f64; 3]) -> [f64; 3] {
        let normal = match &self.contacts[c].normal {
            NormalForce::Given(force) => *force,
            NormalForce::Compliant(law) => law.force(self.dt, vn),
        };
        let [ft0, ft1] = (self.friction(c)).force(self.pressing(c, normal), [vt0, vt1]);
        [normal, ft0, ft1]
    }

    /// The normal force that friction at contact `c` goes by, when the one of now is `normal`.
    fn pressing(&self, c: usize, normal: f64) -> f64 {
        if self.coupling == 1.0 {
            normal
        } else {
            self.coupling * normal + (1.0 - self.coupling) * self.lagged[c]
        }
    }

    /// `d·(M v − p*)` and `d·M d`.
    pub fn momentum_along(&self, d: &[f64]) -> (f64, f64) {
        let nv = self.nv();
        let mut constant: f64 = -(d.iter().zip(&self.p_star).map(|(d, p)| d * p)).sum::<f64>();
        let mut linear = 0.0;
        for (columns, rows) in self.order.mass_blocks() {
            for j in columns.clone() {
                let column = &self.mass[j * nv..(j + 1) * nv][rows.clone()];
                let product: f64 = (column.iter().zip(&d[rows.clone()]))
                    .map(|(m, d)| m * d)
                    .sum();
                constant += product * self.v[j];
                linear += product * d[j];
            }
        }
        (constant, linear)
    }

    /// Power of the force of contact `c` along `change`, at the evaluated velocity plus `α change`.
    pub fn power_along(&self, c: usize, alpha: f64, change: [f64; 3]) -> f64 {
        let velocity = self.contact_velocities[c];
        let force = self.force(c, std::array::from_fn(|i| velocity[i] + alpha * change[i]));
        dot3(force, change)
    }

    /// `−∂(fₙ, fₜ)/∂(vₙ, vₜ)` of contact `c` at the evaluated point, by rows; `None` if the contact
    /// has no force and no slope.
    pub fn damping(&self, c: usize) -> Option<[[f64; 3]; 3]> {
        let [vn, vt0, vt1] = self.contact_velocities[c];
        let (force, slope) = match &self.contacts[c].normal {
            NormalForce::Given(force) => (*force, 0.0),
            NormalForce::Compliant(law) => law.force_and_slope(self.dt, vn),
        };
        let force = self.pressing(c, force);
        if force == 0.0 && slope == 0.0 {
            return None;
        }
        let coupled = self.coupling * slope;
        let (h, h_slope) = self.friction(c).coefficient_and_slope([vt0, vt1]);
        let (isotropic, directed) = (force * h, force * h_slope);
        Some([
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
        ])
    }

    /// The kinks that contact `c` could reach, with their distances in m/s.
    pub fn kinks(&self, c: usize) -> impl Iterator<Item = (KinkKind, f64)> {
        let [vn, vt0, vt1] = self.contact_velocities[c];
        let normal = match &self.contacts[c].normal {
            NormalForce::Given(_) => None,
            NormalForce::Compliant(law) => Some(normal_kinks(law, self.dt, vn)),
        };
        let force = self.contact_forces[c][0];
        let friction = friction_kink(&self.friction(c), force, [vt0, vt1]);
        normal.into_iter().flatten().chain(friction)
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

    /// `∂r/∂θ = δt Σ J_cᵀ h (fₙ − f̂ₙ) (0, vₜ)` at the evaluated point.
    pub fn coupling_derivative(&self, target: &mut Vec<f64>) {
        target.clear();
        target.resize(self.nv(), 0.0);
        for c in 0..self.contacts.len() {
            let [_, vt0, vt1] = self.contact_velocities[c];
            let law = self.friction(c);
            let change = self.contact_forces[c][0] - self.lagged[c];
            let weight = self.dt * change * law.coefficient(law.slip_speed([vt0, vt1]));
            for (i, column) in self.jacobian(c) {
                target[i] += weight * (column[1] * vt0 + column[2] * vt1);
            }
        }
    }

    /// Factors `∂r/∂v` at the evaluated point.
    pub fn factor(&self, lu: &mut Lu) -> Result<(), Singular> {
        lu.factor_with(|matrix| {
            matrix.copy_from_slice(&self.mass);
            self.add_damping(matrix);
        })
    }

    /// `(∂r/∂v)⁻¹ r`, with the Jacobian that `lu` has factored.
    pub fn newton_step(&self, lu: &Lu, step: &mut Vec<f64>) {
        step.clone_from(&self.residual);
        // The sizes agree: lu has the structure that load_problem gave it.
        let _ = lu.solve_in_place(step);
    }

    /// Adds `δt Σ Jᵀ D J` to a column-major matrix, so that `∂r/∂v = M + δt Σ Jᵀ D J`.
    fn add_damping(&self, matrix: &mut [f64]) {
        let rows = self.nv();
        for c in 0..self.contacts.len() {
            let Some(damping) = self.damping(c) else {
                continue;
            };
            let damping = damping.map(|row| row.map(|x| x * self.dt));
            let Contact { first, end, .. } = self.contacts[c];
            let (columns, values) = (&self.columns[first..end], &self.values[first..end]);
            for (&j, value) in columns.iter().zip(values) {
                let product = damping.map(|row| dot3(row, *value));
                let target = &mut matrix[j * rows..(j + 1) * rows];
                for (&i, row) in columns.iter().zip(values) {
                    target[i] += dot3(*row, product);
                }
            }
        }
    }
}

/// A sum and its rounding error (Knuth, *The Art of Computer Programming* 2, §4.2.2).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

fn dot3(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
