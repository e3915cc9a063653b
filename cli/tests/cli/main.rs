//! The program, as scripts run it.

mod fit;
mod formats;
mod hostile;
mod robots;
mod run;
