//! The extended Kalman filter of a machine.

use crate::scenes::cart_pole;
use dualbody_control::{Dynamics, ExtendedKalmanFilter, Machine, OutputModel};
use nalgebra::DMatrix;

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
