//! Puts every robot under a folder on the ground, with its meshes, and lets it fall for a second.
//!
//! ```text
//! cargo run --release -p dualbody --example robots_on_ground -- FOLDER [--json FILE] [--table FILE] [--all-pairs] [--steps N]
//! ```
//!
//! A thousand robots are a good test of shapes and contact: descriptions were written for other programs.
//! The package example-robot-data has 69 of them with their meshes:
//!
//! ```sh
//! pip download --no-deps example-robot-data && unzip -q example_robot_data-*.whl -d robots
//! ```
//!
//! Each robot stands as its semantic description (`srdf/*.srdf`) says, or in its neutral configuration, as far as the
//! limits of its joints allow, with its lowest point on the plane z = 0. Its root floats, and its joints are damped with 1 N m s/rad (sliding ones with
//! 10 N s/m). Geometries of one robot pass through each other, with `--all-pairs` only those that overlap at
//! the start, or need not be watched by that description. Each robot gets a page, and one leads to all. Without a folder it takes the robots of the tests;
//! `--quick` makes a tenth of the steps.

#[path = "support/home.rs"]
mod home;
#[path = "support/mod.rs"]
mod support;

use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::{Shape, signed_distance};
use dualbody::io::urdf::{UrdfMimic, UrdfModel, UrdfReader};
use dualbody::math::RigidTransform;
use dualbody::system::{Rollout, State, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use home::home;
use nalgebra::Vector3;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use support::Failure;
use support::arguments::Arguments;
use support::output::write_whole;

const USAGE: &str = "\
Put every robot under a folder on the ground, and let it fall for a second.

usage: robots_on_ground [FOLDER] [options]

  FOLDER         where robot descriptions (*.urdf) and their meshes are. Default: the robots of the
                 tests
  --json FILE    write what became of each robot
  --table FILE   write it as a table in Markdown
  --all-pairs    robots touch themselves, but for what overlaps at the start or need not be watched
  --steps N      steps of 1 ms (default 1000)
  --quick        a tenth of the steps
  --out DIR      folder for the pages (default out)";

/// In s.
const TIME_STEP: f64 = 1e-3;
const STEPS: usize = 1000;

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process(USAGE);
    let json_file = arguments.output_file("--json")?;
    let table_file = arguments.output_file("--table")?;
    let all_pairs = arguments.flag("--all-pairs");
    let quick = arguments.flag("--quick");
    let steps = (arguments.option("--steps")?).unwrap_or(if quick { STEPS / 10 } else { STEPS });
    let out = arguments.output_folder()?;
    let folder = arguments.positional();
    arguments.finish()?;
    let folder =
        folder.unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/models").into());

    let mut descriptions = Vec::new();
    find_descriptions(Path::new(&folder), &mut descriptions)?;
    descriptions.sort();
    println!("{}", Outcome::HEADER.replace('|', " "));
    let mut outcomes = Vec::new();
    for description in descriptions {
        let outcome = Outcome::of(&description, Path::new(&folder), &out, all_pairs, steps);
        println!("{}", outcome.row().replace('|', " "));
        outcomes.push(outcome);
    }
    let failed = outcomes.iter().filter(|o| o.failure.is_some()).count();
    println!("{} robots, {failed} of them failed", outcomes.len());
    if let Some(file) = json_file {
        let list: Vec<_> = outcomes.iter().map(Outcome::json).collect();
        write_whole(&file, &serde_json::to_string_pretty(&list)?)?;
    }
    if let Some(file) = table_file {
        let rows: Vec<_> = outcomes.iter().map(Outcome::row).collect();
        write_whole(
            &file,
            &format!("{}\n{}\n", Outcome::HEADER, rows.join("\n")),
        )?;
    }
    let index = out.join("robots_on_ground.html");
    write_whole(&index, &page(&outcomes))?;
    println!("Open {} in a browser.", index.display());
    Ok(())
}

/// The page that leads to those of the robots.
fn page(outcomes: &[Outcome]) -> String {
    let rows = outcomes.iter().map(|outcome| {
        let name = match &outcome.page {
            Some(page) => format!("<a href=\"{page}\">{}</a>", outcome.name),
            None => outcome.name.clone(),
        };
        let row = outcome.row();
        let cells = row.trim_matches('|').split('|').skip(1);
        let cells: String = cells.map(|cell| format!("<td>{cell}</td>")).collect();
        format!("<tr><th>{name}</th>{cells}</tr>\n")
    });
    let header = Outcome::HEADER.lines().next().unwrap_or_default();
    let header = header.trim_matches('|').split('|');
    let header: String = header.map(|cell| format!("<th>{cell}</th>")).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Robots on the ground</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <h1>Robots on the ground</h1>\n<p>Each stands at home with damped joints, and falls.</p>\n\
         <table><tr>{header}</tr>\n{}</table>\n</body>\n</html>\n",
        rows.collect::<String>()
    )
}

