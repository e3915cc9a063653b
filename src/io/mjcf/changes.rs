//! MJCF: writing back the constants of a tree, where they differ from a model.

use super::body::Body;
use super::compiler::{Compilers, ORIENTATIONS};
use super::defaults::{Item, Node};
use super::document::Source;
use super::error::{MjcfError, MjcfProblem};
use super::geom::{FRICTION, Geom};
use super::joint::kind_and_frame;
use super::reader::MjcfModel;
use crate::contact::CollisionGeometry;
use crate::geometry::Shape;
use crate::io::round_trip::axis;
use crate::io::unique_names::UniqueNames;
use crate::io::xml::{Edits, Element, numbers};
use crate::math::{RigidTransform, SpatialInertia, rotation};
use crate::tree::{JointKind, RigidBodyTree};
use nalgebra::Matrix3;
use std::collections::HashSet;

/// Changes to the texts of a model.
pub(super) struct Update<'u, 'a> {
    /// Of each source.
    pub edits: Vec<Edits>,
    pub compilers: &'u Compilers,
    pub root: &'a Element,
    pub bodies: &'u [Body<'a>],
    pub original: &'u RigidBodyTree<f64>,
    pub model: &'u MjcfModel<f64>,
    pub tree: &'u RigidBodyTree<f64>,
    pub site_names: UniqueNames,
}

impl Update<'_, '_> {
    pub fn edits(&mut self, element: &Element) -> &mut Edits {
        &mut self.edits[element.source]
    }

    pub fn set(&mut self, element: &Element, name: &str, values: &[f64]) {
        self.edits(element).set(element, name, &numbers(values));
    }

    /// Sets the first entries of an attribute; the others stay as the element has them.
    pub fn set_first(
        &mut self,
        node: &Node,
        name: &'static str,
        first: &[f64],
    ) -> Result<(), MjcfError> {
        let own = node.list(name)?;
        let others = own.get(first.len()..).unwrap_or_default();
        self.set(node.element, name, &[first, others].concat());
        Ok(())
    }

