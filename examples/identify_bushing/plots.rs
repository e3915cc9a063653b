//! Pictures of a fit.

use super::data::{NOISE, Sample};
use super::estimation::experiments;
use super::ring_down::{HangingBody, Motion, RingDown, TOP};
use super::support::Failure;
use super::support::chart::{Chart, Mark, write_charts};
use crate::{data::Release, ring_down::turn_between};
use dualbody::DefaultScalar;
use dualbody::autodiff::{self, VectorFunction};
use dualbody::contact::ContactModel;
use dualbody::geometry::Shape;
use dualbody::identification::{Experiment, Fit};
use dualbody::math::{RigidTransform, RollPitchYaw, rotation};
use dualbody::scene::{FitReport, Scene};
use dualbody::system::RigidBodySystem;
use nalgebra::{DVector, Vector3};
use std::path::{Path, PathBuf};

/// Writes how the bushing deforms, measured and fitted, and the difference of the two.
pub fn write(
    folder: &Path,
    model: &HangingBody,
    releases: &[Release],
    fit: &Fit,
) -> Result<[PathBuf; 2], Failure> {
    let (mut deformations, mut deviations) = (Vec::new(), Vec::new());
    for (index, experiment) in experiments(model, releases, Motion::Space)
        .iter()
        .enumerate()
    {
        let fitted = experiment.predict(&fit.values())?;
        let measured = &experiment.release.samples;
        let title = |what: &str| format!("Release {}: {what}", index + 1);
        let chart = Chart::new(
            title("displacement of the bushing"),
            "time [s]",
            "displacement [m]",
        );
        let axes = ["x", "y", "z"];
        deformations.push(compare(chart, axes, displacement, measured, &fitted));
        let chart = Chart::new(title("angles of the bushing"), "time [s]", "angle [rad]");
        let axes = ["roll", "pitch", "yaw"];
        deformations.push(compare(chart, axes, angles, measured, &fitted));

        let mut chart = Chart::new(
            title("measured less fitted"),
            "time [s]",
            "deviation [standard deviations]",
        );
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let turned = points(measured, &fitted, |m, f| turn_between(f, m)[axis] / NOISE.0);
            let moved = points(measured, &fitted, |m, f| {
                (m.position[axis] - f.position[axis]) / NOISE.1
            });
            chart = chart
                .with(format!("position {name}"), Mark::Dots, moved)
                .with(format!("rotation {name}"), Mark::Dots, turned);
        }
        deviations.push(chart);
    }
    let paths = ["deformations", "deviations"]
        .map(|name| folder.join(format!("identify_bushing_{name}.svg")));
    write_charts(&paths[0], &deformations)?;
    write_charts(&paths[1], &deviations)?;
    Ok(paths)
}

/// The fit as one page, with the releases that it meets worst and best.
pub fn report<'a>(
    model: &HangingBody,
    releases: &[Release],
    fit: &'a Fit,
) -> Result<FitReport<'a>, Failure> {
    let mut report = FitReport::new("Constants of a bushing", fit);
    let mut order: Vec<_> = fit.experiments.iter().collect();
    order.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    for (name, place) in [("Worst", order.last()), ("Best", order.first())] {
        if let Some(found) = place {
            let count = found.residuals.len() as f64;
            let deviation = (2.0 * found.cost / count).sqrt();
            let number = found.experiment + 1;
            let heading = format!("{name}: release {number}, {deviation:.3} standard deviations");
            let scene = scene(model, releases, fit, found.experiment)?;
            report = report.with_scene(heading, scene);
        }
    }
    Ok(report)
}

/// The release whose body turns most.
pub fn widest(releases: &[Release]) -> usize {
    let turned = |r: &Release| {
        let turns = r
            .samples
            .iter()
            .map(|s| turn_between(s, &r.samples[r.samples.len() - 1]));
        turns.map(|turn| turn.norm()).fold(0.0, f64::max)
    };
    let wider = |a: &usize, b: &usize| turned(&releases[*a]).total_cmp(&turned(&releases[*b]));
    (0..releases.len()).max_by(wider).unwrap_or(0)
}

