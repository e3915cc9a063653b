//! MJCF: references by name between elements.

use crate::io::xml::Element;
use std::collections::HashSet;

/// Kinds of elements, each with names of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Named {
    Body,
    Frame,
    Joint,
    Geom,
    Site,
    Camera,
    Light,
    Tendon,
    Actuator,
    /// What is not copied.
    Other,
}

/// Names of elements of a model.
pub(super) type Names = HashSet<(Named, String)>;

/// Sections of what refers to bodies and what is on them, each before those that refer to it.
pub(super) const REFERRING: [&str; 5] = ["contact", "tendon", "equality", "actuator", "sensor"];

impl Named {
    /// Of an element in a body.
    pub fn of(tag: &str) -> Self {
        match tag {
            "body" | "xbody" => Named::Body,
            "frame" => Named::Frame,
            "joint" | "freejoint" => Named::Joint,
            "geom" => Named::Geom,
            "site" => Named::Site,
            "camera" => Named::Camera,
            "light" => Named::Light,
            "tendon" => Named::Tendon,
            "actuator" => Named::Actuator,
            _ => Named::Other,
        }
    }

    /// Of what an attribute of an element in a section names, if it names anything.
    fn in_attribute(element: &Element, attribute: &str) -> Option<Self> {
        Some(match attribute {
            "joint" | "joint1" | "joint2" | "jointinparent" => Named::Joint,
            "body" | "body1" | "body2" | "subtree1" | "subtree2" => Named::Body,
            "geom" | "geom1" | "geom2" | "sidegeom" => Named::Geom,
            "site" | "site1" | "site2" | "refsite" | "cranksite" | "slidersite" | "sidesite" => {
                Named::Site
            }
            "tendon" | "tendon1" | "tendon2" => Named::Tendon,
            "actuator" => Named::Actuator,
            "camera" => Named::Camera,
            "flex" | "flex1" | "flex2" => Named::Other,
            "objname" => Named::of(element.attribute("objtype").unwrap_or_default()),
            "refname" => Named::of(element.attribute("reftype").unwrap_or_default()),
            _ => return None,
        })
    }
}

/// The names of elements in bodies and frames, theirs included.
pub(super) fn names_in(elements: &[Element], names: &mut Names) {
    for element in elements {
        if let Some(name) = element.attribute("name").filter(|name| !name.is_empty()) {
            names.insert((Named::of(&element.name), name.to_owned()));
        }
        names_in(&element.children, names);
    }
}

/// Whether an element or one in it refers to one of these.
pub(super) fn refers_to(element: &Element, names: &Names) -> bool {
    let mut attributes = element.attributes.iter();
    attributes.any(|attribute| {
        let kind = Named::in_attribute(element, &attribute.name);
        kind.is_some_and(|kind| names.contains(&(kind, attribute.value.clone())))
    }) || element.children.iter().any(|child| refers_to(child, names))
}

/// Renames what an element of a section and those in it refer to, where `names` has it; none if the element has no place
/// among these.
///
/// Of a pair of geoms or bodies, of a sensor and of a tendon, something may be elsewhere; `is_elsewhere` says which names
/// are those of something there. The world of an equality is everywhere that of the whole model.
pub(super) fn renamed(
    section: &str,
    element: &Element,
    names: &Names,
    rename: &dyn Fn(&str) -> String,
    is_elsewhere: &dyn Fn(Named, &str) -> bool,
) -> Option<Element> {
    let reaches_out = matches!(section, "contact" | "sensor" | "tendon");
    let mut copy = element.clone();
    let (mut inside, mut elsewhere, mut lost) = (0, 0, 0);
    let mut rename_in = |element: &mut Element| {
        let kinds = element.attributes.iter();
        let kinds = kinds.map(|attribute| Named::in_attribute(element, &attribute.name));
        let kinds: Vec<_> = kinds.collect();
        for (attribute, kind) in element.attributes.iter_mut().zip(kinds) {
            let Some(kind) = kind else { continue };
            if section == "equality" && kind == Named::Body && attribute.value == "world" {
                continue; // that of the whole model
            }
            if names.contains(&(kind, attribute.value.clone())) {
                attribute.value = rename(&attribute.value);
                inside += 1;
            } else if reaches_out && is_elsewhere(kind, &attribute.value) {
                elsewhere += 1;
            } else {
                lost += 1;
            }
        }
    };
    rename_in(&mut copy);
    copy.children.iter_mut().for_each(&mut rename_in);
    rename_in_name(&mut copy, rename);
    (lost == 0 && (inside > 0 || elsewhere == 0)).then_some(copy)
}

fn rename_in_name(element: &mut Element, rename: &dyn Fn(&str) -> String) {
    let mut attributes = element.attributes.iter_mut();
    let name = attributes.find(|a| a.name == "name" && !a.value.is_empty());
    if let Some(name) = name {
        name.value = rename(&name.value);
    }
}

/// Renames all elements in bodies and frames.
pub(super) fn rename_all(elements: &mut [Element], rename: &dyn Fn(&str) -> String) {
    for element in elements {
        rename_in_name(element, rename);
        rename_all(&mut element.children, rename);
    }
}
