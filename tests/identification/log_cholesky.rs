//! Inertias that every set of unknowns has.

use super::common::Normal;
use dualbody::Scalar;
use dualbody::identification::{Experiment, LevenbergMarquardt, LogCholesky, Noise, Problem};
use dualbody::math::SpatialInertia;
use nalgebra::{DMatrix, Matrix3, Vector3};
use proptest::prelude::*;

proptest! {
    #[test]
    fn every_value_is_a_body_and_comes_back(x in proptest::array::uniform10(-1.0..1.0f64)) {
        let inertia: SpatialInertia<f64> = LogCholesky::inertia(&x);
        prop_assert!(inertia.validate(1e-12).is_ok());
        let again = LogCholesky::values(&inertia).unwrap();
        for (a, b) in x.iter().zip(again) {
            prop_assert!((a - b).abs() < 1e-10, "{x:?} {again:?}");
        }
    }
}

#[test]
fn the_triangle_is_that_of_the_second_moments() {
    // A solid box has the second moments m a²/12 along its axes.
    let size = Vector3::new(0.3, 0.2, 0.1);
    let values = LogCholesky::values(&SpatialInertia::solid_box(4.0, &size)).unwrap();
    assert!((values[0] - 2f64.ln()).abs() < 1e-15);
    for axis in 0..3 {
        let expected = (size[axis] / 12f64.sqrt()).ln();
        assert!((values[1 + axis] - expected).abs() < 1e-12);
    }
    assert!(values[4..].iter().all(|x| x.abs() < 1e-15));
}

#[test]
fn plates_and_impossible_bodies_are_refused() {
    let plate = SpatialInertia::principal(1.0, Vector3::new(1.0, 1.0, 2.0));
    assert!(LogCholesky::values(&plate).is_err());
    let impossible = SpatialInertia::principal(1.0, Vector3::new(1.0, 1.0, 3.0));
    assert!(LogCholesky::values(&impossible).is_err());
    assert!(LogCholesky::values(&SpatialInertia::zero()).is_err());
}

/// Mass, centre and inertia measured directly, each with its standard deviation.
struct Scales {
    measured: SpatialInertia<f64>,
}

const DEVIATIONS: [f64; 3] = [1e-3, 1e-4, 1e-6];

impl Experiment for Scales {
    type Error = std::convert::Infallible;

    fn residual_count(&self) -> usize {
        10
    }

    fn residuals<T: Scalar>(&self, x: &[T], r: &mut [T]) -> Result<(), Self::Error> {
        let inertia = LogCholesky::inertia(&std::array::from_fn(|i| x[i]));
        let measured = &self.measured;
        r[0] = (inertia.mass - measured.mass) / T::from(DEVIATIONS[0]);
        for i in 0..3 {
            let d = inertia.center_of_mass[i] - measured.center_of_mass[i];
            r[1 + i] = d / T::from(DEVIATIONS[1]);
        }
        for (r, (i, j)) in r[4..]
            .iter_mut()
            .zip([(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)])
        {
            let d = inertia.rotational_inertia[(i, j)] - measured.rotational_inertia[(i, j)];
            *r = d / T::from(DEVIATIONS[2]);
        }
        Ok(())
    }
}

#[test]
fn results_and_standard_errors_are_those_of_mass_centre_and_inertia() {
    let measured = SpatialInertia {
        mass: 1.3,
        center_of_mass: Vector3::new(0.01, -0.02, 0.03),
        rotational_inertia: Matrix3::new(
            4e-3, 2e-4, -1e-4, //
            2e-4, 5e-3, 3e-4, //
            -1e-4, 3e-4, 6e-3,
        ),
    };
    let guess = SpatialInertia::solid_box(0.5, &Vector3::new(0.1, 0.2, 0.3));
    let experiments = [Scales { measured }];
    let unknowns = LogCholesky::unknowns("body", &guess).unwrap();
    assert_eq!(unknowns[4].name(), "body/s12");
    let problem = Problem::new(unknowns, &experiments).unwrap();
    let fit = (LevenbergMarquardt::new().noise(Noise::Unit).fit(&problem)).unwrap();
    assert!(fit.stop.is_converged(), "{fit}");
    let estimate = LogCholesky::estimate(&fit, 0).unwrap();
    assert!(!estimate.is_at_boundary && estimate.determined == [true; 10]);
    assert!((estimate.inertia.mass - measured.mass).abs() < 1e-9);
    let difference = estimate.inertia.rotational_inertia - measured.rotational_inertia;
    assert!(difference.amax() < 1e-12);
    // Everything was measured by itself, so that the errors are those of the measurements.
    for (i, error) in estimate.standard_errors().into_iter().enumerate() {
        let expected = DEVIATIONS[[0, 1, 1, 1, 2, 2, 2, 2, 2, 2][i]];
        let error = error.unwrap();
        assert!((error / expected - 1.0).abs() < 1e-6, "{i}: {error}");
    }
    for first in [1, 10, 11, usize::MAX] {
        assert_eq!(LogCholesky::estimate(&fit, first), None);
    }
}

