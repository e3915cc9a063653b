//! From the bodies of a model to bodies, joints, sites and geometries of a tree.

use super::body::{Body, Inertia, Joint, Kind};
use super::compiler::Compiler;
use super::contact::{ContactRules, GeometryRules, listed_geoms};
use super::defaults::{Defaults, Node, unknown};
use super::error::{MjcfError, MjcfProblem};
use super::geom::Form;
use super::reader::{MjcfModel, MjcfReader};
use super::report::MjcfReport;
use crate::Scalar;
use crate::contact::{CollisionGeometry, ContactMaterial};
use crate::force::JointSpring;
use crate::io::NamedConfiguration;
use crate::io::body_inertia::add_described_body;
use crate::io::xml::Element;
use crate::math::{RigidTransform, SpatialInertia, rotation};
use crate::system::Parts;
use crate::tree::{
    BodyIndex, FrameIndex, JointIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder,
};
use nalgebra::Vector3;
use std::collections::{HashMap, HashSet};

/// A model on its way into a tree.
pub(super) struct Assembly<'b, 'a, T: Scalar> {
    builder: &'b mut RigidBodyTreeBuilder<T>,
    material: ContactMaterial<f64>,
    pub defaults: &'a Defaults<'a>,
    pub compiler: &'b Compiler,
    pub bodies: &'b [Body<'a>],
    pub model: MjcfModel<T>,
    pub joints: HashMap<&'a str, JointEntry>,
    /// With the body, and the pose on it.
    pub sites: HashMap<&'a str, (FrameIndex, usize, RigidTransform<f64>)>,
    /// The collision geometry of each geom, if it has one.
    pub geoms: HashMap<&'a str, Option<usize>>,
    body_names: HashMap<&'a str, usize>,
    taken: HashSet<(&'static str, String)>,
    springs: Vec<Spring<'a>>,
}

/// A joint that other elements refer to.
#[derive(Clone, Copy)]
pub(super) struct JointEntry {
    pub index: JointIndex,
    pub kind: Kind,
    pub reference: f64,
}

struct Spring<'a> {
    node: Node<'a>,
    joint: JointIndex,
    stiffness: f64,
    relaxed: f64,
}

