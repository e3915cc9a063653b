//! Fits a machine to recordings that a file names, and tests the fit on those that it holds back.
//!
//! ```text
//! cargo run --release -p dualbody --features serde --example identify_machine -- [--fit FIT.json] [--quick] [--out DIR]
//! ```

#[path = "support/mod.rs"]
mod support;

use dualbody::contact::ContactModel;
use dualbody::io::json::MotionFit;
use dualbody::prelude::*;
use dualbody::scene::FitReport;
use dualbody::tree::{BodyIndex, JointKind};
use dualbody::{Parallelism, Random};
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use support::Failure;
use support::arguments::Arguments;
use support::fitted::save_report;
use support::output::write_whole;

const USAGE: &str = "\
Fit a machine to recordings, and test the fit on those that are held back.

usage: identify_machine [options]

  --fit FILE  what to fit, as the documentation of `io::json` says. Default: an
              arm whose load, friction and camera are not known; its files are
              written into the folder first
  --first N   samples of the first, shortest segments (default: 20)
  --quick     shorter recordings
  --out DIR   folder for the files (default: out)";

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process(USAGE);
    let given = arguments.option::<PathBuf>("--fit")?;
    let first = arguments.option("--first")?.unwrap_or(20);
    let samples = if arguments.flag("--quick") { 60 } else { 300 };
    let folder = arguments.output_folder()?;
    arguments.finish()?;

    let document = match given {
        Some(document) => document,
        None => write_arm(&folder, samples)?,
    };
    let motion = MotionFit::load(&document)?;
    let mut fitted = motion.fit(first, Parallelism::default(), |segment, iteration| {
        eprintln!("segments of {segment} samples, {iteration}");
        ControlFlow::Continue(())
    })?;
    let identified = fitted.model.identified(&fitted.found.fit.values())?;
    let path = folder.join("identified.json");
    identified.save(&path)?;
    println!("The machine with these values: {}", path.display());
    fitted.judge(&motion.held_out);
    let mut report = FitReport::of_recordings("A machine and its recordings", &fitted);
    for file in &motion.sources {
        report = report.with_source(file.path.display().to_string(), &file.sha256);
    }
    println!("{fitted}");
    save_report(&report, &folder, "identify_machine")?;
    if let (Some(recording), Some(Some(start))) =
        (fitted.experiments.first(), fitted.found.starts.first())
    {
        let start = recording.state(0, start)?;
        let scene = identified.rollout(&start, 2000)?.scene(&identified)?;
        let scene = scene.titled("A machine from its recordings").about(
            "It swings from where the first recording starts, with the values that were found, and without inputs.",
        );
        support::show(&scene, &folder, "identify_machine")?;
    }
    Ok(())
}

/// The rate of the samples in Hz, and time steps from one to the next.
const RATE: f64 = 100.0;
const STEPS: usize = 5;
/// Where the camera sees a marker on the lower link, and how late, in m and s.
const MARKER: [f64; 3] = [0.02, 0.0, -0.35];
const LATE: f64 = 7e-3;

/// Writes an arm, the recordings of one that is loaded, and what is to be found; returns the path of the last.
fn write_arm(folder: &Path, samples: usize) -> Result<PathBuf, Failure> {
    let arm = arm()?;
    arm.save(folder.join("arm.json"))?;
    let mut loaded = arm.clone();
    loaded.set_parameter("body/lower/mass", 1.7)?;
    loaded.set_parameter("joint/shoulder/damping", 0.15)?;
    loaded.set_parameter("joint/elbow/damping", 0.05)?;
    let names = ["slow", "fast", "other"];
    for (k, name) in names.iter().enumerate() {
        let table = record(&loaded, samples, k as f64)?;
        write_whole(&folder.join(name).with_extension("csv"), &table)?;
    }
    let experiments: Vec<_> = names
        .iter()
        .map(|name| {
            serde_json::json!({
                "name": name,
                "signals": format!("{name}.csv"),
                "start": "Measured",
                "held_out": *name == "other",
            })
        })
        .collect();
    let document = serde_json::json!({
        "format": "dualbody fit",
        "version": 1,
        "machine": "arm.json",
        "channels": [
            {"name": "shoulder", "measures": {"JointPosition": "shoulder"}, "deviations": [1e-3]},
            {"name": "elbow", "measures": {"JointPosition": "elbow"}, "deviations": [1e-3]},
            {"name": "marker", "measures": {"Point": {"body": "lower", "position": [0.0, 0.0, -0.35]}}, "deviations": [1e-3]},
        ],
        "unknowns": [
            {"name": "body/lower/mass", "logarithmic": true},
            {"name": "joint/shoulder/damping"},
            {"name": "joint/elbow/damping"},
            {"name": "camera delay", "scale": 1e-3, "adjusts": {"Delay": {"channels": ["marker"], "experiment": null}}},
            {"name": "marker x", "scale": 1e-2, "adjusts": {"Mounting": {"channel": "marker", "axis": 0}}},
        ],
        "state_deviations": {"position": 0.02, "velocity": 0.5, "actuators": 1.0, "sensors": 1.0},
        "experiments": experiments,
    });
    let path = folder.join("fit.json");
    write_whole(&path, &format!("{document:#}\n"))?;
    println!(
        "wrote {}, arm.json and {} recordings beside it",
        path.display(),
        names.len()
    );
    Ok(path)
}

