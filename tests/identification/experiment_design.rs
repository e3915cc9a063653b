//! Scores of planned experiments and their gradients.

use crate::common::assert_close;
use dualbody::identification::{Optimality, PlannedExperiment};
use dualbody::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector};

/// A line that is measured at the points of the design.
struct Line;

impl PlannedExperiment for Line {
    type Error = InvalidInput;

    fn predict<T: Scalar>(&self, p: &[T], u: &[T]) -> Result<DVector<T>, InvalidInput> {
        Ok(DVector::from_iterator(
            u.len(),
            u.iter().map(|&x| p[0] + p[1] * x),
        ))
    }
}

#[test]
fn scores_of_a_line_have_the_closed_form() {
    let design = [0.0, 1.0, 4.0];
    let score = |optimality: Optimality, scales: [f64; 2]| {
        optimality
            .score(&Line, &[1.0, 2.0], &scales, None, &design)
            .unwrap()
    };
    // det = n Σx² − (Σx)² = 26, inverse = [17 −5; −5 3]/26.
    let d = score(Optimality::D, [1.0, 1.0]);
    assert_close(d.score, -(26f64.ln()), 1e-12);
    // ∂ ln det/∂x = (2 n x − 2 Σx)/det
    for (k, x) in design.iter().enumerate() {
        assert_close(d.gradient[k], -(6.0 * x - 10.0) / 26.0, 1e-12);
    }
    let a = score(Optimality::A, [1.0, 1.0]);
    assert_close(a.score, 20.0 / 26.0, 1e-12);
    // In units of a tenth of the slope, its variance is a hundred times as large.
    let scaled = score(Optimality::A, [1.0, 0.1]);
    assert_close(scaled.score, (17.0 + 300.0) / 26.0, 1e-12);
    let again = score(Optimality::D, [1.0, 0.1]);
    assert_close(again.score, d.score - 2.0 * 0.1f64.ln(), 1e-12);
}

#[test]
fn designs_that_determine_nothing_are_errors() {
    let score = |design: &[f64], prior: Option<&DMatrix<f64>>, scales: &[f64]| {
        Optimality::D.score(&Line, &[1.0, 2.0], scales, prior, design)
    };
    let error = score(&[3.0, 3.0], None, &[1.0, 1.0]).unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("an unknown that the design tells from those before it[1] = "),
        "{error}"
    );
    let prior = DMatrix::identity(2, 2);
    assert!(score(&[3.0, 3.0], Some(&prior), &[1.0, 1.0]).is_ok());
    assert!(score(&[3.0, 1.0], Some(&DMatrix::identity(3, 3)), &[1.0, 1.0]).is_err());
    assert!(score(&[3.0, f64::NAN], None, &[1.0, 1.0]).is_err());
    assert!(score(&[3.0, 1.0], None, &[1.0, 0.0]).is_err());
    assert!(score(&[3.0, 1.0], None, &[1.0]).is_err());
}

/// Six unknowns and five numbers to choose, more than one evaluation carries of either.
struct Oscillations;

impl PlannedExperiment for Oscillations {
    type Error = InvalidInput;

    fn predict<T: Scalar>(&self, p: &[T], u: &[T]) -> Result<DVector<T>, InvalidInput> {
        let value = |i: usize| {
            let t = T::from(0.3 * i as f64);
            let wave = |k: usize| (u[k] * t + p[k] * 0.5).sin() * p[k];
            (0..5).fold(p[5] * u[0] * t, |sum, k| sum + wave(k) * (k as f64 + 1.0))
        };
        Ok(DVector::from_iterator(12, (0..12).map(value)))
    }
}

#[test]
fn gradients_are_those_of_differences() {
    let unknowns = [1.0, -0.7, 0.4, 1.3, 0.9, 0.2];
    let scales = [1.0, 0.5, 2.0, 1.0, 0.1, 3.0];
    let design = [0.9, 1.7, 2.1, 2.9, 3.3];
    let prior = DMatrix::identity(6, 6) * 0.1;
    for optimality in [Optimality::D, Optimality::A] {
        let score = |u: &[f64]| {
            (optimality.score(&Oscillations, &unknowns, &scales, Some(&prior), u)).unwrap()
        };
        let gradient = score(&design).gradient;
        for k in 0..5 {
            let step = 1e-5;
            let [mut plus, mut minus] = [design; 2];
            plus[k] += step;
            minus[k] -= step;
            let difference = (score(&plus).score - score(&minus).score) / (2.0 * step);
            let error = (gradient[k] - difference).abs();
            assert!(
                error < 1e-6 * (1.0 + gradient.amax()),
                "{k}: {} {difference}",
                gradient[k]
            );
        }
    }
}

#[test]
fn priors_that_are_no_information_and_infinite_slopes_are_errors() {
    let score = |prior: &[f64; 4]| {
        let prior = DMatrix::from_row_slice(2, 2, prior);
        Optimality::A.score(&Line, &[1.0, 2.0], &[1.0; 2], Some(&prior), &[0.0, 1.0])
    };
    assert!(score(&[0.0; 4]).is_ok() && score(&[1.0, 1.0, 1.0, 1.0]).is_ok());
    let skew = score(&[1.0, 0.9, 0.0, 1.0]).unwrap_err();
    assert!(skew.to_string().contains("asymmetry"), "{skew}");
    let negative = score(&[-0.1, 0.0, 0.0, -0.5]).unwrap_err();
    assert!(negative.to_string().contains("eigenvalues"), "{negative}");

    struct Root;
    impl PlannedExperiment for Root {
        type Error = InvalidInput;

        fn predict<T: Scalar>(&self, p: &[T], u: &[T]) -> Result<DVector<T>, InvalidInput> {
            Ok(DVector::from_vec(vec![p[0], p[0] * u[0].sqrt()]))
        }
    }
    let error = Optimality::D.score(&Root, &[1.0], &[1.0], None, &[0.0]);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("gradient of the score"), "{error}");
}