    /// Sets a range, and that it counts where this does not follow.
    pub fn set_range(
        &mut self,
        item: &Item,
        [flag, name]: [&'static str; 2],
        range: [f64; 2],
    ) -> Result<(), MjcfError> {
        let element = item.node.element;
        self.set(element, name, &range);
        if !item
            .flag(flag)?
            .unwrap_or(self.compilers.of(&item.node).automatic_limits)
        {
            self.edits(element).set(element, flag, "true");
        }
        Ok(())
    }

    /// The texts with the changes so far.
    pub fn texts(&self, sources: &[Source]) -> Vec<Source> {
        let texts = sources.iter().zip(&self.edits);
        texts
            .map(|(source, edits)| Source {
                text: edits.clone().apply(&source.text),
                ..source.clone()
            })
            .collect()
    }

    pub fn gravity(&mut self) {
        let gravity = self.tree.gravity();
        if gravity == self.original.gravity() {
            return;
        }
        let mut options = self.root.children.iter().filter(|e| e.name == "option");
        // What is said last counts.
        let with_gravity = (options.clone()).rfind(|e| e.attribute("gravity").is_some());
        match with_gravity.or(options.next_back()) {
            Some(option) => self.set(option, "gravity", gravity.as_slice()),
            None => {
                let gravity = numbers(gravity.as_slice());
                let option = format!("<option gravity=\"{gravity}\"/>");
                let root = self.root;
                self.edits(root).add_child(root, &option);
            }
        }
    }

    /// Dimensions, poses and friction of geoms; the positions of bodies whose mass properties would
    /// change with them.
    pub fn geoms(&mut self, geometries: &[CollisionGeometry<f64>]) -> HashSet<usize> {
        let mut resized = HashSet::new();
        for (index, geom, shapes) in shapes_of_geoms(self.bodies, self.model) {
            // Of the parts of a mesh the first: they share what is written.
            let Some(was) = shapes.first() else {
                continue;
            };
            let Some(is) = geometries.iter().find(|g| g.name == was.name) else {
                continue;
            };
            let element = geom.item.node.element;
            let of = |g: &CollisionGeometry<f64>| (g.material.friction, g.material.rotational);
            if of(was) != of(is) {
                let mut friction = FRICTION;
                let given = geom.item.overlay("friction", &mut friction);
                friction[0] = is.material.friction;
                if let (Some(was), Some(is)) = (was.material.rotational, is.material.rotational) {
                    friction[1] = is.torsional;
                    if was.rolling != is.rolling {
                        friction[2] = is.rolling;
                    }
                }
                if given.is_ok() {
                    self.set(element, "friction", &friction);
                }
            }
            if was.shape != is.shape {
                let size: &[f64] = match &is.shape {
                    Shape::Sphere { radius } => &[*radius],
                    Shape::Capsule { radius, length } | Shape::Cylinder { radius, length } => {
                        &[*radius, length / 2.0]
                    }
                    Shape::Box { size } => &[size.x / 2.0, size.y / 2.0, size.z / 2.0],
                    Shape::Ellipsoid { semi_axes } => semi_axes.as_slice(),
                    _ => &[],
                };
                // A mesh has none: what has become of its vertices cannot be said.
                if !size.is_empty() {
                    self.set(element, "size", size);
                    resized.insert(index);
                }
            }
            if was.pose_in_body != is.pose_in_body {
                self.pose(&geom.item, &was.pose_in_body, &is.pose_in_body);
                resized.insert(index);
            }
        }
        resized
    }

    pub fn bodies(&mut self, resized: &HashSet<usize>) -> Result<(), MjcfError> {
        let mut changed = Vec::new();
        for (position, (body, &index)) in self.bodies.iter().zip(&self.model.bodies).enumerate() {
            if position == 0 {
                continue;
            }
            let node = &body.item.node;
            let was = self.original.body(index).map_err(|e| node.error(e))?;
            let is = (self.tree.body_by_name(was.name())).and_then(|index| self.tree.body(index));
            let is = is.map_err(|e| node.error(e))?;
            let differs = differ(was.inertia(), is.inertia()) || resized.contains(&position);
            changed.push((body, was.inertia(), is.inertia(), differs));
            self.body_pose(body, position)?;
        }
        if changed.iter().all(|(.., differs)| !differs) {
            return Ok(());
        }
        // What would scale or replace all mass properties is taken away, and all are written.
        let compiler = self.compilers.of_model();
        let (from_geoms, total) = (compiler.inertia_from_geoms, compiler.total_mass);
        let all = from_geoms.is_some_and(|always| always) || total.is_some();
        if all {
            for element in self.root.children.iter().filter(|e| e.name == "compiler") {
                self.edits(element).remove(element, "inertiafromgeom");
                self.edits(element).remove(element, "settotalmass");
            }
        }
        for (body, was, is, differs) in changed {
            let has_any = is.mass != 0.0 || is.rotational_inertia != Matrix3::zeros();
            if differs && body.is_aligned {
                return Err(body.item.node.error(MjcfProblem::NotExpressible {
                    quantity: "mass or frame of an aligned body",
                    element: Some(body.name.clone()),
                }));
            }
            if differs || (all && has_any && !body.is_aligned) {
                self.inertia(body, was, is, all)?;
            }
        }
        Ok(())
    }

    fn inertia(
        &mut self,
        body: &Body,
        was: &SpatialInertia<f64>,
        is: &SpatialInertia<f64>,
        all: bool,
    ) -> Result<(), MjcfError> {
        let element = body.item.node.element;
        let full = |i: &Matrix3<f64>| {
            let i = (i + i.transpose()) * 0.5;
            numbers(&[i.m11, i.m22, i.m33, i.m12, i.m13, i.m23])
        };
        let Some((inertial, frame)) = body.inertial else {
            let text = format!(
                "<inertial pos=\"{}\" mass=\"{}\" fullinertia=\"{}\"/>",
                numbers(is.center_of_mass.as_slice()),
                numbers(&[is.mass]),
                full(&is.rotational_inertia)
            );
            self.edits(element).add_child(element, &text);
            return Ok(());
        };
        if was.mass != is.mass || all {
            self.set(inertial, "mass", &[is.mass]);
        }
        let to_frame = frame.inverse();
        let [was, is] = [was, is].map(|i| match frame == RigidTransform::identity() {
            true => *i,
            false => i.transformed(&to_frame.rotation, &to_frame.translation),
        });
        if was.center_of_mass != is.center_of_mass || all {
            self.set(inertial, "pos", is.center_of_mass.as_slice());
        }
        if upper(&was.rotational_inertia) != upper(&is.rotational_inertia) || all {
            let edits = self.edits(inertial);
            for name in ORIENTATIONS.iter().chain(&["diaginertia"]) {
                edits.remove(inertial, name);
            }
            edits.set(inertial, "fullinertia", &full(&is.rotational_inertia));
        }
        Ok(())
    }

    /// The pose of a body, from that of the first of its joints.
    fn body_pose(&mut self, body: &Body, position: usize) -> Result<(), MjcfError> {
        let parent = self.model.bodies[body.parent];
        let mut carried = self.model.bodies[position];
        let first = loop {
            let joint = self
                .original
                .joints()
                .find(|joint| joint.child() == carried);
            match joint {
                Some(joint) if joint.parent() == parent => break joint,
                Some(joint) => carried = joint.parent(),
                None => return Ok(()),
            }
        };
        let is = self
            .tree
            .joint_by_name(first.name())
            .and_then(|joint| self.tree.joint(joint));
        let is = is.map_err(|e| body.item.node.error(e))?;
        let turned = body
            .joints
            .first()
            .zip(axis(is.kind()).zip(axis(first.kind())));
        let turned = turned.filter(|(joint, (is, was))| is != was && joint.reference != 0.0);
        let (was, is) = (first.pose_in_parent(), is.pose_in_parent());
        if *first.kind() == JointKind::Floating || (was == is && turned.is_none()) {
            return Ok(());
        }
        // From the joint's frame back to the body: C = X_PF⁻¹ X_PB, which depends on the axis.
        let mut back = was.inverse() * body.pose;
        if let Some((joint, (axis, was))) = turned {
            let frame = |axis| kind_and_frame(joint.kind, axis, joint.reference).1;
            back = frame(axis.normalize()).inverse() * frame(was) * back;
        }
        self.pose(&body.item, &body.pose, &(*is * back));
        Ok(())
    }

    pub fn joints(&mut self) -> Result<(), MjcfError> {
        let joints = self.bodies.iter().flat_map(|body| &body.joints);
        for (joint, &index) in joints.zip(&self.model.joints) {
            let node = &joint.item.node;
            let was = self.original.joint(index).map_err(|e| node.error(e))?;
            let is = self
                .tree
                .joint_by_name(was.name())
                .and_then(|joint| self.tree.joint(joint));
            let is = is.map_err(|e| node.error(e))?;
            for (name, was, is) in [
                ("damping", was.damping(), is.damping()),
                ("frictionloss", was.friction(), is.friction()),
                ("armature", was.armature(), is.armature()),
            ] {
                if was == is {
                    continue;
                }
                // A free joint has no such attributes.
                if node.element.name != "freejoint" {
                    self.set(node.element, name, &is[..1]);
                }
            }
            if let (Some(was), Some(is)) = (axis(was.kind()), axis(is.kind()))
                && was != is
            {
                let is = joint.turn.transpose() * is;
                self.set(node.element, "axis", is.as_slice());
            }
            let (a, b) = (was.limits(), is.limits());
            if a.lower != b.lower || a.upper != b.upper {
                let turns = !matches!(was.kind(), JointKind::Prismatic { .. });
                let unit = if turns {
                    self.compilers.of(node).angle(1.0)
                } else {
                    1.0
                };
                let range = [b.lower[0], b.upper[0]].map(|x| x / unit);
                if range.iter().all(|x| x.is_finite()) {
                    self.set_range(&joint.item, ["limited", "range"], range)?;
                }
            }
            if a.effort != b.effort && b.effort[0].is_finite() {
                let names = ["actuatorfrclimited", "actuatorfrcrange"];
                self.set_range(&joint.item, names, [-b.effort[0], b.effort[0]])?;
            }
        }
        Ok(())
    }

    pub fn sites(&mut self) -> Result<(), MjcfError> {
        let sites = self.bodies.iter().flat_map(|body| &body.sites);
        for (site, &index) in sites.zip(&self.model.sites) {
            let node = &site.item.node;
            let was = self.original.frame(index).map_err(|e| node.error(e))?;
            let is = self
                .tree
                .frame_by_name(was.name())
                .and_then(|frame| self.tree.frame(frame));
            let is = is.map_err(|e| node.error(e))?;
            if was.pose_in_body() != is.pose_in_body() {
                self.pose(&site.item, was.pose_in_body(), is.pose_in_body());
            }
        }
        Ok(())
    }

    /// Turns and moves what an element says in proportion to how a pose that follows from it changed.
    fn pose(&mut self, item: &Item, was: &RigidTransform<f64>, is: &RigidTransform<f64>) {
        let Ok(own) = self.compilers.pose(item) else {
            return;
        };
        if item.text("fromto").is_some() {
            return; // which says both pose and length
        }
        let new = own * was.inverse() * *is;
        let element = item.node.element;
        self.set(element, "pos", new.translation.as_slice());
        if was.rotation != is.rotation {
            for name in ORIENTATIONS {
                if name != "quat" {
                    self.edits(element).remove(element, name);
                }
            }
            let q = rotation::quaternion_from_matrix(&new.rotation);
            self.set(element, "quat", &[q.w, q.i, q.j, q.k]);
        }
    }
}

/// The geoms that can touch, with the positions of their bodies and their shapes in a model.
pub(super) fn shapes_of_geoms<'b, 'a, 'm>(
    bodies: &'b [Body<'a>],
    model: &'m MjcfModel<f64>,
) -> Vec<(usize, &'b Geom<'a>, &'m [CollisionGeometry<f64>])> {
    let mut read = model.collision_geometries.as_slice();
    let geoms = bodies.iter().enumerate();
    let geoms = geoms.flat_map(|(index, body)| body.geoms.iter().map(move |g| (index, g)));
    let geoms = geoms.filter(|(_, geom)| geom.can_touch && !geom.form.shapes().is_empty());
    let with_shapes = geoms.map(|(index, geom)| {
        let (shapes, rest) = read.split_at(geom.form.shapes().len());
        read = rest;
        (index, geom, shapes)
    });
    with_shapes.collect()
}

fn upper(i: &Matrix3<f64>) -> [f64; 6] {
    [i.m11, i.m22, i.m33, i.m12, i.m13, i.m23]
}

fn differ(a: &SpatialInertia<f64>, b: &SpatialInertia<f64>) -> bool {
    a.mass != b.mass
        || a.center_of_mass != b.center_of_mass
        || upper(&a.rotational_inertia) != upper(&b.rotational_inertia)
}
