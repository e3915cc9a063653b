//! URDF: versions of the format.

/// A version 1.x of the format, of which there are three; 1.0 where the description names none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::io) enum Version {
    V1_0,
    V1_1,
    V1_2,
}

impl Version {
    /// `None` for a version that there is not.
    pub fn parse(version: &str) -> Option<Self> {
        let (major, minor) = version.split_once('.')?;
        match (number(major)?, number(minor)?) {
            (1, 0) => Some(Version::V1_0),
            (1, 1) => Some(Version::V1_1),
            (1, 2) => Some(Version::V1_2),
            _ => None,
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
