//! Which model the data ask for.

use crate::leg::{FittedLeg, Leg, Structure};
use crate::recording::Recording;
use crate::score::Score;
use crate::support::Failure;
use std::time::Instant;

/// From few unknowns to many.
const STRUCTURES: [Structure; 2] = [
    Structure {
        name: "friction is one constant of each joint",
        friction: 1,
        offset: 1,
    },
    Structure {
        name: "friction and torque change along each joint",
        friction: 5,
        offset: 2,
    },
];
/// A model with more unknowns has to predict better by this factor.
const BETTER: f64 = 0.9;
/// Of the recording, the share that no model sees before it is chosen.
const HELD_OUT: f64 = 0.25;

/// A model that was tried.
pub struct Tried {
    pub structure: Structure,
    pub unknowns: usize,
    /// Root mean squares in mrad of what was fitted, and of what was not.
    pub fitted: f64,
    pub held_out: f64,
}

/// What was found.
pub struct Found {
    pub legs: Vec<FittedLeg>,
    pub tried: Vec<Tried>,
    /// To choose a model and to fit it, without the fits to halves.
    pub seconds: f64,
    /// The root mean square of differences between estimates from the first and the second half, in the standard errors that
    /// these have without looking at it.
    pub halves: Option<f64>,
}

/// Fits every model to the first part of a recording, and the one that predicts the rest to all of it.
///
/// Standard errors are those of residuals with the autocorrelation that they have, times what estimates from the two halves of the
/// recording differ by in them, if that is more (Birge 1932, *Phys. Rev.* 40, 207–227).
///
/// # Errors
/// As the fits.
pub fn fit(legs: &[Leg], recording: &Recording, iterations: usize) -> Result<Found, Failure> {
    let start = Instant::now();
    let split = ((1.0 - HELD_OUT) * recording.len() as f64) as usize;
    let seen = recording.part(0..split);
    let held_out = recording.part(split..recording.len());
    let mut tried: Vec<Tried> = Vec::new();
    let mut fits: Vec<FittedLeg> = Vec::new();
    for structure in STRUCTURES {
        let fit = |(l, leg): (usize, &Leg)| leg.fit(structure, &seen, fits.get(l), iterations);
        let more = legs
            .iter()
            .enumerate()
            .map(fit)
            .collect::<Result<Vec<_>, _>>()?;
        let model = Tried {
            structure,
            unknowns: more.iter().map(|leg| leg.fit.unknowns.len()).sum(),
            fitted: score(legs, &predict(legs, &more, &seen)?, &seen).all(),
            held_out: score(legs, &predict(legs, &more, &held_out)?, &held_out).all(),
        };
        println!(
            "  {:<44} {:>4} unknowns, {:6.2} mrad, held out {:6.2} mrad",
            structure.name, model.unknowns, model.fitted, model.held_out
        );
        let best = tried
            .iter()
            .map(|other| other.held_out)
            .fold(f64::INFINITY, f64::min);
        let is_better = tried.is_empty() || model.held_out < BETTER * best;
        tried.push(model);
        if !is_better {
            break;
        }
        fits = more;
    }
    let chosen_after = start.elapsed().as_secs_f64();
    let deviations: Vec<Vec<f64>> = (legs.iter().zip(&fits))
        .map(|(leg, fit)| leg.deviations(fit))
        .collect();
    let refit = |part: &Recording, factor: f64| {
        let one = |((leg, near), deviations): ((&Leg, &FittedLeg), &Vec<f64>)| {
            let deviations: Vec<f64> = deviations.iter().map(|d| factor * d).collect();
            leg.refit(near, &deviations, part, iterations)
        };
        (legs.iter().zip(&fits).zip(&deviations))
            .map(one)
            .collect::<Result<Vec<_>, _>>()
    };
    let middle = recording.len() / 2;
    let [first, second] =
        [0..middle, middle..recording.len()].map(|half| refit(&recording.part(half), 1.0));
    let halves = difference(&first?, &second?);
    let last = Instant::now();
    let legs = refit(recording, halves.unwrap_or(1.0).max(1.0))?;
    Ok(Found {
        legs,
        tried,
        seconds: chosen_after + last.elapsed().as_secs_f64(),
        halves,
    })
}

/// The root mean square of differences between estimates, in their standard errors.
fn difference(first: &[FittedLeg], second: &[FittedLeg]) -> Option<f64> {
    let estimates = |legs: &[FittedLeg]| {
        legs.iter()
            .flat_map(|leg| leg.fit.estimates.clone())
            .collect::<Vec<_>>()
    };
    let squares = (estimates(first).iter().zip(&estimates(second)))
        .filter_map(|(a, b)| {
            let (s, t) = (a.standard_error?, b.standard_error?);
            Some((a.value - b.value).powi(2) / (s * s + t * t))
        })
        .collect::<Vec<_>>();
    let mean = squares.iter().sum::<f64>() / squares.len() as f64;
    (!squares.is_empty()).then(|| mean.sqrt())
}

/// The angles of each joint of each leg that fits predict of a recording.
///
/// # Errors
/// As the simulation.
pub fn predict(
    legs: &[Leg],
    fits: &[FittedLeg],
    measured: &Recording,
) -> Result<Vec<Vec<Vec<f64>>>, Failure> {
    (legs.iter().zip(fits))
        .map(|(leg, fitted)| leg.predict(fitted.structure, &fitted.fit.values(), measured))
        .collect()
}

/// How near predictions of each leg are to a recording.
pub fn score(legs: &[Leg], predicted: &[Vec<Vec<f64>>], measured: &Recording) -> Score {
    let mut score = Score::default();
    for (leg, predicted) in legs.iter().zip(predicted) {
        for (joint, angles) in predicted.iter().enumerate() {
            score.add(
                &leg.joints[joint],
                angles,
                &measured.angles[leg.columns[joint]],
            );
        }
    }
    score
}
