//! What is shown.

use super::arrows::Arrows;
use super::events::Event;
use super::forces::step_forces;
use super::mesh::Mesh;
use super::model::{
    Body, Meshes, PlacedFrame, PlacedMesh, bodies, body_in_scene, bone, mesh_of, pose, stand_in,
};
use super::motion::{Motion, Role, frames, moved, poses, real};
use crate::geometry::Shape;
use crate::math::RigidTransform;
use crate::plot::Chart;
use crate::system::{
    Elements, Recording, RigidBodySystem, Rollout, State, SystemError, TimeSteppingRigidBodySystem,
};
use crate::tree::TreeError;
use crate::{InvalidInput, Scalar};
use nalgebra::{DVector, Vector3};
use num_dual::Dual64;

/// The name of the body that does not move.
const WORLD: &str = "world";

/// Bodies in motion, with what belongs to them: forces, kinks, other motions, charts.
///
/// It is made by [`Rollout::scene`], [`Recording::scene`] or [`Scene::of_states`], and written by
/// [`Self::save`], [`Self::save_glb`] and [`Self::save_csv`]. A motion is shown at 60 frames per second of
/// its time, with at least 300 frames if there are so many states, and at most 3000.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    pub(super) title: String,
    pub(super) about: String,
    pub(super) bodies: Vec<Body>,
    pub(super) meshes: Meshes,
    pub(super) placed: Vec<PlacedMesh>,
    pub(super) frames: Vec<PlacedFrame>,
    /// The first is what the scene is about; its bodies come first.
    pub(super) motions: Vec<Motion>,
    /// Vectors, each kind with the motion whose frames they belong to.
    pub(super) arrows: Vec<(usize, Arrows)>,
    pub(super) events: Vec<Event>,
    pub(super) charts: Vec<Chart>,
}

impl Scene {
    /// Bodies in the given states, whose times increase. Of duals, only real parts count.
    ///
    /// A body without geometry is drawn as the box, or ball of the density of water, that has its mass
    /// properties, with rods to its centre of mass and to the joints that it carries; a geometry that is
    /// away from the origin of its body hangs on a rod.
    ///
    /// # Errors
    /// [`SystemError::Invalid`] without states, or for times that are not finite or do not increase;
    /// [`SystemError::Tree`] for a state that does not fit the tree.
    pub fn of_states<T: Scalar, E: Elements<T>>(
        system: &RigidBodySystem<T, E>,
        states: &[State<T>],
    ) -> Result<Self, SystemError> {
        let chosen = frames(states)?;
        Self::at_frames(system, states, &chosen)
    }

    fn at_frames<T: Scalar, E: Elements<T>>(
        system: &RigidBodySystem<T, E>,
        states: &[State<T>],
        chosen: &[usize],
    ) -> Result<Self, SystemError> {
        let tree = system.tree().cast::<f64>();
        let mut scene = Scene {
            title: String::new(),
            about: String::new(),
            bodies: bodies(&tree, 0)?,
            meshes: Vec::new(),
            placed: Vec::new(),
            frames: Vec::new(),
            motions: vec![Motion {
                name: "simulated".to_owned(),
                role: Role::Main,
                times: chosen.iter().map(|&k| states[k].time.re()).collect(),
                poses: poses(system.tree(), states, chosen, real)?,
            }],
            arrows: Vec::new(),
            events: Vec::new(),
            charts: Vec::new(),
        };
        for geometry in system.contact().geometries() {
            let geometry = geometry.cast::<f64>();
            let body = body_in_scene(geometry.body, 0);
            let mesh = scene.place(geometry.name, body, &geometry.shape, &geometry.pose_in_body);
            // A foot hangs on its leg.
            let center = geometry.pose_in_body.translation;
            let reach = mesh.map_or(f64::INFINITY, |mesh| scene.meshes[mesh].1.radius());
            if body.is_some() && center.norm() > reach {
                let name = tree.body(geometry.body)?.name();
                scene.place_mesh(name, body, bone(&center));
            }
        }
        for (index, body) in tree.bodies().skip(1) {
            let place = body_in_scene(index, 0);
            if scene.placed.iter().any(|p| p.body == place) {
                continue;
            }
            let mesh = stand_in(&tree, index)?;
            if mesh != Mesh::default() {
                scene.place_mesh(body.name(), place, mesh);
            }
        }
        scene.frames = (tree.frames())
            .map(|(_, frame)| PlacedFrame {
                name: frame.name().to_owned(),
                body: body_in_scene(frame.body(), 0),
                pose: pose(frame.pose_in_body()),
            })
            .collect();
        Ok(scene)
    }

