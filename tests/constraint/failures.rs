//! Constraint problems that are refused, and operators that are wrong.

use crate::support::constraint_problem::{block_on_incline, diagonal, matrices};
use dualbody::InvalidInput;
use dualbody::constraint::{
    ConstraintAccelProblemData, ConstraintError, ConstraintMatrices, ConstraintOperators,
    ConstraintSolver, ConstraintVelProblemData, DenseInertia,
};
use nalgebra::{DMatrix, DVector, dmatrix, dvector};

#[test]
fn data_is_checked() {
    let good = || block_on_incline(1.0, 0.3, 0.5);
    type Data = ConstraintAccelProblemData<f64, ConstraintMatrices<f64>>;
    let name = |change: &dyn Fn(&mut Data)| {
        let mut data = good();
        change(&mut data);
        match ConstraintSolver::default().solve_accelerations(&mut data) {
            Err(ConstraintError::Invalid(
                InvalidInput::Dimension { quantity, .. }
                | InvalidInput::NotFinite { quantity, .. }
                | InvalidInput::OutOfRange { quantity, .. },
            )) => quantity,
            Err(ConstraintError::ContactIndex { list, .. }) => list,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(name(&|d| d.tau = dvector![1.0]), "tau");
    assert_eq!(name(&|d| d.kN = dvector![]), "kN");
    assert_eq!(name(&|d| d.kF = dvector![1.0, 2.0]), "kF");
    assert_eq!(name(&|d| d.r = vec![]), "r");
    assert_eq!(
        name(&|d| d.mu_non_sliding = dvector![-0.1]),
        "mu_non_sliding"
    );
    assert_eq!(name(&|d| d.kN = dvector![f64::NAN]), "kN");
    assert_eq!(
        name(&|d| d.non_sliding_contacts = vec![1]),
        "non_sliding_contacts"
    );
    assert_eq!(name(&|d| d.kG = dvector![1.0]), "G");
    assert_eq!(name(&|d| d.operators.f = DMatrix::zeros(1, 3)), "F");
    let unsorted = |d: &mut Data| {
        d.sliding_contacts = vec![1, 0];
        d.non_sliding_contacts = vec![2];
    };
    assert_eq!(name(&unsorted), "sliding_contacts");
    let overlapping = |d: &mut Data| {
        d.sliding_contacts = vec![0];
        d.non_sliding_contacts = vec![0];
    };
    assert_eq!(name(&overlapping), "sliding_contacts");
    assert_eq!(
        name(&|d| d.non_sliding_contacts = vec![usize::MAX]),
        "non_sliding_contacts"
    );
    assert_eq!(name(&|d| d.r = vec![usize::MAX]), "kF");
    assert_eq!(
        name(&|d| d.mu_non_sliding = dvector![f64::INFINITY]),
        "mu_non_sliding"
    );
    assert_eq!(name(&|d| d.tau[1] = f64::NEG_INFINITY), "tau");
    let indefinite = DenseInertia::new(dmatrix![1.0, 2.0; 2.0, 1.0]);
    assert!(matches!(
        indefinite,
        Err(ConstraintError::SingularInertia(_))
    ));
    let mut data = ConstraintVelProblemData::new(matrices(diagonal(&[1.0])));
    let mu = || DVector::from_element(2, 0.5);
    for (nb, r, nu) in [
        (usize::MAX, vec![1, 1], 0),
        (0, vec![usize::MAX, 2], 0),
        (0, vec![1, 1], usize::MAX),
    ] {
        assert!(data.set_rigid(nb, mu(), r, nu).is_err());
    }
    data.set_rigid(0, mu(), vec![1, 1], 0).unwrap();
    data.r = vec![usize::MAX, 2];
    assert!(data.validate().is_err());
}

#[test]
fn problems_without_velocities_or_constraints_are_solved() {
    let mut solver = ConstraintSolver::default();
    let mut nothing = ConstraintAccelProblemData::new(matrices(DMatrix::<f64>::zeros(0, 0)));
    nothing.check_adjoints().unwrap();
    let solution = solver.solve_accelerations(&mut nothing).unwrap();
    assert!(solution.generalized_acceleration.is_empty());
    let mut free = ConstraintAccelProblemData::new(matrices(diagonal(&[4.0])));
    free.tau = dvector![6.0];
    let solution = solver.solve_accelerations(&mut free).unwrap();
    assert_eq!(solution.generalized_acceleration[0], 1.5);
    // A contact that no velocity opens or closes: held apart, or never apart.
    let mut contact = ConstraintVelProblemData::new(matrices(diagonal(&[1.0])));
    contact.operators.n = dmatrix![0.0];
    contact.operators.f = dmatrix![0.0];
    contact.set_rigid(0, dvector![0.5], vec![1], 0).unwrap();
    for (k, solvable) in [(0.1, true), (0.0, true), (-0.1, false)] {
        contact.kN = dvector![k];
        assert_eq!(
            solver.solve_velocities(&mut contact).is_ok(),
            solvable,
            "{k}"
        );
    }
}

#[test]
fn forces_without_bound_are_not_a_contradiction() {
    // The force at each contact accelerates the other only: with D = [0 1; 0 0], the second could keep
    // the first from closing, but is itself about to part.
    let mut operators = matrices(diagonal(&[1.0; 3]));
    operators.n = dmatrix![1.0, 0.0, 0.0; 0.0, 1.0, 0.0];
    operators.mu_q = dmatrix![1.0, 0.0, 1.0; -1.0, 1.0, 0.0];
    let mut data = ConstraintAccelProblemData::new(operators);
    data.sliding_contacts = vec![0, 1];
    data.mu_sliding = dvector![1.0, 1.0];
    data.kN = dvector![-1.0, 1.0];
    let mut solver = ConstraintSolver::default();
    let error = solver.solve_accelerations(&mut data).unwrap_err();
    assert!(
        matches!(error, ConstraintError::Unbounded { .. }),
        "{error}"
    );
}

/// Operators of which only the inertia is implemented, and one transposed product is wrong.
struct Unfinished {
    wrong: bool,
}

impl ConstraintOperators<f64> for Unfinished {
    fn num_velocities(&self) -> usize {
        2
    }
    fn solve_inertia(&mut self, b: &mut [f64]) -> Result<(), ConstraintError> {
        b[0] *= 0.5;
        Ok(())
    }
    fn l_mult(&mut self, v: &[f64], out: &mut [f64]) -> Result<(), ConstraintError> {
        out[0] = v[0] - 3.0 * v[1];
        Ok(())
    }
    fn l_transpose_mult(&mut self, f: &[f64], out: &mut [f64]) -> Result<(), ConstraintError> {
        out[0] = f[0];
        out[1] = if self.wrong { 3.0 } else { -3.0 } * f[0];
        Ok(())
    }
}

#[test]
fn wrong_transposes_are_found_and_defaults_are_those_of_no_constraint() {
    let mut data = ConstraintAccelProblemData::new(Unfinished { wrong: false });
    data.kL = dvector![0.0];
    data.check_adjoints().unwrap();
    let mut solver = ConstraintSolver::default();
    assert!(solver.solve_accelerations(&mut data).is_ok());
    data.operators.wrong = true;
    let error = data.check_adjoints().unwrap_err();
    assert!(
        matches!(error, ConstraintError::NotAdjoint { operator: "L", .. }),
        "{error}"
    );
    // No G, so no rows of G.
    data.kG = dvector![0.0];
    assert!(matches!(
        solver.solve_accelerations(&mut data),
        Err(ConstraintError::Invalid(InvalidInput::Dimension {
            quantity: "G v",
            ..
        }))
    ));
}

/// Operators of which one answers with a factor.
struct Spoilt {
    inner: ConstraintMatrices<f64>,
    operator: &'static str,
    factor: f64,
}

impl Spoilt {
    fn spoil(&self, operator: &str, out: &mut [f64]) -> Result<(), ConstraintError> {
        if operator == self.operator {
            out.iter_mut().for_each(|x| *x *= self.factor);
        }
        Ok(())
    }
}

macro_rules! spoilt {
    ($($method:ident $name:literal),*) => {
        $(fn $method(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), ConstraintError> {
            self.inner.$method(x, out)?;
            self.spoil($name, out)
        })*
    };
}

impl ConstraintOperators<f64> for Spoilt {
    fn num_velocities(&self) -> usize {
        self.inner.num_velocities()
    }
    fn solve_inertia(&mut self, b: &mut [f64]) -> Result<(), ConstraintError> {
        self.inner.solve_inertia(b)?;
        // Not symmetric.
        let last = b.len() - 1;
        self.spoil("inertia", &mut b[last..])
    }
    spoilt! {
        g_mult "G", g_transpose_mult "G'", n_mult "N", n_transpose_mult "N'", n_minus_mu_q_transpose_mult "(N - mu Q)'",
        f_mult "F", f_transpose_mult "F'", l_mult "L", l_transpose_mult "L'"
    }
}

const OPERATORS: [(&str, &str); 10] = [
    ("inertia", "inertia"),
    ("G", "G"),
    ("G'", "G"),
    ("N", "N"),
    ("N'", "N"),
    ("(N - mu Q)'", "N − μQ"),
    ("F", "F"),
    ("F'", "F"),
    ("L", "L"),
    ("L'", "L"),
];

/// Constraints of every kind on three velocities.
fn spoilt(operator: &'static str, factor: f64) -> ConstraintAccelProblemData<f64, Spoilt> {
    let mut inner = matrices(dmatrix![2.0, 0.5, 0.1; 0.5, 1.0, 0.2; 0.1, 0.2, 3.0]);
    inner.g = dmatrix![1.0, 2.0, 0.5];
    inner.n = dmatrix![0.0, 1.0, 0.3; 0.4, 1.0, 0.0];
    inner.mu_q = dmatrix![0.0, 0.0, 0.0; 0.09, 0.03, 0.3];
    inner.f = dmatrix![1.0, 0.0, 0.2];
    inner.l = dmatrix![0.1, -1.0, 0.7];
    let mut data = ConstraintAccelProblemData::new(Spoilt {
        inner,
        operator,
        factor,
    });
    data.sliding_contacts = vec![1];
    data.non_sliding_contacts = vec![0];
    data.r = vec![1];
    (data.mu_sliding, data.mu_non_sliding) = (dvector![0.3], dvector![0.4]);
    (data.kG, data.kN) = (dvector![0.1], dvector![0.2, 0.1]);
    (data.kF, data.kL) = (dvector![-0.3], dvector![1.0]);
    data.tau = dvector![1.0, -9.0, 0.5];
    data
}

#[test]
fn every_operator_that_is_wrong_is_named() {
    spoilt("none", 1.0).check_adjoints().unwrap();
    for (operator, named) in OPERATORS {
        for factor in [0.0, -1.0, 1.0 + 1e-6, f64::NAN] {
            match spoilt(operator, factor).check_adjoints() {
                Err(ConstraintError::NotAdjoint { operator, .. }) => assert_eq!(operator, named),
                other => panic!("{operator} {factor}: {other:?}"),
            }
        }
    }
}

#[test]
fn operators_that_answer_nan_or_infinity_are_refused() {
    let mut solver = ConstraintSolver::default();
    solver
        .solve_accelerations(&mut spoilt("none", 1.0))
        .unwrap();
    for (operator, _) in OPERATORS {
        for factor in [f64::NAN, f64::INFINITY] {
            for complementarity in [true, false] {
                let mut data = spoilt(operator, factor);
                data.use_complementarity_problem_solver = complementarity;
                match solver.solve_accelerations(&mut data) {
                    Err(ConstraintError::Invalid(InvalidInput::NotFinite { .. })) => {}
                    other => panic!("{operator} {factor} {complementarity}: {other:?}"),
                }
            }
        }
    }
}
