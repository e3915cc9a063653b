//! MJCF: the report of a reading, and what was left out.

use super::defaults::Node;
use crate::InvalidInput;
use crate::io::XmlPlace;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// Of a list with places; finding the place of an element takes a walk through the document. What is
/// beyond is only counted.
pub(super) const MOST_PLACES: usize = 1000;

/// What was read of a model, what needs attention, and what was left out.
///
/// Bodies are given by their names in the tree. Its [`Display`](fmt::Display) form is a few lines of
/// text, one for each list that is not empty.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct MjcfReport {
    /// Bodies with a joint for which the model gives no mass properties; they have no mass.
    pub without_inertia: Vec<String>,
    /// Bodies that move and whose mass properties would follow from meshes that are generated, of plugins or, with a
    /// [lenient](super::MjcfReader::lenient) reader, not found; they have no mass. The dynamics are not those of the model.
    pub unknown_inertia: Vec<String>,
    /// Bodies with mass properties that no rigid body can have; they are used as they stand.
    pub implausible_inertia: Vec<(String, InvalidInput)>,
    /// Bodies that float above a floor, or something else that is fixed, of which nothing can touch it:
    /// they fall through.
    pub untouchable: Vec<String>,
    /// Joints, by their names in the tree, and attributes of which the tree holds the constants, and of which no element
    /// of the model makes a force: `actuatorfrcrange`.
    pub not_enforced: Vec<(String, &'static str)>,
    /// Meshes of which the convex hulls are shapes that touch.
    pub meshes: Vec<MjcfMesh>,
    /// Elements that the reader knows but cannot represent.
    pub left_out: Vec<MjcfOmission>,
    /// Elements and attributes that were left out and may be misspelt.
    pub misspelt: Vec<MjcfMisspelling>,
    /// How many elements and attributes of each kind were left out, as `parent/element`,
    /// `"worldbody/light"`, or `element/@attribute`.
    pub skipped: BTreeMap<String, usize>,
}

/// A mesh of which the convex hull was taken, or those of its parts.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MjcfMesh {
    /// Its name in the model.
    pub name: String,
    /// The file; none of a mesh in the model itself.
    pub path: Option<PathBuf>,
    /// How many triangles the mesh has.
    pub triangles: usize,
    /// How many hulls there are: 1, unless the mesh [is divided](super::MjcfReader::with_convex_decomposition).
    pub parts: usize,
    /// How many vertices the hulls have.
    pub vertices: usize,
    /// How far the mesh reaches beyond the hulls, at most, in metres.
    pub deviation: f64,
}

/// An element that cannot be represented, wholly or in part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MjcfOmission {
    /// Where it is.
    pub place: XmlPlace,
    /// What of it counts, in words.
    pub reason: &'static str,
}

/// An element or attribute that is not read, but whose name resembles one that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MjcfMisspelling {
    /// Where it is.
    pub place: XmlPlace,
    /// The name in the model.
    pub found: String,
    /// What it may mean.
    pub nearest: &'static str,
}

impl MjcfReport {
    pub(super) fn hold(&mut self, joint: &str, attribute: &'static str) {
        self.not_enforced.push((joint.to_owned(), attribute));
    }

    pub(super) fn leave_out(&mut self, node: &Node, reason: &'static str) {
        if self.left_out.len() == MOST_PLACES {
            return self.skip(&node.element.name, reason);
        }
        let place = node.document.place(node.element);
        self.left_out.push(MjcfOmission { place, reason });
    }

    pub(super) fn skip(&mut self, parent: &str, element: &str) {
        let count = self.skipped.entry(format!("{parent}/{element}"));
        *count.or_default() += 1;
    }
}

impl fmt::Display for MjcfReport {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut line = |title: &str, items: Vec<String>| match items.len() {
            0 => Ok(()),
            n => writeln!(f, "{title} ({n}): {}", items.join(", ")),
        };
        line("bodies without inertia", self.without_inertia.clone())?;
        line(
            "bodies whose inertia is that of shapes that are not read",
            self.unknown_inertia.clone(),
        )?;
        let implausible = self.implausible_inertia.iter();
        let implausible = implausible.map(|(body, reason)| format!("{body}: {reason}"));
        line("implausible inertia", implausible.collect())?;
        line(
            "warning, nothing of these can touch the floor",
            self.untouchable.clone(),
        )?;
        let mut counts = BTreeMap::<_, usize>::new();
        for (_, attribute) in &self.not_enforced {
            *counts.entry(attribute).or_default() += 1;
        }
        let counts = counts.iter();
        let counts = counts.map(|(attribute, count)| format!("{attribute} of {count} joints"));
        line(
            "constants of the tree that no element enforces",
            counts.collect(),
        )?;
        let meshes = self.meshes.iter().map(|mesh| mesh.name.clone());
        line("hulls of meshes", meshes.collect())?;
        let omitted = self.left_out.iter();
        let omitted = omitted.map(|o| format!("{} {}", o.place, o.reason));
        line("not represented", omitted.collect())?;
        let misspelt = self.misspelt.iter();
        let misspelt =
            misspelt.map(|m| format!("{} at {} (is it {}?)", m.found, m.place, m.nearest));
        line("perhaps misspelt", misspelt.collect())?;
        let skipped = self.skipped.iter();
        let skipped = skipped.map(|(element, count)| format!("{count} {element}"));
        line("left out", skipped.collect())
    }
}
