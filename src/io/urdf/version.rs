//! Versions of the format.

use super::error::UrdfError;
use super::node::Node;

/// A version 1.x of the format, of which there are three; 1.0 where the description names none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::io) enum Version {
    V1_0,
    V1_1,
    V1_2,
}

impl Version {
    pub fn of(robot: &Node) -> Result<Self, UrdfError> {
        let Some(version) = robot.attribute("version") else {
            return Ok(Version::V1_0);
        };
        let parts = version.split_once('.');
        let parts = parts.and_then(|(major, minor)| Some((number(major)?, number(minor)?)));
        match parts {
            Some((1, 0)) => Ok(Version::V1_0),
            Some((1, 1)) => Ok(Version::V1_1),
            Some((1, 2)) => Ok(Version::V1_2),
            _ => Err(robot.value("version", version, "1.0, 1.1 or 1.2")),
        }
    }

    /// Whether orientations may be quaternions.
    pub fn has_quaternions(self) -> bool {
        self >= Version::V1_1
    }

    /// Whether a limit of a position must be given.
    pub fn asks_for_limits(self) -> bool {
        self >= Version::V1_2
    }
}

fn number(text: &str) -> Option<u32> {
    text.parse().ok()
}
