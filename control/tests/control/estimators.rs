//! The extended Kalman filter of a machine.

use crate::scenes::cart_pole;
use dualbody_control::{
    ControlError, Dynamics, ExtendedKalmanFilter, Machine, OutputModel, steady_estimator,
};
use nalgebra::{DMatrix, dmatrix};

#[test]
fn a_filter_finds_the_state_that_outputs_show() -> Result<(), Box<dyn std::error::Error>> {
    let system = cart_pole()?;
    let mut machine = Machine::new(&system)?;
    let mut sensors = OutputModel::new(&system);
    let (n, p) = (machine.num_displacements(), system.num_outputs());
    let mut truth = system.initial_state();
    truth.q.copy_from_slice(&[0.1, 0.3]);
    truth.v.copy_from_slice(&[0.2, -0.1]);
    // It sees positions only: rates are so uncertain that they say nothing.
    let mut noise = DMatrix::identity(p, p) * 1e-6;
    for name in ["cart/rate", "pole/rate"] {
        let index = system.output_index(name)?;
        noise[(index, index)] = 1e6;
    }
    let mut filter = ExtendedKalmanFilter::new(
        &system,
        system.initial_state(),
        DMatrix::identity(n, n),
        DMatrix::identity(n, n) * 1e-10,
        noise,
    )?;
    let start = filter.covariance().trace();
    let mut output = vec![0.0; p];
    let mut next = truth.clone();
    for step in 0..200 {
        let input = [(0.1 * f64::from(step)).sin()];
        sensors.evaluate(&truth, &input, &mut output)?;
        filter.update(&input, &output)?;
        filter.predict(&input)?;
        machine.step(&truth, &input, &mut next)?;
        std::mem::swap(&mut truth, &mut next);
    }
    let mut error = vec![0.0; n];
    machine.difference(&truth, filter.state(), &mut error)?;
    assert!(error.iter().all(|e| e.abs() < 1e-3), "{error:?}");
    assert!(filter.covariance().trace() < 1e-3 * start);

    let bad = filter.update(&[0.0], &vec![f64::NAN; p]).unwrap_err();
    assert!(bad.to_string().contains("output[0] = NaN"), "{bad}");
    Ok(())
}

#[test]
fn noise_of_negative_variance_is_refused() -> Result<(), Box<dyn std::error::Error>> {
    let (one, negative) = (dmatrix![1.0], dmatrix![-0.1]);
    let says = |error: ControlError, words: &str| {
        assert!(error.to_string().contains(words), "{error}");
    };
    let steady = |w, v| steady_estimator(&dmatrix![0.5], &one, w, v).unwrap_err();
    says(steady(&negative, &one), "process noise is not positive");
    says(steady(&one, &negative), "measurement noise is not positive");
    says(
        steady(&one, &dmatrix![0.0]),
        "measurement noise is not positive",
    );
    // Without process noise a stable state is known in the end.
    assert!(
        steady_estimator(&dmatrix![0.5], &one, &dmatrix![0.0], &one)?.covariance[(0, 0)] < 1e-12
    );

    let system = cart_pole()?;
    let (n, p) = (4, system.num_outputs());
    let filter = |variances: [f64; 3]| {
        let [covariance, process, measurement] =
            [(n, 0), (n, 1), (p, 2)].map(|(size, i)| DMatrix::identity(size, size) * variances[i]);
        ExtendedKalmanFilter::new(
            &system,
            system.initial_state(),
            covariance,
            process,
            measurement,
        )
    };
    says(
        filter([-1.0, 1.0, 1.0]).unwrap_err(),
        "covariance is not positive",
    );
    says(
        filter([1.0, -1.0, 1.0]).unwrap_err(),
        "process noise is not",
    );
    says(
        filter([1.0, 1.0, 0.0]).unwrap_err(),
        "measurement noise is not",
    );
    // What is unstable and not measured becomes too uncertain for a number.
    let mut filter = filter([1e300, 1e300, 1.0])?;
    let error = (0..100_000).find_map(|_| filter.predict(&[0.0]).err());
    says(error.ok_or("no error")?, "covariance[");
    assert!(filter.covariance().iter().all(|x| x.is_finite()));
    Ok(())
}
