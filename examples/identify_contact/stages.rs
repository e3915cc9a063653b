//! From short stretches to whole tosses.

use crate::cube::Cube;
use crate::segment::Segment;
use crate::support::Failure;
use crate::tosses::Toss;
use dualbody::identification::{Blocks, Fit, Iteration, LevenbergMarquardt, Loss, Problem};
use std::ops::ControlFlow;

/// One fit of several, each of which starts from the estimates of the one before.
///
/// Long rollouts are chaotic: their residuals have many minima, and only a start close to the best
/// finds it. Stretches of a few samples are nearly linear in the unknowns.
pub struct Stage {
    pub name: &'static str,
    /// Samples of a stretch; whole tosses without.
    pub length: Option<usize>,
    /// Deviation (1 is what an identified model reaches over a toss) beyond which a stretch counts
    /// as an outlier.
    pub threshold: f64,
    pub max_iterations: usize,
}

pub const STAGES: [Stage; 3] = [
    Stage {
        name: "stretches of 12 samples",
        length: Some(12),
        threshold: 0.1,
        max_iterations: 40,
    },
    Stage {
        name: "stretches of 40 samples",
        length: Some(40),
        threshold: 0.3,
        max_iterations: 30,
    },
    Stage {
        name: "whole tosses",
        length: None,
        threshold: 0.7,
        max_iterations: 30,
    },
];

/// A stage that has been fitted.
pub struct FittedStage {
    pub name: &'static str,
    pub fit: Fit,
}

/// Fits all stages in turn.
///
/// # Errors
/// As the fits.
pub fn fit(
    cube: &Cube,
    tosses: &[&Toss],
    mut progress: impl FnMut(&Stage, &Iteration),
) -> Result<Vec<FittedStage>, Failure> {
    let mut values: Vec<f64> = cube.unknowns.iter().map(|u| u.initial()).collect();
    let mut fitted = Vec::new();
    for stage in &STAGES {
        let segments = segments(cube, tosses, stage.length);
        let problem = Problem::new(cube.unknowns.clone(), &segments)?;
        let fit = LevenbergMarquardt::new()
            .loss(Loss::cauchy(stage.threshold)?)
            .blocks(Blocks::Experiment)?
            .max_iterations(stage.max_iterations)
            .cost_tolerance(1e-6)?
            .fit_from(&problem, &values, |iteration| {
                progress(stage, iteration);
                ControlFlow::Continue(())
            })?;
        values = fit.values();
        fitted.push(FittedStage {
            name: stage.name,
            fit,
        });
    }
    Ok(fitted)
}

fn segments<'a>(cube: &'a Cube, tosses: &[&'a Toss], length: Option<usize>) -> Vec<Segment<'a>> {
    let mut segments = Vec::new();
    for toss in tosses {
        let samples = &toss.samples[..];
        let length = length.unwrap_or(samples.len()).min(samples.len());
        segments.extend(
            samples
                .chunks_exact(length)
                .map(|samples| Segment { cube, samples }),
        );
    }
    segments
}
