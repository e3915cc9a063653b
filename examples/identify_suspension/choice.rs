//! The choice between models by a part of the record that is held out of what may be fitted.

use crate::model::{DEVIATIONS, Roll, Suspension, unknowns};
use crate::observation::Observation;
use crate::record::Record;
use crate::score::Score;
use crate::support::Failure;
use dualbody::identification::{Fit, LevenbergMarquardt, Noise, Problem};

/// Part of what may be fitted that chooses.
const HELD_OUT: f64 = 0.2;

/// A model that was tried.
pub struct Tried {
    pub roll: Roll,
    pub unknowns: usize,
    /// Errors on what was held out.
    pub score: Score,
}

impl Tried {
    /// Root mean square of the errors, in the deviations of their channels.
    pub fn held_out(&self) -> f64 {
        let errors = self.score.rmse.iter().zip(DEVIATIONS);
        (errors.map(|(e, d)| (e / d).powi(2)).sum::<f64>() / 6.0).sqrt()
    }
}

/// Fits every model to the first part of the record, and judges it on the last.
///
/// # Errors
/// As the fit has them.
pub fn try_all(record: &Record, skip: f64, steps: usize) -> Result<Vec<Tried>, Failure> {
    let split = (record.len() as f64 * (1.0 - HELD_OUT)) as usize;
    let observation = Observation::new(record, split, skip);
    (Roll::ALL.into_iter())
        .map(|roll| {
            let fit = fit(&observation, roll, steps)?;
            let predicted = Suspension::new(&observation).predict(&fit.values());
            Ok(Tried {
                roll,
                unknowns: fit.estimates.len(),
                score: Score::of(&observation, &predicted),
            })
        })
        .collect()
}

/// Fits a model.
///
/// # Errors
/// As the optimiser has them.
pub fn fit(observation: &Observation, roll: Roll, steps: usize) -> Result<Fit, Failure> {
    let experiments = [Suspension::new(observation)];
    let problem = Problem::new(unknowns(observation, roll)?, &experiments)?;
    // The deviations of the residuals are those that a model like this one leaves.
    let optimiser = LevenbergMarquardt::new()
        .noise(Noise::Unit)
        .cost_tolerance(1e-6)?
        .max_iterations(steps);
    Ok(optimiser.fit(&problem)?)
}
