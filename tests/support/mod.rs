//! What several test files share.
#![allow(dead_code)] // each test binary uses its part

pub mod contact_problem;
pub mod probe;
pub mod random_contact;
pub mod random_lcp;
pub mod random_tree;
pub mod reference;
pub mod scenes;
#[cfg(feature = "urdf")]
pub mod urdf;
