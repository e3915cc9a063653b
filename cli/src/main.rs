//! The library `dualbody` from the command line.
//!
//! Every command reads a machine from URDF, MJCF or JSON, prints a short table or JSON, and ends with a code that
//! scripts can use. What it knows of mechanics is the library's.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod browser;
mod commands;
mod configuration;
mod expression;
mod failure;
mod inputs;
mod labelled_matrix;
mod machine;
mod motion;
mod output;
mod progress;
mod source;
mod table;
mod variables;

use clap::Parser;
use std::process::ExitCode;

/// Multibody dynamics with contact and exact derivatives.
#[derive(Debug, Parser)]
#[command(name = "dualbody", version, max_term_width = 100, after_help = failure::EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: commands::Command,
}

fn main() -> ExitCode {
    match Cli::parse().command.run() {
        Ok(found) => found.into(),
        Err(failure) => {
            failure.report();
            failure.into()
        }
    }
}
