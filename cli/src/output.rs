//! What commands print and write.

#[path = "../../examples/support/output.rs"]
mod whole_file;

use crate::failure::{Failure, Outcome};
use serde_json::Value;
use std::io::Write;
use std::path::Path;

/// Prints a text.
pub fn print(text: &str) -> Outcome<()> {
    let mut output = std::io::stdout().lock();
    output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
        .map_err(Failure::printing)
}

/// Prints JSON, or a text for people.
pub fn print_either(
    is_json: bool,
    json: impl FnOnce() -> Value,
    text: impl FnOnce() -> String,
) -> Outcome<()> {
    match is_json {
        true => print(&format!("{:#}\n", json())),
        false => print(&text()),
    }
}

/// Writes a file whole or not at all.
pub fn write(path: &Path, contents: &str) -> Outcome<()> {
    whole_file::write_whole(path, contents).map_err(Failure::output)
}

/// Tries whether files can be written, before there is work to lose.
pub fn check_writable<'p>(files: impl IntoIterator<Item = &'p Path>) -> Outcome<()> {
    for file in files {
        if file.is_dir() || file.file_name().is_none() {
            return Err(Failure::Output(format!(
                "{}: not the name of a file",
                file.display()
            )));
        }
        let folder = file.parent().unwrap_or(Path::new(""));
        if !folder.as_os_str().is_empty() && !folder.is_dir() {
            return Err(Failure::Output(format!(
                "{}: there is no folder {}, make it first",
                file.display(),
                folder.display()
            )));
        }
        let tried = whole_file::try_folder(folder);
        tried.map_err(|error| Failure::Output(format!("{}: {error}", file.display())))?;
    }
    Ok(())
}

/// Makes a folder, and tries whether files can be written there.
pub fn make_folder(folder: &Path) -> Outcome<()> {
    let made = std::fs::create_dir_all(folder).and_then(|()| whole_file::try_folder(folder));
    made.map_err(|error| Failure::Output(format!("{}: {error}", folder.display())))
}
