//! From releases to constants.

use super::data::{NOISE, Normal, Release, Sample};
use super::ring_down::{CONSTANTS, HangingBody, Motion, RingDown};
use super::support::Failure;
use dualbody::identification::{Fit, LevenbergMarquardt, Noise, Problem, Unknown};

/// Name, unit and true value of the constants, in the order of the bushing's parameters.
pub const TRUTH: [(&str, &str, f64); CONSTANTS] = [
    ("torque_stiffness/0", "N m/rad", 8.0),
    ("torque_stiffness/1", "N m/rad", 5.0),
    ("torque_stiffness/2", "N m/rad", 3.0),
    ("torque_damping/0", "N m s/rad", 0.06),
    ("torque_damping/1", "N m s/rad", 0.05),
    ("torque_damping/2", "N m s/rad", 0.03),
    ("force_stiffness/x", "N/m", 800.0),
    ("force_stiffness/y", "N/m", 1200.0),
    ("force_stiffness/z", "N/m", 2000.0),
    ("force_damping/x", "N s/m", 4.0),
    ("force_damping/y", "N s/m", 5.0),
    ("force_damping/z", "N s/m", 9.0),
];

/// Where the search starts, the same for the constants of a kind.
pub const GUESS: [f64; 4] = [4.0, 0.1, 1000.0, 10.0];

/// The guesses of all constants.
pub fn guess() -> [f64; CONSTANTS] {
    std::array::from_fn(|i| GUESS[i / 3])
}

/// The releases as experiments. Each has the constants and its own initial pose as unknowns.
pub fn experiments<'a>(
    model: &'a HangingBody,
    releases: &'a [Release],
    motion: Motion,
) -> Vec<RingDown<'a>> {
    let pose = motion.components().len();
    (releases.iter().enumerate())
        .map(|(index, release)| RingDown {
            model,
            release,
            motion,
            first_unknown: CONSTANTS + pose * index,
        })
        .collect()
}

/// Estimates the constants and the initial pose of every release, starting from the given constants
/// and the first measured poses.
pub fn fit(
    model: &HangingBody,
    releases: &[Release],
    motion: Motion,
    start: &[f64; CONSTANTS],
) -> Result<Fit, Failure> {
    let mut unknowns = Vec::new();
    for ((name, unit, _), &initial) in TRUTH.iter().zip(start) {
        let unknown = Unknown::new(*name, *unit, initial)?;
        unknowns.push(unknown.bounds(1e-4, 1e6)?.logarithmic()?);
    }
    for release in 0..releases.len() {
        for component in motion.components() {
            let (unit, scale) = match component {
                0..3 => ("rad", NOISE.0),
                _ => ("m", NOISE.1),
            };
            let name = format!("release {release}/pose/{component}");
            unknowns.push(Unknown::new(name, unit, 0.0)?.scale(scale)?);
        }
    }
    let experiments = experiments(model, releases, motion);
    let problem = Problem::new(unknowns, &experiments)?;
    // Residuals are in standard deviations of the measurement.
    let fit = LevenbergMarquardt::new().noise(Noise::Unit).fit(&problem)?;
    if !fit.stop.is_converged() {
        return Err(format!("the fit did not converge: {}", fit.stop).into());
    }
    Ok(fit)
}

/// Fits fresh noise on the fitted motion again and again. The root mean square error of every
/// constant, relative to its standard error.
pub fn scatter(
    model: &HangingBody,
    releases: &[Release],
    fitted: &Fit,
    draws: usize,
) -> Result<[f64; CONSTANTS], Failure> {
    let values = fitted.values();
    let mut ideal: Vec<Vec<Sample>> = Vec::new();
    for experiment in experiments(model, releases, Motion::Space) {
        ideal.push(experiment.predict(&values)?);
    }
    let constants: [f64; CONSTANTS] = std::array::from_fn(|i| values[i]);
    let mut random = Normal::new(7);
    let mut squares = [0.0; CONSTANTS];
    for _ in 0..draws {
        let noisy: Vec<Release> = (ideal.iter())
            .map(|samples| Release {
                samples: samples.iter().map(|s| random.disturb(s)).collect(),
            })
            .collect();
        let again = fit(model, &noisy, Motion::Space, &constants)?;
        for (i, square) in squares.iter_mut().enumerate() {
            let sigma = fitted.estimates[i].standard_error.unwrap_or(f64::NAN);
            *square += ((again.estimates[i].value - values[i]) / sigma).powi(2);
        }
    }
    Ok(squares.map(|s| (s / draws as f64).sqrt()))
}
