//! What the examples share: command lines, files that are written whole, charts.

#![allow(dead_code, reason = "no example uses everything")]

pub mod arguments;
pub mod chart;
pub mod output;

/// An error of any kind, as `main` returns it.
pub type Failure = Box<dyn std::error::Error>;
