//! URDF: descriptions with the constants of a tree in place of their own.

use super::error::{UrdfError, UrdfProblem};
use super::joint::is_bounded;
use super::model::UrdfModel;
use super::node::Node;
use super::reader::{UrdfReader, text_of};
use crate::Scalar;
use crate::contact::CollisionGeometry;
use crate::geometry::Shape;
use crate::io::round_trip::{RoundTrip, axis};
use crate::io::xml::{Edits, numbers};
use crate::math::{RigidTransform, RollPitchYaw, SpatialInertia};
use crate::tree::{Mimic, RigidBodyTree, TreeError};
use nalgebra::Matrix3;
use std::path::Path;

impl UrdfReader {
    /// The text of a description with the constants of `tree` (real parts) in place of its own, read
    /// with the options of this reader: what has been identified goes back to where the model came from.
    ///
    /// Mass properties, poses and axes of joints, damping, friction, limits and what `<mimic>` says are
    /// written where they differ from the description, and with `geometries`, if any have the name of one
    /// that the description gives, poses of shapes and dimensions of primitive ones. All else stays as it is, to
    /// the byte. Gravity is not of a robot, and may be any.
    ///
    /// # Errors
    /// As [`Self::read_str`]; [`UrdfProblem::Tree`] when the tree lacks a link or a joint;
    /// [`UrdfProblem::NotExpressible`] when reading the result would not give back a constant, as for
    /// armatures, the axes of a planar joint, vertices of a mesh, surfaces, parts of one mesh that have moved apart, where
    /// the world holds the robot, and geometries of meshes that this reader does not find; or what is no constant: kinds of
    /// joints, and which bodies joints and geometries are on.
    pub fn updated<T: Scalar>(
        &self,
        text: &str,
        tree: &RigidBodyTree<T>,
        geometries: &[CollisionGeometry<T>],
    ) -> Result<String, UrdfError> {
        self.update(("URDF text", None), text, tree, geometries)
    }

    /// As [`Self::updated`], of a description in a file: its text, with the meshes that are found from there. Nothing is
    /// written.
    ///
    /// # Errors
    /// As [`Self::updated`], and [`UrdfError::Io`].
    pub fn updated_file<T: Scalar>(
        &self,
        path: impl AsRef<Path>,
        tree: &RigidBodyTree<T>,
        geometries: &[CollisionGeometry<T>],
    ) -> Result<String, UrdfError> {
        let (path, text) = (path.as_ref(), text_of(path.as_ref())?);
        let (source, folder) = (path.display().to_string(), path.parent());
        self.update((&source, folder), &text, tree, geometries)
    }

