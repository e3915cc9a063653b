//! `dualbody view`: a machine or a motion as a page.

use crate::browser;
use crate::failure::{Failure, Found, Outcome};
use crate::machine::MachineArgs;
use crate::output;
use clap::Args;
use dualbody::scene::Scene;
use serde_json::json;
use std::path::PathBuf;

/// Options of the command.
#[derive(Debug, Args)]
pub struct View {
    #[command(flatten)]
    machine: MachineArgs,
    /// The page to write [default: one among temporary files]
    #[arg(long, value_name = "HTML")]
    page: Option<PathBuf>,
    /// Writes the page only
    #[arg(long)]
    no_open: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl View {
    /// Does it.
    pub fn run(&self) -> Outcome {
        output::check_writable(self.page.as_deref())?;
        let machine = self.machine.machine()?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let plain: String = machine
            .name
            .chars()
            .map(|c| if is_plain(c) { c } else { '_' })
            .collect();
        let page = self.page.clone().unwrap_or_else(|| {
            std::env::temp_dir().join(format!("dualbody_{plain}_{}.html", std::process::id()))
        });
        let states = [machine.start.clone()];
        let scene = Scene::of_states(&machine.system, &states).map_err(Failure::computation)?;
        let scene = scene.titled(machine.name.as_str());
        scene.save(&page).map_err(Failure::output)?;
        let is_open = !self.no_open && browser::open(&page);
        output::print_either(
            self.json,
            || json!({"page": page.display().to_string(), "opened": is_open}),
            || match is_open {
                true => format!("{}\n", page.display()),
                false => format!("Open {} in a browser.\n", page.display()),
            },
        )?;
        Ok(Found::Yes)
    }
}
