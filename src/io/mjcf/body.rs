//! MJCF: the section `<worldbody>`, bodies with their joints, geoms, sites and mass properties.

use super::compiler::{Compiler, Compilers, ORIENTATIONS, span};
use super::contact::listed_geoms;
use super::defaults::{Defaults, Item, MAIN, Node};
use super::error::{MjcfError, MjcfProblem};
use super::geom::{Form, Geom, geom, shape, spanned};
use super::mesh::Meshes;
use super::reader::MjcfReader;
use super::report::MjcfReport;
use crate::geometry::Shape;
use crate::io::xml::Element;
use crate::math::{RigidTransform, SpatialInertia, decompose_symmetric};
use nalgebra::{Matrix3, Vector3};
use std::collections::HashSet;
use std::slice;

/// A body of the description. The world is the first of all; parents come before their children.
pub(super) struct Body<'a> {
    pub item: Item<'a>,
    /// Of the document, or made up.
    pub name: String,
    pub parent: usize,
    /// `X_PB` on the parent, and `X_WB`, in the reference configuration.
    pub pose: RigidTransform<f64>,
    pub pose_in_world: RigidTransform<f64>,
    pub joints: Vec<Joint<'a>>,
    pub geoms: Vec<Geom<'a>>,
    pub sites: Vec<Site<'a>>,
    /// The element that gives its mass properties, and the pose of the frame around that.
    pub inertial: Option<(&'a Element, RigidTransform<f64>)>,
    pub inertia: Inertia,
    /// Whether its frame is another than that of the element.
    pub is_aligned: bool,
}

/// Mass properties of a body.
#[derive(Clone, Copy)]
pub(super) enum Inertia {
    /// The format gives none, or no geom with a mass.
    Missing,
    /// It depends on a shape that is not read.
    Unknown,
    Known(SpatialInertia<f64>),
}

/// The contents of `<joint>` or `<freejoint>`.
pub(super) struct Joint<'a> {
    pub item: Item<'a>,
    pub kind: Kind,
    /// Of a point of the axis, or of the centre, in the body in the reference configuration.
    pub anchor: Vector3<f64>,
    /// In the body in the reference configuration.
    pub axis: Vector3<f64>,
    /// How the frames around it are turned on the body.
    pub turn: Matrix3<f64>,
    /// The coordinate in the reference configuration.
    pub reference: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Hinge,
    Slide,
    Ball,
    Free,
}

impl Kind {
    fn freedoms(self) -> usize {
        match self {
            Kind::Hinge | Kind::Slide => 1,
            Kind::Ball => 3,
            Kind::Free => 6,
        }
    }
}

/// A frame with a name.
pub(super) struct Site<'a> {
    pub item: Item<'a>,
    pub name: &'a str,
    pub pose: RigidTransform<f64>,
    pub zone: Shape<f64>,
}

/// A body, a frame or the world, of which the first elements have been read.
struct Open<'a> {
    rest: slice::Iter<'a, Element>,
    /// Of the body, with the pose of the frame on it.
    index: usize,
    frame: RigidTransform<f64>,
    class: &'a str,
    is_body: bool,
}

/// Reads the bodies.
pub(super) struct BodyReader<'a, 'c> {
    pub is_lenient: bool,
    pub defaults: &'a Defaults<'a>,
    pub compilers: &'c Compilers,
    pub meshes: &'c Meshes<'a>,
    /// Names of geoms in pairs that are listed.
    pub listed: HashSet<&'a str>,
    pub report: &'c mut MjcfReport,
    pub bodies: Vec<Body<'a>>,
}

