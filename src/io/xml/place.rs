//! Where something is in a description.

use crate::error::Brief;
use std::fmt;

/// A place in a description, `robot.urdf:12: link "trunk"/inertial/mass`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XmlPlace {
    /// The path of the file, or for a description that was given as a string what it is, `URDF text`.
    pub source: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The elements that lead there from the outermost, with their names if they have one.
    pub element: String,
}

impl fmt::Display for XmlPlace {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}", Brief(&self.source), self.line)?;
        if self.element.is_empty() {
            return Ok(());
        }
        write!(f, ": {}", Brief(&self.element))
    }
}
