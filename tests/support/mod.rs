//! What several integration tests need.
#![allow(dead_code)] // not every test uses all of it

pub mod random_tree;
#[cfg(feature = "urdf")]
pub mod urdf;
