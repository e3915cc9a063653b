//! Semantic robot descriptions (SRDF): pairs of links without collision, and named configurations.
//!
//! The format is that of <http://wiki.ros.org/srdf/review>. Read are `disable_collisions`, and
//! `group_state` with its joints; what else there is (groups, end effectors, virtual joints, …) is counted
//! in [`Srdf::skipped`]. Names of links and joints are looked up when the document is applied to a
//! [`UrdfModel`], as one document often serves variants of a robot: those that the robot does not have are
//! handed back.
//!
//! ```
//! use dualbody::contact::ContactModelBuilder;
//! use dualbody::io::{srdf::Srdf, urdf::UrdfReader};
//!
//! let urdf = r#"
//! <robot name="r">
//!   <link name="a"><collision><geometry><sphere radius="1"/></geometry></collision></link>
//!   <link name="b"><collision><geometry><sphere radius="1"/></geometry></collision></link>
//!   <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
//! </robot>"#;
//! let srdf = Srdf::from_text(r#"
//! <robot name="r">
//!   <group_state name="home" group="all"><joint name="j" value="0.5"/></group_state>
//!   <disable_collisions link1="a" link2="b" reason="Adjacent"/>
//! </robot>"#)?;
//! let (tree, model) = UrdfReader::new().tree_from_str::<f64>(urdf)?;
//! let mut contact = ContactModelBuilder::new();
//! for geometry in &model.collision_geometries {
//!     contact.add_geometry(geometry.clone())?;
//! }
//! assert!(srdf.exclude(&tree, &model, &mut contact)?.is_empty());
//! let (home, unknown) = srdf.group_states[0].configuration(&tree, &model)?;
//! let mut q = tree.neutral_configuration();
//! home.write(&tree, q.as_mut_slice())?;
//! assert_eq!((q[7], unknown.len()), (0.5, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::urdf::{
    Node, UrdfError, UrdfMisspelling, UrdfModel, UrdfProblem, misspelling, parse_robot,
};
use super::xml::numbers;
use super::{NamedConfiguration, XmlPlace};
use crate::Scalar;
use crate::contact::{ContactError, ContactModelBuilder};
use crate::tree::{BodyIndex, JointIndex, JointKind, RigidBodyTree};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// A semantic description.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Srdf {
    /// The name of the robot.
    pub name: String,
    /// Links that need not be watched for contact.
    pub disabled_collisions: Vec<DisabledCollision>,
    /// Configurations of groups of joints.
    pub group_states: Vec<GroupState>,
    /// Elements and attributes that were left out and may be misspelt.
    pub misspelt: Vec<UrdfMisspelling>,
    /// How many elements of each name were left out.
    pub skipped: BTreeMap<String, usize>,
}

/// Two links that need not be watched for contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisabledCollision {
    /// Where the document says so.
    pub place: XmlPlace,
    /// The links.
    pub links: [String; 2],
    /// Why: `"Adjacent"`, `"Never"`, …; empty if the document does not say.
    pub reason: String,
}

/// A configuration of a group of joints.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupState {
    /// The name.
    pub name: String,
    /// The group; empty if the document does not say.
    pub group: String,
    /// Where it is, the joints, and their values.
    pub joints: Vec<(XmlPlace, String, Vec<f64>)>,
}

/// A name that the robot does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// Where the document refers to it.
    pub place: XmlPlace,
    /// The name.
    pub name: String,
}

/// Elements of the format that are not read.
const OTHERS: [&str; 9] = [
    "group",
    "end_effector",
    "virtual_joint",
    "passive_joint",
    "enable_collisions",
    "disable_default_collisions",
    "joint_property",
    "link_sphere_approximation",
    "rotor_params",
];

/// The attributes that are read of an element of the robot.
fn known(tag: &str) -> &'static [&'static str] {
    match tag {
        "disable_collisions" => &["link1", "link2", "reason"],
        "group_state" => &["name", "group"],
        _ => &[],
    }
}

