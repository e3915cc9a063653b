//! Which files a document was read from.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A file that was read, as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceFile {
    /// Where it was read from.
    pub path: PathBuf,
    /// The SHA-256 digest of its bytes (FIPS 180-4), in hexadecimal as `sha256sum` prints it.
    pub sha256: String,
}

impl SourceFile {
    /// Of the bytes that were read.
    pub(super) fn of(path: &Path, bytes: &[u8]) -> Self {
        let mut sha256 = String::new();
        for byte in Sha256::digest(bytes) {
            // Writing into a string does not fail.
            let _ = write!(sha256, "{byte:02x}");
        }
        SourceFile {
            path: path.to_owned(),
            sha256,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of FIPS 180-4.
    #[test]
    fn digests_are_those_of_the_standard() {
        let file = SourceFile::of(Path::new("abc.csv"), b"abc");
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(file.sha256, expected);
    }
}
