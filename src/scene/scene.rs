//! A scene: bodies, motions, arrows, charts.

use super::arrows::Arrows;
use super::events::Event;
use super::mesh::Mesh;
use super::model::{
    Body, Meshes, PlacedFrame, PlacedMesh, bodies, body_in_scene, bone, mesh_of, pose, stand_in,
};
use super::motion::{Motion, Role, frames, poses, real};
use super::symbols::{Symbol, symbols};
use crate::Scalar;
use crate::geometry::Shape;
use crate::math::RigidTransform;
use crate::plot::Chart;
use crate::spelling::nearest_paths;
use crate::system::{RigidBodySystem, State, SystemError};
use crate::tree::TreeError;
use std::time::Duration;

/// The name of the body that does not move.
const WORLD: &str = "world";

/// Bodies in motion, with what belongs to them: forces, kinks, other motions, charts.
///
/// It is made by [`Rollout::scene`](crate::system::Rollout::scene),
/// [`Recording::scene`](crate::system::Recording::scene) or [`Scene::of_states`], and written by
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
    /// Of elements, on the bodies of the first motion.
    pub(super) symbols: Vec<Symbol>,
    /// The first is what the scene is about; its bodies come first.
    pub(super) motions: Vec<Motion>,
    /// Vectors, each kind with the motion whose frames they belong to.
    pub(super) arrows: Vec<(usize, Arrows)>,
    pub(super) events: Vec<Event>,
    pub(super) charts: Vec<Chart>,
    pub(super) refresh: Option<Duration>,
}

impl Scene {
    /// Bodies in the given states, whose times increase. Of duals, only real parts count.
    ///
    /// A body without geometry is drawn as the box, or ball of the density of water, that has its mass
    /// properties, with rods to its centre of mass and to the joints that it carries; a geometry that is
    /// away from the origin of its body hangs on a rod.
    ///
    /// # Errors
    /// [`SystemError::Invalid`] without states, for times that are not finite or do not increase, and for bodies
    /// further than 1e18 m away;
    /// [`SystemError::Tree`] for a state that does not fit the tree.
    pub fn of_states<T: Scalar>(
        system: &RigidBodySystem<T>,
        states: &[State<T>],
    ) -> Result<Self, SystemError> {
        let chosen = frames(states)?;
        Self::at_frames(system, states, &chosen)
    }

    pub(super) fn at_frames<T: Scalar>(
        system: &RigidBodySystem<T>,
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
            symbols: symbols(system)?,
            motions: vec![Motion {
                name: "simulated".to_owned(),
                role: Role::Main,
                times: chosen.iter().map(|&k| states[k].time.re()).collect(),
                poses: poses(system.tree(), states, chosen, real)?,
            }],
            arrows: Vec::new(),
            events: Vec::new(),
            charts: Vec::new(),
            refresh: None,
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
        for body in tree.bodies().skip(1) {
            let index = body.index();
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
            .map(|frame| PlacedFrame {
                name: frame.name().to_owned(),
                body: body_in_scene(frame.body(), 0),
                pose: pose(frame.pose_in_body()),
            })
            .collect();
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

    /// Makes a page that reads itself anew so often, to watch what a program that still runs has come to:
    /// it saves the scene under the same path now and then, and at its end without this. The page keeps
    /// the time, or its end, and the view.
    ///
    /// ```
    /// use dualbody::prelude::*;
    /// use std::time::Duration;
    ///
    /// let rubber = ContactMaterial::new(1e4, 0.2, 0.8)?;
    /// let system = SystemBuilder::new()
    ///     .floor("floor", rubber)
    ///     .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber)
    ///     .compliant(1e-3)?;
    /// # let folder = std::env::temp_dir().join(format!("dualbody_live_{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let page = folder.join("ball.html");
    /// let mut rollout = system.rollout(&system.initial_state(), 100)?;
    /// for _ in 0..3 {
    ///     rollout.scene(&system)?.live(Duration::from_secs(1)).save(&page)?;
    ///     let next = system.rollout(rollout.last(), 100)?;
    ///     rollout.states.extend(next.states.into_iter().skip(1));
    ///     rollout.inputs.extend(next.inputs);
    /// }
    /// rollout.scene(&system)?.save(&page)?;
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn live(mut self, every: Duration) -> Self {
        self.refresh = Some(every);
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
                nearest: nearest_paths(self.bodies.iter().map(|b| b.name.as_str()), body),
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

    /// Adds a chart; if its abscissa is `time [s]`, it moves with the picture.
    pub fn with_chart(mut self, chart: Chart) -> Self {
        self.charts.push(chart);
        self
    }

    /// Leaves out the charts whose titles begin so, where others show the same better.
    pub fn without_charts(mut self, titles: &str) -> Self {
        self.charts.retain(|chart| !chart.title.starts_with(titles));
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
