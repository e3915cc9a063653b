//! Data of the constraint problem on the acceleration level.

use super::adjoint;
use super::error::ConstraintError;
use super::operators::ConstraintOperators;
use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector};

/// The data of a problem for constraint forces and accelerations.
///
/// With the operators of [`ConstraintOperators`], accelerations `v̇` and forces
/// `f = (f_N, f_F, f_L, f_G)` satisfy
///
/// ```text
/// M v̇ = τ + (Nᵀ − μ Qᵀ) f_N + Fᵀ f_F + Lᵀ f_L + Gᵀ f_G
/// 0 = G v̇ + kG                                  bilateral constraints
/// 0 ≤ N v̇ + kN  ⊥  f_N ≥ 0                       contact normals
/// 0 ≤ L v̇ + kL  ⊥  f_L ≥ 0                       unilateral constraints
/// ```
///
/// and, at contacts that do not slide, friction that opposes the tangential acceleration: with the
/// spanning directions taken in both senses, `F± = [F; −F]`, `f_F = f₊ − f₋`, and `E` the matrix
/// that assigns directions to contacts (Anitescu & Potra 1997, *Nonlinear Dynamics* 14, 231–247),
///
/// ```text
/// 0 ≤ ±(F v̇ + kF) + E λ      ⊥  f± ≥ 0
/// 0 ≤ μ f_N − Eᵀ (f₊ + f₋)   ⊥  λ ≥ 0
/// ```
///
/// Constraints on positions `g(q) = 0` are posed on accelerations by differentiating twice:
/// `kG = Ġ v`, and likewise for the others. An error that has crept in is driven out by
/// terms in `k` (Baumgarte 1972, *Comput. Methods Appl. Mech. Eng.* 1, 1–16).
///
/// A gear between the coordinates `i` and `j` is the row `v̇ᵢ − r v̇ⱼ = 0` of `G`; an upper limit `a`
/// on an acceleration is the row `0 ≤ −v̇ⱼ + a` of `L`.
///
/// ```
/// use dualbody::constraint::{
///     ConstraintAccelProblemData, ConstraintMatrices, ConstraintSolver, DenseInertia,
/// };
/// use nalgebra::{DMatrix, dmatrix, dvector};
///
/// // Two flywheels of 1 kg m², geared 3 : 1, with 10 N m on the first.
/// let mut gears = ConstraintMatrices::unconstrained(DenseInertia::new(DMatrix::identity(2, 2))?);
/// gears.g = dmatrix![1.0, -3.0];
/// let mut data = ConstraintAccelProblemData::new(gears);
/// data.kG = dvector![0.0];
/// data.tau = dvector![10.0, 0.0];
/// let mut solver = ConstraintSolver::default();
/// let solution = solver.solve_accelerations(&mut data)?;
/// assert_eq!(solution.generalized_acceleration.as_slice(), [9.0, 3.0]);
/// assert_eq!(solution.forces.bilateral(), [-1.0]);
/// # Ok::<(), dualbody::constraint::ConstraintError>(())
/// ```
#[derive(Debug, Clone)]
#[allow(non_snake_case)]
pub struct ConstraintAccelProblemData<T: Scalar, O> {
    /// Whether inequalities are inequalities (true, the default). With false, all of them are taken
    /// to be active and nothing slips: a linear system, solved faster, whose solution may violate
    /// the inequalities if that is not so.
    pub use_complementarity_problem_solver: bool,
    /// Indices of the contacts whose bodies move relative to each other in the tangent plane, in
    /// ascending order. With `non_sliding_contacts`, every index from 0 to nc − 1 once.
    pub sliding_contacts: Vec<usize>,
    /// Indices of the other contacts, in ascending order.
    pub non_sliding_contacts: Vec<usize>,
    /// Number of spanning directions of each non-sliding contact: 1 in the plane, 2 for a friction
    /// pyramid, k/2 for a cone of k edges.
    pub r: Vec<usize>,
    /// Whether the cones of friction are Coulomb's own, `‖f_F‖ ≤ μ f_N` against the tangential acceleration
    /// ([round](crate::solver::friction_cone)), instead of those of edges. A contact then has two spanning directions at
    /// right angles, or none without friction.
    pub round_cones: bool,
    /// Coefficients of friction of the sliding contacts.
    pub mu_sliding: DVector<T>,
    /// Coefficients of friction of the non-sliding contacts.
    pub mu_non_sliding: DVector<T>,
    /// Generalized forces `τ` (nv) of gravity, actuators, and products of velocities.
    pub tau: DVector<T>,
    /// `kG` (nb).
    pub kG: DVector<T>,
    /// `kN` (nc).
    pub kN: DVector<T>,
    /// `kF` (nnr).
    pub kF: DVector<T>,
    /// `kL` (nu).
    pub kL: DVector<T>,
    /// How the bilateral constraints depend on their forces themselves: with this matrix (nb×nb) they
    /// read `0 = G v̇ + kG + C f_G`. 0×0 if none does. Rows that do must have
    /// [directions of their own](ConstraintOperators::has_own_direction) (non-collocated forces).
    pub couplingG: DMatrix<T>,
    /// Products with the Jacobians and the inverse inertia.
    pub operators: O,
}

impl<T: Scalar, O: ConstraintOperators<T>> ConstraintAccelProblemData<T, O> {
    /// No constraints and no forces; the operators say how many velocities there are.
    pub fn new(operators: O) -> Self {
        Self::of_size(operators.num_velocities(), operators)
    }

    /// Number of contacts, sliding or not.
    pub fn num_contacts(&self) -> usize {
        self.sliding_contacts.len() + self.non_sliding_contacts.len()
    }

