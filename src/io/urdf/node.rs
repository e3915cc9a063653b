//! URDF: XML elements with their path, so that every error is located.

use super::error::{UrdfError, UrdfProblem};
use super::version::Version;
use crate::io::XmlPlace;
use crate::io::quaternion::rotation_of;
use crate::io::xml::Element;
use crate::math::{RigidTransform, RollPitchYaw};
use nalgebra::{Matrix3, Vector3};

/// An element of a description, and where it is.
#[derive(Debug, Clone)]
pub(in crate::io) struct Node<'a> {
    source: &'a str,
    element: &'a Element,
    path: String,
    version: Version,
}

impl<'a> Node<'a> {
    /// The outermost element, which must be `<robot>`.
    pub fn robot(source: &'a str, element: &'a Element) -> Result<Self, UrdfError> {
        let node = Node {
            source,
            element,
            path: String::new(),
            version: Version::V1_0,
        };
        if element.name == "robot" {
            Ok(node)
        } else {
            let found = element.name.clone();
            Err(node.error(UrdfProblem::NotARobot { found }))
        }
    }

    /// As [`Self::robot`], of a description that may name a version of the format.
    pub fn versioned_robot(source: &'a str, element: &'a Element) -> Result<Self, UrdfError> {
        let node = Self::robot(source, element)?;
        let Some(text) = node.attribute("version") else {
            return Ok(node);
        };
        let version = Version::parse(text);
        let version = version.ok_or_else(|| node.value("version", text, "1.0, 1.1 or 1.2"))?;
        Ok(Node { version, ..node })
    }

    pub fn version(&self) -> Version {
        self.version
    }

    pub fn element(&self) -> &'a Element {
        self.element
    }

    pub fn tag(&self) -> &'a str {
        &self.element.name
    }

    /// All children of this name, in their order.
    pub fn children(&self, name: &'static str) -> impl Iterator<Item = Node<'a>> {
        self.all_children().filter(move |c| c.tag() == name)
    }

    pub fn all_children(&self) -> impl Iterator<Item = Node<'a>> {
        self.element.children.iter().map(|child| {
            let path = child_path(&self.path, child);
            Node {
                source: self.source,
                element: child,
                path,
                version: self.version,
            }
        })
    }

    /// The first child of this name.
    pub fn child(&self, name: &'static str) -> Option<Node<'a>> {
        self.children(name).next()
    }

    pub fn required_child(&self, name: &'static str) -> Result<Node<'a>, UrdfError> {
        self.child(name)
            .ok_or_else(|| self.error(UrdfProblem::MissingElement { element: name }))
    }

    pub fn attribute(&self, name: &str) -> Option<&'a str> {
        self.element.attribute(name)
    }

    /// Names and values of all attributes.
    pub fn attributes(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let attributes = self.element.attributes.iter();
        attributes.map(|a| (a.name.as_str(), a.value.as_str()))
    }

    pub fn line(&self) -> usize {
        self.element.line
    }

    pub fn required_attribute(&self, name: &'static str) -> Result<&'a str, UrdfError> {
        self.attribute(name)
            .ok_or_else(|| self.error(UrdfProblem::MissingAttribute { attribute: name }))
    }

    /// The attribute `name`, which must not be empty.
    pub fn name(&self) -> Result<&'a str, UrdfError> {
        match self.required_attribute("name")? {
            "" => Err(self.value("name", "", "a name")),
            name => Ok(name),
        }
    }

    pub fn number(&self, name: &'static str) -> Result<Option<f64>, UrdfError> {
        let parse =
            |value: &str| (value.trim().parse()).map_err(|_| self.value(name, value, "a number"));
        self.attribute(name).map(parse).transpose()
    }

    pub fn required_number(&self, name: &'static str) -> Result<f64, UrdfError> {
        self.required_attribute(name)?;
        Ok(self.number(name)?.unwrap_or_default())
    }

    pub fn vector(&self, name: &'static str) -> Result<Option<Vector3<f64>>, UrdfError> {
        let numbers = self.numbers(name, "three finite numbers separated by spaces")?;
        Ok(numbers.map(Vector3::from))
    }

    /// The pose that a child `<origin>` gives this element.
    pub fn origin(&self) -> Result<RigidTransform<f64>, UrdfError> {
        let Some(origin) = self.child("origin") else {
            return Ok(RigidTransform::identity());
        };
        let translation = origin.vector("xyz")?.unwrap_or_default();
        let angles = origin.vector("rpy")?;
        let name = "quat_xyzw";
        let quaternion = origin.attribute(name);
        let quaternion = quaternion.filter(|_| self.version.has_quaternions());
        let rotation = match quaternion {
            Some(text) if angles.is_some() => {
                return Err(origin.value(name, text, "no rpy beside it"));
            }
            Some(text) => origin.quaternion(name, text)?,
            None => {
                let angles = angles.unwrap_or_default();
                RollPitchYaw::new(angles.x, angles.y, angles.z).to_matrix()
            }
        };
        Ok(RigidTransform::new(rotation, translation))
    }

    /// The rotation of a quaternion, which is normalised.
    fn quaternion(&self, name: &'static str, text: &str) -> Result<Matrix3<f64>, UrdfError> {
        let expected = "four finite numbers separated by spaces, not all zero";
        let [x, y, z, w] = self.numbers(name, expected)?.unwrap_or_default();
        rotation_of([w, x, y, z]).ok_or_else(|| self.value(name, text, expected))
    }

    fn numbers<const N: usize>(
        &self,
        name: &'static str,
        expected: &'static str,
    ) -> Result<Option<[f64; N]>, UrdfError> {
        let Some(text) = self.attribute(name) else {
            return Ok(None);
        };
        let number = |word: &str| word.parse().ok().filter(|x: &f64| x.is_finite());
        let numbers: Option<Vec<f64>> = text.split_whitespace().map(number).collect();
        match numbers.and_then(|list| list.try_into().ok()) {
            Some(numbers) => Ok(Some(numbers)),
            None => Err(self.value(name, text, expected)),
        }
    }

    /// The error that the value of an attribute is another than expected.
    pub fn value(&self, attribute: &'static str, value: &str, expected: &'static str) -> UrdfError {
        self.error(UrdfProblem::Value {
            attribute,
            value: value.to_owned(),
            expected,
        })
    }

    /// The error that this element has a problem.
    pub fn error(&self, problem: impl Into<UrdfProblem>) -> UrdfError {
        UrdfError::Invalid {
            place: self.place(),
            problem: Box::new(problem.into()),
        }
    }

    pub fn place(&self) -> XmlPlace {
        XmlPlace {
            source: self.source.to_owned(),
            line: self.element.line,
            element: self.path.clone(),
        }
    }
}

/// The way to a child of the element that `path` leads to.
pub(super) fn child_path(path: &str, child: &Element) -> String {
    let mut path = path.to_owned();
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(&child.name);
    if let Some(name) = child.attribute("name") {
        path.push_str(&format!(" {name:?}"));
    }
    path
}