const STYLE: &str = "\
:root{color-scheme:light dark}body{margin:24px auto;max-width:1080px;padding:0 18px;font:15px/1.5 system-ui,sans-serif}\
table{display:block;overflow-x:auto;border-collapse:collapse;font-variant-numeric:tabular-nums}\
td,th{padding:4px 12px 4px 0;text-align:right;border-bottom:1px solid #8884}th:first-child{text-align:left}";

fn find_descriptions(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let named = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(named)? {
        let path = entry?.path();
        if path.is_dir() {
            find_descriptions(&path, found)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "urdf")
        {
            found.push(path);
        }
    }
    Ok(())
}

/// What became of a robot.
#[derive(Default)]
struct Outcome {
    name: String,
    /// Where the description is in the folder, as one word.
    place: String,
    is_loaded: bool,
    /// The state of the semantic description from which it starts.
    home: Option<String>,
    bodies: usize,
    shapes: usize,
    missing_meshes: usize,
    hull_vertices: usize,
    pairs: usize,
    contacts: usize,
    steps: usize,
    failed_steps: usize,
    /// Mean of the steps that succeeded.
    step_time: Duration,
    /// Height of the lowest point at the end, in m.
    lowest: f64,
    failure: Option<String>,
    /// The file that shows it.
    page: Option<String>,
}

impl Outcome {
    const HEADER: &'static str = "\
| robot | starts from | bodies | shapes | hull vertices | pairs | contacts at the end | lowest point / mm | step / µs | remarks |
|---|---|---|---|---|---|---|---|---|---|";

    fn of(description: &Path, folder: &Path, out: &Path, all_pairs: bool, steps: usize) -> Self {
        let word = |part: &std::ffi::OsStr| part.to_string_lossy().into_owned();
        let place = description.strip_prefix(folder).unwrap_or(description);
        let place: Vec<String> = place.with_extension("").iter().map(word).collect();
        let mut outcome = Outcome {
            name: word(description.file_stem().unwrap_or_default()),
            place: place.join("_"),
            ..Outcome::default()
        };
        let made = outcome.simulate(description, folder, out, all_pairs, steps);
        outcome.failure = made.err().map(|error| error.to_string());
        outcome
    }

    fn simulate(
        &mut self,
        description: &Path,
        folder: &Path,
        out: &Path,
        all_pairs: bool,
        steps: usize,
    ) -> Result<(), Failure> {
        let (tree, model) = load(&self.name, description, folder)?;
        self.is_loaded = true;
        self.bodies = model.bodies.len();
        self.shapes = model.collision_geometries.len();
        let meshes = &model.report.meshes;
        self.missing_meshes = meshes.iter().filter(|m| m.hull.is_none()).count();
        self.hull_vertices = meshes
            .iter()
            .flat_map(|m| &m.hull)
            .map(|h| h.vertices)
            .sum();

        let mut workspace = tree.workspace();
        let home = home(description, folder, &tree, &model);
        tree.set_positions(&mut workspace, &home.q)?;
        self.home = home.name;
        let mut lowest = f64::INFINITY;
        let mut contact = ContactModelBuilder::new();
        for geometry in &model.collision_geometries {
            let pose = tree.body_pose(&workspace, geometry.body)? * geometry.pose_in_body;
            let ground = RigidTransform::identity();
            lowest = lowest.min(signed_distance(
                &geometry.shape,
                &pose,
                &Shape::HalfSpace,
                &ground,
            )?);
            contact.add_geometry(geometry.clone())?;
        }
        if all_pairs {
            contact.exclude_overlapping(&tree, &workspace)?;
            if let Some(semantics) = home.semantics {
                semantics.exclude(&tree, &model, &mut contact)?;
            }
        } else {
            contact.exclude_within(&model.bodies);
        }
        contact.add_geometry(CollisionGeometry {
            name: "ground".to_owned(),
            body: BodyIndex::WORLD,
            pose_in_body: RigidTransform::identity(),
            shape: Shape::HalfSpace,
            material: ContactMaterial::rigid(0.7)?,
        })?;
        let contact = contact.finish(&tree)?;
        self.pairs = contact.pairs().len();
        let root = tree.body(model.root)?.name().to_owned();
        let height = tree.body_pose(&workspace, model.root)?.translation.z - lowest;
        let floats = model.root != BodyIndex::WORLD;
        let system = TimeSteppingRigidBodySystem::new(tree, contact, TIME_STEP)?;
        let mut state = system.neutral_state();
        state.q.copy_from_slice(&home.q);
        if floats {
            let position = Vector3::new(0.0, 0.0, if height.is_finite() { height } else { 0.0 });
            system.set_body_position(&mut state, &root, position)?;
        }
        self.step(&system, state, steps, out)
    }

