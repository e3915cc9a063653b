//! What the examples share: command lines, how they end, files that are written whole, charts, pages,
//! what of a fit goes into a report.

#![allow(dead_code, unused_imports, reason = "no example uses everything")]

pub mod arguments;
pub mod chart;
pub mod fitted;
pub mod output;

use dualbody::scene::Scene;
use std::path::Path;

/// An error of any kind, as `main` returns it.
pub type Failure = Box<dyn std::error::Error>;

/// Writes a page, and says which file to open; the last line of an example.
pub fn show(scene: &Scene, folder: &Path, name: &str) -> Result<(), Failure> {
    let page = folder.join(name).with_extension("html");
    scene.save(&page)?;
    println!("Open {} in a browser.", page.display());
    Ok(())
}

/// How a program ends: a failure goes to standard error as a sentence.
pub fn exit_code(result: Result<(), Failure>) -> std::process::ExitCode {
    match result {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}
