//! Data of the constraint problem on the velocity level: impacts and time steps.

use super::accel_problem_data::{check_coefficients, check_round, check_vector, total};
use super::adjoint;
use super::error::ConstraintError;
use super::operators::ConstraintOperators;
use crate::math::reset_vector;
use crate::{InvalidInput, Scalar};
use nalgebra::DVector;

/// The data of a problem for impulses and the velocities after them.
///
/// With the operators of [`ConstraintOperators`], velocities `v` and impulses
/// `f = (f_N, f_F, f_L, f_G)` satisfy
///
/// ```text
/// M v = p + Nᵀ f_N + Fᵀ f_F + Lᵀ f_L + Gᵀ f_G
/// 0 = G v + kG
/// 0 ≤ N v + kN + γN f_N                ⊥  f_N ≥ 0
/// 0 ≤ ±(F v + kF) + E λ + γF f±        ⊥  f± ≥ 0,   f_F = f₊ − f₋
/// 0 ≤ μ f_N − Eᵀ (f₊ + f₋) + γE λ      ⊥  λ ≥ 0
/// 0 ≤ L v + kL + γL f_L                ⊥  f_L ≥ 0
/// ```
///
/// (Anitescu & Potra 1997, *Nonlinear Dynamics* 14, 231–247): friction opposes the slip that
/// remains, within a cone of `2 rᵢ` edges.
///
/// - *Impact*: `p = M v⁻`. Restitution `e` in Newton's sense is `kN = e N v⁻`.
/// - *Time step* of length `δt`: `p = M v₀ + δt τ`; `kN = φ/δt` lets a contact at the distance `φ`
///   close within the step, and a fraction of it pushes a penetration out.
/// - *Compliance*: a constraint with stiffness and damping over a step is `kN = φ/δt · δt k/(δt k + b)`,
///   `γN = 1/(δt (δt k + b))`, the implicit Euler step of a spring and damper.
#[derive(Debug, Clone)]
#[allow(non_snake_case)]
pub struct ConstraintVelProblemData<T: Scalar, O> {
    /// Number of spanning directions of each contact: 1 in the plane, 2 for a friction pyramid, k/2
    /// for a cone of k edges.
    pub r: Vec<usize>,
    /// Whether the cones of friction are Coulomb's own, `‖f_F‖ ≤ μ f_N` against the tangential velocity
    /// ([round](crate::solver::friction_cone)), instead of those of edges. A contact then has two spanning directions at
    /// right angles, or none without friction.
    pub round_cones: bool,
    /// Coefficients of friction (nc).
    pub mu: DVector<T>,
    /// The momentum `p` (nv) without impulses.
    pub Mv: DVector<T>,
    /// `kG` (nb).
    pub kG: DVector<T>,
    /// `kN` (nc).
    pub kN: DVector<T>,
    /// `kF` (nnr).
    pub kF: DVector<T>,
    /// `kL` (nu).
    pub kL: DVector<T>,
    /// The part of `kN` (nc) that drives overlaps out. Where there is no solution with these parts, as when
    /// a jammed body cannot leave its overlap, the solution is one
    /// [without](super::VelocitySolution::without_push) them.
    pub pushN: DVector<T>,
    /// The same part of `kL` (nu).
    pub pushL: DVector<T>,
    /// The part of `kG` (nb) that takes errors of position back; left out where there is no solution without the other
    /// two parts either, as when what closes a loop would have to move bodies into each other.
    pub pushG: DVector<T>,
    /// How far the data of each contact (nc) are from a value where `kN` has a kink, such as the gap (m) if
    /// it is treated otherwise below zero; infinite for data without kinks.
    pub gapN: DVector<f64>,
    /// The same for `kL` (nu).
    pub gapL: DVector<f64>,
    /// By how much a velocity (m/s) of each contact (nc) would have to change for `kN` to begin or cease to have
    /// the contact rebound; infinite where it does not depend on velocities so.
    pub rebound_marginN: DVector<f64>,
    /// Compliance `γN` of contact normals (nc), not negative.
    pub gammaN: DVector<T>,
    /// Compliance `γF` of friction (nnr), not negative.
    pub gammaF: DVector<T>,
    /// Compliance `γE` of the friction cones (nc), not negative.
    pub gammaE: DVector<T>,
    /// Compliance `γL` of unilateral constraints (nu), not negative.
    pub gammaL: DVector<T>,
    /// Products with the Jacobians and the inverse inertia. `Q` is not used.
    pub operators: O,
}

impl<T: Scalar, O: ConstraintOperators<T>> ConstraintVelProblemData<T, O> {
    /// No constraints and no momentum; the operators say how many velocities there are.
    pub fn new(operators: O) -> Self {
        Self::of_size(operators.num_velocities(), operators)
    }

    /// Gives all constraints zero `k`, neither push nor kinks, and no compliance: `nb` bilateral, contacts with the
    /// friction `mu` and `r` spanning directions each, `nu` unilateral.
    ///
    /// # Errors
    /// [`InvalidInput`] for more than 2²⁴ rows of a kind.
    pub fn set_rigid(
        &mut self,
        nb: usize,
        mu: DVector<T>,
        r: Vec<usize>,
        nu: usize,
    ) -> Result<(), InvalidInput> {
        (self.mu, self.r) = (mu, r);
        self.reset_constants(nb, nu)
    }

