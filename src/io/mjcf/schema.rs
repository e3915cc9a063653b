//! MJCF: the elements and attributes that the reader reads.

use super::attached_keys::is_made;
use super::defaults::{Defaults, Node};
use super::error::{MjcfError, MjcfProblem};
use super::number::number;
use super::report::{MOST_PLACES, MjcfMisspelling, MjcfReport};
use crate::io::xml::Element;
use crate::spelling::nearest;

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
const OTHERS: [&str; 57] = [
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
    "normal",
    "texcoord",
    "facenormal",
    "facetexcoord",
    "smoothnormal",
    "content_type",
    "params",
];

/// Attributes that hold numbers wherever they are, and are not read, or not always.
const NUMBERS: [&str; 25] = [
    "actrange",
    "delay",
    "density",
    "fluidcoef",
    "gap",
    "gravcomp",
    "impratio",
    "lengthrange",
    "magnetic",
    "margin",
    "rgba",
    "solimp",
    "solimpfriction",
    "solimplimit",
    "solmix",
    "solref",
    "solreffriction",
    "solreflimit",
    "springref",
    "surfacevel",
    "tolerance",
    "torquescale",
    "user",
    "viscosity",
    "wind",
];

const ACTUATORS: &[&str] = &["general", "motor", "position", "velocity"];
const SENSORS: &[&str] = &[
    "jointpos",
    "jointvel",
    "accelerometer",
    "gyro",
    "framepos",
    "framequat",
    "touch",
];

/// Names of elements, the word beside zero with which attributes of theirs that are not read change nothing, and these
/// attributes with what to say of them.
type Changes = (
    &'static [&'static str],
    &'static str,
    &'static [(&'static str, &'static str)],
);

/// Attributes that are not read and change the motion or what is measured.
const CHANGES: &[Changes] = &[
    (&["body"], "0", &[("gravcomp", "has a gravcomp")]),
    (
        &["option"],
        "0",
        &[
            ("density", "has a density of the medium"),
            ("viscosity", "has a viscosity of the medium"),
            ("wind", "has a wind"),
        ],
    ),
    (
        &["option"],
        "",
        &[("actuatorgroupdisable", "disables actuators")],
    ),
    (
        &["flag"],
        "enable",
        &[
            ("constraint", "disables constraints"),
            ("equality", "disables equalities"),
            ("spring", "disables springs"),
            ("damper", "disables damping"),
            ("passive", "disables springs and damping"),
            ("clampctrl", "does not clamp controls"),
            ("actuation", "disables actuators"),
            ("sensor", "disables sensors"),
        ],
    ),
    (
        &["flag"],
        "disable",
        &[("override", "overrides constants of contact")],
    ),
    (
        &["joint"],
        "0",
        &[("springyield", "has a spring that yields")],
    ),
    (
        &["joint"],
        "false",
        &[("actuatorgravcomp", "has an actuatorgravcomp")],
    ),
    (
        &["geom"],
        "0",
        &[
            ("surfacevel", "has a surface that moves"),
            ("adhesion", "adheres"),
        ],
    ),
    (
        ACTUATORS,
        "0",
        &[
            ("armature", "has an armature"),
            ("damping", "has a damping"),
            ("delay", "has a delay"),
            ("actrange", "limits its activation"),
        ],
    ),
    (
        ACTUATORS,
        "false",
        &[
            ("actearly", "acts early"),
            ("actlimited", "limits its activation"),
        ],
    ),
    (
        SENSORS,
        "0",
        &[("cutoff", "has a cutoff"), ("delay", "has a delay")],
    ),
];

/// What an attribute that is not read changes: the word with which it does not, and what to say of it.
fn change(tag: &str, attribute: &str) -> Option<(&'static str, &'static str)> {
    let mut groups = CHANGES.iter().filter(|(tags, ..)| tags.contains(&tag));
    groups.find_map(|(_, idle, changes)| {
        let (_, reason) = changes.iter().find(|(name, _)| *name == attribute)?;
        Some((*idle, *reason))
    })
}

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
                "alignfree",
            ],
            NONE,
            NONE,
        ),
        "option" => (&["gravity", "timestep", "cone"], &["flag"], NONE),
        "flag" => (
            &[
                "gravity",
                "contact",
                "filterparent",
                "limit",
                "frictionloss",
            ],
            NONE,
            NONE,
        ),
        "default" => (
            &["class"],
            &[
                "default", "joint", "geom", "site", "mesh", "pair", "equality", "general", "motor",
                "position", "velocity",
            ],
            NONE,
        ),
        "asset" => (NONE, &["mesh", "hfield", "model"], NONE),
        "model" => (&["name", "file"], NONE, NONE),
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
                "align",
            ],
            NONE,
            NONE,
        ),
        "freejoint" => (&["name", "align"], NONE, NONE),
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
        "actuator" => (NONE, ACTUATORS, NONE),
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
        "accelerometer" | "gyro" | "touch" => (&["name", "site"], NONE, NONE),
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
/// [`MjcfProblem::Unexpanded`] for what xacro should have replaced, [`MjcfProblem::Value`] for what is to be numbers.
pub(super) fn survey<'a>(
    defaults: &Defaults<'a>,
    (parent, element): (&str, &'a Element),
    report: &mut MjcfReport,
) -> Result<(), MjcfError> {
    let (own, children, further) = known(parent, &element.name);
    let node = defaults.node(element);
    for attribute in &element.attributes {
        let (name, value) = (attribute.name.as_str(), attribute.value.as_str());
        let is_read = own.contains(&name) || further.contains(&name);
        if is_read && (value.contains("${") || value.contains("$(")) {
            let (attribute, value) = (name.to_owned(), value.to_owned());
            return Err(node.error(MjcfProblem::Unexpanded { attribute, value }));
        }
        let mut words = value.split_whitespace();
        if let Some(name) = NUMBERS.iter().find(|number| **number == name)
            && words.any(|word| number(word).is_none())
        {
            return Err(node.value(name, "numbers separated by spaces"));
        }
        if is_read {
            continue;
        }
        if let Some((idle, reason)) = change(&element.name, name) {
            let is_idle = |word: &str| {
                word == idle || word == "auto" || (!idle.is_empty() && word.parse() == Ok(0.0))
            };
            if !value.split_whitespace().all(is_idle) {
                report.leave_out(&node, reason);
            }
        } else if !(name.contains(':') || name == "xmlns" || is_made(name)) {
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