impl<'a, 'c> BodyReader<'a, 'c> {
    /// The bodies of a model.
    pub fn read(
        reader: &MjcfReader,
        defaults: &'a Defaults<'a>,
        compilers: &'c Compilers,
        meshes: &'c Meshes<'a>,
        report: &'c mut MjcfReport,
    ) -> Result<Vec<Body<'a>>, MjcfError> {
        let mut reader = BodyReader {
            is_lenient: reader.is_lenient,
            defaults,
            compilers,
            meshes,
            listed: listed_geoms(defaults.root()),
            report,
            bodies: Vec::new(),
        };
        reader.read_world(defaults.root())?;
        Ok(reader.bodies)
    }

    /// Reads `<worldbody>`, of which there may be several.
    fn read_world(&mut self, root: &'a Element) -> Result<(), MjcfError> {
        let identity = RigidTransform::identity();
        self.bodies.push(Body {
            item: self.defaults.item(root, MAIN, &[])?,
            name: "world".to_owned(),
            parent: 0,
            pose: identity,
            pose_in_world: identity,
            joints: vec![],
            geoms: vec![],
            sites: vec![],
            inertial: None,
            inertia: Inertia::Missing,
            is_aligned: false,
        });
        let sections = root.children.iter().filter(|e| e.name == "worldbody");
        for section in sections {
            let class = self.childclass(section, MAIN)?;
            for (inertial, _) in self.inertials(section, &identity, class)? {
                let node = self.defaults.node(inertial);
                self.report.leave_out(&node, "gives the world a mass");
            }
            self.read_contents(section, class)?;
        }
        Ok(())
    }

    fn childclass(&self, element: &'a Element, class: &'a str) -> Result<&'a str, MjcfError> {
        let own = (self.defaults).class(&self.defaults.node(element), "childclass")?;
        Ok(own.unwrap_or(class))
    }

    /// What is in a section of the world, bodies in bodies without recursion: chains of them can be long.
    fn read_contents(&mut self, section: &'a Element, class: &'a str) -> Result<(), MjcfError> {
        let mut open = vec![Open {
            rest: section.children.iter(),
            index: 0,
            frame: RigidTransform::identity(),
            class,
            is_body: false,
        }];
        while let Some(top) = open.last_mut() {
            let (index, frame, class) = (top.index, top.frame, top.class);
            let Some(child) = top.rest.next() else {
                if top.is_body {
                    self.bodies[index].inertia = self.inertia(index)?;
                    self.align(index)?;
                }
                open.pop();
                continue;
            };
            match child.name.as_str() {
                "body" => open.push(Open {
                    index: self.bodies.len(),
                    class: self.read_body(child, index, &frame, class)?,
                    rest: child.children.iter(),
                    frame: RigidTransform::identity(),
                    is_body: true,
                }),
                "frame" => {
                    let class = self.childclass(child, class)?;
                    let item = self.defaults.item(child, class, &[])?;
                    open.push(Open {
                        rest: child.children.iter(),
                        index,
                        frame: frame * self.compilers.pose(&item)?,
                        class,
                        is_body: false,
                    });
                }
                _ => self.read_part(child, index, &frame, class)?,
            }
        }
        Ok(())
    }

    /// What is no body, in a body or in a frame with the pose `frame` on it.
    fn read_part(
        &mut self,
        element: &'a Element,
        index: usize,
        frame: &RigidTransform<f64>,
        class: &'a str,
    ) -> Result<(), MjcfError> {
        match element.name.as_str() {
            "geom" => {
                let item = self.defaults.item(element, class, &["geom"])?;
                let mut geom = geom(item, self, self.weighs_geoms(index))?;
                geom.pose = *frame * geom.pose;
                let turned =
                    |i: SpatialInertia<f64>| i.transformed(&frame.rotation, &frame.translation);
                geom.inertia = geom.inertia.map(turned);
                self.bodies[index].geoms.push(geom);
            }
            "site" => self.read_site(element, index, frame, class)?,
            "joint" | "freejoint" => self.read_joint(element, index, frame, class)?,
            "composite" | "flexcomp" => {
                let node = self.defaults.node(element);
                if !self.is_lenient {
                    let reason = "holds bodies and is not read".to_owned();
                    return Err(node.error(MjcfProblem::LeftOut { reason }));
                }
                self.report.leave_out(&node, "holds bodies");
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds a body without what is in it; the class of that.
    fn read_body(
        &mut self,
        element: &'a Element,
        parent: usize,
        frame: &RigidTransform<f64>,
        class: &'a str,
    ) -> Result<&'a str, MjcfError> {
        let class = self.childclass(element, class)?;
        let item = self.defaults.item(element, class, &[])?;
        let pose = *frame * self.compilers.pose(&item)?;
        let index = self.bodies.len();
        let name = match element.attribute("name").filter(|name| !name.is_empty()) {
            Some(name) => name.to_owned(),
            None => format!("body{index}"),
        };
        if item.node.flag("mocap")? == Some(true) {
            self.report
                .leave_out(&item.node, "is fixed where it starts");
        }
        let identity = RigidTransform::identity();
        let inertials = self.inertials(element, &identity, class)?;
        if let Some((first, _)) = inertials.first() {
            // Whether or not its mass is that of the geoms.
            full_inertia(&self.defaults.node(first))?;
        }
        for (other, _) in inertials.iter().skip(1) {
            let node = self.defaults.node(other);
            self.report.leave_out(&node, "is not the first of its body");
        }
        self.bodies.push(Body {
            item,
            name,
            parent,
            pose,
            pose_in_world: self.bodies[parent].pose_in_world * pose,
            joints: vec![],
            geoms: vec![],
            sites: vec![],
            inertial: inertials.first().copied(),
            inertia: Inertia::Missing,
            is_aligned: false,
        });
        Ok(class)
    }

    fn read_site(
        &mut self,
        element: &'a Element,
        index: usize,
        frame: &RigidTransform<f64>,
        class: &'a str,
    ) -> Result<(), MjcfError> {
        let item = self.defaults.item(element, class, &["site"])?;
        let kind = item.text("type").unwrap_or("sphere");
        let mut size = [0.005; 3];
        item.overlay("size", &mut size)?;
        let pose = match span(&item, kind)? {
            Some((pose, length)) => {
                size = spanned(kind, size, length);
                pose
            }
            None => self.compilers.pose(&item)?,
        };
        if let Some(name) = element.attribute("name").filter(|name| !name.is_empty()) {
            let Form::Shape(zone) = shape(&item, kind, size)? else {
                return Ok(());
            };
            let pose = *frame * pose;
            (self.bodies[index].sites).push(Site {
                item,
                name,
                pose,
                zone,
            });
        }
        Ok(())
    }

    fn read_joint(
        &mut self,
        element: &'a Element,
        index: usize,
        frame: &RigidTransform<f64>,
        class: &'a str,
    ) -> Result<(), MjcfError> {
        // A free joint has no defaults.
        let is_free = element.name == "freejoint";
        let kinds: &[_] = if is_free { &[] } else { &["joint"] };
        let item = self.defaults.item(element, class, kinds)?;
        let kind = match item.text("type") {
            _ if is_free => Kind::Free,
            None | Some("hinge") => Kind::Hinge,
            Some("slide") => Kind::Slide,
            Some("ball") => Kind::Ball,
            Some("free") => Kind::Free,
            Some(_) => {
                let expected = "free, ball, slide or hinge";
                return Err(item.holder("type").value("type", expected));
            }
        };
        let axis = item.vector("axis")?.unwrap_or(Vector3::z());
        let largest = axis.amax();
        let Some(axis) = (axis / largest)
            .try_normalize(0.0)
            .filter(|_| largest > 0.0)
        else {
            return Err(item.holder("axis").value("axis", "not all zero"));
        };
        let reference = item.number("ref")?.unwrap_or(0.0);
        let joints = &self.bodies[index].joints;
        let follows_ball = joints.iter().any(|j| j.kind == Kind::Ball);
        if follows_ball && matches!(kind, Kind::Hinge | Kind::Ball) {
            return Err(item.node.error(MjcfProblem::TurnsBehindBall));
        }
        let before: usize = joints.iter().map(|j| j.kind.freedoms()).sum();
        let is_alone = joints.is_empty() && self.bodies[index].parent == 0 && index != 0;
        let follows_free = joints.iter().any(|j| j.kind == Kind::Free);
        if (kind == Kind::Free && !is_alone) || follows_free {
            return Err(item.node.error(MjcfProblem::FreeJoint));
        }
        if before + kind.freedoms() > 6 {
            return Err(item.node.error(MjcfProblem::TooManyFreedoms));
        }
        if index == 0 {
            return Err(item.node.error(MjcfProblem::UnknownName {
                element: "body",
                name: "world".to_owned(),
                nearest: None,
            }));
        }
        self.bodies[index].joints.push(Joint {
            kind,
            anchor: frame.transform_point(&item.vector("pos")?.unwrap_or_default()),
            axis: frame.rotation * axis,
            turn: frame.rotation,
            reference: match kind {
                Kind::Hinge => self.compilers.of(&item.node).angle(reference),
                Kind::Slide => reference,
                Kind::Ball | Kind::Free => 0.0,
            },
            item,
        });
        Ok(())
    }

    /// The elements that give mass properties in a body, or in a frame with the pose `frame` on it, with the poses of their
    /// frames.
    fn inertials(
        &self,
        element: &'a Element,
        frame: &RigidTransform<f64>,
        class: &'a str,
    ) -> Result<Vec<(&'a Element, RigidTransform<f64>)>, MjcfError> {
        let mut found = Vec::new();
        for child in &element.children {
            match child.name.as_str() {
                "inertial" => found.push((child, *frame)),
                "frame" => {
                    let class = self.childclass(child, class)?;
                    let pose = (self.compilers).pose(&self.defaults.item(child, class, &[])?)?;
                    found.extend(self.inertials(child, &(*frame * pose), class)?);
                }
                _ => {}
            }
        }
        Ok(found)
    }

    fn compiler(&self, index: usize) -> &'c Compiler {
        self.compilers.of(&self.bodies[index].item.node)
    }

    /// What gives the mass properties of a body in place of its geoms. These come first where the compiler says so and one of
    /// them has a mass.
    pub(super) fn explicit_inertia(
        &self,
        index: usize,
    ) -> Option<(&'a Element, RigidTransform<f64>)> {
        let Body {
            inertial, geoms, ..
        } = &self.bodies[index];
        let from_geoms = self.compiler(index).inertia_from_geoms == Some(true);
        let weighs = |geom: &Geom| geom.inertia.is_some() || geom.lacks_inertia;
        inertial.filter(|_| !from_geoms || !geoms.iter().any(weighs))
    }

    fn weighs_geoms(&self, index: usize) -> bool {
        let from_geoms = self.compiler(index).inertia_from_geoms;
        let has_own = self.bodies[index].inertial.is_some();
        index != 0 && from_geoms.unwrap_or(!has_own)
    }

    fn inertia(&self, index: usize) -> Result<Inertia, MjcfError> {
        let inertia = match self.explicit_inertia(index) {
            Some((inertial, frame)) => self.inertial(inertial, &frame)?,
            None => {
                let geoms = &self.bodies[index].geoms;
                if geoms.iter().any(|geom| geom.lacks_inertia) {
                    return Ok(Inertia::Unknown);
                }
                let parts = geoms.iter().filter_map(|geom| geom.inertia);
                let compiler = self.compiler(index);
                let is_bounded = compiler.least_mass > 0.0 || compiler.least_inertia > 0.0;
                match parts.reduce(|sum, part| sum.combined(&part)) {
                    Some(inertia) => inertia,
                    None if is_bounded => SpatialInertia::point_mass(0.0, Vector3::zeros()),
                    None => return Ok(Inertia::Missing),
                }
            }
        };
        Ok(Inertia::Known(adjusted(inertia, self.compiler(index))))
    }

    fn inertial(
        &self,
        element: &'a Element,
        frame: &RigidTransform<f64>,
    ) -> Result<SpatialInertia<f64>, MjcfError> {
        let item = self.defaults.item(element, MAIN, &[])?;
        let pose = *frame * self.compilers.pose(&item)?;
        item.node.required_numbers("pos")?;
        item.node.required_numbers("mass")?;
        let mut beside = ORIENTATIONS.iter().chain(&["diaginertia"]);
        if item.node.has("fullinertia") && beside.any(|name| item.node.has(name)) {
            let expected = "no orientation and no diaginertia beside it";
            return Err(item.node.value("fullinertia", expected));
        }
        let mass = item.number("mass")?.unwrap_or_default();
        let inertia = match full_inertia(&item.node)? {
            Some(inertia) => inertia,
            None => {
                item.node.required_numbers("diaginertia")?;
                let moments = item.vector("diaginertia")?.unwrap_or_default();
                let is_raised = self.compilers.of(&item.node).least_inertia > 0.0;
                if moments.min() < 0.0 && !is_raised {
                    let expected = "numbers that are not negative";
                    return Err(item.node.value("diaginertia", expected));
                }
                Matrix3::from_diagonal(&moments)
            }
        };
        let inertia = SpatialInertia {
            mass,
            center_of_mass: Vector3::zeros(),
            rotational_inertia: inertia,
        };
        let mut inertia = inertia.transformed(&pose.rotation, &pose.translation);
        let rotational = &mut inertia.rotational_inertia;
        *rotational = (*rotational + rotational.transpose()) * 0.5;
        inertia
            .check_entries(1e-6)
            .map_err(|e| item.node.error(e))?;
        Ok(inertia)
    }
}