/// A release, measured beside fitted.
pub fn scene(
    model: &HangingBody,
    releases: &[Release],
    fit: &Fit,
    release: usize,
) -> Result<Scene, Failure> {
    let all = experiments(model, releases, Motion::Space);
    let fitted = all[release].predict(&fit.values())?;
    let measured = &releases[release].samples;
    let system = RigidBodySystem::new(model.tree().clone(), ContactModel::none())?
        .with_forces([model.bushing().clone()])?;
    let scene = |samples: &[Sample]| {
        let states = samples.iter().map(|s| {
            let (q, p) = (s.orientation, s.position);
            let mut state = system.initial_state();
            state.time = s.time;
            state
                .q
                .copy_from_slice(&[q.w, q.i, q.j, q.k, p.x, p.y, p.z]);
            state
        });
        Scene::of_states(&system, &states.collect::<Vec<_>>())
    };
    let title = |what: &str| format!("{what} of the bushing");
    let chart = Chart::new(title("Angles"), "time [s]", "angle [rad]");
    let axes = ["roll", "pitch", "yaw"];
    let chart = compare(chart, axes, angles, measured, &fitted);
    let top = RigidTransform::from_translation(Vector3::from(TOP));
    Ok(scene(&fitted)?
        .titled("A body rings down in a bushing")
        .about("Fitted motion, and as a ghost what was measured.")
        .with_shape(
            "body",
            &Shape::new_box(Vector3::new(0.2, 0.3, 0.4))?,
            &RigidTransform::identity(),
        )?
        .with_shape("body", &Shape::new_sphere(0.03)?, &top)?
        .with_ghost("measured", scene(measured)?)
        .with_chart(chart)
        .with_chart(uncertainty(&all[release], measured, &fitted, fit)?))
}

/// The residuals of a release as a function of the unknowns.
struct Residuals<'a>(&'a RingDown<'a>);

impl VectorFunction for Residuals<'_> {
    type Error = Failure;

    fn eval<T: DefaultScalar>(&self, unknowns: &[T]) -> Result<DVector<T>, Failure> {
        let mut residuals = DVector::zeros(self.0.residual_count());
        self.0.residuals(unknowns, residuals.as_mut_slice())?;
        Ok(residuals)
    }
}

/// Measured less fitted heights, in the band that the uncertainty of the estimates leaves to the fitted
/// ones.
fn uncertainty(
    release: &RingDown<'_>,
    measured: &[Sample],
    fitted: &[Sample],
    fit: &Fit,
) -> Result<Chart, Failure> {
    let (_, jacobian) = autodiff::jacobian(&Residuals(release), &fit.values())?;
    let to_mm = 1e3;
    // Residuals of heights, which are in standard deviations of the measurement, are every sixth.
    let errors = fit.standard_errors_of(&(jacobian * (to_mm * NOISE.1)))?;
    let errors: Vec<_> = errors.into_iter().skip(5).step_by(6).collect();
    let fitted_height = measured.iter().map(|sample| (sample.time, 0.0)).collect();
    let deviations = points(measured, fitted, |m, f| {
        to_mm * (m.position.z - f.position.z)
    });
    Ok(
        Chart::new("Height, measured less fitted", "time [s]", "deviation [mm]")
            .with("fitted", Mark::Line, fitted_height)
            .with_standard_errors(&errors)
            .beside("measured", Mark::Dots, deviations),
    )
}

/// Where the top of the body is: `p_AoCo`, as A is the world.
fn displacement(sample: &Sample) -> Vector3<f64> {
    sample.position + rotation::matrix_from_quaternion(&sample.orientation) * Vector3::from(TOP)
}

fn angles(sample: &Sample) -> Vector3<f64> {
    let matrix = rotation::matrix_from_quaternion(&sample.orientation);
    let RollPitchYaw { roll, pitch, yaw } = RollPitchYaw::from_matrix(&matrix);
    Vector3::new(roll, pitch, yaw)
}

fn points(
    measured: &[Sample],
    fitted: &[Sample],
    value: impl Fn(&Sample, &Sample) -> f64,
) -> Vec<(f64, f64)> {
    (measured.iter().zip(fitted))
        .map(|(m, f)| (m.time, value(m, f)))
        .collect()
}

fn compare(
    mut chart: Chart,
    names: [&str; 3],
    quantity: impl Fn(&Sample) -> Vector3<f64>,
    measured: &[Sample],
    fitted: &[Sample],
) -> Chart {
    for (axis, name) in names.into_iter().enumerate() {
        let along = |samples: &[Sample]| {
            (samples.iter())
                .map(|s| (s.time, quantity(s)[axis]))
                .collect()
        };
        chart = chart
            .with(format!("{name} fitted"), Mark::Line, along(fitted))
            .beside(format!("{name} measured"), Mark::Dots, along(measured));
    }
    chart
}
