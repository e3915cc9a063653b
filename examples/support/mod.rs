//! What the examples share: command lines, how they end, files that are written whole, charts.

#![allow(dead_code, reason = "no example uses everything")]

pub mod arguments;
pub mod chart;
pub mod output;

/// An error of any kind, as `main` returns it.
pub type Failure = Box<dyn std::error::Error>;

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