/// Two links that hang from a shoulder.
fn arm() -> Result<TimeSteppingRigidBodySystem<f64>, Failure> {
    let mut tree = RigidBodyTreeBuilder::new();
    let mut parent = BodyIndex::WORLD;
    for (link, joint, at) in [("upper", "shoulder", 0.0), ("lower", "elbow", -0.4)] {
        let mut inertia = SpatialInertia::solid_box(1.0, &vector![0.06, 0.05, 0.4]); // kg, m
        inertia.center_of_mass = vector![0.0, 0.0, -0.2];
        let body = tree.add_body(link, inertia)?;
        let kind = JointKind::Revolute { axis: Vector3::y() };
        let pose = RigidTransform::from_translation(vector![0.0, 0.0, at]);
        let joint = tree.add_joint(joint, kind, parent, pose, body)?;
        tree.set_damping(joint, &[0.1])?; // N m s/rad
        parent = body;
    }
    let step = 1.0 / (RATE * STEPS as f64);
    let arm = TimeSteppingRigidBodySystem::new(tree.finish()?, ContactModel::none(), step)?;
    Ok(arm.with_generalized_forces()?)
}

/// The samples of encoders and a camera, with noise, while torques swing the arm.
fn record(
    arm: &TimeSteppingRigidBodySystem<f64>,
    samples: usize,
    motion: f64,
) -> Result<String, Failure> {
    let mut random = Random::new(motion as u64);
    let mut workspace = arm.workspace()?;
    let mut state = arm.initial_state();
    (state.q[0], state.q[1]) = (0.4 + 0.2 * motion, -0.7);
    let inputs = arm.input_names();
    let mut table = format!(
        "time [s],shoulder [deg],elbow [deg],marker/x [mm],marker/y [mm],marker/z [mm],{} [N m],{} [N m]\n",
        inputs[0], inputs[1]
    );
    let late = (LATE * RATE * STEPS as f64).floor() as usize;
    let way = LATE * RATE * STEPS as f64 - late as f64;
    let mut seen = Vec::new();
    for step in 0..samples * STEPS {
        let sample = (step / STEPS) as f64;
        let torque = [0.21 + 0.1 * motion, 0.34].map(|rate| 0.8 * (rate * sample + motion).sin());
        let pose = arm.body_pose(&state, "lower")?;
        seen.push(pose.rotation * Vector3::from(MARKER) + pose.translation);
        if step % STEPS == 0 {
            let angles =
                [state.q[0], state.q[1]].map(|q| (q + 1e-3 * random.normal()).to_degrees());
            let mut fields: Vec<String> = vec![format!("{:.2}", sample / RATE)];
            fields.extend(angles.map(|x| format!("{x:.6}")));
            // What the camera saw before the recording began is missing.
            let marker = step.checked_sub(late + 1).map(|before| {
                let marker = seen[before + 1] + (seen[before] - seen[before + 1]) * way;
                marker.map(|x| 1e3 * x + random.normal())
            });
            for axis in 0..3 {
                fields
                    .push(marker.map_or_else(String::new, |marker| format!("{:.4}", marker[axis])));
            }
            fields.extend(torque.map(|x| format!("{x:.9}")));
            writeln!(table, "{}", fields.join(","))?;
        }
        let next = arm.step(&mut workspace, &state, &torque)?.state().clone();
        state = next;
    }
    Ok(table)
}
