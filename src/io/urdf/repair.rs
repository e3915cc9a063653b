//! URDF: repair of mistakes that have only one reading.

use super::node::child_path;
use super::report::UrdfRepair;
use crate::io::XmlPlace;
use crate::io::xml::{Attribute, Element};
use crate::spelling::nearest;

/// Lengths of axes further from 1 than figures are rounded.
const ROUNDED: f64 = 1e-3;

const SHAPES: [&str; 5] = ["box", "capsule", "cylinder", "mesh", "sphere"];
const MOMENTS: [&str; 3] = ["ixx", "iyy", "izz"];
const PRODUCTS: [&str; 3] = ["ixy", "ixz", "iyz"];

/// Mends what has one reading, and says what that was.
pub(super) fn repair(source: &str, robot: &mut Element) -> Vec<UrdfRepair> {
    let mut repairs = Repairs {
        source,
        list: Vec::new(),
    };
    repairs.robot(robot);
    repairs.list
}

struct Repairs<'s> {
    source: &'s str,
    list: Vec<UrdfRepair>,
}

impl Repairs<'_> {
    fn note(&mut self, element: &Element, path: &str, action: String) {
        let place = XmlPlace {
            source: self.source.to_owned(),
            line: element.line,
            element: path.to_owned(),
        };
        self.list.push(UrdfRepair { place, action });
    }

    fn robot(&mut self, robot: &mut Element) {
        if robot.attribute("name").is_none() {
            self.insert(robot, "", "name", "", "nothing precedes the names");
        }
        if robot.attribute("version").map(str::trim) == Some("1") {
            self.replace(robot, "", "version", "1.0");
        }
        let names = ["link", "joint"].map(|tag| names_of(robot, tag));
        for child in &mut robot.children {
            let path = child_path("", child);
            match child.name.as_str() {
                "link" => self.link(child, &path),
                "joint" => {
                    self.joint(child, &path);
                    self.references(child, &path, &names);
                }
                _ => {}
            }
        }
    }

    /// Takes blanks away around names of links and joints that there are without.
    fn references(&mut self, joint: &mut Element, path: &str, [links, joints]: &[Vec<String>; 2]) {
        for end in &mut joint.children {
            let (attribute, names) = match end.name.as_str() {
                "parent" | "child" => ("link", links),
                "mimic" => ("joint", joints),
                _ => continue,
            };
            let name = end.attribute(attribute).unwrap_or_default().to_owned();
            let is_known = |name: &str| names.iter().any(|known| known == name);
            if !is_known(&name) && is_known(name.trim()) {
                let path = child_path(path, end);
                self.replace(end, &path, attribute, name.trim());
            }
        }
    }

    fn link(&mut self, link: &mut Element, path: &str) {
        let mut kept = Vec::new();
        for mut child in std::mem::take(&mut link.children) {
            let path = child_path(path, &child);
            let is_kept = match child.name.as_str() {
                "inertial" => self.inertial(&mut child, &path),
                "collision" => self.collision(&mut child, &path),
                _ => true,
            };
            if is_kept {
                kept.push(child);
            }
        }
        link.children = kept;
    }

    /// Whether it says anything.
    fn inertial(&mut self, inertial: &mut Element, path: &str) -> bool {
        self.origin(inertial, path);
        let has = |name| inertial.children.iter().any(|child| child.name == name);
        match (has("mass"), has("inertia")) {
            (false, false) => {
                let action = "there is neither <mass> nor <inertia>: read as no mass";
                self.note(inertial, path, action.to_owned());
                false
            }
            (true, false) => {
                let action = "<inertia> is missing: read as that of a point mass, zero";
                self.note(inertial, path, action.to_owned());
                let mut inertia = Element::inserted("inertia", inertial.line);
                for name in MOMENTS.iter().chain(&PRODUCTS) {
                    inertia.attributes.push(Attribute::inserted(name, "0"));
                }
                inertial.children.push(inertia);
                true
            }
            (_, true) => {
                let found = inertial.children.iter_mut().find(|c| c.name == "inertia");
                if let Some(inertia) = found {
                    let path = child_path(path, inertia);
                    self.inertia(inertia, &path);
                }
                true
            }
        }
    }

    fn inertia(&mut self, inertia: &mut Element, path: &str) {
        for (product, mirrored) in PRODUCTS.into_iter().zip(["iyx", "izx", "izy"]) {
            if inertia.attribute(product).is_none() && inertia.attribute(mirrored).is_some() {
                let action = format!("there is no {product}, but {mirrored}: read as that");
                self.note(inertia, path, action);
                let mut attributes = inertia.attributes.iter_mut();
                if let Some(found) = attributes.find(|a| a.name == mirrored) {
                    found.name = product.to_owned();
                }
            }
        }
        let is_empty = |name: &&str| inertia.attribute(name).is_none();
        let has_moments = !MOMENTS.iter().any(&is_empty);
        let has_none = MOMENTS.iter().chain(&PRODUCTS).all(is_empty);
        if has_none {
            let means = "it is that of a point mass";
            for name in MOMENTS {
                self.insert(inertia, path, name, "0", means);
            }
        }
        if has_moments || has_none {
            let means = "axes are principal";
            for name in PRODUCTS {
                if inertia.attribute(name).is_none() {
                    self.insert(inertia, path, name, "0", means);
                }
            }
        }
    }

    /// Whether there is a shape that something can touch.
    fn collision(&mut self, collision: &mut Element, path: &str) -> bool {
        self.origin(collision, path);
        let geometry = (collision.children.iter_mut()).find(|child| child.name == "geometry");
        let shape = geometry.and_then(|geometry| geometry.children.first_mut());
        let Some(shape) = shape else {
            self.note(collision, path, "there is no shape: left out".to_owned());
            return false;
        };
        let name = shape.name.clone();
        if !SHAPES.contains(&name.as_str()) {
            // What resembles a shape that there is may be this one.
            if nearest(&name, SHAPES).is_some() {
                return true;
            }
            let action = format!("the format has no shape <{name}>: left out");
            self.note(collision, path, action);
            return false;
        }
        let shape_path = format!("{path}/geometry/{name}");
        if name == "mesh" {
            self.scale(shape, &shape_path);
            return true;
        }
        self.separators(shape, &shape_path, "size", 3);
        let lengths = ["radius", "length", "size"].map(|name| lengths(shape, name));
        let [radius, length, size] = lengths;
        if name == "capsule" && length == [0.0] && radius.first().is_some_and(|&r| r > 0.0) {
            let action = "length = 0: read as a sphere".to_owned();
            self.note(shape, &shape_path, action);
            shape.name = "sphere".to_owned();
            return true;
        }
        let has_no_volume = [radius, length, size].concat().contains(&0.0);
        if has_no_volume {
            let action = "it has no volume: left out".to_owned();
            self.note(shape, &shape_path, action);
        }
        !has_no_volume
    }

    fn scale(&mut self, mesh: &mut Element, path: &str) {
        self.separators(mesh, path, "scale", 3);
        if let [factor] = lengths(mesh, "scale")[..] {
            let three = [factor; 3].map(|x| x.to_string()).join(" ");
            self.replace(mesh, path, "scale", &three);
        }
    }

    fn joint(&mut self, joint: &mut Element, path: &str) {
        self.origin(joint, path);
        let kind = joint.attribute("type").unwrap_or_default().to_owned();
        let plain = kind.trim().to_lowercase();
        if kind != plain {
            self.replace(joint, path, "type", &plain);
        }
        let has_axis = ["continuous", "planar", "prismatic", "revolute"].contains(&plain.as_str());
        if let Some(place) = joint.children.iter().position(|child| child.name == "axis") {
            let axis = &mut joint.children[place];
            let path = child_path(path, axis);
            if has_axis {
                self.axis(axis, &path);
            } else if numbers(axis.attribute("xyz").unwrap_or_default(), 3).is_none() {
                self.note(axis, &path, "a joint without an axis: left out".to_owned());
                joint.children.remove(place);
            }
        }
        for child in &mut joint.children {
            let path = child_path(path, child);
            self.empty_numbers(child, &path);
        }
        if let Some(limit) = (joint.children.iter_mut()).find(|child| child.name == "limit") {
            let path = child_path(path, limit);
            self.limit(limit, &path);
        }
    }

    /// Reads numbers that are empty as if they were absent.
    fn empty_numbers(&mut self, element: &mut Element, path: &str) {
        let absent: &[_] = match element.name.as_str() {
            "dynamics" => &[("damping", "0"), ("friction", "0")],
            "limit" => &[
                ("lower", "0"),
                ("upper", "0"),
                ("velocity", "inf"),
                ("effort", "inf"),
            ],
            "mimic" => &[("multiplier", "1"), ("offset", "0")],
            _ => &[],
        };
        for (name, value) in absent {
            if element.attribute(name).is_some_and(|x| x.trim().is_empty()) {
                self.replace(element, path, name, value);
            }
        }
    }

    fn axis(&mut self, axis: &mut Element, path: &str) {
        /// What an axis that is absent is.
        const ABSENT: &str = "1 0 0";
        self.separators(axis, path, "xyz", 3);
        let Some(text) = axis.attribute("xyz").map(str::to_owned) else {
            let means = "as without <axis>";
            return self.insert(axis, path, "xyz", ABSENT, means);
        };
        let xyz = numbers(&text, 3).unwrap_or_default();
        // Without squares, which underflow or overflow.
        let length = xyz.iter().fold(0.0, |length, x| f64::hypot(length, *x));
        if text.trim().is_empty() || (xyz.len() == 3 && length == 0.0) {
            let action =
                format!("xyz = {text:?} is no direction: read as {ABSENT}, as without <axis>");
            self.note(axis, path, action);
            axis.set("xyz", ABSENT);
        } else if xyz.len() == 3 && (length - 1.0).abs() > ROUNDED {
            let action = format!("xyz = {text:?} is not of unit length: normalised");
            self.note(axis, path, action);
        }
    }

    fn limit(&mut self, limit: &mut Element, path: &str) {
        let [lower, upper] = ["lower", "upper"].map(|name| match limit.attribute(name) {
            Some(text) => text.trim().parse().ok(),
            None => Some(0.0),
        });
        let (Some(lower), Some(upper)) = (lower, upper) else {
            return;
        };
        if lower > upper {
            let (a, b): (f64, f64) = (lower, upper);
            let action = format!("lower = {a} is above upper = {b}: swapped");
            self.note(limit, path, action);
            for attribute in &mut limit.attributes {
                let other = match attribute.name.as_str() {
                    "lower" => "upper",
                    "upper" => "lower",
                    _ => continue,
                };
                attribute.name = other.to_owned();
            }
        }
    }

    fn origin(&mut self, parent: &mut Element, path: &str) {
        let Some(origin) = (parent.children.iter_mut()).find(|child| child.name == "origin") else {
            return;
        };
        let path = child_path(path, origin);
        for name in ["xyz", "rpy"] {
            if origin.attribute(name).is_some_and(|x| x.trim().is_empty()) {
                self.replace(origin, &path, name, "0 0 0");
            }
            self.separators(origin, &path, name, 3);
        }
    }

    /// Replaces commas and semicolons between so many numbers.
    fn separators(&mut self, element: &mut Element, path: &str, name: &str, count: usize) {
        let Some(text) = element.attribute(name) else {
            return;
        };
        if !text.contains([',', ';']) || text.contains("${") || text.contains("$(") {
            return;
        }
        let spaced = text.replace([',', ';'], " ");
        let parts = text.split([',', ';']).count();
        if parts == count && numbers(&spaced, count).is_some() {
            let words: Vec<_> = spaced.split_whitespace().collect();
            let words = words.join(" ");
            self.replace(element, path, name, &words);
        }
    }

    fn replace(&mut self, element: &mut Element, path: &str, name: &str, value: &str) {
        let was = element.attribute(name).unwrap_or_default();
        let action = format!("{name} = {was:?}: read as {value:?}");
        self.note(element, path, action);
        element.set(name, value);
    }

    fn insert(&mut self, element: &mut Element, path: &str, name: &str, value: &str, means: &str) {
        let action = format!("attribute {name:?} is missing: read as {value:?}, {means}");
        self.note(element, path, action);
        element.attributes.push(Attribute::inserted(name, value));
    }
}

fn names_of(robot: &Element, tag: &str) -> Vec<String> {
    let named = robot.children.iter().filter(|child| child.name == tag);
    (named.filter_map(|child| child.attribute("name")))
        .map(str::to_owned)
        .collect()
}

/// The numbers of an attribute; none where something else is there.
fn lengths(element: &Element, name: &str) -> Vec<f64> {
    let text = element.attribute(name).unwrap_or_default();
    let words: Result<Vec<f64>, _> = text.split_whitespace().map(str::parse).collect();
    words.unwrap_or_default()
}

/// So many finite numbers.
fn numbers(text: &str, count: usize) -> Option<Vec<f64>> {
    let words: Result<Vec<f64>, _> = text.split_whitespace().map(str::parse).collect();
    let numbers = words.ok()?;
    (numbers.len() == count && numbers.iter().all(|x| x.is_finite())).then_some(numbers)
}
