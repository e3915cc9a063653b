//! A robot that is put on the ground.

use super::Ground;
use super::home::home;
use dualbody::Error;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::{Shape, signed_distance};
use dualbody::io::urdf::{UrdfMimic, UrdfModel, UrdfReader};
use dualbody::math::RigidTransform;
use dualbody::nalgebra::Vector3;
use dualbody::system::{Rollout, State, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// In s.
const TIME_STEP: f64 = 1e-3;
/// The damping of joints that turn and of those that slide, in N m s/rad and N s/m.
const DAMPING: [f64; 2] = [1.0, 10.0];

/// What became of a robot.
#[derive(Debug, Default)]
pub struct Robot {
    /// That of its file.
    pub name: String,
    /// Where the description is in the folder, as one word.
    place: String,
    is_loaded: bool,
    /// The state of the semantic description from which it starts.
    pub home: Option<String>,
    /// How many bodies.
    pub bodies: usize,
    /// How many collision geometries.
    pub shapes: usize,
    /// Meshes that are not where they should be.
    pub missing_meshes: usize,
    /// Of all meshes.
    pub hull_vertices: usize,
    /// How many pairs of shapes can touch.
    pub pairs: usize,
    /// How many contact points at the end.
    pub contacts: usize,
    steps: usize,
    /// Mean of the steps that succeeded.
    pub step_time: Duration,
    /// Height of the lowest point at the end, in m; infinite if nothing can touch.
    pub lowest: f64,
    /// What went wrong.
    pub failure: Option<String>,
    /// The file that shows it.
    pub page: Option<String>,
}

impl Robot {
    /// Puts the robot of a description on the ground.
    pub fn on_ground(description: &Path, options: &Ground) -> Self {
        let word = |part: &std::ffi::OsStr| part.to_string_lossy().into_owned();
        let place = description
            .strip_prefix(&options.folder)
            .unwrap_or(description);
        let place: Vec<String> = place.with_extension("").iter().map(word).collect();
        let mut robot = Robot {
            name: word(description.file_stem().unwrap_or_default()),
            place: place.join("_"),
            lowest: f64::INFINITY,
            ..Robot::default()
        };
        robot.failure = robot
            .put(description, options)
            .err()
            .map(|error| error.to_string());
        robot
    }

    fn put(&mut self, description: &Path, options: &Ground) -> Result<(), Error> {
        let (tree, model) = load(&self.name, description, &options.folder)?;
        self.is_loaded = true;
        self.bodies = model.bodies.len();
        self.shapes = model.collision_geometries.len();
        let meshes = &model.report.meshes;
        self.missing_meshes = meshes.iter().filter(|mesh| mesh.hull.is_none()).count();
        self.hull_vertices = meshes
            .iter()
            .flat_map(|mesh| &mesh.hull)
            .map(|hull| hull.vertices)
            .sum();

        let mut placed = tree.workspace();
        let home = home(description, &options.folder, &tree, &model);
        tree.set_positions(&mut placed, &home.q)?;
        self.home = home.name;
        let mut contact = ContactModelBuilder::new();
        let mut lowest = f64::INFINITY;
        for geometry in &model.collision_geometries {
            let pose = tree.body_pose(&placed, geometry.body)? * geometry.pose_in_body;
            lowest = lowest.min(height(&geometry.shape, &pose)?);
            contact.add_geometry(geometry.clone())?;
        }
        if options.all_pairs {
            contact.exclude_overlapping(&tree, &placed)?;
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
        let above = tree.body_pose(&placed, model.root)?.translation.z - lowest;
        let system = TimeSteppingRigidBodySystem::new(tree, contact, TIME_STEP)?;
        let mut state = system.initial_state();
        state.q.copy_from_slice(&home.q);
        if model.root != BodyIndex::WORLD {
            let above = if above.is_finite() { above } else { 0.0 };
            system.set_body_position(&mut state, &root, Vector3::new(0.0, 0.0, above))?;
        }
        self.fall(&system, state, options)
    }

    fn fall(
        &mut self,
        system: &TimeSteppingRigidBodySystem<f64>,
        start: State<f64>,
        options: &Ground,
    ) -> Result<(), Error> {
        let mut workspace = system.workspace()?;
        let begin = Instant::now();
        let steps = options.steps as usize;
        let rollout = system.rollout_with(&mut workspace, &start, steps, |_, _, _| {});
        self.steps = rollout.statuses.len();
        self.step_time = begin.elapsed() / self.steps.max(1) as u32;
        let rollout = rollout.completed()?;
        if let Some(out) = &options.out {
            self.page = Some(self.show(&rollout, system, out)?);
        }
        let (tree, model) = (system.tree(), system.contact());
        let mut placed = tree.workspace();
        tree.set_positions(&mut placed, rollout.last().q.as_slice())?;
        self.contacts = model.contacts(tree, &placed, 0.0)?.len();
        for geometry in model
            .geometries()
            .iter()
            .filter(|g| g.shape != Shape::HalfSpace)
        {
            let pose = tree.body_pose(&placed, geometry.body)? * geometry.pose_in_body;
            self.lowest = self.lowest.min(height(&geometry.shape, &pose)?);
        }
        Ok(())
    }

    fn show(
        &self,
        rollout: &Rollout<f64>,
        system: &TimeSteppingRigidBodySystem<f64>,
        out: &Path,
    ) -> Result<String, Error> {
        let page = format!("{}.html", self.place);
        let scene = rollout.scene(system)?.titled(self.name.as_str());
        scene.save(out.join(&page))?;
        Ok(page)
    }

    /// For programs.
    pub fn json(&self) -> Value {
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
            "step_time_us": self.step_time.as_secs_f64() * 1e6,
            "lowest_point_m": if self.lowest.is_finite() { Some(self.lowest) } else { None },
            "error": self.failure,
        })
    }
}

/// Of the lowest point of a shape, in m.
fn height(shape: &Shape<f64>, pose: &RigidTransform<f64>) -> Result<f64, Error> {
    Ok(signed_distance(
        shape,
        pose,
        &Shape::HalfSpace,
        &RigidTransform::identity(),
    )?)
}

/// The robot with damped joints. Where a joint follows one that is not there, all joints are independent.
fn load(
    name: &str,
    description: &Path,
    folder: &Path,
) -> Result<(RigidBodyTree<f64>, UrdfModel<f64>), Error> {
    let reader = UrdfReader::new()
        .with_model_name(name)
        .with_mesh_folder(folder);
    let mut builder = RigidBodyTreeBuilder::new();
    let model = match reader.read_file(description, &mut builder) {
        Ok(model) => model,
        Err(error) => {
            let independent = reader.with_mimic(UrdfMimic::Independent);
            independent
                .read_file(description, &mut builder)
                .map_err(|_| error)?
        }
    };
    let tree = builder.clone().finish()?;
    for &index in &model.joints {
        let joint = tree.joint(index)?;
        let value = match joint.kind() {
            JointKind::Prismatic { .. } => DAMPING[1],
            _ => DAMPING[0],
        };
        if joint.num_velocities() > 0 && joint.mimic().is_none() {
            builder.set_damping(index, &vec![value; joint.num_velocities()])?;
        }
    }
    Ok((builder.finish()?, model))
}
