//! Progress of long work, on standard error if that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over a number of steps.
pub fn bar(steps: usize, what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(steps as u64).with_message(what);
    match ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// A line that says what is going on.
pub fn line() -> ProgressBar {
    let line = ProgressBar::new_spinner();
    line.enable_steady_tick(std::time::Duration::from_millis(200));
    line
}
