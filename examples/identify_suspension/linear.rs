//! Linear least squares, to compare with.

use crate::observation::Observation;
use crate::support::Failure;
use nalgebra::{DMatrix, DVector};

/// Each component of the wrench from the same component of the pose, its rate and a constant.
pub fn diagonal(observation: &Observation) -> Result<Vec<[f64; 6]>, Failure> {
    predict(observation, |channel| channel..channel + 1)
}

/// Each component of the wrench from all components of the pose, their rates and a constant.
pub fn full(observation: &Observation) -> Result<Vec<[f64; 6]>, Failure> {
    predict(observation, |_| 0..6)
}

fn predict(
    observation: &Observation,
    used: impl Fn(usize) -> std::ops::Range<usize>,
) -> Result<Vec<[f64; 6]>, Failure> {
    let samples = observation.wrench.len();
    let mut predicted = vec![[0.0; 6]; samples];
    for channel in 0..6 {
        let used: Vec<usize> = used(channel).collect();
        let count = used.len();
        // Millimetres and milliradians keep the columns at one size.
        let regressors = DMatrix::from_fn(samples, 2 * count + 1, |i, j| match j {
            j if j < count => 1e3 * observation.displacement[i][used[j]],
            j if j < 2 * count => 1e3 * observation.velocity[i][used[j - count]],
            _ => 1.0,
        });
        let fitted = observation.fitted.clone();
        let rows = regressors.rows(fitted.start, fitted.len()).into_owned();
        let values =
            DVector::from_iterator(fitted.len(), fitted.map(|i| observation.wrench[i][channel]));
        let coefficients = rows.svd(true, true).solve(&values, 1e-12)?;
        for (row, value) in predicted.iter_mut().zip((regressors * coefficients).iter()) {
            row[channel] = *value;
        }
    }
    Ok(predicted)
}
