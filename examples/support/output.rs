//! Files that are written whole or not at all.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

/// Writes a file into a folder that is there. It is written under another name and renamed, so that nobody
/// ever reads half of it.
///
/// # Errors
/// As the file system says, with the path.
pub fn write_whole(path: &Path, contents: &str) -> io::Result<()> {
    // Links are followed; what is there and no file, as a device, is written into.
    let found = fs::canonicalize(path);
    let path = found.as_deref().unwrap_or(path);
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return fs::write(path, contents);
    }
    let partial = partial(path.as_os_str().to_owned());
    fs::write(&partial, contents)
        .and_then(|()| fs::rename(&partial, path))
        .inspect_err(|_| {
            let _ = fs::remove_file(&partial);
        })
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// Whether files can be made in a folder; the empty path is the current one.
///
/// # Errors
/// As the file system says.
pub fn try_folder(folder: &Path) -> io::Result<()> {
    let file = folder.join(partial("writable".into()));
    fs::write(&file, "").and_then(|()| fs::remove_file(&file))
}

fn partial(mut name: OsString) -> OsString {
    name.push(format!(".{}.partial", std::process::id()));
    name
}
