//! Binary files of records with a version and checksums.

use crate::ClusterError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::Write;
use std::path::Path;
use tempfile::NamedTempFile;

const MAGIC: [u8; 8] = *b"dualbody";
const VERSION: u32 = 2;
/// Magic, version and kind.
pub(crate) const HEADER: usize = 16;
/// Length and checksum of a record.
pub(crate) const FRAME: usize = 12;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Answers of all experiments, in the order of the questions.
    Journal = 1,
    /// The answer of some experiments to one question.
    Shard = 2,
}

impl FileKind {
    /// The first bytes of such a file: `dualbody`, version and kind as 32-bit integers, little-endian.
    pub(crate) fn header(self) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12..].copy_from_slice(&(self as u32).to_le_bytes());
        header
    }

    /// The bytes after the header.
    pub(crate) fn check(self, path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>, ClusterError> {
        let malformed = |what: &str| Err(ClusterError::malformed(path, what));
        let expected = self.header();
        match bytes.get(..HEADER) {
            Some(found) if found == expected => Ok(bytes[HEADER..].to_vec()),
            Some(found) if found[..8] != MAGIC => malformed("not a file of dualbody"),
            Some(found) if found[8..12] != expected[8..12] => {
                malformed("written by another version of the format")
            }
            Some(_) => malformed("a file of another kind"),
            None => malformed("the file is cut off"),
        }
    }
}

/// A record: length (64 bits), CRC-32 of the content, content; little-endian.
pub(crate) fn frame(content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(FRAME + content.len());
    bytes.extend((content.len() as u64).to_le_bytes());
    bytes.extend(crc32fast::hash(content).to_le_bytes());
    bytes.extend(content);
    bytes
}

/// What stands at the front of some bytes.
pub(crate) enum Record<'a> {
    /// A record, and what follows.
    Whole(&'a [u8], &'a [u8]),
    /// A record with a wrong checksum.
    Damaged,
    /// Less than a record.
    CutOff,
}

/// Length of the content of a record, of which at least the frame is here.
pub(crate) fn content_length(record: &[u8]) -> usize {
    let length = record[..8].iter().rev();
    let length = length.fold(0u64, |n, &b| n << 8 | u64::from(b));
    usize::try_from(length).unwrap_or(usize::MAX)
}

pub(crate) fn next_record(bytes: &[u8]) -> Record<'_> {
    let Some((frame, rest)) = bytes.split_at_checked(FRAME) else {
        return Record::CutOff;
    };
    let Some((content, rest)) = rest.split_at_checked(content_length(frame)) else {
        return Record::CutOff;
    };
    // What a file system leaves where it has lost the end of a file. No record is empty.
    if frame == [0; FRAME] {
        return Record::CutOff;
    }
    if crc32fast::hash(content).to_le_bytes() == frame[8..] {
        Record::Whole(content, rest)
    } else {
        Record::Damaged
    }
}

pub(crate) fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, ClusterError> {
    postcard::to_stdvec(value).map_err(|error| ClusterError::Execution(error.into()))
}

pub(crate) fn decode<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<T, ClusterError> {
    postcard::from_bytes(bytes).map_err(|error| ClusterError::malformed(path, error))
}

/// Begins a file under another name in the folder of `path`, which is made if need be.
pub(crate) fn begin(path: &Path) -> Result<NamedTempFile, std::io::Error> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(folder)?;
    NamedTempFile::new_in(folder)
}

/// Brings a file to the disk and gives it its name; what was there before stays until then.
pub(crate) fn complete(file: NamedTempFile, path: &Path) -> Result<(), std::io::Error> {
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Writes a file whole or not at all: under another name in the same folder, to the disk, and then
/// renamed. What was there before stays until the new file is complete.
///
/// # Errors
/// [`ClusterError::File`].
pub fn write_whole(path: &Path, contents: &[u8]) -> Result<(), ClusterError> {
    let write = || {
        let mut file = begin(path)?;
        file.write_all(contents)?;
        complete(file, path)
    };
    write().map_err(ClusterError::file(path))
}
