//! Opening pages in a browser.

use std::path::Path;
use std::process::{Command, Stdio};

/// Asks the desktop to open a page; whether there is one that takes it.
pub fn open(page: &Path) -> bool {
    let mut command = match std::env::consts::OS {
        "macos" => Command::new("open"),
        "windows" => {
            let mut shell = Command::new("cmd");
            shell.args(["/C", "start", ""]);
            shell
        }
        _ => Command::new("xdg-open"),
    };
    let command = command
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
