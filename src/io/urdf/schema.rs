//! URDF: the elements and attributes that the reader reads.

use super::error::{UrdfError, UrdfProblem};
use super::node::Node;
use super::report::{UrdfMisspelling, UrdfReport};
use super::version::Version;
use crate::spelling::nearest;
use std::collections::HashSet;

/// The part of an element that is read.
struct Content {
    attributes: &'static [&'static str],
    /// Children of which all are read.
    repeated: &'static [&'static str],
    /// Children of which the first is read.
    once: &'static [&'static str],
    /// Children of which the first of any name is read.
    choice: &'static [&'static str],
}

const fn content(
    attributes: &'static [&'static str],
    repeated: &'static [&'static str],
    once: &'static [&'static str],
) -> Content {
    Content {
        attributes,
        repeated,
        once,
        choice: &[],
    }
}

/// What is read of an element.
fn known(tag: &str, version: Version) -> Content {
    match tag {
        "robot" => content(&["name", "version"], &["link", "joint"], &[]),
        "link" => content(&["name"], &["collision"], &["inertial"]),
        "inertial" => content(&[], &[], &["origin", "mass", "inertia"]),
        "mass" => content(&["value"], &[], &[]),
        "inertia" => content(&["ixx", "ixy", "ixz", "iyy", "iyz", "izz"], &[], &[]),
        "origin" if version.has_quaternions() => content(&["xyz", "rpy", "quat_xyzw"], &[], &[]),
        "origin" => content(&["xyz", "rpy"], &[], &[]),
        "collision" => content(&["name"], &[], &["origin", "geometry"]),
        "geometry" => Content {
            choice: &["box", "capsule", "cylinder", "mesh", "sphere"],
            ..content(&[], &[], &[])
        },
        "box" => content(&["size"], &[], &[]),
        "capsule" | "cylinder" => content(&["radius", "length"], &[], &[]),
        "sphere" => content(&["radius"], &[], &[]),
        "mesh" => content(&["filename", "scale"], &[], &[]),
        "joint" => content(
            &["name", "type"],
            &[],
            &[
                "origin", "parent", "child", "axis", "limit", "dynamics", "mimic",
            ],
        ),
        "parent" | "child" => content(&["link"], &[], &[]),
        "axis" => content(&["xyz"], &[], &[]),
        "limit" => content(&["lower", "upper", "velocity", "effort"], &[], &[]),
        "dynamics" => content(&["damping", "friction"], &[], &[]),
        "mimic" => content(&["joint", "multiplier", "offset"], &[], &[]),
        _ => content(&[], &[], &[]),
    }
}

/// Puts into the report what is not read of an element and of those in it that are read, and which
/// of that looks like a slip of the pen.
///
/// # Errors
/// [`UrdfProblem::Macro`] and [`UrdfProblem::Unexpanded`] for what xacro should have replaced.
pub(super) fn survey(node: &Node<'_>, report: &mut UrdfReport) -> Result<(), UrdfError> {
    let known = known(node.tag(), node.version());
    for (attribute, value) in node.attributes() {
        if attribute.contains(':') || attribute == "xmlns" {
            continue; // of another vocabulary
        }
        if !known.attributes.contains(&attribute) {
            report.skip(node.tag(), &format!("@{attribute}"));
            suspect(node, attribute, known.attributes, report);
        } else if attribute != "filename" && (value.contains("${") || value.contains("$(")) {
            let (attribute, value) = (attribute.to_owned(), value.to_owned());
            return Err(node.error(UrdfProblem::Unexpanded { attribute, value }));
        }
    }
    let mut seen = HashSet::new();
    for child in node.all_children() {
        let tag = child.tag();
        if tag.starts_with("xacro:") {
            return Err(child.error(UrdfProblem::Macro));
        }
        let [is_repeated, is_single, is_choice] =
            [known.repeated, known.once, known.choice].map(|names| names.contains(&tag));
        let is_known = is_repeated || is_single || is_choice;
        if is_known && (is_repeated || seen.insert(if is_choice { "" } else { tag })) {
            survey(&child, report)?;
        } else {
            report.skip(node.tag(), tag);
            if !is_known {
                let names = known
                    .repeated
                    .iter()
                    .chain(known.once)
                    .chain(known.choice)
                    .copied();
                suspect(&child, tag, &names.collect::<Vec<_>>(), report);
            }
        }
    }
    Ok(())
}

/// Notes a name that is not read but resembles one that would be.
fn suspect(node: &Node<'_>, found: &str, names: &[&'static str], report: &mut UrdfReport) {
    (report.misspelt).extend(misspelling(node, found, names));
}

/// The name that one which is not read resembles, if there is one.
pub(in crate::io) fn misspelling(
    node: &Node<'_>,
    found: &str,
    names: &[&'static str],
) -> Option<UrdfMisspelling> {
    Some(UrdfMisspelling {
        line: node.line(),
        found: found.to_owned(),
        nearest: nearest(found, names.iter().copied())?,
    })
}
