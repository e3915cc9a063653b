//! A picture of a prediction.

use crate::elbow::Trial;
use crate::score::{Errors, simulate};
use crate::support::Failure;
use crate::support::chart::{Chart, Mark, write_charts};
use crate::tosses::{Row, Toss};
use std::path::{Path, PathBuf};

/// Writes the test toss whose position error is the median one.
pub fn write(
    folder: &Path,
    trial: &Trial<f64>,
    test: &[&Toss],
    errors: &Errors,
    start_rows: impl Fn(&Toss) -> usize,
) -> Result<PathBuf, Failure> {
    let mut order: Vec<usize> = (0..errors.list.len()).collect();
    order.sort_by(|&a, &b| errors.list[a][0].total_cmp(&errors.list[b][0]));
    let all_there = errors.failures == 0;
    let typical = order.get(order.len() / 2).filter(|_| all_there);
    let toss = test[typical.copied().unwrap_or(0)];
    let states = simulate(trial, &toss.rows, start_rows(toss))?;
    let title = |what: &str| format!("{what} of toss {}, not used for the fit", toss.number);
    let mut position = Chart::new(title("Position"), "time [s]", "position [m]");
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let points = |value: &dyn Fn(usize, &Row) -> f64| {
            (toss.rows.iter().enumerate())
                .map(|(i, row)| (row.time, value(i, row)))
                .collect::<Vec<_>>()
        };
        position = position
            .with(
                format!("{name} simulated"),
                Mark::Line,
                points(&|i, _| states[i].q[4 + axis]),
            )
            .beside(
                format!("{name} measured"),
                Mark::Dots,
                points(&|_, row| row.position[axis]),
            );
    }
    let circle = |points: Vec<(f64, f64)>| points.into_iter().map(|(t, a)| (t, a.cos())).collect();
    let simulated = (toss.rows.iter().zip(&states))
        .map(|(row, x)| (row.time, x.q[7]))
        .collect();
    let measured = toss.rows.iter().map(|row| (row.time, row.angle)).collect();
    let hinge = Chart::new(title("Hinge"), "time [s]", "cosine of the angle")
        .with("simulated", Mark::Line, circle(simulated))
        .beside("measured", Mark::Dots, circle(measured));
    let path = folder.join("identify_elbow_toss.svg");
    write_charts(&path, &[position, hinge])?;
    Ok(path)
}
