//! What several test files share.
#![allow(dead_code)] // each test binary uses its part

pub mod probe;
