//! Charts as SVG.
//!
//! A [`Chart`] is data: axes with lines, dots and bands. [`svg`] draws charts below each other, [`save_svg`]
//! writes them into a file; a [scene](crate::scene) shows them beside a motion.

mod axis;
mod chart;
mod draw;

#[cfg(feature = "scene")]
pub(crate) use chart::Content;
pub use chart::{Chart, Mark};
pub use draw::{PlotError, save_svg, svg};
