//! How well the wrench is predicted.

use crate::observation::Observation;

/// Errors on the test, channel by channel.
pub struct Score {
    /// Root mean square, N and N·m.
    pub rmse: [f64; 6],
    /// Share of the variance about the mean that is explained.
    pub r2: [f64; 6],
}

impl Score {
    pub fn of(observation: &Observation, predicted: &[[f64; 6]]) -> Self {
        let test = observation.split..observation.wrench.len();
        let n = test.len() as f64;
        let mean = |value: &dyn Fn(usize) -> f64| test.clone().map(value).sum::<f64>() / n;
        let squares: [[f64; 2]; 6] = std::array::from_fn(|c| {
            let average = mean(&|i| observation.wrench[i][c]);
            [
                mean(&|i| (predicted[i][c] - observation.wrench[i][c]).powi(2)),
                mean(&|i| (observation.wrench[i][c] - average).powi(2)),
            ]
        });
        Score {
            rmse: squares.map(|[error, _]| error.sqrt()),
            r2: squares.map(|[error, spread]| 1.0 - error / spread),
        }
    }
}