    /// With forces, kinks and energies of the steps from states with inputs.
    fn of_steps<E: Elements<f64>>(
        system: &TimeSteppingRigidBodySystem<f64, E>,
        states: &[State<f64>],
        inputs: &[&[f64]],
    ) -> Result<Self, SystemError> {
        let chosen = frames(states)?;
        let mut scene = Self::at_frames(system, states, &chosen)?;
        let forces = step_forces(system, states, inputs, &chosen)?;
        let arrows = [forces.contact, forces.constraints].into_iter();
        let arrows = arrows.chain(forces.elements);
        scene.arrows = (arrows.filter(|a| !a.is_empty())).map(|a| (0, a)).collect();
        scene.events = forces.events;
        scene.charts = forces.charts;
        Ok(scene)
    }

    /// Sets what is written above the picture.
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Sets a sentence or two that say what there is to see.
    pub fn about(mut self, text: impl Into<String>) -> Self {
        self.about = text.into();
        self
    }

    /// Draws the motion of another scene with this one, translucent and under a name: an earlier throw,
    /// what was measured. Of its forces, events and charts nothing is taken.
    pub fn with_ghost(mut self, name: impl Into<String>, other: Scene) -> Self {
        let name = name.into();
        let (first_body, first_motion) = (self.bodies.len(), self.motions.len());
        let count = other.motions.len();
        self.bodies
            .extend(other.bodies.into_iter().map(|body| Body {
                motion: first_motion + body.motion,
                ..body
            }));
        for item in other.placed {
            let Some(body) = item.body else { continue };
            let mesh = item.mesh.map(|index| self.take_mesh(&other.meshes[index]));
            self.placed.push(PlacedMesh {
                body: Some(first_body + body),
                mesh,
                ..item
            });
        }
        for motion in other.motions {
            let name = match count {
                1 => name.clone(),
                _ => format!("{name}: {}", motion.name),
            };
            let role = Role::Ghost;
            self.motions.push(Motion {
                name,
                role,
                ..motion
            });
        }
        self
    }