    /// Checks sizes, indices and ranges.
    ///
    /// # Errors
    /// [`ConstraintError::Invalid`] or [`ConstraintError::ContactIndex`].
    pub fn validate(&self) -> Result<(), ConstraintError> {
        let nc = self.num_contacts();
        check_partition(&self.sliding_contacts, &self.non_sliding_contacts)?;
        let nns = self.non_sliding_contacts.len();
        InvalidInput::check_size("r", self.r.len(), nns)?;
        check_round(self.round_cones, &self.r)?;
        check_coefficients("mu_sliding", &self.mu_sliding, self.sliding_contacts.len())?;
        check_coefficients("mu_non_sliding", &self.mu_non_sliding, nns)?;
        check_vector("tau", &self.tau, self.operators.num_velocities())?;
        check_vector("kG", &self.kG, self.kG.len())?;
        check_vector("kN", &self.kN, nc)?;
        check_vector("kF", &self.kF, total(&self.r))?;
        check_vector("kL", &self.kL, self.kL.len())?;
        let coupled = if self.couplingG.is_empty() {
            0
        } else {
            self.kG.len()
        };
        InvalidInput::check_size("rows of couplingG", self.couplingG.nrows(), coupled)?;
        InvalidInput::check_size("columns of couplingG", self.couplingG.ncols(), coupled)?;
        Ok(InvalidInput::check_finite(
            "couplingG",
            self.couplingG.as_slice(),
        )?)
    }

    /// Checks that `⟨A v, f⟩ = ⟨v, Aᵀ f⟩` for `G`, `N`, `F`, `L`, and that the inverse inertia is
    /// symmetric and positive, on vectors without pattern. Real parts only.
    ///
    /// # Errors
    /// [`ConstraintError::NotAdjoint`] when two products differ by more than 10⁻⁹ of their terms,
    /// and what [`Self::validate`] and the operators return.
    pub fn check_adjoints(&mut self) -> Result<(), ConstraintError> {
        self.validate()?;
        let sizes = [self.kG.len(), self.kN.len(), self.kF.len(), self.kL.len()];
        adjoint::check(&mut self.operators, sizes, &self.sliding_contacts)
    }
}

impl<T: Scalar, O> ConstraintAccelProblemData<T, O> {
    /// No constraints and no forces, of so many velocities.
    pub(super) fn of_size(nv: usize, operators: O) -> Self {
        let none = || DVector::zeros(0);
        ConstraintAccelProblemData {
            use_complementarity_problem_solver: true,
            sliding_contacts: Vec::new(),
            non_sliding_contacts: Vec::new(),
            r: Vec::new(),
            round_cones: false,
            mu_sliding: none(),
            mu_non_sliding: none(),
            tau: DVector::zeros(nv),
            kG: none(),
            kN: none(),
            kF: none(),
            kL: none(),
            couplingG: DMatrix::zeros(0, 0),
            operators,
        }
    }

    /// The same data with other operators.
    pub(super) fn map_operators<P>(
        self,
        operators: impl FnOnce(O) -> P,
    ) -> ConstraintAccelProblemData<T, P> {
        ConstraintAccelProblemData {
            use_complementarity_problem_solver: self.use_complementarity_problem_solver,
            sliding_contacts: self.sliding_contacts,
            non_sliding_contacts: self.non_sliding_contacts,
            r: self.r,
            round_cones: self.round_cones,
            mu_sliding: self.mu_sliding,
            mu_non_sliding: self.mu_non_sliding,
            tau: self.tau,
            kG: self.kG,
            kN: self.kN,
            kF: self.kF,
            kL: self.kL,
            couplingG: self.couplingG,
            operators: operators(self.operators),
        }
    }
}

/// The number of all spanning directions.
pub(super) fn total(r: &[usize]) -> usize {
    r.iter().fold(0, |sum, &r| sum.saturating_add(r))
}

pub(super) fn check_vector<T: Scalar>(
    name: &'static str,
    vector: &DVector<T>,
    size: usize,
) -> Result<(), ConstraintError> {
    InvalidInput::check_size(name, vector.len(), size)?;
    Ok(InvalidInput::check_finite(name, vector.as_slice())?)
}

/// Checks coefficients of friction or of compliance.
pub(super) fn check_coefficients<T: Scalar>(
    name: &'static str,
    vector: &DVector<T>,
    size: usize,
) -> Result<(), ConstraintError> {
    InvalidInput::check_size(name, vector.len(), size)?;
    Ok(InvalidInput::check_range(
        name,
        vector.as_slice(),
        "finite and not negative",
        |x| x >= 0.0 && x.is_finite(),
    )?)
}

/// Checks numbers of spanning directions of cones that may be round.
pub(super) fn check_round(are_round: bool, r: &[usize]) -> Result<(), InvalidInput> {
    if !are_round {
        return Ok(());
    }
    let r: Vec<f64> = r.iter().map(|&r| r as f64).collect();
    InvalidInput::check_range(
        "r",
        &r,
        "2, or 0 without friction, where cones are round",
        |r| r == 0.0 || r == 2.0,
    )
}

fn check_partition(sliding: &[usize], non_sliding: &[usize]) -> Result<(), ConstraintError> {
    let nc = sliding.len() + non_sliding.len();
    let lists = [
        ("sliding_contacts", sliding, non_sliding),
        ("non_sliding_contacts", non_sliding, sliding),
    ];
    for (list, indices, others) in lists {
        for (position, &contact) in indices.iter().enumerate() {
            let expected = if position > 0 && contact <= indices[position - 1] {
                "indices in ascending order"
            } else if contact >= nc {
                "indices below the number of contacts"
            } else if others.contains(&contact) {
                "no index that is also in the other list"
            } else {
                continue;
            };
            return Err(ConstraintError::ContactIndex {
                list,
                position,
                contact,
                expected,
            });
        }
    }
    Ok(())
}