impl<'b, 'a, T: Scalar> Assembly<'b, 'a, T> {
    pub fn new(
        reader: &MjcfReader,
        defaults: &'a Defaults<'a>,
        compiler: &'b Compiler,
        bodies: &'b [Body<'a>],
        report: MjcfReport,
        builder: &'b mut RigidBodyTreeBuilder<T>,
    ) -> Self {
        let name = match &reader.model_name {
            Some(name) => name,
            None => defaults.root().attribute("model").unwrap_or_default(),
        };
        let elements = Parts {
            forces: vec![],
            actuators: vec![],
            sensors: vec![],
            constraints: vec![],
        };
        Assembly {
            builder,
            material: reader.material,
            defaults,
            compiler,
            bodies,
            model: MjcfModel {
                name: name.to_owned(),
                bodies: vec![BodyIndex::WORLD],
                joints: vec![],
                sites: vec![],
                collision_geometries: vec![],
                contact: ContactRules::default(),
                elements,
                reference: NamedConfiguration {
                    name: "reference".to_owned(),
                    joints: vec![],
                },
                key_frames: vec![],
                time_step: 0.002,
                report,
            },
            joints: HashMap::new(),
            sites: HashMap::new(),
            geoms: HashMap::new(),
            body_names: HashMap::from([("world", 0)]),
            taken: HashSet::new(),
            springs: vec![],
        }
    }

    pub fn assemble(mut self) -> Result<MjcfModel<T>, MjcfError> {
        self.read_options()?;
        self.take_names()?;
        let scale = self.mass_scale();
        let world = &self.bodies[0];
        self.add_sites(world, BodyIndex::WORLD, 0)?;
        self.add_geoms(world, BodyIndex::WORLD, 0, "world")?;
        for body in &self.bodies[1..] {
            self.add_body(body, scale)?;
        }
        self.read_contact()?;
        let finished = self.builder.clone().finish();
        let tree = finished.map_err(|e| self.defaults.node(self.defaults.root()).error(e))?;
        self.add_springs(&tree)?;
        self.read_actuators(&tree)?;
        self.read_sensors(&tree)?;
        self.read_equalities(&tree)?;
        self.read_key_frames(&tree)?;
        Ok(self.model)
    }

    /// What is in all sections of a name.
    pub fn section(&self, name: &'static str) -> impl Iterator<Item = &'a Element> + use<'a, T> {
        let sections = self.defaults.root().children.iter();
        let sections = sections.filter(move |section| section.name == name);
        sections.flat_map(|section| &section.children)
    }

    fn read_options(&mut self) -> Result<(), MjcfError> {
        let mut gravity = Vector3::new(0.0, 0.0, -9.81);
        let mut is_heavy = true;
        for element in &self.defaults.root().children {
            if element.name == "option" {
                let node = self.defaults.node(element);
                gravity = node.array("gravity")?.map_or(gravity, Vector3::from);
                let time_step = &mut self.model.time_step;
                *time_step = node.number("timestep")?.unwrap_or(*time_step);
            }
        }
        for element in self.section("option").filter(|e| e.name == "flag") {
            is_heavy = (self.defaults.node(element).flag("gravity")?).unwrap_or(is_heavy);
        }
        let gravity = if is_heavy { gravity } else { Vector3::zeros() };
        let set = self.builder.set_gravity(gravity.map(T::from));
        set.map_err(|e| self.defaults.node(self.defaults.root()).error(e))
    }

    /// Names of the model come before those that are made up.
    fn take_names(&mut self) -> Result<(), MjcfError> {
        for (index, body) in self.bodies.iter().enumerate().skip(1) {
            let node = &body.item.node;
            let mut take = |elements: &'static str, name: &str| match name {
                "" => Ok(()),
                _ if self.taken.insert((elements, name.to_owned())) => Ok(()),
                _ => Err(node.error(MjcfProblem::DuplicateName {
                    elements,
                    name: name.to_owned(),
                })),
            };
            if let Some(name) = node.text("name").filter(|name| !name.is_empty()) {
                take("bodies", name)?;
                self.body_names.insert(name, index);
            }
            for joint in &body.joints {
                take("joints", joint.item.node.text("name").unwrap_or_default())?;
            }
        }
        for geom in self.bodies.iter().flat_map(|body| &body.geoms) {
            let name = geom.item.node.text("name").unwrap_or_default();
            if !name.is_empty() && !self.taken.insert(("geoms", name.to_owned())) {
                return Err(geom.item.node.error(MjcfProblem::DuplicateName {
                    elements: "geoms",
                    name: name.to_owned(),
                }));
            }
        }
        Ok(())
    }

    /// A name that no other element of its kind has, starting with this one.
    fn unique(&mut self, elements: &'static str, name: String) -> String {
        let mut unique = name.clone();
        let mut count = 1;
        while !self.taken.insert((elements, unique.clone())) {
            count += 1;
            unique = format!("{name}_{count}");
        }
        unique
    }

    pub fn full_name(&self, name: &str) -> String {
        match self.model.name.as_str() {
            "" => name.to_owned(),
            model => format!("{model}/{name}"),
        }
    }

    /// The factor by which all masses are to be multiplied.
    fn mass_scale(&mut self) -> f64 {
        let Some(wanted) = self.compiler.total_mass else {
            return 1.0;
        };
        let mass = |body: &Body| match &body.inertia {
            Inertia::Known(inertia) => inertia.mass,
            _ => 0.0,
        };
        let total: f64 = self.bodies.iter().map(mass).sum();
        if total > 0.0 { wanted / total } else { 1.0 }
    }

    fn add_body(&mut self, body: &Body<'a>, scale: f64) -> Result<(), MjcfError> {
        let node = &body.item.node;
        let is_named = node.text("name").is_some_and(|name| !name.is_empty());
        let name = match is_named {
            true => body.name.clone(),
            false => self.unique("bodies", body.name.clone()),
        };
        let full_name = self.full_name(&name);
        let mut inertia = self.inertia(body, &full_name);
        inertia.mass *= scale;
        inertia.rotational_inertia *= scale;
        let added = add_described_body(self.builder, &full_name, &inertia);
        let (index, implausible) = added.map_err(|e| node.error(e))?;
        let report = &mut self.model.report;
        (report.implausible_inertia).extend(implausible.map(|reason| (full_name, reason)));
        let position = self.model.bodies.len();
        self.model.bodies.push(index);
        self.add_joints(body, index, &name)?;
        self.add_sites(body, index, position)?;
        self.add_geoms(body, index, position, &name)
    }

    fn inertia(&mut self, body: &Body<'a>, name: &str) -> SpatialInertia<f64> {
        let report = &mut self.model.report;
        match &body.inertia {
            Inertia::Known(inertia) => return *inertia,
            Inertia::Missing if body.joints.is_empty() => {}
            Inertia::Missing => report.without_inertia.push(name.to_owned()),
            Inertia::Unknown => {
                let mut inward = body;
                while inward.joints.is_empty() && inward.parent != 0 {
                    inward = &self.bodies[inward.parent];
                }
                if !inward.joints.is_empty() {
                    report.unknown_inertia.push(name.to_owned());
                }
            }
        }
        SpatialInertia::zero()
    }

    /// The joints of a body, with bodies without mass between them; the last carries the body, if need be
    /// by way of a fixed one.
    fn add_joints(
        &mut self,
        body: &Body<'a>,
        index: BodyIndex,
        name: &str,
    ) -> Result<(), MjcfError> {
        let mut carrier = self.model.bodies[body.parent];
        // Of the body on the carrier, in the reference configuration.
        let mut pose = body.pose;
        let mut is_carried = false;
        for (k, joint) in body.joints.iter().enumerate() {
            let node = &joint.item.node;
            let joint_name = match node.text("name").filter(|name| !name.is_empty()) {
                Some(name) => name.to_owned(),
                None => self.unique("joints", format!("{name}/joint")),
            };
            let turns = matches!(joint.kind, Kind::Hinge | Kind::Ball);
            let anchor = if turns {
                joint.anchor
            } else {
                Vector3::zeros()
            };
            let frame = pose * RigidTransform::from_translation(anchor);
            is_carried = k + 1 == body.joints.len() && anchor == Vector3::zeros();
            let child = if is_carried {
                index
            } else {
                let link = self.unique("bodies", format!("{name}/{joint_name}"));
                let link = self.full_name(&link);
                (self.builder.add_body(link, SpatialInertia::zero())).map_err(|e| node.error(e))?
            };
            let (kind, moved) = kind_and_frame(joint.kind, joint.axis, joint.reference);
            let frame = match joint.kind {
                Kind::Free => RigidTransform::identity(),
                _ => frame * moved,
            };
            let added = self.builder.add_joint(
                self.full_name(&joint_name),
                kind.cast(),
                carrier,
                frame.cast(),
                child,
            );
            let added = added.map_err(|e| node.error(e))?;
            self.set_constants(joint, added, kind)?;
            let reference = match joint.kind {
                Kind::Free => {
                    let q = rotation::quaternion_from_matrix(&pose.rotation);
                    let p = pose.translation;
                    Some(vec![q.w, q.i, q.j, q.k, p.x, p.y, p.z])
                }
                Kind::Ball => None,
                _ => Some(vec![joint.reference]).filter(|_| joint.reference != 0.0),
            };
            (self.model.reference.joints).extend(reference.map(|q| (added, q)));
            carrier = child;
            pose = RigidTransform::from_translation(-anchor);
        }
        if !is_carried {
            let joint_name = self.unique("joints", name.to_owned());
            let joint_name = self.full_name(&joint_name);
            let pose = pose.cast();
            let added =
                (self.builder).add_joint(joint_name, JointKind::Fixed, carrier, pose, index);
            added.map_err(|e| body.item.node.error(e))?;
        }
        Ok(())
    }

    fn set_constants(
        &mut self,
        joint: &Joint<'a>,
        index: JointIndex,
        kind: JointKind,
    ) -> Result<(), MjcfError> {
        let (item, compiler) = (&joint.item, self.compiler);
        self.model.joints.push(index);
        if let Some(name) = item.node.text("name") {
            let entry = JointEntry {
                index,
                kind: joint.kind,
                reference: joint.reference,
            };
            self.joints.insert(name, entry);
        }
        let constant = |name| -> Result<Vec<T>, MjcfError> {
            let value = item.number(name)?.unwrap_or(0.0);
            Ok(vec![T::from(value); kind.num_velocities()])
        };
        let [damping, friction, armature] = [
            constant("damping")?,
            constant("frictionloss")?,
            constant("armature")?,
        ];
        let at = |name: &'static str| move |e| item.holder(name).error(MjcfProblem::Tree(e));
        (self.builder.set_damping(index, &damping)).map_err(at("damping"))?;
        (self.builder.set_friction(index, &friction)).map_err(at("frictionloss"))?;
        (self.builder.set_armature(index, &armature)).map_err(at("armature"))?;
        let is_single = matches!(joint.kind, Kind::Hinge | Kind::Slide);
        let coordinate = |x: f64| match joint.kind {
            Kind::Slide => x,
            _ => compiler.angle(x),
        };
        let report = &mut self.model.report;
        if item.is_limited("limited", "range", compiler.automatic_limits)? {
            match item.array::<2>("range")? {
                Some([lower, upper]) if is_single => {
                    let (lower, upper) =
                        ([T::from(coordinate(lower))], [T::from(coordinate(upper))]);
                    (self.builder.set_position_limits(index, &lower, &upper))
                        .map_err(at("range"))?;
                }
                Some(_) => report.leave_out(&item.node, "is limited"),
                None => {}
            }
        }
        let range = "actuatorfrcrange";
        if item.is_limited("actuatorfrclimited", range, compiler.automatic_limits)? {
            match item.array::<2>(range)? {
                Some([lower, upper]) if is_single && lower == -upper => {
                    (self.builder.set_effort_limits(index, &[T::from(upper)]))
                        .map_err(at(range))?;
                }
                Some(_) => report.leave_out(&item.node, "has unequal limits of force"),
                None => {}
            }
        }
        if let Some([time, ratio]) = item.array::<2>("springdamper")?
            && time > 0.0
            && ratio > 0.0
        {
            report.leave_out(&item.node, "has a springdamper");
        }
        let stiffness = item.number("stiffness")?.unwrap_or(0.0);
        if stiffness != 0.0 && is_single {
            self.springs.push(Spring {
                node: item.node,
                joint: index,
                stiffness,
                relaxed: coordinate(item.number("springref")?.unwrap_or(0.0)),
            });
        } else if stiffness != 0.0 {
            report.leave_out(&item.node, "has a stiffness");
        }
        Ok(())
    }

    fn add_springs(&mut self, tree: &RigidBodyTree<T>) -> Result<(), MjcfError> {
        for spring in &self.springs {
            let name = tree
                .joint(spring.joint)
                .map(|joint| joint.name().to_owned());
            let made = name.map_err(|e| spring.node.error(e)).and_then(|name| {
                let [k, relaxed] = [spring.stiffness, spring.relaxed].map(T::from);
                JointSpring::new(name, tree, spring.joint, k, T::zero(), relaxed)
                    .map_err(|e| spring.node.error(e))
            });
            self.model.elements.forces.push(made?.into());
        }
        Ok(())
    }

    fn add_sites(
        &mut self,
        body: &Body<'a>,
        index: BodyIndex,
        position: usize,
    ) -> Result<(), MjcfError> {
        for site in &body.sites {
            let name = self.full_name(site.name);
            let added = self.builder.add_frame(name, index, site.pose.cast());
            let frame = added.map_err(|e| site.item.node.error(e))?;
            self.model.sites.push(frame);
            self.sites.insert(site.name, (frame, position, site.pose));
        }
        Ok(())
    }

    fn add_geoms(
        &mut self,
        body: &Body<'a>,
        index: BodyIndex,
        position: usize,
        body_name: &str,
    ) -> Result<(), MjcfError> {
        let listed = listed_geoms(self.defaults.root());
        for geom in &body.geoms {
            let node = &geom.item.node;
            let name = node.text("name").filter(|name| !name.is_empty());
            let mut added = None;
            match &geom.form {
                _ if !geom.can_touch(&listed) => {
                    self.model.report.skip("geom", "that touches nothing")
                }
                Form::Mesh => self
                    .model
                    .report
                    .leave_out(node, "is a mesh, nothing touches it"),
                Form::Other => {
                    self.model
                        .report
                        .leave_out(node, "has a shape that nothing touches");
                }
                Form::Shape(shape) => {
                    let name = match name {
                        Some(name) => name.to_owned(),
                        None => self.unique("geoms", format!("{body_name}/geom")),
                    };
                    let material = ContactMaterial {
                        friction: geom.friction,
                        ..self.material
                    };
                    added = Some(self.model.collision_geometries.len());
                    self.model.collision_geometries.push(CollisionGeometry {
                        name: self.full_name(&name),
                        body: index,
                        pose_in_body: geom.pose.cast(),
                        shape: shape.cast(),
                        material: material.cast(),
                    });
                    self.model.contact.geometries.push(GeometryRules {
                        body: position,
                        touches: geom.touches,
                    });
                }
            }
            if let Some(name) = name {
                self.geoms.insert(name, added);
            }
        }
        Ok(())
    }

    /// The position of the body that an attribute names.
    pub fn required_body(
        &self,
        node: &Node<'a>,
        attribute: &'static str,
    ) -> Result<usize, MjcfError> {
        let name = node.required(attribute)?;
        let found = self.body_names.get(name).copied();
        found.ok_or_else(|| unknown(node, "body", name, self.body_names.keys().copied()))
    }

    /// The joint that an attribute names.
    pub fn required_joint(
        &self,
        node: &Node<'a>,
        attribute: &'static str,
    ) -> Result<JointEntry, MjcfError> {
        let name = node.required(attribute)?;
        let found = self.joints.get(name).copied();
        found.ok_or_else(|| unknown(node, "joint", name, self.joints.keys().copied()))
    }

    /// The site that an attribute names.
    pub fn required_site(
        &self,
        node: &Node<'a>,
        attribute: &'static str,
    ) -> Result<(FrameIndex, usize, RigidTransform<f64>), MjcfError> {
        let name = node.required(attribute)?;
        let found = self.sites.get(name).copied();
        found.ok_or_else(|| unknown(node, "site", name, self.sites.keys().copied()))
    }

    fn read_key_frames(&mut self, tree: &RigidBodyTree<T>) -> Result<(), MjcfError> {
        for (number, element) in self.section("keyframe").enumerate() {
            let node = self.defaults.node(element);
            if node.text("qpos").is_none() {
                continue;
            }
            let joints = self
                .model
                .joints
                .iter()
                .map(|&index| Ok((index, tree.joint(index)?)));
            let joints: Result<Vec<_>, crate::tree::TreeError> = joints.collect();
            let joints = joints.map_err(|e| node.error(e))?;
            let size = joints.iter().map(|(_, joint)| joint.num_positions()).sum();
            let mut qpos = vec![0.0; size];
            if node.numbers("qpos", &mut qpos)? != size {
                return Err(node.value("qpos", "one number a position coordinate"));
            }
            let mut rest = qpos.as_slice();
            let mut positions = Vec::new();
            for (index, joint) in joints {
                let (own, next) = rest.split_at(joint.num_positions());
                rest = next;
                let mut own = own.to_vec();
                if *joint.kind() == JointKind::Floating {
                    own.rotate_left(3);
                }
                positions.push((index, own));
            }
            let name = node.text("name").map(str::to_owned);
            self.model.key_frames.push(NamedConfiguration {
                name: name.unwrap_or_else(|| format!("key{number}")),
                joints: positions,
            });
        }
        Ok(())
    }
}

/// The kind of a joint, and the pose of its frame in one that would do if the reference configuration had
/// coordinates of zero: moved back by those that it has.
pub(super) fn kind_and_frame(
    kind: Kind,
    axis: Vector3<f64>,
    reference: f64,
) -> (JointKind, RigidTransform<f64>) {
    match kind {
        Kind::Hinge => (
            JointKind::Revolute { axis },
            RigidTransform::from_rotation(rotation::exp(&(axis * -reference))),
        ),
        Kind::Slide => (
            JointKind::Prismatic { axis },
            RigidTransform::from_translation(axis * -reference),
        ),
        Kind::Ball => (JointKind::Ball, RigidTransform::identity()),
        Kind::Free => (JointKind::Floating, RigidTransform::identity()),
    }
}
