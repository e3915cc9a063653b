//! From short stretches to whole tosses.

use crate::cube::Cube;
use crate::free_flight::smoothed_start;
use crate::segment::Segment;
use crate::support::Failure;
use crate::support::fitted::FittedStage;
use crate::tosses::Toss;
use dualbody::InvalidInput;
use dualbody::identification::{Blocks, CrossValidation, Fit, LevenbergMarquardt, Loss, Problem};

/// Into how many groups tosses are divided to be held out in turn.
const GROUPS: usize = 5;
/// Steps of a fit without one of them, which must come to its end to tell how far estimates scatter.
const REFIT_STEPS: usize = 40;
/// Tosses, spread over all, that lead to a start for the fit of all.
const FEW: usize = 30;

/// One fit of several, each of which starts from the estimates of the one before.
///
/// Long rollouts are chaotic: their residuals have many minima, and only a start close to the best
/// finds it. Stretches of a few samples are nearly linear in the unknowns.
pub struct Stage {
    pub name: &'static str,
    /// Samples of a stretch; whole tosses without.
    length: Option<usize>,
    /// How much a stretch counts, by the root mean square of its residuals.
    loss: Loss,
    max_iterations: usize,
    /// Part of the cost that ends it: what more steps gain is not there in other tosses.
    cost_tolerance: f64,
    /// Tosses that it takes at most, spread over all.
    most: usize,
}

impl Stage {
    /// In the order in which they are fitted.
    pub fn all() -> Result<[Stage; 3], InvalidInput> {
        Ok([
            Stage {
                name: "stretches of 12 samples",
                length: Some(12),
                loss: Loss::cauchy(0.1)?,
                max_iterations: 40,
                cost_tolerance: 1e-3,
                most: FEW,
            },
            Stage {
                name: "stretches of 40 samples",
                length: Some(40),
                loss: Loss::cauchy(0.3)?,
                max_iterations: 30,
                cost_tolerance: 1e-3,
                most: usize::MAX,
            },
            Stage {
                name: "whole tosses",
                length: None,
                loss: Loss::soft_l1(0.5)?,
                max_iterations: 30,
                cost_tolerance: 3e-3,
                most: usize::MAX,
            },
        ])
    }

    fn optimiser(&self) -> Result<LevenbergMarquardt, InvalidInput> {
        LevenbergMarquardt::new()
            .loss(self.loss)
            .max_iterations(self.max_iterations)
            .blocks(Blocks::Experiment)?
            .cost_tolerance(self.cost_tolerance)
    }

    /// Stretches that start at their first sample, and whole tosses that start where their flight says,
    /// in lengths that are measured with this scale.
    pub fn segments<'a>(&self, cube: &'a Cube, tosses: &'a [Toss], scale: f64) -> Vec<Segment<'a>> {
        let mut segments = Vec::new();
        let every = tosses.len().div_ceil(self.most).max(1);
        for toss in tosses.iter().step_by(every) {
            let samples = &toss.samples[..];
            match self.length.filter(|&length| length < samples.len()) {
                Some(length) => {
                    segments.extend(samples.chunks_exact(length).map(|samples| Segment {
                        cube,
                        start: samples[0],
                        samples,
                    }));
                }
                None => segments.push(Segment {
                    cube,
                    start: smoothed_start(toss, scale),
                    samples,
                }),
            }
        }
        segments
    }
}

/// One fit of a stage.
pub struct Attempt<'f> {
    pub stage: &'f Stage,
    /// Ratio of measured to true lengths, as the stage before has found it.
    #[allow(dead_code, reason = "for programs that hand out the experiments")]
    pub scale: f64,
    pub optimiser: &'f LevenbergMarquardt,
    pub problem: &'f Problem<'f, Segment<'f>>,
    pub start: &'f [f64],
}

/// Fits all stages in turn. `fit` makes one of the fits.
///
/// # Errors
/// As the fits.
pub fn fit(
    cube: &Cube,
    tosses: &[Toss],
    mut fit: impl FnMut(&Attempt) -> Result<Fit, Failure>,
) -> Result<Vec<FittedStage>, Failure> {
    let mut values: Vec<f64> = cube.unknowns.iter().map(|u| u.initial()).collect();
    let mut fitted = Vec::new();
    for stage in Stage::all()? {
        let scale = cube.scale(&values);
        let segments = stage.segments(cube, tosses, scale);
        let fit = fit(&Attempt {
            stage: &stage,
            scale,
            optimiser: &stage.optimiser()?,
            problem: &Problem::new(cube.unknowns.clone(), &segments)?,
            start: &values,
        })?;
        values = fit.values();
        fitted.push(FittedStage {
            name: stage.name,
            fit,
        });
    }
    Ok(fitted)
}

/// Judges the last stage by tosses that took no part in it, and by how far its estimates move without them: the
/// cost of whole tosses has kinks, so that it seldom ends at a smooth minimum whose curvature tells errors.
/// Nothing for a single toss.
///
/// # Errors
/// As the fits.
#[allow(dead_code, reason = "for programs that fit on one machine")]
pub fn cross_validate(
    cube: &Cube,
    tosses: &[Toss],
    stages: &[FittedStage],
) -> Result<Option<CrossValidation>, Failure> {
    let groups = tosses.len().min(GROUPS);
    if groups < 2 {
        return Ok(None);
    }
    let [.., before, last] = stages else {
        return Err("too few stages".into());
    };
    let [.., stage] = Stage::all()?;
    let segments = stage.segments(cube, tosses, cube.scale(&before.fit.values()));
    let problem = Problem::new(cube.unknowns.clone(), &segments)?;
    let optimiser = stage.optimiser()?.max_iterations(REFIT_STEPS);
    Ok(Some(optimiser.cross_validate(&problem, &last.fit, groups)?))
}