    fn update<T: Scalar>(
        &self,
        (source, folder): (&str, Option<&Path>),
        text: &str,
        tree: &RigidBodyTree<T>,
        geometries: &[CollisionGeometry<T>],
    ) -> Result<String, UrdfError> {
        let tree = tree.cast::<f64>();
        let (original, model) = self.tree_of::<f64>(source, folder, text)?;
        let (document, _) = self.document(source, text)?;
        let robot = Node::versioned_robot(source, &document)?;
        let geometries: Vec<_> = geometries
            .iter()
            .map(CollisionGeometry::cast::<f64>)
            .collect();
        let mut update = Update {
            edits: Edits::default(),
            original: &original,
            model: &model,
            tree: &tree,
        };
        update.links(&robot)?;
        update.joints(&robot)?;
        update.shapes(&robot, &geometries);
        let updated = update.edits.apply(text);
        let (read, again) = self.tree_of::<f64>(source, folder, &updated)?;
        let round_trip = RoundTrip {
            wanted: &tree,
            found: &read,
        };
        for (node, &index) in robot.children("link").zip(&model.bodies) {
            let name = original.body(index).map_err(|e| node.error(e))?.name();
            if name != "world" {
                check(&node, name, round_trip.body(name))?;
            }
        }
        for (node, &index) in robot.children("joint").zip(&model.joints) {
            let name = original.joint(index).map_err(|e| node.error(e))?.name();
            check(&node, name, round_trip.joint(name))?;
        }
        // The joint that carries the root is not of the description; the tree may have another.
        let others = original.joints();
        let others = others.filter(|joint| joint.child() == model.root);
        for name in others.map(|joint| joint.name()) {
            if tree.joints().any(|joint| joint.name() == name) {
                check(&robot, name, round_trip.joint(name))?;
            }
        }
        for (node, shapes) in collisions(&robot, &again) {
            for found in shapes {
                let wanted = geometries.iter().find(|g| g.name == found.name);
                let lost = wanted.and_then(|wanted| round_trip.geometry(wanted, found));
                check(&node, &found.name, Ok(lost))?;
            }
        }
        // Hulls of meshes that are not read here.
        let unread = (again.report.meshes.iter()).filter(|mesh| mesh.hull.is_none());
        for mesh in unread {
            let of_body = |g: &&CollisionGeometry<f64>| {
                (g.name.strip_prefix(&mesh.body)).is_some_and(|rest| rest.starts_with('/'))
                    && !again
                        .collision_geometries
                        .iter()
                        .any(|found| found.name == g.name)
            };
            if let Some(geometry) = geometries.iter().find(of_body) {
                check(&robot, &geometry.name, Ok(Some("shape")))?;
            }
        }
        Ok(updated)
    }
}

/// The error that a quantity of an element is another when it is read again, if one is.
fn check(
    node: &Node,
    element: &str,
    different: Result<Option<&'static str>, TreeError>,
) -> Result<(), UrdfError> {
    match different.map_err(|e| node.error(e))? {
        None => Ok(()),
        Some(quantity) => Err(node.error(UrdfProblem::NotExpressible {
            quantity,
            element: element.to_owned(),
        })),
    }
}

struct Update<'m> {
    edits: Edits,
    original: &'m RigidBodyTree<f64>,
    model: &'m UrdfModel<f64>,
    tree: &'m RigidBodyTree<f64>,
}

