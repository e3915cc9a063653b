//! The data of a problem in `f64`, in sparse form.

use super::contact_law::NormalLaw;
use super::lifted::Lifted;
use super::problem::{MASSES, NormalForces};
use super::stribeck_curve::StribeckCurve;
use crate::{InvalidInput, Scalar};

/// How the normal force of a contact follows from its velocity.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NormalForce {
    Given(f64),
    Compliant(NormalLaw<f64>),
}

/// A contact point: its laws, and where its Jacobian ends in the list of columns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SparseContact {
    pub normal: NormalForce,
    pub mu: f64,
    pub stribeck: Option<StribeckCurve<f64>>,
    /// Whether its normal force only presses on friction, and acts in another contact.
    pub friction_only: bool,
    pub end: usize,
}

/// The balance `M v = p* + δt Jᵀ f(v)` by what it is made of.
#[derive(Debug, Clone, Default)]
pub(crate) struct SparseProblem {
    /// Row and column of the terms of M; those at one place add up.
    pub places: Vec<[usize; 2]>,
    pub terms: Vec<f64>,
    /// Number of terms, the first ones, that count on the other side of the diagonal, too.
    pub symmetric: usize,
    /// p*.
    pub momentum: Vec<f64>,
    /// Whether M and p* hold terms of stiff constraints, which are large and cancel, so that a residual that is small
    /// beside them need not be small beside momenta.
    pub has_stiff_terms: bool,
    pub contacts: Vec<SparseContact>,
    /// The velocities that each contact point depends on, and their columns `(n, t₁, t₂)` of its Jacobian.
    pub columns: Vec<usize>,
    pub values: Vec<[f64; 3]>,
}

impl SparseProblem {
    /// The columns of contact `c`, as positions in the lists.
    pub fn columns_of(&self, c: usize) -> std::ops::Range<usize> {
        let start = if c == 0 { 0 } else { self.contacts[c - 1].end };
        start..self.contacts[c].end
    }

    /// The Jacobian of contact `c` times a velocity: `(vₙ, vₜ₁, vₜ₂)`.
    pub fn contact_velocity(&self, c: usize, v: &[f64]) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for k in self.columns_of(c) {
            let x = v[self.columns[k]];
            for (sum, value) in sum.iter_mut().zip(self.values[k]) {
                *sum += value * x;
            }
        }
        sum
    }

    /// Adds a term to M that counts at its place only.
    pub fn push_term(&mut self, row: usize, column: usize, term: f64) {
        self.places.push([row, column]);
        self.terms.push(term);
    }

    /// Leaves only the first terms of M.
    pub fn truncate_terms(&mut self, count: usize) {
        self.places.truncate(count);
        self.terms.truncate(count);
    }

    /// Leaves no contacts.
    pub fn clear_contacts(&mut self) {
        self.contacts.clear();
        self.columns.clear();
        self.values.clear();
    }

    /// Writes the diagonal of M; terms that count at their place only by their size, as that is to measure with.
    pub fn write_diagonal(&self, diagonal: &mut Vec<f64>) {
        diagonal.clear();
        diagonal.resize(self.momentum.len(), 0.0);
        for (k, (&[i, j], term)) in self.places.iter().zip(&self.terms).enumerate() {
            if i == j {
                diagonal[i] += if k < self.symmetric {
                    *term
                } else {
                    term.abs()
                };
            }
        }
    }

    /// Adds `M v` to `out`, with the first terms of M only, so many.
    pub fn add_momentum(&self, terms: usize, v: &[f64], out: &mut [f64]) {
        let terms = self.places.iter().zip(&self.terms).take(terms);
        for (k, (&[i, j], term)) in terms.enumerate() {
            out[i] += term * v[j];
            if k < self.symmetric && i != j {
                out[j] += term * v[i];
            }
        }
    }

    /// Checks what a [`TwoWayCoupledProblem`](super::TwoWayCoupledProblem) checks; `diagonal` is that of M.
    ///
    /// # Errors
    /// [`InvalidInput`] for an entry that is not finite, a mass out of range, or a negative constant.
    pub fn validate(&self, diagonal: &[f64]) -> Result<(), InvalidInput> {
        InvalidInput::check_finite("M", &self.terms)?;
        InvalidInput::check_range(
            "diagonal of M",
            diagonal,
            "a positive number from 1e-100 to 1e100",
            |m| MASSES.contains(&m),
        )?;
        InvalidInput::check_finite("p*", &self.momentum)?;
        InvalidInput::check_finite("J", self.values.as_flattened())?;
        let is_constant = |x: f64| x >= 0.0 && x.is_finite();
        for contact in &self.contacts {
            let (x0, constants) = match contact.normal {
                NormalForce::Given(force) => (0.0, [force, 0.0]),
                NormalForce::Compliant(law) => (law.x0, [law.stiffness, law.dissipation]),
            };
            InvalidInput::check_finite("x0", &[x0])?;
            let constants = [constants[0], constants[1], contact.mu];
            let quantity = "stiffness, dissipation and friction of a contact";
            let expected = "finite numbers, not negative";
            InvalidInput::check_range(quantity, &constants, expected, is_constant)?;
            contact.stribeck.map_or(Ok(()), |curve| curve.validate())?;
        }
        Ok(())
    }

    /// Takes over the real parts of a problem, but for zeros.
    pub(super) fn read<T: Scalar>(&mut self, problem: &Lifted<T>) {
        let Lifted {
            common,
            normal_forces,
            ..
        } = problem;
        self.truncate_terms(0);
        self.symmetric = 0;
        let nv = common.nv();
        let columns = common.mass_matrix.as_slice().chunks_exact(nv.max(1));
        for (j, column) in columns.enumerate() {
            for (i, m) in column.iter().enumerate() {
                if i == j || m.re() != 0.0 {
                    self.push_term(i, j, m.re());
                }
            }
        }
        self.momentum.clear();
        self.momentum.extend(common.p_star.iter().map(|p| p.re()));
        self.clear_contacts();
        let (jn, jt) = (common.normal_jacobian, common.tangent_jacobian);
        for c in 0..common.nc() {
            for j in 0..nv {
                let value = [jn[(c, j)], jt[(2 * c, j)], jt[(2 * c + 1, j)]].map(|x| x.re());
                if value != [0.0; 3] {
                    self.columns.push(j);
                    self.values.push(value);
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
            self.contacts.push(SparseContact {
                normal,
                mu: common.mu[c].re(),
                stribeck: common.stribeck.map(|curves| curves[c].cast()),
                friction_only: common.is_friction_only(c),
                end: self.columns.len(),
            });
        }
    }
}
