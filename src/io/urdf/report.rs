//! URDF: the report of a reading, and what was left out.

use crate::InvalidInput;
use crate::io::XmlPlace;
use nalgebra::Vector3;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// What was read of a description, what needs attention, and what was left out.
///
/// Bodies, joints and geometries are given by their names in the tree. Its [`Display`](fmt::Display)
/// form is a few lines of text, one for each list that is not empty, and one for each repair.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct UrdfReport {
    /// Bodies whose link has no `<inertial>`; they have no mass.
    pub without_inertia: Vec<String>,
    /// Bodies with mass properties that no rigid body can have; they are used as they stand.
    pub implausible_inertia: Vec<(String, InvalidInput)>,
    /// Joints whose position is limited.
    pub position_limits: Vec<String>,
    /// Joints whose velocity is limited.
    pub velocity_limits: Vec<String>,
    /// Joints whose force or torque is limited.
    pub effort_limits: Vec<String>,
    /// Revolute and prismatic joints without `<limit>`, which the format asks for; they have none.
    pub without_limits: Vec<String>,
    /// Joints with viscous damping.
    pub damping: Vec<String>,
    /// Joints with Coulomb friction, which [`UrdfModel::system`](super::UrdfModel::system) applies, and the dynamics of the tree do not.
    pub friction: Vec<String>,
    /// Joints that follow another, and the one that they follow.
    pub coupled_mimics: Vec<(String, String)>,
    /// Joints that would follow another but were asked to be independent, and the other one.
    pub independent_mimics: Vec<(String, String)>,
    /// Collision geometries that are meshes, of which the convex hulls are read.
    pub meshes: Vec<UrdfMesh>,
    /// Whether the robot floats and has no collision geometry: it falls through any floor.
    pub is_untouchable: bool,
    /// Mistakes that were mended, if that [was asked for](super::UrdfMistakes::Repaired).
    pub repairs: Vec<UrdfRepair>,
    /// Elements and attributes that were left out and may be misspelt.
    pub misspelt: Vec<UrdfMisspelling>,
    /// How many elements and attributes of each kind were left out, as `parent/element`,
    /// `"link/visual"`, or `element/@attribute`.
    pub skipped: BTreeMap<String, usize>,
}

/// A mistake that has been mended, `robot.urdf:12: joint "knee"/limit: lower = 2 is above upper = -2: swapped`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UrdfRepair {
    /// Where it is.
    pub place: XmlPlace,
    /// The mistake, and what was made of it.
    pub action: String,
}

impl fmt::Display for UrdfRepair {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.action)
    }
}

/// An element or attribute that is not read, but whose name resembles one that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrdfMisspelling {
    /// The line of the element, counted from 1.
    pub line: usize,
    /// The name in the description.
    pub found: String,
    /// What it may mean.
    pub nearest: &'static str,
}

/// A collision geometry that is a mesh.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct UrdfMesh {
    /// The body that it is on.
    pub body: String,
    /// The name of the file, as the description gives it.
    pub file_name: String,
    /// Factors along the axes of the mesh.
    pub scale: Vector3<f64>,
    /// The hull; `None` for a file that is in none of the folders, and for all if meshes are
    /// [left out](super::UrdfReader::without_meshes): nothing touches there then.
    pub hull: Option<UrdfHull>,
}

/// The convex hull of a mesh, or those of its parts.
#[derive(Debug, Clone, PartialEq)]
pub struct UrdfHull {
    /// The file that was read.
    pub path: PathBuf,
    /// How many faces the mesh has.
    pub faces: usize,
    /// How many hulls there are: 1, unless the mesh [is divided](super::UrdfReader::with_convex_decomposition).
    pub parts: usize,
    /// How many vertices the hulls have.
    pub vertices: usize,
    /// How far the mesh reaches beyond the hulls, at most, in metres.
    pub deviation: f64,
}

impl UrdfReport {
    pub(super) fn skip(&mut self, parent: &str, element: &str) {
        *self
            .skipped
            .entry(format!("{parent}/{element}"))
            .or_default() += 1;
    }
}

impl fmt::Display for UrdfReport {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut line = |title: &str, items: Vec<String>| match items.len() {
            0 => Ok(()),
            n => writeln!(f, "{title} ({n}): {}", items.join(", ")),
        };
        let pairs = |pairs: &[(String, String)]| {
            let pair = |(a, b): &(String, String)| format!("{a} -> {b}");
            pairs.iter().map(pair).collect()
        };
        line(
            "bodies without <inertial>, which have no mass",
            self.without_inertia.clone(),
        )?;
        let implausible = self.implausible_inertia.iter();
        let implausible = implausible.map(|(body, reason)| format!("{body}: {reason}"));
        line(
            "inertia that no rigid body has, used as it is",
            implausible.collect(),
        )?;
        line("joints with position limits", self.position_limits.clone())?;
        line("joints with velocity limits", self.velocity_limits.clone())?;
        line("joints with effort limits", self.effort_limits.clone())?;
        line(
            "joints without <limit>, which they should have",
            self.without_limits.clone(),
        )?;
        line("joints with damping", self.damping.clone())?;
        line("joints with dry friction", self.friction.clone())?;
        line("joints that follow others", pairs(&self.coupled_mimics))?;
        line(
            "joints that would follow others, and move by themselves",
            pairs(&self.independent_mimics),
        )?;
        let (read, missing): (Vec<_>, Vec<_>) = self.meshes.iter().partition(|m| m.hull.is_some());
        let name = |m: &&UrdfMesh| format!("{} on {}", m.file_name, m.body);
        line("hulls of meshes", read.iter().map(name).collect())?;
        line(
            "meshes that are not read, where nothing touches",
            missing.iter().map(name).collect(),
        )?;
        let falls = "a floating robot without collision geometry falls through any floor";
        let falls = self.is_untouchable.then(|| falls.to_owned());
        line("warning", falls.into_iter().collect())?;
        let misspelt = self.misspelt.iter();
        let misspelt =
            misspelt.map(|m| format!("{} in line {} (is it {}?)", m.found, m.line, m.nearest));
        line("perhaps misspelt", misspelt.collect())?;
        let skipped = self.skipped.iter();
        let skipped = skipped.map(|(element, count)| format!("{count} {element}"));
        line("left out", skipped.collect())?;
        if !self.repairs.is_empty() {
            writeln!(f, "repaired ({}):", self.repairs.len())?;
        }
        (self.repairs.iter()).try_for_each(|repair| writeln!(f, "  {repair}"))
    }
}