/// Sums of the standard parameters of a body, with noise.
struct Sums {
    weights: DMatrix<f64>,
    measured: Vec<f64>,
    noise: f64,
}

impl Experiment for Sums {
    type Error = std::convert::Infallible;

    fn residual_count(&self) -> usize {
        self.measured.len()
    }

    fn residuals<T: Scalar>(&self, x: &[T], r: &mut [T]) -> Result<(), Self::Error> {
        let inertia = LogCholesky::inertia(&std::array::from_fn(|i| x[i]));
        let parameters = inertia.to_standard_parameters();
        for (r, (row, &measured)) in (r.iter_mut()).zip(self.weights.row_iter().zip(&self.measured))
        {
            let sum = (row.iter().zip(parameters)).fold(T::zero(), |sum, (&w, p)| sum + p * w);
            *r = (sum - measured) / T::from(self.noise);
        }
        Ok(())
    }
}

impl Sums {
    /// Of a box of 2 kg: its parameters themselves, or `count` random sums of them.
    fn of_a_box(count: Option<usize>, noise: f64, seed: u64) -> Self {
        let mut random = Normal::new(seed);
        let truth = SpatialInertia::solid_box(2.0, &Vector3::new(0.3, 0.2, 0.1));
        let weights = match count {
            None => DMatrix::identity(10, 10),
            Some(count) => DMatrix::from_fn(count, 10, |_, _| random.draw()),
        };
        let exact = &weights * nalgebra::DVector::from_row_slice(&truth.to_standard_parameters());
        Sums {
            measured: exact.iter().map(|x| x + noise * random.draw()).collect(),
            weights,
            noise,
        }
    }
}

/// With much noise the best inertia is hardly ever one that is possible, and the fit ends at the boundary: a plate, a rod or
/// a point. Mass and centre are as certain as ever.
#[test]
fn fits_end_at_the_boundary_of_possible_inertias() {
    let cases = if std::env::var_os("DUALBODY_THOROUGH").is_some() {
        400
    } else {
        40
    };
    let guess = SpatialInertia::solid_box(1.0, &Vector3::new(0.2, 0.2, 0.2));
    for (count, noise, tolerance) in [
        (None, 0.5, 0.0),
        (None, 0.5, 1e-3),
        (None, 0.02, 1e-3),
        (Some(60), 0.5, 1e-3),
        (Some(60), 0.05, 1e-3),
    ] {
        let (mut at_boundary, mut unfinished, mut scores) = (0, 0, Vec::new());
        for seed in 0..cases {
            let experiments = [Sums::of_a_box(count, noise, 77 * seed + 1)];
            let unknowns = LogCholesky::unknowns("box", &guess).unwrap();
            let problem = Problem::new(unknowns, &experiments).unwrap();
            let optimiser = LevenbergMarquardt::new()
                .noise(Noise::Unit)
                .max_iterations(1000);
            let optimiser = optimiser.noise_tolerance(tolerance).unwrap();
            let fit = optimiser.fit(&problem).unwrap();
            if !fit.stop.is_converged() {
                unfinished += 1;
                continue;
            }
            let estimate = LogCholesky::estimate(&fit, 0);
            let estimate = estimate.unwrap_or_else(|| panic!("{count:?} {noise} {seed}: {fit}"));
            at_boundary += usize::from(estimate.is_at_boundary);
            assert!(estimate.is_at_boundary || estimate.determined == [true; 10]);
            let error = estimate.standard_errors()[0];
            let error =
                error.unwrap_or_else(|| panic!("{count:?} {noise} {seed}: {fit}\n{estimate}"));
            scores.push((estimate.inertia.mass - 2.0) / error);
        }
        let (_, scatter) = super::common::moments(&scores);
        let named = format!(
            "{count:?} {noise} {tolerance}: {at_boundary}, {scatter}, {unfinished} unfinished"
        );
        // Of 2000 random cases two have ended at a corner of the boundary, with no step that reduces the cost.
        assert!(100 * unfinished <= cases, "{named}");
        assert!((0.7..1.4).contains(&scatter), "{named}");
        assert!(noise < 0.1 || 3 * at_boundary > 2 * scores.len(), "{named}");
    }
}
