//! Pictures of a fit.

use crate::cube::{Cube, Trial, WIDTH};
use crate::score::{Score, simulate};
use crate::support::Failure;
use crate::support::chart::{Chart, Mark, write_charts};
use crate::support::fitted::FittedStage;
use crate::tosses::Toss;
use dualbody::geometry::Shape;
use dualbody::identification::Fit;
use dualbody::math::RigidTransform;
use dualbody::scene::{FitReport, Scene};
use dualbody::system::State;
use nalgebra::Vector3;
use std::path::{Path, PathBuf};

/// A cube with what was found out of it.
pub struct FittedCube<'a> {
    pub cube: &'a Cube,
    /// The cube with the estimates.
    pub trial: &'a Trial<f64>,
    pub fit: &'a Fit,
}

/// Writes the history of the fit, and the test toss whose position error is the median one.
pub fn write(
    folder: &Path,
    fitted: &FittedCube,
    stages: &[FittedStage],
    test: &[&Toss],
    score: &Score,
) -> Result<[PathBuf; 2], Failure> {
    let history = folder.join("identify_contact_fit.svg");
    write_charts(&history, &history_charts(fitted.cube, stages))?;
    let path = folder.join("identify_contact_toss.svg");
    write_charts(&path, &fitted.toss_charts(typical(test, score))?)?;
    Ok([history, path])
}

impl FittedCube<'_> {
    /// A toss that was not fitted: simulated from its first sample, and as a ghost measured.
    pub fn scene(&self, toss: &Toss) -> Result<Scene, Failure> {
        let trial = self.trial;
        let samples = &toss.samples;
        let simulated = simulate(trial, self.cube.substeps, &samples[0], samples.len())?;
        let measured = samples.iter().map(|sample| trial.state(sample));
        let timed = |mut states: Vec<State<f64>>| {
            for (state, sample) in states.iter_mut().zip(samples) {
                state.time = sample.time;
            }
            let shape = Shape::new_box(Vector3::repeat(WIDTH))?;
            let scene = Scene::of_states(trial.system.system(), &states)?;
            Ok::<_, Failure>(scene.with_shape("cube", &shape, &RigidTransform::identity())?)
        };
        let scene = timed(simulated)?
            .titled(format!("Toss {}, which was not fitted", toss.number))
            .about(
                "Simulated from its first sample with the identified contact; the ghost is measured.",
            )
            .with_ghost("measured", timed(measured.collect())?);
        let charts = self.toss_charts(toss)?;
        Ok(charts.into_iter().fold(scene, Scene::with_chart))
    }

    /// The fit as one page, with the scores on tosses that were not fitted and the best and the worst of
    /// them.
    pub fn report(
        &self,
        test: &[&Toss],
        scores: &[(&str, &Score)],
    ) -> Result<FitReport<'_>, Failure> {
        let mut report = FitReport::new("Contact of a tossed cube", self.fit);
        for (name, score) in scores {
            let (p, r) = (score.position(), score.rotation());
            let text = format!(
                "position {:.1} ± {:.1} % of the width, rotation {:.1} ± {:.1}°",
                p.mean, p.std, r.mean, r.std
            );
            report = report.with_score(*name, text);
        }
        if let Some((_, score)) = scores.get(1) {
            let order = by_error(score, test.len());
            for (name, place) in [("Worst", order.last()), ("Best", order.first())] {
                if let Some(&(error, index)) = place {
                    let heading = format!("{name}: {error:.1} % of the width");
                    report = report.with_scene(heading, self.scene(test[index])?);
                }
            }
        }
        Ok(report)
    }

    fn toss_charts(&self, toss: &Toss) -> Result<Vec<Chart>, Failure> {
        let (trial, samples) = (self.trial, &toss.samples);
        let states = simulate(trial, self.cube.substeps, &samples[0], samples.len())?;
        let title = |what: &str| format!("{what} of toss {}, not used for the fit", toss.number);
        let mut position = Chart::new(title("Position"), "time [s]", "position [m]");
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let simulated = (samples.iter().zip(&states))
                .map(|(s, x)| (s.time, trial.measured_position(x)[axis]))
                .collect();
            let measured = samples.iter().map(|s| (s.time, s.position[axis])).collect();
            position = position
                .with(format!("{name} simulated"), Mark::Line, simulated)
                .beside(format!("{name} measured"), Mark::Dots, measured);
        }
        let mut orientation = Chart::new(
            title("Orientation"),
            "time [s]",
            "vertical axis in the body",
        );
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let up = |q: [f64; 4]| {
                let q = nalgebra::Quaternion::new(q[0], q[1], q[2], q[3]);
                dualbody::math::rotation::matrix_from_quaternion(&q)[(2, axis)]
            };
            let simulated = (samples.iter().zip(&states))
                .map(|(s, x)| (s.time, up([x.q[0], x.q[1], x.q[2], x.q[3]])))
                .collect();
            let measured = (samples.iter())
                .map(|s| {
                    let q = s.orientation;
                    (s.time, up([q.w, q.i, q.j, q.k]))
                })
                .collect();
            orientation = orientation
                .with(format!("{name} simulated"), Mark::Line, simulated)
                .beside(format!("{name} measured"), Mark::Dots, measured);
        }
        Ok(vec![position, orientation])
    }
}

/// The test toss whose position error is the median one.
pub fn typical<'a>(test: &[&'a Toss], score: &Score) -> &'a Toss {
    let order = by_error(score, test.len());
    test[order.get(order.len() / 2).map_or(0, |&(_, index)| index)]
}

fn history_charts(cube: &Cube, stages: &[FittedStage]) -> Vec<Chart> {
    let mut cost =
        Chart::new("Cost of the fits, relative to their start", "step", "cost").logarithmic();
    let mut values =
        Chart::new("Unknowns, relative to their estimates", "step", "ratio").logarithmic();
    let estimates = stages[stages.len() - 1].fit.values();
    let initial = cube.unknowns.iter().map(|u| u.initial()).collect();
    let mut passed: Vec<Vec<f64>> = vec![initial];
    for stage in stages {
        let fit = &stage.fit;
        let first = passed.len() - 1;
        let accepted = fit.iterations.iter().filter(|i| i.accepted);
        let costs = std::iter::once(1.0).chain(accepted.clone().map(|i| i.cost / fit.initial_cost));
        let points = costs
            .enumerate()
            .map(|(i, cost)| ((first + i) as f64, cost))
            .collect();
        cost = cost.with(stage.name, Mark::Line, points);
        passed.extend(accepted.map(|i| i.values.clone()));
    }
    for (index, unknown) in cube.unknowns.iter().enumerate() {
        let points = (passed.iter().enumerate())
            .map(|(step, values)| (step as f64, values[index] / estimates[index]))
            .collect();
        values = values.with(unknown.name(), Mark::Line, points);
    }
    vec![cost, values]
}

/// Position errors in % of the width and positions in the list of the tosses, best first.
fn by_error(score: &Score, tosses: usize) -> Vec<(f64, usize)> {
    let failed = |index: &usize| score.failures.iter().any(|(toss, _)| toss == index);
    let mut order: Vec<(f64, usize)> = (score.position_percent.iter().copied())
        .zip((0..tosses).filter(|i| !failed(i)))
        .collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    order
}