    /// Shows a derivative: of a rollout in [`Dual64`], where the bodies would be if what it was
    /// differentiated with respect to changed by ± `amount`, to first order, as two ghosts; and at each
    /// body an arrow along which it would move, as long as that displacement. `name` says what it is; each ghost
    /// has its own sign in place of a ±.
    ///
    /// ```
    /// use dualbody::num_dual::Dual64;
    /// use dualbody::prelude::*;
    ///
    /// let rubber = ContactMaterial::new(1e4, 0.2, 0.8)?;
    /// let system = SystemBuilder::new()
    ///     .floor("floor", rubber)
    ///     .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber)
    ///     .compliant(1e-3)?;
    /// let mut dual = system.cast::<Dual64>();
    /// dual.set_parameter("ball/mass", Dual64::new(0.2, 1.0))?;
    /// let mut start = dual.initial_state();
    /// start.q[6] = Dual64::from(0.1);
    /// let rollout = dual.rollout(&start, 300)?;
    /// let scene = rollout.scene(&dual)?.with_sensitivity("mass ± 0.1 kg", &dual, &rollout.states, 0.1)?;
    /// assert!(scene.html().contains("mass ± 0.1 kg"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::of_states`], and for an amount that is not finite.
    pub fn with_sensitivity<E: Elements<Dual64>>(
        mut self,
        name: impl Into<String>,
        system: &RigidBodySystem<Dual64, E>,
        states: &[State<Dual64>],
        amount: f64,
    ) -> Result<Self, SystemError> {
        let name = name.into();
        InvalidInput::check_finite("amount", &[amount])?;
        let chosen = frames(states)?;
        let still = Self::at_frames(system, states, &chosen)?;
        let mut arrows = Arrows::new(format!("displacement for {name}"), "m");
        arrows.scale = Some(1.0);
        let labels: Vec<usize> = (still.bodies.iter().map(|body| &body.name))
            .map(|body| arrows.label(body))
            .collect();
        let mut ghosts = [1.0, -1.0].map(|sign| (sign, still.clone()));
        for (sign, ghost) in &mut ghosts {
            let along = |x: &RigidTransform<Dual64>| moved(x, *sign * amount);
            ghost.motions[0].poses = poses(system.tree(), states, &chosen, along)?;
        }
        let point = |p: &[f32; 7]| Vector3::new(p[0], p[1], p[2]).map(f64::from);
        let ahead = &ghosts[0].1.motions[0].poses;
        for (here, there) in still.motions[0].poses.iter().zip(ahead) {
            arrows.frames.push(Vec::new());
            for ((here, there), &label) in here.iter().zip(there).zip(&labels) {
                let (from, to) = (point(here), point(there));
                arrows.add(label, &from, &(to - from));
            }
        }
        self.arrows.push((self.motions.len(), arrows));
        for (sign, ghost) in ghosts {
            let sign = if sign > 0.0 { "+" } else { "−" };
            let name = match name.contains('±') {
                true => name.replace('±', sign),
                false => format!("{name} {sign}"),
            };
            self = self.with_ghost(name, ghost);
        }
        Ok(self)
    }

    /// Draws a shape on a body of the first motion, or on `"world"`, for the eye only; bodies that
    /// geometries show need none. What stood for a body without geometry goes.
    ///
    /// # Errors
    /// [`SystemError::Invalid`] for dimensions that make no sense; [`SystemError::Tree`] when no
    /// body has the name.
    pub fn with_shape(
        mut self,
        body: &str,
        shape: &Shape<f64>,
        pose_in_body: &RigidTransform<f64>,
    ) -> Result<Self, SystemError> {
        shape.validate()?;
        let index = self.bodies.iter().position(|b| b.name == body);
        if index.is_none() && body != WORLD {
            return Err(TreeError::UnknownName {
                element: "body",
                name: body.to_owned(),
            }
            .into());
        }
        let is_stand_in = |item: &PlacedMesh| match item.mesh {
            Some(mesh) => item.body == index && self.meshes[mesh].0.is_none(),
            None => false,
        };
        self.placed.retain(|item| !is_stand_in(item));
        self.place(body.to_owned(), index, shape, pose_in_body);
        Ok(self)
    }

    /// Adds a chart over the time in s, which moves with the picture.
    pub fn with_chart(mut self, chart: Chart) -> Self {
        self.charts.push(chart);
        self
    }

    /// Marks a time in s, with what happens there.
    pub fn with_event(mut self, time: f64, text: impl Into<String>) -> Self {
        self.events.push(Event {
            time,
            text: text.into(),
            kind: "note",
        });
        self
    }

    fn place(
        &mut self,
        name: String,
        body: Option<usize>,
        shape: &Shape<f64>,
        at: &RigidTransform<f64>,
    ) -> Option<usize> {
        let mesh = mesh_of(shape, &mut self.meshes);
        let pose = pose(at);
        self.placed.push(PlacedMesh {
            name,
            body,
            pose,
            mesh,
        });
        mesh
    }

    /// Places a mesh that no shape stands behind.
    fn place_mesh(&mut self, name: &str, body: Option<usize>, mesh: Mesh) {
        self.meshes.push((None, mesh));
        self.placed.push(PlacedMesh {
            name: name.to_owned(),
            body,
            pose: pose(&RigidTransform::identity()),
            mesh: Some(self.meshes.len() - 1),
        });
    }

