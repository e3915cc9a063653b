//! MJCF: building a tree from the bodies of a model.

use super::body::{Body, Inertia};
use super::compiler::Compilers;
use super::contact::{ContactRules, GeometryRules};
use super::defaults::{Defaults, Node, unknown};
use super::elements::MjcfElements;
use super::error::{MjcfError, MjcfProblem};
use super::geom::Form;
use super::joint::{JointEntry, LimitedJoint, Spring};
use super::reader::{MjcfModel, MjcfReader, Origins};
use super::report::MjcfReport;
use super::resistance::Resistance;
use crate::Scalar;
use crate::contact::{CollisionGeometry, ContactMaterial};
use crate::io::NamedConfiguration;
use crate::io::body_inertia::add_described_body;
use crate::io::hulls::part_names;
use crate::io::unique_names::UniqueNames;
use crate::io::xml::Element;
use crate::math::{RigidTransform, SpatialInertia};
use crate::tree::{BodyIndex, FrameIndex, RigidBodyTreeBuilder};
use nalgebra::Vector3;
use std::collections::HashMap;

/// A model on its way into a tree.
pub(super) struct Assembly<'b, 'a, T: Scalar> {
    pub builder: &'b mut RigidBodyTreeBuilder<T>,
    material: ContactMaterial<f64>,
    pub defaults: &'a Defaults<'a>,
    pub compilers: &'b Compilers,
    pub bodies: &'b [Body<'a>],
    pub model: MjcfModel<T>,
    pub joints: HashMap<&'a str, JointEntry>,
    /// With the body, and the pose on it.
    pub sites: HashMap<&'a str, (FrameIndex, usize, RigidTransform<f64>)>,
    /// The collision geometries of each geom.
    pub geoms: HashMap<&'a str, Vec<usize>>,
    body_names: HashMap<&'a str, usize>,
    taken: HashMap<&'static str, UniqueNames>,
    pub springs: Vec<Spring<'a>>,
    pub limited_joints: Vec<LimitedJoint<'a>>,
    /// Once they are asked for.
    pub mobilities: Option<Option<Vec<f64>>>,
}

