//! What the reader knows of the format: which elements and attributes it reads.

use super::defaults::{Defaults, Node};
use super::error::{MjcfError, MjcfProblem};
use super::report::{MOST_PLACES, MjcfMisspelling, MjcfReport};
use crate::io::xml::{Element, nearest};

/// Where something is on a body.
const PLACEMENT: [&str; 6] = ["pos", "quat", "euler", "axisangle", "xyaxes", "zaxis"];

/// Attributes of actuators that are read.
const ACTUATOR: [&str; 20] = [
    "name",
    "class",
    "joint",
    "jointinparent",
    "gear",
    "ctrllimited",
    "ctrlrange",
    "forcelimited",
    "forcerange",
    "kp",
    "kv",
    "dampratio",
    "timeconst",
    "gaintype",
    "gainprm",
    "biastype",
    "biasprm",
    "dyntype",
    "dynprm",
    "inheritrange",
];

/// Names of the format that are not read and are no slip of the pen either.
const OTHERS: [&str; 59] = [
    "rgba",
    "material",
    "group",
    "solref",
    "solimp",
    "margin",
    "gap",
    "solmix",
    "user",
    "fluidshape",
    "fluidcoef",
    "plugin",
    "light",
    "camera",
    "visual",
    "statistic",
    "size",
    "custom",
    "tendon",
    "extension",
    "deformable",
    "solreflimit",
    "solimplimit",
    "solreffriction",
    "solimpfriction",
    "sleep",
    "lengthrange",
    "cutoff",
    "noise",
    "nsample",
    "interp",
    "delay",
    "texturedir",
    "discardvisual",
    "convexhull",
    "usethread",
    "fusestatic",
    "exactmeshinertia",
    "integrator",
    "cone",
    "solver",
    "iterations",
    "tolerance",
    "magnetic",
    "impratio",
    "jacobian",
    "mesh",
    "muscle",
    "adhesion",
    "texture",
    "skin",
    "model",
    "normal",
    "texcoord",
    "facenormal",
    "facetexcoord",
    "smoothnormal",
    "content_type",
    "params",
];

/// Attributes of elements that are not read and make forces where they are not zero, and what to say of them.
const FORCES: [(&str, &str, &str); 4] = [
    ("body", "gravcomp", "has a gravcomp"),
    ("option", "density", "has a density of the medium"),
    ("option", "viscosity", "has a viscosity of the medium"),
    ("option", "wind", "has a wind"),
];

/// The attributes and children that are read of an element, and further attributes that many have.
type Content = (
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
);