    fn step(
        &mut self,
        system: &TimeSteppingRigidBodySystem<f64>,
        mut state: State<f64>,
        steps: usize,
        out: &Path,
    ) -> Result<(), Failure> {
        let mut workspace = system.workspace()?;
        let input = vec![0.0; system.system().num_inputs()];
        let mut total = Duration::ZERO;
        let mut passed = Rollout {
            states: vec![state.clone()],
            inputs: vec![input.clone(); steps],
            statuses: Vec::new(),
            failure: None,
        };
        for _ in 0..steps {
            let start = Instant::now();
            let step = system.step(&mut workspace, &state, &input);
            total += start.elapsed();
            match step {
                Ok(step) => {
                    state = step.state().clone();
                    passed.states.push(state.clone());
                    passed.statuses.push(*step.status());
                }
                Err(error) => {
                    self.failed_steps += 1;
                    return Err(format!("step {}: {error}", self.steps).into());
                }
            }
            self.steps += 1;
            self.step_time = total / self.steps as u32;
        }
        let page = format!("robots_on_ground_{}.html", self.place);
        let scene = passed.scene(system)?.titled(self.name.as_str());
        scene.save(out.join(&page))?;
        self.page = Some(page);
        let tree = system.system().tree();
        let mut at_end = tree.workspace();
        tree.set_positions(&mut at_end, state.q.as_slice())?;
        let model = system.system().contact();
        self.contacts = model.contacts(tree, &at_end, 0.0)?.len();
        self.lowest = f64::INFINITY;
        for geometry in model
            .geometries()
            .iter()
            .filter(|g| g.shape != Shape::HalfSpace)
        {
            let pose = tree.body_pose(&at_end, geometry.body)? * geometry.pose_in_body;
            let ground = RigidTransform::identity();
            let height = signed_distance(&geometry.shape, &pose, &Shape::HalfSpace, &ground)?;
            self.lowest = self.lowest.min(height);
        }
        Ok(())
    }

    fn row(&self) -> String {
        let lowest = match self.lowest.is_finite() {
            true => format!("{:.2}", 1e3 * self.lowest),
            false => "–".to_owned(),
        };
        let time = self.step_time.as_secs_f64() * 1e6;
        let mut remarks: Vec<String> = self.failure.iter().cloned().collect();
        if self.missing_meshes > 0 {
            remarks.push(format!("{} meshes not found", self.missing_meshes));
        }
        format!(
            "| {} | {} | {} | {} | {} | {} | {} | {lowest} | {time:.0} | {} |",
            self.name,
            self.home.as_deref().unwrap_or("neutral"),
            self.bodies,
            self.shapes,
            self.hull_vertices,
            self.pairs,
            self.contacts,
            remarks.join("; ")
        )
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "name": self.name,
            "loaded": self.is_loaded,
            "home_configuration": self.home,
            "bodies": self.bodies,
            "shapes": self.shapes,
            "meshes_not_found": self.missing_meshes,
            "hull_vertices": self.hull_vertices,
            "pairs": self.pairs,
            "contacts_at_end": self.contacts,
            "steps": self.steps,
            "failed_steps": self.failed_steps,
            "step_time_us": self.step_time.as_secs_f64() * 1e6,
            "lowest_point_m": if self.lowest.is_finite() { Some(self.lowest) } else { None },
            "error": self.failure,
        })
    }
}

/// The robot with damped joints. Where a joint follows one that is not there, all joints are independent.
fn load(
    name: &str,
    description: &Path,
    folder: &Path,
) -> Result<(RigidBodyTree<f64>, UrdfModel<f64>), Failure> {
    let reader = UrdfReader::new()
        .with_model_name(name)
        .with_mesh_folder(folder);
    let mut builder = RigidBodyTreeBuilder::new();
    let model = match reader.read_file(description, &mut builder) {
        Ok(model) => model,
        Err(error) => reader
            .with_mimic(UrdfMimic::Independent)
            .read_file(description, &mut builder)
            .map_err(|_| error)?,
    };
    let kinds = builder.clone().finish()?;
    for &joint in &model.joints {
        let (value, number) = match kinds.joint(joint)?.kind() {
            JointKind::Prismatic { .. } => (10.0, 1),
            kind => (1.0, kind.num_velocities()),
        };
        if number > 0 && kinds.joint(joint)?.mimic().is_none() {
            builder.set_damping(joint, &vec![value; number])?;
        }
    }
    Ok((builder.finish()?, model))
}
