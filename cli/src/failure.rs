//! Exit codes and messages of failed commands.

use std::fmt::Display;
use std::io::ErrorKind;
use std::process::ExitCode;

/// What the codes mean, for `--help`.
pub const EXIT_CODES: &str = "\
Exit codes: 0 done; 1 done, and the answer is no (a derivative is wrong, a robot or a fit failed); \
2 not a command; 3 a file is not what it should be; 4 the computation failed; 5 a result cannot be written";

/// What a command found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// What was asked for.
    Yes,
    /// That what was asked about is not so.
    No,
}

impl From<Found> for ExitCode {
    fn from(found: Found) -> Self {
        match found {
            Found::Yes => ExitCode::SUCCESS,
            Found::No => ExitCode::from(1),
        }
    }
}

/// Why a command did not do what it was asked to, in words.
#[derive(Debug)]
pub enum Failure {
    /// Options that make no sense together.
    Usage(String),
    /// A file cannot be read, or is not what it should be.
    Input(String),
    /// The computation failed.
    Computation(String),
    /// A result cannot be written.
    Output(String),
    /// Nobody reads what is printed.
    Unread,
}

/// The result of a command.
pub type Outcome<T = Found> = Result<T, Failure>;

impl Failure {
    /// For `map_err`.
    pub fn usage(error: impl Display) -> Self {
        Failure::Usage(error.to_string())
    }

    /// For `map_err`.
    pub fn input(error: impl Display) -> Self {
        Failure::Input(error.to_string())
    }

    /// For `map_err`.
    pub fn computation(error: impl Display) -> Self {
        Failure::Computation(error.to_string())
    }

    /// For `map_err`.
    pub fn output(error: impl Display) -> Self {
        Failure::Output(error.to_string())
    }

    /// For `map_err`: of standard output, which may be a pipe that somebody has closed.
    pub fn printing(error: std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Failure::Unread,
            _ => Failure::Output(format!("standard output: {error}")),
        }
    }

    /// Says on standard error what went wrong.
    pub fn report(&self) {
        match self {
            Failure::Usage(message)
            | Failure::Input(message)
            | Failure::Computation(message)
            | Failure::Output(message) => eprintln!("error: {message}"),
            Failure::Unread => {}
        }
    }
}

impl From<Failure> for ExitCode {
    fn from(failure: Failure) -> Self {
        ExitCode::from(match failure {
            Failure::Unread => 0,
            Failure::Usage(_) => 2,
            Failure::Input(_) => 3,
            Failure::Computation(_) => 4,
            Failure::Output(_) => 5,
        })
    }
}

impl From<dualbody::Error> for Failure {
    fn from(error: dualbody::Error) -> Self {
        Failure::computation(error)
    }
}
