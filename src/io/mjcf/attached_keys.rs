//! MJCF: key frames of attached models.
//!
//! The bodies around an attached model have coordinates of their own, so that each joint takes with it what the key
//! frames say of it: attributes whose names have a space, which no text can hold.

use super::defaults::{Defaults, MAIN, Node};
use super::error::MjcfError;
use crate::io::xml::{Attribute, Element};
use std::collections::HashMap;

/// An attribute of a key frame whose positions are those that joints took with them.
pub(super) const ATTACHED: &str = "attached key";

/// The attribute of a joint with its positions in a key frame.
pub(super) fn positions_in(key: &str) -> String {
    format!("key {key}")
}

/// Whether an attribute was not in a text.
pub(super) fn is_made(attribute: &str) -> bool {
    attribute.contains(' ')
}

/// An attribute that was not in a text.
pub(super) fn made(name: &str, value: String) -> Attribute {
    Attribute {
        name: name.to_owned(),
        value,
        bytes: 0..0,
        value_bytes: 0..0,
    }
}

/// Takes from joints what key frames say of them.
pub(super) fn forget_keys(elements: &mut [Element]) {
    for element in elements {
        element.attributes.retain(|a| !is_made(&a.name));
        forget_keys(&mut element.children);
    }
}

/// Attributes that joints are to take with them.
pub(super) type Kept = HashMap<*const Element, Vec<Attribute>>;

/// A copy of an element in which joints have what they are to take with them.
pub(super) fn with_keys(element: &Element, kept: &Kept) -> Element {
    let mut copy = element.clone_alone();
    let own = kept.get(&std::ptr::from_ref(element));
    copy.attributes.extend(own.into_iter().flatten().cloned());
    let children = element.children.iter();
    copy.children = children.map(|child| with_keys(child, kept)).collect();
    copy
}

/// The key frames of a model, renamed, and what its joints are to take with them.
pub(super) fn keys_of<'a>(
    defaults: &'a Defaults<'a>,
    model: usize,
    rename: &dyn Fn(&str) -> String,
) -> Result<(Vec<Element>, Kept), MjcfError> {
    let root = &defaults.document().models[model].root;
    let sections = root.children.iter().filter(|e| e.name == "keyframe");
    let keys: Vec<&Element> = sections.flat_map(|section| &section.children).collect();
    let (mut renamed, mut kept) = (Vec::new(), Kept::new());
    if keys.is_empty() {
        return Ok((renamed, kept));
    }
    let mut joints = Vec::new();
    for section in root.children.iter().filter(|e| e.name == "worldbody") {
        joints_in(defaults, section, MAIN, &mut joints)?;
    }
    let size: usize = joints.iter().map(|(_, size)| size).sum();
    for key in keys {
        let node = defaults.node(key);
        if node.text(ATTACHED).is_some() {
            renamed.push(key.clone()); // it keeps its name
        }
        if node.text("qpos").is_none() {
            continue;
        }
        let positions = node.list("qpos")?;
        if positions.len() != size {
            return Err(node.value("qpos", "one number a position coordinate"));
        }
        let name = rename(node.text("name").unwrap_or_default());
        let mut rest = positions.as_slice();
        for (joint, size) in &joints {
            let (own, next) = rest.split_at(*size);
            rest = next;
            let words: Vec<String> = own.iter().map(f64::to_string).collect();
            let attribute = made(&positions_in(&name), words.join(" "));
            kept.entry(*joint).or_default().push(attribute);
        }
        let mut attached = key.clone_alone();
        attached.attributes = vec![made("name", name), made(ATTACHED, String::new())];
        renamed.push(attached);
    }
    Ok((renamed, kept))
}

/// The joints in a body, those of the body itself before those of others, with the numbers of their positions.
fn joints_in<'a>(
    defaults: &'a Defaults<'a>,
    body: &'a Element,
    class: &'a str,
    joints: &mut Vec<(*const Element, usize)>,
) -> Result<(), MjcfError> {
    let own = defaults.class(&defaults.node(body), "childclass")?;
    let class = own.unwrap_or(class);
    let mut bodies = Vec::new();
    contents(defaults, body, class, joints, &mut bodies)?;
    for (body, class) in bodies {
        joints_in(defaults, body, class, joints)?;
    }
    Ok(())
}

/// The joints and the bodies in a body or in a frame, the bodies with their classes.
fn contents<'a>(
    defaults: &'a Defaults<'a>,
    element: &'a Element,
    class: &'a str,
    joints: &mut Vec<(*const Element, usize)>,
    bodies: &mut Vec<(&'a Element, &'a str)>,
) -> Result<(), MjcfError> {
    for child in &element.children {
        let node: Node<'a> = defaults.node(child);
        match child.name.as_str() {
            "body" => bodies.push((child, class)),
            "frame" => {
                let class = defaults.class(&node, "childclass")?.unwrap_or(class);
                contents(defaults, child, class, joints, bodies)?;
            }
            "freejoint" => joints.push((child, 7)),
            "joint" => {
                let item = defaults.item(child, class, &["joint"])?;
                let size = match item.text("type") {
                    Some("free") => 7,
                    Some("ball") => 4,
                    _ => 1,
                };
                joints.push((child, size));
            }
            _ => {}
        }
    }
    Ok(())
}
