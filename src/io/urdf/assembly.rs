//! URDF: building a tree from links and joints.

use super::circle::{check_mimics, circle};
use super::error::{UrdfError, UrdfProblem};
use super::joint::{self, Joint, Limits, Mimic};
use super::link::{self, Geometry};
use super::meshes::MeshFiles;
use super::model::{UrdfBase, UrdfMimic, UrdfMistakes, UrdfModel};
use super::node::Node;
use super::report::{UrdfMesh, UrdfRepair, UrdfReport};
use super::schema;
use crate::Scalar;
use crate::contact::{CollisionGeometry, ContactMaterial};
use crate::io::body_inertia::add_described_body;
use crate::io::hulls::part_names;
use crate::io::unique_names::UniqueNames;
use crate::math::{RigidTransform, SpatialInertia};
use crate::spelling::nearest;
use crate::tree::{self, BodyIndex, JointIndex, JointKind, RigidBodyTreeBuilder, TreeError};
use std::collections::{HashMap, HashSet};

/// A description on its way into a tree.
pub(super) struct Assembly<'b, 'a, T> {
    builder: &'b mut RigidBodyTreeBuilder<T>,
    material: ContactMaterial<f64>,
    meshes: MeshFiles,
    mistakes: UrdfMistakes,
    links: HashMap<&'a str, BodyIndex>,
    joints: HashMap<&'a str, JointIndex>,
    geometry_names: UniqueNames,
    model: UrdfModel<T>,
}

impl<'b, 'a, T: Scalar> Assembly<'b, 'a, T> {
    pub fn new(
        builder: &'b mut RigidBodyTreeBuilder<T>,
        name: &str,
        material: ContactMaterial<f64>,
        meshes: MeshFiles,
    ) -> Self {
        Assembly {
            builder,
            material,
            meshes,
            mistakes: UrdfMistakes::default(),
            links: HashMap::new(),
            joints: HashMap::new(),
            geometry_names: UniqueNames::default(),
            model: UrdfModel {
                name: name.to_owned(),
                root: BodyIndex::WORLD,
                bodies: Vec::new(),
                joints: Vec::new(),
                collision_geometries: Vec::new(),
                report: UrdfReport::default(),
            },
        }
    }

    /// Lists what has been mended, and takes over what becomes of further mistakes.
    pub fn take_repairs(&mut self, mistakes: UrdfMistakes, repairs: Vec<UrdfRepair>) {
        self.mistakes = mistakes;
        self.model.report.repairs = repairs;
    }

    pub fn assemble(
        mut self,
        robot: &Node<'a>,
        base: UrdfBase,
        mimic: UrdfMimic,
    ) -> Result<UrdfModel<T>, UrdfError> {
        schema::survey(robot, &mut self.model.report)?;
        let root = root(robot)?;
        let root_is_world = root == "world" && base != UrdfBase::Floating;
        for link in robot.children("link") {
            let is_world = root_is_world && link.attribute("name") == Some("world");
            self.add_link(&link, is_world)?;
        }
        let mut mimics = Vec::new();
        for node in robot.children("joint") {
            let joint = joint::joint(&node)?;
            let index = self.add_joint(&node, &joint)?;
            match joint.mimic {
                Some(_) if joint.kind == JointKind::Fixed => {
                    self.model.report.skip("fixed joint", "mimic");
                }
                Some(mimic) => mimics.push((node, index, mimic)),
                None => {}
            }
        }
        for (node, index, followed) in &mimics {
            self.follow(node, *index, followed, mimic)?;
        }
        if mimic == UrdfMimic::Coupled {
            check_mimics(&mimics)?;
        }
        self.check_loops(robot)?;
        self.model.root = self.link(robot, root)?;
        if base == UrdfBase::Fixed && !root_is_world {
            self.fix_root(robot, root)?;
        } else if !root_is_world {
            self.model.report.is_untouchable = self.model.collision_geometries.is_empty();
        }
        Ok(self.model)
    }

    fn add_link(&mut self, node: &Node<'a>, is_world: bool) -> Result<(), UrdfError> {
        let name = node.name()?;
        let full_name = self.full_name(name);
        let inertia = link::inertia(node)?;
        let body = if is_world {
            if inertia.is_some() {
                self.model.report.skip("link", "inertial");
            }
            BodyIndex::WORLD
        } else {
            self.add_body(node, &full_name, inertia)?
        };
        self.links.insert(name, body);
        self.model.bodies.push(body);
        for collision in node.children("collision") {
            self.add_collision(&collision, &full_name, body)?;
        }
        Ok(())
    }

