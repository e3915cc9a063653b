//! Atomic writes: files are written whole or not at all.

use std::fs::{self, File};
use std::io::{BufWriter, Error};
use std::path::Path;

/// Writes a file under another name in the same folder and then renames it, so that a file that was there
/// before is as it was if anything fails. Errors name the file.
pub(crate) fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), Error>,
) -> Result<(), Error> {
    let named = |error: Error| Error::new(error.kind(), format!("{}: {error}", path.display()));
    replace_file(path, write).map_err(named)
}

/// As [`write_whole`], with errors as the file system gives them.
pub(crate) fn replace_file(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(format!(".{}.partial", std::process::id()));
    let partial = Path::new(&partial);
    let write = || {
        let mut file = BufWriter::new(File::create(partial)?);
        write(&mut file)?;
        file.into_inner()?.sync_all()?;
        fs::rename(partial, path)
    };
    write().inspect_err(|_| {
        // The error that matters is the one before.
        let _ = fs::remove_file(partial);
    })
}