impl<'b, 'a, T: Scalar> Assembly<'b, 'a, T> {
    pub fn new(
        reader: &MjcfReader,
        defaults: &'a Defaults<'a>,
        compilers: &'b Compilers,
        bodies: &'b [Body<'a>],
        report: MjcfReport,
        builder: &'b mut RigidBodyTreeBuilder<T>,
    ) -> Self {
        let name = match &reader.model_name {
            Some(name) => name,
            None => defaults.root().attribute("model").unwrap_or_default(),
        };
        Assembly {
            builder,
            material: reader.material,
            defaults,
            compilers,
            bodies,
            model: MjcfModel {
                name: name.to_owned(),
                bodies: vec![BodyIndex::WORLD],
                joints: vec![],
                sites: vec![],
                collision_geometries: vec![],
                contact: ContactRules::default(),
                elements: MjcfElements::default(),
                origins: Origins::default(),
                resistance: Resistance::default(),
                reference: NamedConfiguration {
                    name: "reference".to_owned(),
                    joints: vec![],
                },
                key_frames: vec![],
                time_step: 0.002,
                round_friction_cones: false,
                report,
            },
            joints: HashMap::new(),
            sites: HashMap::new(),
            geoms: HashMap::new(),
            body_names: HashMap::from([("world", 0)]),
            taken: HashMap::new(),
            springs: vec![],
            limited_joints: vec![],
            mobilities: None,
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
        self.report_untouchable();
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
        self.defaults.section(name)
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
                if *time_step <= 0.0 {
                    return Err(node.value("timestep", "a positive time in s"));
                }
                self.model.round_friction_cones = match node.text("cone") {
                    None => self.model.round_friction_cones,
                    Some("pyramidal") => false,
                    Some("elliptic") => true,
                    Some(_) => return Err(node.value("cone", "pyramidal or elliptic")),
                };
            }
        }
        for element in self.section("option").filter(|e| e.name == "flag") {
            let node = self.defaults.node(element);
            is_heavy = node.flag("gravity")?.unwrap_or(is_heavy);
            let resistance = &mut self.model.resistance;
            if let Some(is_on) = node.flag("limit")? {
                resistance.without_limits = !is_on;
            }
            if let Some(is_on) = node.flag("frictionloss")? {
                resistance.without_friction = !is_on;
            }
        }
        let gravity = if is_heavy { gravity } else { Vector3::zeros() };
        let set = self.builder.set_gravity(gravity.map(T::from));
        set.map_err(|e| self.defaults.node(self.defaults.root()).error(e))
    }

    /// Names of the model come before those that are made up.
    fn take_names(&mut self) -> Result<(), MjcfError> {
        let taken = &mut self.taken;
        let mut take = |elements: &'static str, node: &Node<'_>| {
            let name = node.text("name").unwrap_or_default();
            if name.is_empty() || taken.entry(elements).or_default().take(name) {
                return Ok(());
            }
            let name = name.to_owned();
            Err(node.error(MjcfProblem::DuplicateName { elements, name }))
        };
        for (index, body) in self.bodies.iter().enumerate().skip(1) {
            let node = &body.item.node;
            take("bodies", node)?;
            if let Some(name) = node.text("name").filter(|name| !name.is_empty()) {
                self.body_names.insert(name, index);
            }
            for joint in &body.joints {
                take("joints", &joint.item.node)?;
            }
        }
        for geom in self.bodies.iter().flat_map(|body| &body.geoms) {
            take("geoms", &geom.item.node)?;
        }
        for (elements, section) in [
            ("actuators", "actuator"),
            ("sensors", "sensor"),
            ("equalities", "equality"),
            ("keys", "keyframe"),
        ] {
            for element in self.defaults.section(section) {
                take(elements, &self.defaults.node(element))?;
            }
        }
        Ok(())
    }

    /// A name that no other element of its kind has, starting with this one.
    pub fn unique(&mut self, elements: &'static str, name: &str) -> String {
        self.taken.entry(elements).or_default().unique(name)
    }

    pub fn full_name(&self, name: &str) -> String {
        match self.model.name.as_str() {
            "" => name.to_owned(),
            model => format!("{model}/{name}"),
        }
    }

    /// The factor by which all masses are to be multiplied.
    fn mass_scale(&mut self) -> f64 {
        let Some(wanted) = self.compilers.of_model().total_mass else {
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
            false => self.unique("bodies", &body.name),
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
        for geom in &body.geoms {
            let node = &geom.item.node;
            let name = node.text("name").filter(|name| !name.is_empty());
            let mut added = Vec::new();
            match &geom.form {
                _ if !geom.can_touch => self.model.report.skip("geom", "that touches nothing"),
                Form::Mesh => self
                    .model
                    .report
                    .leave_out(node, "is a mesh that is not found or has no hull"),
                Form::HeightField => self
                    .model
                    .report
                    .leave_out(node, "is a height field that is not found"),
                Form::Shape(_) | Form::Hulls(_) => {
                    let name = match name {
                        Some(name) => name.to_owned(),
                        None => self.unique("geoms", &format!("{body_name}/geom")),
                    };
                    let mut material = self.material;
                    geom.friction.apply_to(&mut material);
                    let shapes = geom.form.shapes();
                    let names = part_names(&self.full_name(&name), shapes.len());
                    for (name, shape) in names.into_iter().zip(shapes) {
                        added.push(self.model.collision_geometries.len());
                        self.model.collision_geometries.push(CollisionGeometry {
                            name,
                            body: index,
                            pose_in_body: geom.pose.cast(),
                            shape: shape.cast(),
                            material: material.cast(),
                        });
                        self.model.contact.geometries.push(GeometryRules {
                            body: position,
                            touches: geom.touches,
                            friction: geom.friction,
                            priority: geom.priority,
                        });
                    }
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
}