    /// Number of contacts.
    pub fn num_contacts(&self) -> usize {
        self.mu.len()
    }

    /// Checks sizes and ranges.
    ///
    /// # Errors
    /// [`ConstraintError::Invalid`].
    pub fn validate(&self) -> Result<(), ConstraintError> {
        let (nc, nnr) = (self.num_contacts(), total(&self.r));
        InvalidInput::check_size("r", self.r.len(), nc)?;
        check_round(self.round_cones, &self.r)?;
        check_coefficients("mu", &self.mu, nc)?;
        check_vector("Mv", &self.Mv, self.operators.num_velocities())?;
        check_vector("kG", &self.kG, self.kG.len())?;
        check_vector("kN", &self.kN, nc)?;
        check_vector("kF", &self.kF, nnr)?;
        check_vector("kL", &self.kL, self.kL.len())?;
        let nu = self.kL.len();
        check_vector("pushN", &self.pushN, nc)?;
        check_vector("pushL", &self.pushL, nu)?;
        check_vector("pushG", &self.pushG, self.kG.len())?;
        for (name, gaps, size) in [
            ("gapN", &self.gapN, nc),
            ("gapL", &self.gapL, nu),
            ("rebound_marginN", &self.rebound_marginN, nc),
        ] {
            InvalidInput::check_size(name, gaps.len(), size)?;
            InvalidInput::check_range(name, gaps.as_slice(), "a number", |x| !x.is_nan())?;
        }
        check_coefficients("gammaN", &self.gammaN, nc)?;
        check_coefficients("gammaF", &self.gammaF, nnr)?;
        check_coefficients("gammaE", &self.gammaE, nc)?;
        if self.round_cones {
            let words = "zero where cones are round";
            InvalidInput::check_range("gammaE", self.gammaE.as_slice(), words, |x| x == 0.0)?;
        }
        check_coefficients("gammaL", &self.gammaL, nu)
    }

    /// As [`ConstraintAccelProblemData::check_adjoints`](super::ConstraintAccelProblemData::check_adjoints).
    ///
    /// # Errors
    /// As there.
    pub fn check_adjoints(&mut self) -> Result<(), ConstraintError> {
        self.validate()?;
        let sizes = [self.kG.len(), self.kN.len(), self.kF.len(), self.kL.len()];
        adjoint::check(&mut self.operators, sizes, &[])
    }
}

impl<T: Scalar, O> ConstraintVelProblemData<T, O> {
    /// No constraints and no momentum, of so many velocities.
    pub(super) fn of_size(nv: usize, operators: O) -> Self {
        let none = || DVector::zeros(0);
        ConstraintVelProblemData {
            r: Vec::new(),
            round_cones: false,
            mu: none(),
            Mv: DVector::zeros(nv),
            kG: none(),
            kN: none(),
            kF: none(),
            kL: none(),
            pushN: none(),
            pushL: none(),
            pushG: none(),
            gapN: DVector::zeros(0),
            gapL: DVector::zeros(0),
            rebound_marginN: DVector::zeros(0),
            gammaN: none(),
            gammaF: none(),
            gammaE: none(),
            gammaL: none(),
            operators,
        }
    }

    /// As [`Self::set_rigid`], with the friction and the spanning directions that there are.
    pub(super) fn reset_constants(&mut self, nb: usize, nu: usize) -> Result<(), InvalidInput> {
        let (nc, nnr) = (self.mu.len(), total(&self.r));
        let counts = [nb, nnr, nu].map(|n| n as f64);
        InvalidInput::check_range("rows of constraints", &counts, "at most 2²⁴", |n| {
            n <= f64::from(1 << 24)
        })?;
        for (vector, n) in [
            (&mut self.kG, nb),
            (&mut self.kN, nc),
            (&mut self.kF, nnr),
            (&mut self.kL, nu),
            (&mut self.pushN, nc),
            (&mut self.pushL, nu),
            (&mut self.pushG, nb),
            (&mut self.gammaN, nc),
            (&mut self.gammaF, nnr),
            (&mut self.gammaE, nc),
            (&mut self.gammaL, nu),
        ] {
            reset_vector(vector, n);
        }
        let kinks = [&mut self.gapN, &mut self.gapL, &mut self.rebound_marginN];
        for (vector, n) in kinks.into_iter().zip([nc, nu, nc]) {
            reset_vector(vector, n);
            vector.fill(f64::INFINITY);
        }
        Ok(())
    }

    /// The same data with other operators.
    pub(super) fn map_operators<P>(
        self,
        operators: impl FnOnce(O) -> P,
    ) -> ConstraintVelProblemData<T, P> {
        ConstraintVelProblemData {
            r: self.r,
            round_cones: self.round_cones,
            mu: self.mu,
            Mv: self.Mv,
            kG: self.kG,
            kN: self.kN,
            kF: self.kF,
            kL: self.kL,
            pushN: self.pushN,
            pushL: self.pushL,
            pushG: self.pushG,
            gapN: self.gapN,
            gapL: self.gapL,
            rebound_marginN: self.rebound_marginN,
            gammaN: self.gammaN,
            gammaF: self.gammaF,
            gammaE: self.gammaE,
            gammaL: self.gammaL,
            operators: operators(self.operators),
        }
    }
}