impl Update<'_> {
    fn links(&mut self, robot: &Node) -> Result<(), UrdfError> {
        for (node, &index) in robot.children("link").zip(&self.model.bodies) {
            let was = self.original.body(index).map_err(|e| node.error(e))?;
            if was.name() == "world" {
                continue;
            }
            let is = (self.tree.body_by_name(was.name())).and_then(|index| self.tree.body(index));
            let is = is.map_err(|e| node.error(e))?;
            self.inertia(&node, was.inertia(), is.inertia())?;
        }
        Ok(())
    }

    fn inertia(
        &mut self,
        link: &Node,
        was: &SpatialInertia<f64>,
        is: &SpatialInertia<f64>,
    ) -> Result<(), UrdfError> {
        let is_same = was.mass == is.mass
            && was.center_of_mass == is.center_of_mass
            && moments(&was.rotational_inertia) == moments(&is.rotational_inertia);
        if is_same {
            return Ok(());
        }
        let Some(inertial) = link.child("inertial") else {
            let mass = numbers(&[is.mass]);
            let center = numbers(is.center_of_mass.as_slice());
            let entries = moments(&is.rotational_inertia)
                .map(|(name, x)| format!(" {name}=\"{}\"", numbers(&[x])));
            let text = format!(
                "<inertial><origin xyz=\"{center}\"/><mass value=\"{mass}\"/><inertia{}/></inertial>",
                entries.concat()
            );
            self.edits.add_child(link.element(), &text);
            return Ok(());
        };
        if was.mass != is.mass {
            let mass = inertial.required_child("mass")?;
            self.edits
                .set(mass.element(), "value", &numbers(&[is.mass]));
        }
        if was.center_of_mass != is.center_of_mass {
            let center = numbers(is.center_of_mass.as_slice());
            self.set(&inertial, "origin", &[("xyz", center)]);
        }
        if moments(&was.rotational_inertia) != moments(&is.rotational_inertia) {
            let r = inertial.origin()?.rotation;
            let entries = moments(&(r.transpose() * is.rotational_inertia * r));
            let entries = entries.map(|(name, x)| (name, numbers(&[x])));
            self.set(&inertial, "inertia", &entries);
        }
        Ok(())
    }

    fn joints(&mut self, robot: &Node) -> Result<(), UrdfError> {
        for (node, &index) in robot.children("joint").zip(&self.model.joints) {
            let was = self.original.joint(index).map_err(|e| node.error(e))?;
            let is = (self.tree.joint_by_name(was.name())).and_then(|j| self.tree.joint(j));
            let is = is.map_err(|e| node.error(e))?;
            self.pose(&node, was.pose_in_parent(), is.pose_in_parent());
            if let (Some(was), Some(is)) = (axis(was.kind()), axis(is.kind()))
                && was != is
            {
                self.set(&node, "axis", &[("xyz", numbers(is.as_slice()))]);
            }
            let changed =
                |values: &[(&'static str, &[f64], &[f64])]| -> Vec<(&'static str, String)> {
                    let changed = values.iter().filter(|(_, was, is)| was != is);
                    let first = changed.filter_map(|(name, _, is)| Some((*name, *is.first()?)));
                    first.map(|(name, x)| (name, numbers(&[x]))).collect()
                };
            let dynamics = changed(&[
                ("damping", was.damping(), is.damping()),
                ("friction", was.friction(), is.friction()),
            ]);
            let (a, b) = (was.limits(), is.limits());
            let mut limits = changed(&[
                ("lower", &a.lower, &b.lower),
                ("upper", &a.upper, &b.upper),
                ("velocity", &a.velocity, &b.velocity),
                ("effort", &a.effort, &b.effort),
            ]);
            // One that is added limits the position, too.
            let is_unlimited = [&b.lower, &b.upper]
                .iter()
                .any(|x| !x.iter().all(|x| x.is_finite()));
            if node.child("limit").is_none() && is_bounded(is.kind()) && is_unlimited {
                limits.clear();
            }
            let followed = node.child("mimic").and_then(|m| m.attribute("joint"));
            let mimic = followed.map_or([None; 2], |followed| {
                [self.original, self.tree]
                    .map(|tree| self.written_mimic(tree, was.name(), followed))
            });
            let mimic = match mimic {
                [was, Some(is)] if was != Some(is) => {
                    let was = was.unwrap_or([f64::NAN; 2]);
                    changed(&[
                        ("multiplier", &was[..1], &is[..1]),
                        ("offset", &was[1..], &is[1..]),
                    ])
                }
                _ => vec![],
            };
            for (tag, values) in [("dynamics", dynamics), ("limit", limits), ("mimic", mimic)] {
                self.set(&node, tag, &values);
            }
        }
        Ok(())
    }

    /// Multiplier and offset that a description gives a joint so that it follows as in the tree, where what it follows in
    /// the description may itself follow another; none where nothing would do.
    fn written_mimic(
        &self,
        tree: &RigidBodyTree<f64>,
        joint: &str,
        followed: &str,
    ) -> Option<[f64; 2]> {
        let mimic = |name: &str| Some(*tree.joint(tree.joint_by_name(name).ok()?).ok()?.mimic()?);
        let Mimic {
            multiplier, offset, ..
        } = mimic(joint)?;
        let followed = match self.model.name.as_str() {
            "" => followed.to_owned(),
            model => format!("{model}/{followed}"),
        };
        // q = m q₀ + o and q_f = m_f q₀ + o_f.
        let written = match mimic(&followed) {
            None => [multiplier, offset],
            Some(followed) => {
                let ratio = multiplier / followed.multiplier;
                [ratio, offset - ratio * followed.offset]
            }
        };
        written.iter().all(|x| x.is_finite()).then_some(written)
    }

    /// Dimensions and poses of shapes.
    fn shapes(&mut self, robot: &Node, geometries: &[CollisionGeometry<f64>]) {
        for (node, shapes) in collisions(robot, self.model) {
            let Some(was) = shapes.first() else {
                continue;
            };
            let Some(is) = geometries.iter().find(|g| g.name == was.name) else {
                continue;
            };
            let Some(element) = shape_element(&node) else {
                continue;
            };
            self.pose(&node, &was.pose_in_body, &is.pose_in_body);
            if was.shape == is.shape {
                continue;
            }
            let dimensions: &[(&str, &[f64])] = match &is.shape {
                Shape::Sphere { radius } => &[("radius", &[*radius])],
                Shape::Capsule { radius, length } | Shape::Cylinder { radius, length } => {
                    &[("radius", &[*radius]), ("length", &[*length])]
                }
                Shape::Box { size } => &[("size", size.as_slice())],
                _ => &[],
            };
            for (name, values) in dimensions {
                self.edits.set(element.element(), name, &numbers(values));
            }
        }
    }

    fn pose(&mut self, node: &Node, was: &RigidTransform<f64>, is: &RigidTransform<f64>) {
        let mut origin = Vec::new();
        if was.translation != is.translation {
            origin.push(("xyz", numbers(is.translation.as_slice())));
        }
        if was.rotation != is.rotation {
            let was = node.child("origin");
            if let Some(was) = was.filter(|was| was.version().has_quaternions()) {
                self.edits.remove(was.element(), "quat_xyzw");
            }
            let RollPitchYaw { roll, pitch, yaw } = RollPitchYaw::from_matrix(&is.rotation);
            origin.push(("rpy", numbers(&[roll, pitch, yaw])));
        }
        self.set(node, "origin", &origin);
    }

    /// Sets attributes of a child, which is added if need be.
    fn set(&mut self, node: &Node, tag: &'static str, values: &[(&'static str, String)]) {
        match node.child(tag).filter(|child| child.element().is_written()) {
            Some(child) => {
                for (name, value) in values {
                    self.edits.set(child.element(), name, value);
                }
            }
            None if values.is_empty() => {}
            None => {
                let values = values
                    .iter()
                    .map(|(name, value)| format!(" {name}=\"{value}\""));
                let child = format!("<{tag}{}/>", values.collect::<String>());
                self.edits.add_child(node.element(), &child);
            }
        }
    }
}