    fn add_body(
        &mut self,
        node: &Node<'a>,
        name: &str,
        inertia: Option<SpatialInertia<f64>>,
    ) -> Result<BodyIndex, UrdfError> {
        let report = &mut self.model.report;
        let inertia = inertia.unwrap_or_else(|| {
            report.without_inertia.push(name.to_owned());
            SpatialInertia::zero()
        });
        let added = add_described_body(self.builder, name, &inertia);
        let (body, implausible) = added.map_err(|e| node.error(e))?;
        (report.implausible_inertia).extend(implausible.map(|reason| (name.to_owned(), reason)));
        Ok(body)
    }

    fn add_collision(
        &mut self,
        node: &Node<'a>,
        body_name: &str,
        body: BodyIndex,
    ) -> Result<(), UrdfError> {
        let collision = link::collision(node)?;
        let shapes = match collision.geometry {
            Geometry::Shape(shape) => vec![shape],
            Geometry::Mesh { file_name, scale } => {
                let found = match self.meshes.hulls(&file_name, &scale) {
                    Err(message) if self.mistakes == UrdfMistakes::Repaired => {
                        self.model.report.repairs.push(UrdfRepair {
                            place: node.place(),
                            action: format!("{message}: left out"),
                        });
                        None
                    }
                    found => found.map_err(|message| node.error(UrdfProblem::Mesh { message }))?,
                };
                let (shapes, hull) = found.unzip();
                self.model.report.meshes.push(UrdfMesh {
                    body: body_name.to_owned(),
                    file_name,
                    scale,
                    hull,
                });
                match shapes {
                    Some(shapes) => shapes,
                    None => return Ok(()),
                }
            }
        };
        let name = collision.name.as_deref().unwrap_or("collision");
        let name = self.geometry_names.unique(&format!("{body_name}/{name}"));
        for (name, shape) in part_names(&name, shapes.len()).iter().zip(shapes) {
            self.model.collision_geometries.push(CollisionGeometry {
                name: name.clone(),
                body,
                pose_in_body: collision.pose.cast(),
                shape: shape.cast(),
                material: self.material.cast(),
            });
        }
        Ok(())
    }

    fn add_joint(&mut self, node: &Node<'a>, joint: &Joint<'a>) -> Result<JointIndex, UrdfError> {
        let name = node.name()?;
        let full_name = self.full_name(name);
        let (parent, child) = (
            self.link(node, joint.parent)?,
            self.link(node, joint.child)?,
        );
        if self.joints.contains_key(name) {
            let (elements, name) = ("joints", name.to_owned());
            return Err(node.error(UrdfProblem::DuplicateName { elements, name }));
        }
        let pose = joint.pose.cast();
        let index = (self.builder)
            .add_joint(&full_name, joint.kind.cast(), parent, pose, child)
            .map_err(|e| node.error(e))?;
        self.joints.insert(name, index);
        self.model.joints.push(index);
        self.set_dynamics(node, &full_name, index, joint)?;
        self.set_limits(node, full_name, index, joint)?;
        Ok(index)
    }

    fn set_dynamics(
        &mut self,
        node: &Node<'a>,
        name: &str,
        index: JointIndex,
        joint: &Joint<'a>,
    ) -> Result<(), UrdfError> {
        let dofs = joint.kind.num_velocities();
        if dofs == 0 {
            if joint.damping != 0.0 || joint.friction != 0.0 {
                self.model.report.skip("fixed joint", "dynamics");
            }
            return Ok(());
        }
        let (builder, report) = (&mut *self.builder, &mut self.model.report);
        let values = |value| vec![T::from(value); dofs];
        builder
            .set_damping(index, &values(joint.damping))
            .map_err(|e| node.error(e))?;
        builder
            .set_friction(index, &values(joint.friction))
            .map_err(|e| node.error(e))?;
        if joint.damping != 0.0 {
            report.damping.push(name.to_owned());
        }
        if joint.friction != 0.0 {
            report.friction.push(name.to_owned());
        }
        Ok(())
    }

    fn set_limits(
        &mut self,
        node: &Node<'a>,
        name: String,
        index: JointIndex,
        joint: &Joint<'a>,
    ) -> Result<(), UrdfError> {
        let (builder, report) = (&mut *self.builder, &mut self.model.report);
        let is_bounded = joint::is_bounded(&joint.kind);
        let Some(limits) = &joint.limits else {
            if is_bounded {
                report.without_limits.push(name);
            }
            return Ok(());
        };
        if joint.kind.num_velocities() != 1 {
            report.skip("joint without an axis", "limit");
            return Ok(());
        }
        let &Limits {
            lower,
            upper,
            velocity,
            effort,
        } = limits;
        let located = |e| node.error(UrdfProblem::Tree(e));
        if is_bounded {
            let (low, high) = ([T::from(lower)], [T::from(upper)]);
            (builder.set_position_limits(index, &low, &high)).map_err(located)?;
            if lower.is_finite() || upper.is_finite() {
                report.position_limits.push(name.clone());
            }
        }
        (builder.set_velocity_limits(index, &[T::from(velocity)])).map_err(located)?;
        if velocity.is_finite() {
            report.velocity_limits.push(name.clone());
        }
        (builder.set_effort_limits(index, &[T::from(effort)])).map_err(located)?;
        if effort.is_finite() {
            report.effort_limits.push(name);
        }
        Ok(())
    }

