//! The commands of the program.

mod check;
mod convert;
mod fit;
mod gradient;
mod ground;
mod info;
mod jacobian;
mod linearize;
mod simulate;
mod view;

use crate::failure::{Found, Outcome};
use clap::Subcommand;

/// What there is to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say what is in a file: bodies, joints, inputs, outputs, parameters, what was left out
    Info(info::Info),
    /// Simulate, and write what happens as a table, a page or glTF
    Simulate(simulate::Simulate),
    /// Show a machine in a browser
    View(view::View),
    /// The linear model of a step or of the rates: A, B, C, D
    Linearize(linearize::Linearize),
    /// The derivatives of a motion by state, inputs and named parameters
    Jacobian(jacobian::Jacobian),
    /// An outcome of a motion and its derivatives, beside differences and smoothed slopes
    #[command(after_help = crate::expression::SYNTAX)]
    Gradient(gradient::Gradient),
    /// Check the derivatives of a machine against differences, its energies, and its singularities
    Check(check::Check),
    /// Fit a machine to recordings, and judge the fit by those that are held back
    Fit(fit::Fit),
    /// Write a machine in another format, or with other constants
    Convert(convert::Convert),
    /// Put every robot under a folder on the ground, and let it fall for a second
    Ground(ground::Ground),
}

impl Command {
    /// Does it.
    pub fn run(&self) -> Outcome<Found> {
        match self {
            Command::Info(command) => command.run(),
            Command::Simulate(command) => command.run(),
            Command::View(command) => command.run(),
            Command::Linearize(command) => command.run(),
            Command::Jacobian(command) => command.run(),
            Command::Gradient(command) => command.run(),
            Command::Check(command) => command.run(),
            Command::Fit(command) => command.run(),
            Command::Convert(command) => command.run(),
            Command::Ground(command) => command.run(),
        }
    }
}
