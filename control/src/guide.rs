//! The guide of this crate, with programs that run.

#[doc = include_str!("../../docs/CONTROL.md")]
pub mod control {}
