//! Certified regression problems: parameters, standard deviations and sums of squares.

mod data;

use data::*;
use dualbody::Scalar;
use dualbody::autodiff::JacobianChecker;
use dualbody::identification::{Experiment, LevenbergMarquardt, Problem, Unknown};

/// The model functions `y = f(x; b)`.
pub enum Model {
    Polynomial,
    ExponentialRise,
    Power,
    RationalCubic,
    RationalQuadratic,
    Arrhenius,
    TwoExponentials,
    ThreeExponentials,
    Gaussian,
    Richards,
    Magnetisation,
}

impl Model {
    fn predict<T: Scalar>(&self, b: &[T], x: f64) -> T {
        let polynomial = |coefficients: &[T]| {
            let highest_first = coefficients.iter().rev();
            highest_first.fold(T::from(0.0), |sum, &c| sum * x + c)
        };
        match self {
            Model::Polynomial => polynomial(b),
            Model::ExponentialRise => b[0] * (-(b[1] * -x).exp() + 1.0),
            Model::Power => b[0] * (b[1] * x.ln()).exp(),
            Model::RationalCubic => polynomial(&b[..4]) / (polynomial(&b[4..]) * x + 1.0),
            Model::RationalQuadratic => b[0] * (b[1] * x + x * x) / (b[2] * x + x * x + b[3]),
            Model::Arrhenius => b[0] * (b[1] / (b[2] + x)).exp(),
            Model::TwoExponentials => b[0] + b[1] * (b[3] * -x).exp() + b[2] * (b[4] * -x).exp(),
            Model::ThreeExponentials => {
                let term = |k: usize| b[k] * (b[k + 1] * -x).exp();
                term(0) + term(2) + term(4)
            }
            Model::Gaussian => {
                let u = (-b[2] + x) / b[1];
                b[0] / b[1] * (u * u * -0.5).exp()
            }
            Model::Richards => {
                let logistic = (b[1] - b[2] * x).exp() + 1.0;
                b[0] * (-logistic.ln() / b[3]).exp()
            }
            Model::Magnetisation => b[0] * (-(b[1] + x).ln() / b[2]).exp(),
        }
    }
}

impl Experiment for StrdProblem {
    type Error = std::convert::Infallible;

    fn residual_count(&self) -> usize {
        self.x.len()
    }

    fn residuals<T: Scalar>(&self, b: &[T], residuals: &mut [T]) -> Result<(), Self::Error> {
        for (r, (&x, &y)) in residuals.iter_mut().zip(self.x.iter().zip(self.y)) {
            *r = self.model.predict(b, x) - y;
        }
        Ok(())
    }
}

fn unknowns(start: &[f64]) -> Vec<Unknown> {
    let unknown = |(i, &b): (usize, &f64)| Unknown::new(format!("b{}", i + 1), "1", b).unwrap();
    start.iter().enumerate().map(unknown).collect()
}

/// Number of digits that agree, `−log₁₀` of the relative error.
fn digits(value: f64, certified: f64) -> f64 {
    -((value / certified - 1.0).abs().max(1e-17)).log10()
}

/// Fits a problem from all its starts and asks for this many digits of the parameters; a standard
/// deviation, as a derivative at the solution, may have one less.
#[track_caller]
fn certify(problem: &StrdProblem, wanted: f64) {
    for (k, start) in problem.starts.iter().enumerate() {
        let experiments = std::slice::from_ref(problem);
        let problem_at_start = Problem::new(unknowns(start), experiments).unwrap();
        let optimizer = LevenbergMarquardt::new().max_iterations(1000);
        let fit = optimizer.fit(&problem_at_start).unwrap();
        let label = format!("{} from start {}:\n{fit}", problem.name, k + 1);
        assert!(fit.stop.is_converged(), "{label}");
        for (j, estimate) in fit.estimates.iter().enumerate() {
            let got = digits(estimate.value, problem.parameters[j]);
            assert!(
                got >= wanted,
                "parameter {} to {got:.1} digits, {label}",
                j + 1
            );
            let error = estimate.standard_error.unwrap();
            let got = digits(error, problem.standard_deviations[j]);
            assert!(
                got >= wanted - 1.0,
                "error {} to {got:.1} digits, {label}",
                j + 1
            );
        }
        let got = digits(2.0 * fit.cost, problem.sum_of_squares);
        assert!(
            got >= wanted - 1.0,
            "sum of squares to {got:.1} digits, {label}"
        );
    }
}

