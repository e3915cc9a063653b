//! Pictures of a fit.

use super::data::{NOISE, Sample};
use super::estimation::experiments;
use super::ring_down::{HangingBody, Motion, TOP};
use super::support::Failure;
use super::support::chart::{Chart, Mark, write_charts};
use crate::{data::Release, ring_down::turn_between};
use dualbody::identification::Fit;
use dualbody::math::{RollPitchYaw, rotation};
use nalgebra::Vector3;
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