impl Srdf {
    /// Reads a file.
    ///
    /// # Errors
    /// [`UrdfError::Io`] when the file cannot be read, [`UrdfError::Invalid`] for a mistake in it.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, UrdfError> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(|source| UrdfError::Io {
            path: path.to_owned(),
            source,
        })?;
        Self::read(&path.display().to_string(), &text)
    }

    /// Reads a text.
    ///
    /// # Errors
    /// [`UrdfError::Invalid`] for a mistake in it.
    pub fn from_text(text: &str) -> Result<Self, UrdfError> {
        Self::read("SRDF text", text)
    }

    fn read(source: &str, text: &str) -> Result<Self, UrdfError> {
        let document = parse_robot(source, text)?;
        let robot = Node::robot(source, &document)?;
        let mut srdf = Srdf {
            name: robot.attribute("name").unwrap_or_default().to_owned(),
            disabled_collisions: vec![],
            group_states: vec![],
            misspelt: vec![],
            skipped: BTreeMap::new(),
        };
        for node in robot.all_children() {
            let attribute = |name| node.attribute(name).unwrap_or_default().to_owned();
            for (name, value) in node.attributes() {
                if value.contains("${") || value.contains("$(") {
                    let (attribute, value) = (name.to_owned(), value.to_owned());
                    return Err(node.error(UrdfProblem::Unexpanded { attribute, value }));
                }
            }
            srdf.suspect(&node);
            match node.tag() {
                "disable_collisions" => {
                    let links = [
                        node.required_attribute("link1")?.to_owned(),
                        node.required_attribute("link2")?.to_owned(),
                    ];
                    srdf.disabled_collisions.push(DisabledCollision {
                        place: node.place(),
                        links,
                        reason: attribute("reason"),
                    });
                }
                "group_state" => srdf.group_states.push(GroupState {
                    name: node.required_attribute("name")?.to_owned(),
                    group: attribute("group"),
                    joints: node
                        .children("joint")
                        .map(|j| joint(&j))
                        .collect::<Result<_, _>>()?,
                }),
                tag if tag.starts_with("xacro:") => return Err(node.error(UrdfProblem::Macro)),
                tag => *srdf.skipped.entry(tag.to_owned()).or_default() += 1,
            }
        }
        Ok(srdf)
    }

    /// Notes what is not read of an element of the robot but resembles what would be.
    fn suspect(&mut self, node: &Node) {
        let names = known(node.tag());
        if names.is_empty() && !OTHERS.contains(&node.tag()) {
            let read = ["disable_collisions", "group_state"];
            let others = OTHERS.iter().copied();
            let tags: Vec<_> = read.into_iter().chain(others).collect();
            self.misspelt.extend(misspelling(node, node.tag(), &tags));
        }
        self.suspect_attributes(node, names);
        if node.tag() == "group_state" {
            for child in node.all_children() {
                match child.tag() {
                    "joint" => self.suspect_attributes(&child, &["name", "value"]),
                    tag => self.misspelt.extend(misspelling(&child, tag, &["joint"])),
                }
            }
        }
    }

    fn suspect_attributes(&mut self, node: &Node, names: &[&'static str]) {
        let unknown = (node.attributes()).filter(|(name, _)| !names.contains(name));
        let found = unknown.filter_map(|(name, _)| misspelling(node, name, names));
        self.misspelt.extend(found);
    }

    /// Lets the geometries of links that need not be watched pass through each other. The builder must
    /// hold the [geometries](UrdfModel::collision_geometries) of the robot, which is in the tree.
    ///
    /// Returns the names of links that the robot does not have.
    ///
    /// # Errors
    /// [`ContactError::UnknownName`] when the builder lacks a geometry of the robot.
    pub fn exclude<T: Scalar>(
        &self,
        tree: &RigidBodyTree<T>,
        model: &UrdfModel<T>,
        builder: &mut ContactModelBuilder<T>,
    ) -> Result<Vec<UnknownName>, ContactError> {
        let mut links: HashMap<&str, Vec<&str>> = HashMap::new();
        let mut names: HashMap<BodyIndex, &str> = HashMap::new();
        for &body in &model.bodies {
            let name = short(tree.body(body)?.name(), &model.name);
            links.insert(name, vec![]);
            names.insert(body, name);
        }
        for geometry in &model.collision_geometries {
            let link = names
                .get(&geometry.body)
                .and_then(|name| links.get_mut(name));
            if let Some(link) = link {
                link.push(&geometry.name);
            }
        }
        let mut unknown = Vec::new();
        for DisabledCollision {
            place, links: pair, ..
        } in &self.disabled_collisions
        {
            let [a, b] = pair.each_ref().map(|name| links.get(name.as_str()));
            for (name, found) in pair.iter().zip([a, b]) {
                if found.is_none() {
                    let (place, name) = (place.clone(), name.clone());
                    unknown.push(UnknownName { place, name });
                }
            }
            for first in a.into_iter().flatten() {
                for second in b.into_iter().flatten() {
                    builder.exclude(first, second)?;
                }
            }
        }
        Ok(unknown)
    }
}

