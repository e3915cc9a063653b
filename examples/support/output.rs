//! Files that are written whole or not at all.

use std::fs;
use std::io;
use std::path::Path;

/// Writes a file, and the folders that lead to it. It is written under another name and renamed, so
/// that nobody ever reads half of it.
///
/// # Errors
/// As the file system says, with the path.
pub fn write_whole(path: &Path, contents: &str) -> io::Result<()> {
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(named)?;
    }
    let mut partial = path.as_os_str().to_owned();
    partial.push(format!(".{}.partial", std::process::id()));
    fs::write(&partial, contents)
        .and_then(|()| fs::rename(&partial, path))
        .inspect_err(|_| {
            let _ = fs::remove_file(&partial);
        })
        .map_err(named)
}