    fn follow(
        &mut self,
        node: &Node<'a>,
        index: JointIndex,
        mimic: &Mimic<'a>,
        treatment: UrdfMimic,
    ) -> Result<(), UrdfError> {
        let name = node.name()?;
        let names = (self.full_name(name), self.full_name(mimic.joint));
        let report = &mut self.model.report;
        if treatment == UrdfMimic::Independent {
            report.independent_mimics.push(names);
            return Ok(());
        }
        report.coupled_mimics.push(names);
        let Some(&joint) = self.joints.get(mimic.joint) else {
            return Err(unknown(node, "joint", mimic.joint, self.joints.keys()));
        };
        let mimic = tree::Mimic {
            joint,
            multiplier: T::from(mimic.multiplier),
            offset: T::from(mimic.offset),
        };
        (self.builder.set_mimic(index, mimic)).map_err(|e| node.error(e))
    }

    /// Checks that no links carry each other in a circle, apart from the root.
    fn check_loops(&self, robot: &Node<'a>) -> Result<(), UrdfError> {
        let mut carriers = HashMap::new();
        for node in robot.children("joint") {
            let end = |name| node.required_child(name)?.required_attribute("link");
            carriers.insert(end("child")?, end("parent")?);
        }
        let links = robot.children("link").filter_map(|l| l.attribute("name"));
        let Some(circle) = circle(&carriers, links) else {
            return Ok(());
        };
        let mut links = robot.children("link");
        let link = links.find(|link| link.attribute("name") == Some(circle[0]));
        let body = self.full_name(circle[0]);
        let place = link.as_ref().unwrap_or(robot);
        Err(place.error(TreeError::KinematicLoop { body }))
    }

    /// Welds the root to the world, by a joint with a name that no joint of the description has.
    fn fix_root(&mut self, robot: &Node<'a>, root: &str) -> Result<(), UrdfError> {
        let mut name = format!("world_to_{root}");
        while self.joints.contains_key(name.as_str()) {
            name.push('_');
        }
        let (name, kind) = (self.full_name(&name), JointKind::Fixed);
        let pose = RigidTransform::identity();
        let added = (self.builder).add_joint(&name, kind, BodyIndex::WORLD, pose, self.model.root);
        added.map(|_| ()).map_err(|e| robot.error(e))
    }

    fn link(&self, node: &Node<'a>, name: &str) -> Result<BodyIndex, UrdfError> {
        let link = self.links.get(name).copied();
        link.ok_or_else(|| unknown(node, "link", name, self.links.keys()))
    }

    fn full_name(&self, name: &str) -> String {
        match self.model.name.as_str() {
            "" => name.to_owned(),
            model => format!("{model}/{name}"),
        }
    }
}

/// The link that is not the child of any joint.
fn root<'a>(robot: &Node<'a>) -> Result<&'a str, UrdfError> {
    let mut names = HashSet::new();
    for link in robot.children("link") {
        let name = link.name()?;
        if !names.insert(name) {
            let (elements, name) = ("links", name.to_owned());
            return Err(link.error(UrdfProblem::DuplicateName { elements, name }));
        }
    }
    let mut children = HashSet::new();
    for joint in robot.children("joint") {
        for end in ["parent", "child"] {
            let name = joint.required_child(end)?.required_attribute("link")?;
            if !names.contains(name) {
                return Err(unknown(&joint, "link", name, &names));
            }
            if end == "child" {
                children.insert(name);
            }
        }
    }
    let mut root = None;
    for link in robot.children("link") {
        let name = link.name()?;
        if children.contains(name) {
            continue;
        }
        if let Some(first) = root.replace(name) {
            return Err(link.error(UrdfProblem::SeveralRoots {
                first: first.to_owned(),
                second: name.to_owned(),
            }));
        }
    }
    root.ok_or_else(|| robot.error(UrdfProblem::NoRoot))
}

/// The error that nothing has the name that an element refers to.
fn unknown<'n>(
    node: &Node<'_>,
    element: &'static str,
    name: &str,
    names: impl IntoIterator<Item = &'n &'n str>,
) -> UrdfError {
    node.error(UrdfProblem::UnknownName {
        element,
        name: name.to_owned(),
        nearest: nearest(name, names.into_iter().copied()).map(str::to_owned),
    })
}
