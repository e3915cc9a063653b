//! Pictures of a prediction.

use crate::CHANNELS;
use crate::model::Observation;
use crate::support::Failure;
use crate::support::chart::{Chart, Mark, write_charts};
use std::path::{Path, PathBuf};

/// Writes the measured and the predicted wrench of the test.
pub fn write(
    folder: &Path,
    observation: &Observation,
    predicted: &[[f64; 6]],
) -> Result<PathBuf, Failure> {
    let charts: Vec<Chart> = (0..6)
        .map(|c| {
            let points = |wrench: &[[f64; 6]]| {
                (observation.split..wrench.len())
                    .map(|i| (i as f64 / observation.rate, wrench[i][c]))
                    .collect()
            };
            let unit = if c < 3 { "N" } else { "N m" };
            let title = format!("{} of the test, not used for the fit", CHANNELS[c]);
            Chart::new(title, "time [s]", format!("{} [{unit}]", CHANNELS[c]))
                .with("predicted", Mark::Line, points(predicted))
                .beside("measured", Mark::Dots, points(&observation.wrench))
        })
        .collect();
    let path = folder.join("identify_suspension_wrench.svg");
    write_charts(&path, &charts)?;
    Ok(path)
}
