//! Charts into files.

use super::Failure;
use std::path::Path;

pub use dualbody::plot::{Chart, Mark};

/// Writes charts below each other to an SVG file.
pub fn write_charts(path: &Path, charts: &[Chart]) -> Result<(), Failure> {
    Ok(dualbody::plot::save_svg(path, charts)?)
}