    /// The index of a mesh of another scene, which is copied when it is not here yet.
    fn take_mesh(&mut self, mesh: &(Option<Shape<f64>>, Mesh)) -> usize {
        let known = self.meshes.iter().position(|known| known == mesh);
        known.unwrap_or_else(|| {
            self.meshes.push(mesh.clone());
            self.meshes.len() - 1
        })
    }
}

impl<T: Scalar> Rollout<T> {
    /// What it looks like, with contact forces, forces of elements, kinks and energies: the steps are
    /// made again in `f64`, which gives the same bits.
    ///
    /// ```
    /// use dualbody::prelude::*;
    ///
    /// let rubber = ContactMaterial::new(1e4, 0.2, 0.8)?;
    /// let system = SystemBuilder::new()
    ///     .floor("floor", rubber)
    ///     .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber)
    ///     .compliant(1e-3)?;
    /// let mut start = system.initial_state();
    /// system.set_body_position(&mut start, "ball", vector![0.0, 0.0, 0.3])?;
    /// let path = std::env::temp_dir().join("dualbody_ball.html");
    /// system.rollout(&start, 1000)?.scene(&system)?.save(&path)?;
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Scene::of_states`], and when a step fails, which happens with another system only.
    pub fn scene<E: Elements<T>>(
        &self,
        system: &TimeSteppingRigidBodySystem<T, E>,
    ) -> Result<Scene, SystemError> {
        let states: Vec<State<f64>> = self.states.iter().map(State::cast).collect();
        let real = |input: &Vec<T>| input.iter().map(|u| u.re()).collect();
        let inputs: Vec<Vec<f64>> = self.inputs.iter().map(real).collect();
        let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
        Scene::of_steps(&system.cast::<f64>(), &states, &inputs)
    }
}

impl Recording {
    /// What it looks like, as [`Rollout::scene`], with charts of the inputs and outputs.
    ///
    /// # Errors
    /// As [`Rollout::scene`], and when it is a recording of another system.
    pub fn scene<E: Elements<f64>>(
        &self,
        system: &TimeSteppingRigidBodySystem<f64, E>,
    ) -> Result<Scene, SystemError> {
        let start = system.initial_state();
        let sizes = [&start.q, &start.v, &start.actuators, &start.sensors].map(|x| x.len());
        let num_states: usize = 1 + sizes.iter().sum::<usize>();
        let num_signals = num_states + system.num_inputs() + system.num_outputs();
        InvalidInput::check_size(
            "columns of the recording",
            self.columns().len().min(num_signals),
            num_signals,
        )?;
        let (mut states, mut inputs) = (Vec::new(), Vec::new());
        for row in self.rows() {
            let mut rest = &row[1..];
            let [q, v, actuators, sensors] = sizes.map(|size| {
                let (part, after) = rest.split_at(size);
                rest = after;
                DVector::from_column_slice(part)
            });
            states.push(State {
                time: row[0],
                q,
                v,
                actuators,
                sensors,
            });
            inputs.push(&row[num_states..num_states + system.num_inputs()]);
        }
        let mut scene = Scene::of_steps(system, &states, &inputs)?;
        let inputs = (num_states, system.input_names());
        let outputs = (num_states + system.num_inputs(), system.output_names());
        for (title, (first, names)) in [("Inputs", inputs), ("Outputs", outputs)] {
            scene.charts.extend(self.signal_chart(title, first, names));
        }
        Ok(scene)
    }

    /// A chart of columns, if there are any and not too many to be told apart.
    fn signal_chart(&self, title: &str, first: usize, names: Vec<String>) -> Option<Chart> {
        if names.is_empty() || names.len() > 8 {
            return None;
        }
        let chart = Chart::new(title, "time [s]", "");
        let stride = self.rows().len().div_ceil(2000).max(1);
        let columns = names.into_iter().enumerate();
        Some(columns.fold(chart, |chart, (k, name)| {
            let rows = self.rows().iter().step_by(stride);
            let points = rows.map(|row| (row[0], row[first + k])).collect();
            chart.with(name, crate::plot::Mark::Line, points)
        }))
    }
}