/// The `<collision>` of a description, each with the geometries that were read of it: several where a mesh has parts,
/// none where it is not found.
fn collisions<'a, 'm>(
    robot: &Node<'a>,
    model: &'m UrdfModel<f64>,
) -> Vec<(Node<'a>, &'m [CollisionGeometry<f64>])> {
    let nodes = robot.children("link").flat_map(|link| {
        link.children("collision").collect::<Vec<_>>() // a node owns its way
    });
    let (mut read, mut meshes) = (
        model.collision_geometries.as_slice(),
        model.report.meshes.iter(),
    );
    let with_shapes = nodes.map(|node| {
        let is_mesh = shape_element(&node).is_some_and(|shape| shape.tag() == "mesh");
        let parts = if is_mesh {
            (meshes.next().and_then(|mesh| mesh.hull.as_ref())).map_or(0, |hull| hull.parts)
        } else {
            1
        };
        let (shapes, rest) = read.split_at(parts);
        read = rest;
        (node, shapes)
    });
    with_shapes.collect()
}

fn shape_element<'a>(collision: &Node<'a>) -> Option<Node<'a>> {
    collision.child("geometry")?.all_children().next()
}

fn moments(inertia: &Matrix3<f64>) -> [(&'static str, f64); 6] {
    [
        ("ixx", inertia.m11),
        ("ixy", inertia.m12),
        ("ixz", inertia.m13),
        ("iyy", inertia.m22),
        ("iyz", inertia.m23),
        ("izz", inertia.m33),
    ]
}