/// The least moment of inertia of a `fullinertia` in kg m².
const LEAST_MOMENT: f64 = 1e-14;

/// The `fullinertia` of an element, which must be positive definite.
fn full_inertia(node: &Node) -> Result<Option<Matrix3<f64>>, MjcfError> {
    let name = "fullinertia";
    let Some([xx, yy, zz, xy, xz, yz]) = node.array(name)? else {
        return Ok(None);
    };
    let inertia = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    let is_definite =
        decompose_symmetric(&inertia).is_some_and(|eigen| eigen.eigenvalues.min() >= LEAST_MOMENT);
    match is_definite {
        true => Ok(Some(inertia)),
        false => Err(node.value(name, "a positive definite matrix")),
    }
}

/// Raised to the bounds that the compiler sets.
fn adjusted(mut inertia: SpatialInertia<f64>, compiler: &Compiler) -> SpatialInertia<f64> {
    inertia.mass = inertia.mass.max(compiler.least_mass);
    if (compiler.least_inertia > 0.0 || compiler.balance_inertia)
        && let Some(eigen) = decompose_symmetric(&inertia.rotational_inertia)
    {
        let mut moments = eigen.eigenvalues.map(|m| m.max(compiler.least_inertia));
        if compiler.balance_inertia && 2.0 * moments.max() > moments.sum() {
            moments = Vector3::repeat(moments.mean());
        }
        let axes = eigen.eigenvectors;
        inertia.rotational_inertia = axes * Matrix3::from_diagonal(&moments) * axes.transpose();
    }
    inertia
}
