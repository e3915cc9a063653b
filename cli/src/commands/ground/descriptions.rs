//! Robot descriptions in a folder.

use crate::failure::{Failure, Outcome};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders in folders beyond this are not searched: a link may lead back.
const DEEPEST: usize = 32;

/// All under a folder, in the order of their names.
pub fn find(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    search(folder, DEEPEST, &mut found)?;
    found.sort();
    Ok(found)
}

fn search(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Outcome<()> {
    let named = |error: std::io::Error| Failure::Input(format!("{}: {error}", folder.display()));
    for entry in fs::read_dir(folder).map_err(named)? {
        let entry = entry.map_err(named)?;
        let path = entry.path();
        if entry.file_type().map_err(named)?.is_dir() {
            if depth > 0 {
                search(&path, depth - 1, found)?;
            }
        } else if path
            .extension()
            .is_some_and(|extension| extension == "urdf")
        {
            found.push(path);
        }
    }
    Ok(())
}