#[test]
fn norris() {
    certify(&NORRIS, 11.0);
}

/// A polynomial of degree 10: the condition number of the column-scaled Jacobian is 10¹⁰, so that
/// normal equations would have no correct digit.
#[test]
fn filip() {
    certify(&FILIP, 7.0);
}

#[test]
fn misra1a() {
    certify(&MISRA1A, 9.0);
}

#[test]
fn dan_wood() {
    certify(&DANWOOD, 9.0);
}

#[test]
fn hahn1() {
    certify(&HAHN1, 8.5);
}

/// From the first start the two exponentials have to find each other from a hundred times too far.
#[test]
fn mgh17() {
    certify(&MGH17, 9.0);
}

#[test]
fn thurber() {
    certify(&THURBER, 8.5);
}

#[test]
fn mgh09() {
    certify(&MGH09, 8.0);
}

/// From the first start the model is wrong by a factor of 10⁴ and the valley is curved.
#[test]
fn mgh10() {
    certify(&MGH10, 7.0);
}

#[test]
fn eckerle4() {
    certify(&ECKERLE4, 9.0);
}

#[test]
fn rat43() {
    certify(&RAT43, 8.5);
}

#[test]
fn bennett5() {
    certify(&BENNETT5, 8.0);
}

#[test]
fn bounds_that_are_not_active_at_the_solution_do_not_change_it() {
    for problem in [
        MISRA1A, DANWOOD, HAHN1, MGH17, THURBER, MGH09, MGH10, ECKERLE4, RAT43,
    ] {
        let bounded = |(unknown, &certified): (Unknown, &f64)| {
            let (start, margin) = (unknown.initial(), 0.1 * certified.abs());
            let (low, high) = (start.min(certified) - margin, start.max(certified) + margin);
            unknown.bounds(low, high).unwrap()
        };
        let unknowns = unknowns(problem.starts[1])
            .into_iter()
            .zip(problem.parameters);
        let unknowns: Vec<_> = unknowns.map(bounded).collect();
        let experiments = [problem];
        let bounded = Problem::new(unknowns.clone(), &experiments).unwrap();
        let fit = LevenbergMarquardt::new().fit(&bounded).unwrap();
        assert!(fit.stop.is_converged(), "{fit}");
        for (estimate, &certified) in fit.estimates.iter().zip(experiments[0].parameters) {
            assert!(
                digits(estimate.value, certified) > 7.0,
                "{}: {fit}",
                experiments[0].name
            );
        }
        for iteration in &fit.iterations {
            for (value, unknown) in iteration.values.iter().zip(&unknowns) {
                assert!((unknown.lower()..=unknown.upper()).contains(value));
            }
        }
    }
}

/// The sum of squares, 10⁻²⁵, is the rounding of the data: there is nothing to estimate a deviation
/// from in double precision.
#[test]
fn lanczos1() {
    for start in LANCZOS1.starts {
        let problem = Problem::new(unknowns(start), std::slice::from_ref(&LANCZOS1)).unwrap();
        let fit = LevenbergMarquardt::new().fit(&problem).unwrap();
        assert!(fit.stop.is_converged(), "{fit}");
        for (estimate, &certified) in fit.estimates.iter().zip(LANCZOS1.parameters) {
            assert!(digits(estimate.value, certified) > 9.5, "{fit}");
        }
        assert!(2.0 * fit.cost < 1.01 * LANCZOS1.sum_of_squares, "{fit}");
    }
}

#[test]
fn jacobians_of_all_models_are_exact() {
    let all = [
        NORRIS, FILIP, MISRA1A, DANWOOD, HAHN1, MGH17, LANCZOS1, THURBER, MGH09, MGH10, ECKERLE4,
        RAT43, BENNETT5,
    ];
    for problem in all {
        let p = problem.parameters;
        let scale = |j: usize| p[j].abs().max(10.0 * problem.standard_deviations[j]);
        let scales: Vec<f64> = (0..p.len()).map(scale).collect();
        let experiments = [problem];
        let problem = Problem::new(unknowns(p), &experiments).unwrap();
        let jacobian = problem.jacobian(0, p).unwrap();
        let size = jacobian.amax();
        JacobianChecker::default()
            .scales(scales)
            .tolerance(1e-6, 1e-9 * size)
            .check(|p| problem.residuals(0, p), p, &jacobian)
            .unwrap()
            .assert_agrees();
    }
}
