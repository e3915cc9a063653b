//! Atomic writes: files are written whole or not at all.

use std::fs::{self, File};
use std::io::{BufWriter, Error, Write};
use std::path::Path;

/// Writes a file under another name in the same folder and then renames it, so that a file that was there
/// before is as it was if anything fails. Links are followed; what is there and no file, as a device or a pipe, is written into.
/// Errors name the file.
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
    let found = fs::canonicalize(path);
    let path = found.as_deref().unwrap_or(path);
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        let mut into = BufWriter::new(File::options().write(true).open(path)?);
        return write(&mut into).and_then(|()| into.flush());
    }
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_and_devices_stay() {
        let folder = std::env::temp_dir().join(format!("dualbody-whole-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let [link, target] = ["link", "target"].map(|name| folder.join(name));
        fs::write(&target, "old").unwrap();
        symlink(&target, &link).unwrap();
        write_whole(&link, |file| file.write_all(b"new")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        let null = Path::new("/dev/null");
        write_whole(null, |file| file.write_all(b"new")).unwrap();
        assert!(!fs::metadata(null).unwrap().is_file());
        fs::remove_dir_all(&folder).unwrap();
    }
}
