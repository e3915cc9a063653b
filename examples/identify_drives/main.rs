//! Identifies the drives of a robot whose base is held: friction along each joint, gains, inertias of rotors.
//!
//! Joints follow desired angles by loops on board. Each branch of the robot is a machine of its own ([`branches`]); its drives
//! ([`leg`]) are fitted to the measured angles. Of several models the one with the fewest unknowns that predicts what was held
//! out is taken ([`stages`]), fitted to all, and simulated on a test from its first row on.
//!
//! Without arguments it runs on a recording that it makes itself ([`synthetic`]). Run with `--help` for the options.

#[path = "../support/mod.rs"]
mod support;

mod branches;
mod gear_friction;
mod leg;
mod plots;
mod recording;
mod report;
mod score;
mod stages;
mod synthetic;

use dualbody::io::mjcf::MjcfReader;
use dualbody::scene::FitReport;
use leg::{Drives, Leg};
use std::path::{Path, PathBuf};
use support::Failure;
use support::arguments::Arguments;
use support::fitted::save_report;

const USAGE: &str = "\
Identify the drives of a robot whose base is held, from desired and measured angles.

usage: identify_drives [options]

  --data FILE          columns t, JOINT and JOINT_desired of every joint (CSV), or a folder with such a file.
                       The first 70 % are fitted, the rest is the test, unless --test is given.
                       Default: a recording made by the example
  --test FILE          a recording to test on; all of --data is then fitted
  --model FILE         the robot (MJCF). Default: the only .xml beside the data
  --proportional GAIN  gain that was set, N m/rad (default 20)
  --derivative GAIN    the same of rates, where the fit starts, N m s/rad (default 1.5)
  --delay SAMPLES      by how many samples commands are late (default 1)
  --json FILE          write scores, models, estimates and standard errors
  --out DIR            folder for the pages (default out)
  --quick              three steps of each fit only, to see that it works";

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process(USAGE);
    let quick = arguments.flag("--quick");
    let data: Option<PathBuf> = arguments.option("--data")?;
    let test: Option<PathBuf> = arguments.option("--test")?;
    let model: Option<PathBuf> = arguments.option("--model")?;
    let drives = Drives {
        proportional_gain: arguments.option("--proportional")?.unwrap_or(20.0),
        derivative_gain: arguments.option("--derivative")?.unwrap_or(1.5),
        delay: arguments.option("--delay")?.unwrap_or(1),
    };
    let json = arguments.output_file("--json")?;
    let out = arguments.output_folder()?;
    arguments.finish()?;

    let reader = MjcfReader::new().with_model_name("");
    let (tree, description, data) = match &data {
        Some(data) => {
            let data = recording::only_file(data, "csv")?;
            let model = match model {
                Some(model) => model,
                None => recording::only_file(data.parent().unwrap_or(Path::new("")), "xml")?,
            };
            let (tree, description) = reader.tree_from_file(&model)?;
            (tree, description, recording::read(&data)?)
        }
        None => {
            let (tree, description) = reader.tree_from_str(synthetic::ROBOT)?;
            let data = synthetic::recording(&tree, drives)?;
            (tree, description, data)
        }
    };
    let (fitted, test) = match &test {
        Some(test) => (data, recording::read(&recording::only_file(test, "csv")?)?),
        None => {
            let split = data.len() * 7 / 10;
            (data.part(0..split), data.part(split..data.len()))
        }
    };
    test.check_goes_with(&fitted)?;
    println!(
        "{:.1} s to fit, {:.1} s to test",
        fitted.seconds(),
        test.seconds()
    );
    let legs = branches::branches(&tree)?;
    let legs = legs
        .into_iter()
        .map(|tree| Leg::new(tree, drives, &fitted))
        .collect::<Result<Vec<_>, _>>()?;
    if legs.is_empty() {
        return Err("no joint of the robot moves a body whose base is held".into());
    }

    let found = stages::fit(&legs, &fitted, if quick { 3 } else { 30 })?;
    for leg in &found.legs {
        println!("\n{}", leg.fit);
    }
    if let Some(halves) = found.halves {
        println!(
            "Estimates from the first and the second half differ by {halves:.2} standard errors (root mean square), by which those above are multiplied if that is more than one."
        );
    }
    let predicted = stages::predict(&legs, &found.legs, &test)?;
    let score = stages::score(&legs, &predicted, &test);
    println!("Root mean square error on the test, simulated as a whole from its first row:");
    for (kind, error) in score.by_kind() {
        println!("  {kind:<8} {error:6.2} mrad");
    }
    println!("{:.1} s of fitting", found.seconds);
    if let Some(path) = &json {
        report::write(path, [&fitted, &test], drives, &found, &score)?;
        println!("Report: {}", path.display());
    }
    for ((leg, fitted), predicted) in legs.iter().zip(&found.legs).zip(&predicted) {
        let name = &leg.joints[0];
        let mut page = FitReport::new(format!("Drives from {name} on"), &fitted.fit);
        for tried in &found.tried {
            let text = format!(
                "{:.2} mrad with {} unknowns",
                tried.held_out, tried.unknowns
            );
            page = page.with_score(
                format!("held out to choose: {}", tried.structure.name),
                text,
            );
        }
        for (joint, error) in score
            .by_joint()
            .filter(|(joint, _)| leg.joints.iter().any(|own| own == joint))
        {
            page = page.with_score(format!("test, {joint}"), format!("{error:.2} mrad"));
        }
        let charts = plots::charts(leg, fitted, predicted, &test);
        let page = charts.into_iter().fold(page, FitReport::with_chart);
        save_report(&page, &out, &format!("identify_drives_{name}"))?;
    }
    let scene = plots::scene(&description.system(tree)?, &legs, &predicted, &test)?;
    support::show(&scene, &out, "identify_drives")
}
