//! `dualbody ground`: robots dropped on the ground.

mod descriptions;
mod home;
mod page;
mod robot;

use crate::failure::{Failure, Found, Outcome};
use crate::output;
use crate::progress;
use clap::Args;
use robot::Robot;
use serde_json::Value;
use std::path::PathBuf;

/// Options of the command.
///
/// Each robot stands as its semantic description (`srdf/*.srdf`) says, or at zero, as far as the limits of its joints
/// allow, with its lowest point on the plane z = 0. Its root floats, and its joints are damped with 1 N m s/rad (sliding
/// ones with 10 N s/m).
#[derive(Debug, Args)]
pub struct Ground {
    /// Where robot descriptions (*.urdf) and their meshes are
    folder: PathBuf,
    /// Robots touch themselves, but for what overlaps at the start or need not be watched
    #[arg(long)]
    all_pairs: bool,
    /// Steps of 1 ms
    #[arg(long, value_name = "N", default_value = "1000", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    steps: u32,
    /// Writes a page for each robot into this folder, and index.html, which leads to them
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Writes what became of each robot as a table in Markdown
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Ground {
    /// Does it.
    pub fn run(&self) -> Outcome {
        output::check_writable(self.table.as_deref())?;
        let descriptions = descriptions::find(&self.folder)?;
        if descriptions.is_empty() {
            let folder = self.folder.display();
            return Err(Failure::Input(format!(
                "{folder}: there is no robot description (*.urdf)"
            )));
        }
        if let Some(out) = &self.out {
            output::make_folder(out)?;
        }
        let bar = progress::bar(descriptions.len(), "robots");
        let mut robots = Vec::new();
        for description in descriptions {
            robots.push(Robot::on_ground(&description, self));
            bar.inc(1);
        }
        bar.finish_and_clear();

        let failed = robots
            .iter()
            .filter(|robot| robot.failure.is_some())
            .count();
        if let Some(table) = &self.table {
            output::write(table, &page::markdown(&robots))?;
        }
        let mut last = format!("{} robots, {failed} of them failed\n", robots.len());
        if let Some(out) = &self.out {
            let index = out.join("index.html");
            output::write(&index, &page::html(&robots))?;
            last += &format!("Open {} in a browser.\n", index.display());
        }
        output::print_either(
            self.json,
            || robots.iter().map(Robot::json).collect::<Value>(),
            || format!("{}\n{last}", page::table(&robots)),
        )?;
        Ok(if failed == 0 { Found::Yes } else { Found::No })
    }
}
