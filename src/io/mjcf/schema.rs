//! What the reader knows of the format: which elements and attributes it reads.

use super::defaults::{Defaults, Node};
use super::error::{MjcfError, MjcfProblem};
use super::report::{MOST_PLACES, MjcfMisspelling, MjcfReport};
use crate::io::xml::{Element, nearest};

/// Where something is on a body.
const PLACEMENT: [&str; 6] = ["pos", "quat", "euler", "axisangle", "xyaxes", "zaxis"];

/// Attributes of every kind of actuator that are read.
const ACTUATOR: [&str; 9] = [
    "name",
    "class",
    "joint",
    "jointinparent",
    "gear",
    "ctrllimited",
    "ctrlrange",
    "forcelimited",
    "forcerange",
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

const ACTUATORS: &[&str] = &["general", "motor", "position", "velocity"];
const SENSORS: &[&str] = &[
    "jointpos",
    "jointvel",
    "accelerometer",
    "gyro",
    "framepos",
    "framequat",
];

/// Attributes of elements that are not read and change the motion or what is measured, the word beside zero with which
/// they do not, and what to say of them.
const CHANGES: &[(&[&str], &str, &str, &str)] = &[
    (&["body"], "gravcomp", "0", "has a gravcomp"),
    (&["option"], "density", "0", "has a density of the medium"),
    (
        &["option"],
        "viscosity",
        "0",
        "has a viscosity of the medium",
    ),
    (&["option"], "wind", "0", "has a wind"),
    (
        &["option"],
        "actuatorgroupdisable",
        "",
        "disables actuators",
    ),
    (&["flag"], "constraint", "enable", "disables constraints"),
    (&["flag"], "equality", "enable", "disables equalities"),
    (
        &["flag"],
        "frictionloss",
        "enable",
        "disables friction of joints",
    ),
    (&["flag"], "limit", "enable", "disables limits"),
    (&["flag"], "spring", "enable", "disables springs"),
    (&["flag"], "damper", "enable", "disables damping"),
    (
        &["flag"],
        "passive",
        "enable",
        "disables springs and damping",
    ),
    (&["flag"], "clampctrl", "enable", "does not clamp controls"),
    (&["flag"], "actuation", "enable", "disables actuators"),
    (&["flag"], "sensor", "enable", "disables sensors"),
    (
        &["flag"],
        "override",
        "disable",
        "overrides constants of contact",
    ),
    (
        &["compiler"],
        "alignfree",
        "false",
        "moves frames of free bodies",
    ),
    (
        &["freejoint"],
        "align",
        "false",
        "moves the frame of its body",
    ),
    (&["joint"], "align", "false", "moves the frame of its body"),
    (&["joint"], "springyield", "0", "has a spring that yields"),
    (
        &["joint"],
        "actuatorgravcomp",
        "false",
        "has an actuatorgravcomp",
    ),
    (&["geom"], "surfacevel", "0", "has a surface that moves"),
    (&["geom"], "adhesion", "0", "adheres"),
    (ACTUATORS, "armature", "0", "has an armature"),
    (ACTUATORS, "damping", "0", "has a damping"),
    (ACTUATORS, "delay", "0", "has a delay"),
    (ACTUATORS, "actearly", "false", "acts early"),
    (ACTUATORS, "actlimited", "false", "limits its activation"),
    (ACTUATORS, "actrange", "0", "limits its activation"),
    (SENSORS, "cutoff", "0", "has a cutoff"),
    (SENSORS, "delay", "0", "has a delay"),
];

/// The attributes and children that are read of an element, and further attributes that many have.
type Content = (
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
);

/// What is read of an element in another.
fn known(parent: &str, tag: &str) -> Content {
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
        "joint" if parent == "equality" => (
            &["name", "class", "joint1", "joint2", "polycoef", "active"],
            NONE,
            NONE,
        ),
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
        "general" => (
            &[
                "gaintype", "gainprm", "biastype", "biasprm", "dyntype", "dynprm",
            ],
            NONE,
            &ACTUATOR,
        ),
        "motor" => (NONE, NONE, &ACTUATOR),
        "position" => (
            &["kp", "kv", "dampratio", "timeconst", "inheritrange"],
            NONE,
            &ACTUATOR,
        ),
        "velocity" => (&["kv"], NONE, &ACTUATOR),
        "sensor" => (NONE, SENSORS, NONE),
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
    (parent, element): (&str, &'a Element),
    report: &mut MjcfReport,
) -> Result<(), MjcfError> {
    let (own, children, further) = known(parent, &element.name);
    let node = defaults.node(element);
    for attribute in &element.attributes {
        let (name, value) = (attribute.name.as_str(), attribute.value.as_str());
        if own.contains(&name) || further.contains(&name) {
            if value.contains("${") || value.contains("$(") {
                let (attribute, value) = (name.to_owned(), value.to_owned());
                return Err(node.error(MjcfProblem::Unexpanded { attribute, value }));
            }
        } else if let Some(&(.., idle, reason)) = (CHANGES.iter()).find(|(tags, attribute, ..)| {
            tags.contains(&element.name.as_str()) && *attribute == name
        }) {
            let is_idle = |word: &str| {
                word == idle || word == "auto" || (!idle.is_empty() && word.parse() == Ok(0.0))
            };
            if !value.split_whitespace().all(is_idle) {
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
            survey(defaults, (&element.name, child), report)?;
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