impl GroupState {
    /// The positions of the robot's joints, and the names of joints that it does not have.
    ///
    /// Seven values are position and quaternion (x, y, z, w) of a floating joint, or, where the robot has no
    /// joint of the name, of the one that carries a floating root; four are the quaternion of a ball joint,
    /// two cosine and sine of a continuous one. A joint that follows another is left to it, and one that is fixed
    /// in this variant of the robot has no position.
    ///
    /// # Errors
    /// [`UrdfProblem::Value`] for another number of values than a joint has positions.
    pub fn configuration<T: Scalar>(
        &self,
        tree: &RigidBodyTree<T>,
        model: &UrdfModel<T>,
    ) -> Result<(NamedConfiguration, Vec<UnknownName>), UrdfError> {
        let joints = (model.joints.iter()).filter_map(|&j| Some((j, tree.joint(j).ok()?)));
        let names: HashMap<&str, JointIndex> = joints
            .map(|(j, joint)| (short(joint.name(), &model.name), j))
            .collect();
        let root = tree
            .joints()
            .find(|joint| joint.child() == model.root && *joint.kind() == JointKind::Floating);
        let root = root.map(|joint| joint.index());
        let (mut positions, mut unknown) = (Vec::new(), Vec::new());
        for (place, name, values) in &self.joints {
            let found = names.get(name.as_str()).copied();
            let found = found.or(root.filter(|_| values.len() == 7));
            let Some((index, joint)) = found.and_then(|j| Some((j, tree.joint(j).ok()?))) else {
                let (place, name) = (place.clone(), name.clone());
                unknown.push(UnknownName { place, name });
                continue;
            };
            if joint.mimic().is_some() || joint.num_positions() == 0 {
                continue;
            }
            let position = match (joint.kind(), values.as_slice()) {
                (JointKind::Floating, &[px, py, pz, x, y, z, w]) => vec![w, x, y, z, px, py, pz],
                (JointKind::Ball, &[x, y, z, w]) => vec![w, x, y, z],
                (JointKind::Continuous { .. }, &[cos, sin]) => vec![sin.atan2(cos)],
                _ if values.len() == joint.num_positions() => values.clone(),
                _ => {
                    let problem = UrdfProblem::Value {
                        attribute: "value",
                        value: numbers(values),
                        expected: "as many numbers as the joint has positions",
                    };
                    return Err(UrdfError::Invalid {
                        place: place.clone(),
                        problem: Box::new(problem),
                    });
                }
            };
            positions.push((index, position));
        }
        let name = self.name.clone();
        let configuration = NamedConfiguration {
            name,
            joints: positions,
        };
        Ok((configuration, unknown))
    }
}

fn joint(node: &Node) -> Result<(XmlPlace, String, Vec<f64>), UrdfError> {
    let name = node.required_attribute("name")?.to_owned();
    let text = node.required_attribute("value")?;
    let number = |word: &str| word.parse().ok().filter(|x: &f64| x.is_finite());
    let values: Option<Vec<f64>> = text.split_whitespace().map(number).collect();
    let expected = "finite numbers separated by spaces";
    let values = values.filter(|values| !values.is_empty());
    let values = values.ok_or_else(|| node.value("value", text, expected))?;
    Ok((node.place(), name, values))
}

/// The name without that of the robot before it.
fn short<'n>(name: &'n str, model: &str) -> &'n str {
    let rest = name
        .strip_prefix(model)
        .and_then(|rest| rest.strip_prefix('/'));
    rest.unwrap_or(name)
}