/// What is read of an element in a section.
fn known(tag: &str) -> Content {
    const NONE: &[&str] = &[];
    const BODY: &[&str] = &[
        "body",
        "joint",
        "freejoint",
        "geom",
        "site",
        "inertial",
        "frame",
    ];
    match tag {
        "mujoco" | "mujocoinclude" => (
            &["model"],
            &[
                "compiler",
                "option",
                "default",
                "asset",
                "worldbody",
                "contact",
                "equality",
                "actuator",
                "sensor",
                "keyframe",
            ],
            NONE,
        ),
        "compiler" => (
            &[
                "coordinate",
                "angle",
                "eulerseq",
                "autolimits",
                "boundmass",
                "boundinertia",
                "balanceinertia",
                "settotalmass",
                "inertiafromgeom",
                "inertiagrouprange",
                "meshdir",
                "assetdir",
                "strippath",
                "fitaabb",
            ],
            NONE,
            NONE,
        ),
        "option" => (&["gravity", "timestep"], &["flag"], NONE),
        "flag" => (&["gravity", "contact", "filterparent"], NONE, NONE),
        "default" => (
            &["class"],
            &[
                "default", "joint", "geom", "site", "mesh", "pair", "equality", "general", "motor",
                "position", "velocity",
            ],
            NONE,
        ),
        "asset" => (NONE, &["mesh", "hfield"], NONE),
        "hfield" => (
            &[
                "name",
                "file",
                "content_type",
                "nrow",
                "ncol",
                "size",
                "elevation",
            ],
            NONE,
            NONE,
        ),
        "mesh" => (
            &[
                "name",
                "class",
                "file",
                "builtin",
                "vertex",
                "face",
                "scale",
                "refpos",
                "refquat",
                "inertia",
                "maxhullvert",
            ],
            NONE,
            NONE,
        ),
        "worldbody" => (&["childclass"], BODY, NONE),
        "body" => (&["name", "childclass", "mocap"], BODY, &PLACEMENT),
        "frame" => (&["name", "childclass"], BODY, &PLACEMENT),
        "inertial" => (&["mass", "diaginertia", "fullinertia"], NONE, &PLACEMENT),
        "joint" => (
            &[
                "name",
                "class",
                "type",
                "pos",
                "axis",
                "ref",
                "range",
                "limited",
                "damping",
                "stiffness",
                "springref",
                "frictionloss",
                "armature",
                "actuatorfrcrange",
                "actuatorfrclimited",
                "springdamper",
                // Of an equality constraint.
                "joint1",
                "joint2",
                "polycoef",
                "active",
            ],
            NONE,
            NONE,
        ),
        "freejoint" => (&["name"], NONE, NONE),
        "geom" => (
            &[
                "name",
                "class",
                "type",
                "size",
                "fromto",
                "mass",
                "density",
                "shellinertia",
                "contype",
                "conaffinity",
                "friction",
                "condim",
                "priority",
                "mesh",
                "hfield",
                "fitscale",
                "group",
            ],
            NONE,
            &PLACEMENT,
        ),
        "site" => (
            &["name", "class", "fromto", "type", "size"],
            NONE,
            &PLACEMENT,
        ),
        "contact" => (NONE, &["pair", "exclude"], NONE),
        "pair" => (
            &["name", "class", "geom1", "geom2", "friction", "condim"],
            NONE,
            NONE,
        ),
        "exclude" => (&["name", "body1", "body2"], NONE, NONE),
        "equality" => (&["active"], &["connect", "weld", "joint"], NONE),
        "connect" | "weld" => (
            &[
                "name",
                "class",
                "active",
                "body1",
                "body2",
                "anchor",
                "site1",
                "site2",
                "relpose",
                "torquescale",
            ],
            NONE,
            NONE,
        ),
        "actuator" => (NONE, &["general", "motor", "position", "velocity"], NONE),
        "general" | "motor" | "position" | "velocity" => (&ACTUATOR, NONE, NONE),
        "sensor" => (
            NONE,
            &[
                "jointpos",
                "jointvel",
                "accelerometer",
                "gyro",
                "framepos",
                "framequat",
            ],
            NONE,
        ),
        "jointpos" | "jointvel" => (&["name", "joint"], NONE, NONE),
        "accelerometer" | "gyro" => (&["name", "site"], NONE, NONE),
        "framepos" | "framequat" => (
            &["name", "objtype", "objname", "reftype", "refname"],
            NONE,
            NONE,
        ),
        "keyframe" => (NONE, &["key"], NONE),
        "key" => (&["name", "qpos"], NONE, NONE),
        _ => (NONE, NONE, NONE),
    }
}

/// Puts into the report what is not read of an element and of those in it that are read, and which
/// of that looks like a slip of the pen.
///
/// # Errors
/// [`MjcfProblem::Unexpanded`] for what xacro should have replaced.
pub(super) fn survey<'a>(
    defaults: &Defaults<'a>,
    element: &'a Element,
    report: &mut MjcfReport,
) -> Result<(), MjcfError> {
    let (own, children, further) = known(&element.name);
    let node = defaults.node(element);
    for attribute in &element.attributes {
        let (name, value) = (attribute.name.as_str(), attribute.value.as_str());
        if own.contains(&name) || further.contains(&name) {
            if value.contains("${") || value.contains("$(") {
                let (attribute, value) = (name.to_owned(), value.to_owned());
                return Err(node.error(MjcfProblem::Unexpanded { attribute, value }));
            }
        } else if let Some(&(.., reason)) =
            (FORCES.iter()).find(|(tag, attribute, _)| *tag == element.name && *attribute == name)
        {
            let is_number_of_zero = |word: &str| word.parse() == Ok(0.0);
            if !value.split_whitespace().all(is_number_of_zero) {
                report.leave_out(&node, reason);
            }
        } else if !(name.contains(':') || name == "xmlns") {
            report.skip(&element.name, &format!("@{name}"));
            suspect(&node, name, own.iter().chain(further), report);
        }
    }
    for child in &element.children {
        let tag = child.name.as_str();
        if children.contains(&tag) {
            survey(defaults, child, report)?;
        } else if element.name == "mujoco" && tag == "tendon" {
            for tendon in &child.children {
                report.leave_out(&defaults.node(tendon), "is a tendon");
            }
        } else {
            report.skip(&element.name, tag);
            suspect(&defaults.node(child), tag, children.iter(), report);
        }
    }
    Ok(())
}

/// Notes a name that is not read but resembles one that would be.
fn suspect(
    node: &Node<'_>,
    found: &str,
    names: impl Iterator<Item = &'static &'static str>,
    report: &mut MjcfReport,
) {
    if OTHERS.contains(&found) || report.misspelt.len() == MOST_PLACES {
        return;
    }
    if let Some(nearest) = nearest(found, names.copied()) {
        report.misspelt.push(MjcfMisspelling {
            place: node.document.place(node.element),
            found: found.to_owned(),
            nearest,
        });
    }
}
