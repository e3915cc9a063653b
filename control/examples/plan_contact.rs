//! Plans motions through contact: problems with published settings, solved from zero inputs and from random ones.
//!
//! `--only NAME` solves one of them, `--quick` one seed of each, in short, `--first N` begins with that seed, `--count N` takes so
//! many, `--json FILE` writes the figures, `--threads N` linearises on so many threads (default 1), `--out DIR` is the folder
//! for pages (default `out`).

#[path = "../../examples/support/mod.rs"]
mod support;

#[path = "plan_contact/arm_ball.rs"]
mod arm_ball;
#[path = "plan_contact/cart_pole.rs"]
mod cart_pole;
#[path = "plan_contact/gait.rs"]
mod gait;
#[path = "plan_contact/hopper.rs"]
mod hopper;
#[path = "plan_contact/machine.rs"]
mod machine;
#[path = "plan_contact/outcome.rs"]
mod outcome;
#[path = "plan_contact/pushing.rs"]
mod pushing;
#[path = "plan_contact/quadruped.rs"]
mod quadruped;
#[path = "plan_contact/spinner.rs"]
mod spinner;

use outcome::{Failure, Outcome, Settings};
use support::arguments::Arguments;

/// A problem that is solved by its name.
type Solve = fn(&Settings) -> Result<Outcome, Failure>;

const PROBLEMS: [(&str, Solve); 8] = [
    ("spinner", spinner::solve),
    ("hopper", hopper::solve),
    ("cart_pole", cart_pole::solve),
    ("pushing", pushing::solve),
    ("arm_ball", arm_ball::solve),
    ("stand", quadruped::stand),
    ("trot", quadruped::trot),
    ("jump", quadruped::jump),
];

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process(
        "usage: plan_contact [--only NAME] [--quick] [--first N] [--count N] [--json FILE] [--threads N] [--out DIR]",
    );
    let only: Option<String> = arguments.option("--only")?;
    let quick = arguments.flag("--quick");
    let first = arguments.option("--first")?.unwrap_or(0);
    let count = arguments.option("--count")?;
    let json = arguments.output_file("--json")?;
    let threads = arguments.option("--threads")?.unwrap_or(1);
    let folder = arguments.output_folder()?;
    arguments.finish()?;
    let names = PROBLEMS.map(|(name, _)| name);
    if let Some(only) = only.as_deref().filter(|only| !names.contains(only)) {
        return Err(format!("there is no problem {only:?}, only {}", names.join(", ")).into());
    }
    let settings = Settings {
        quick,
        first,
        count,
        threads,
    };

    let mut figures = Vec::new();
    for (name, solve) in PROBLEMS {
        if only.as_deref().is_some_and(|only| only != name) {
            continue;
        }
        println!("{name}");
        let outcome = solve(&settings)?;
        outcome.print();
        figures.push(outcome.json());
        if let Some(scene) = outcome.scene {
            let scene = scene.titled(format!("A plan: {name}"));
            support::show(&scene, &folder, &format!("plan_{name}"))?;
        }
    }
    if let Some(path) = json {
        support::output::write_whole(&path, &serde_json::to_string_pretty(&figures)?)?;
    }
    Ok(())
}
