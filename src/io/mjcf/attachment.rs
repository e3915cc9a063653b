//! MJCF: expansion of `<replicate>` and `<attach>`.
//!
//! A copy is a frame around what is copied, whose elements have names with a prefix or a suffix. What refers to elements of
//! the original by name (pairs, equalities, tendons, actuators, sensors) is copied with it, behind what there is of its
//! kind. Elements keep the text that they came from, and so their compiler, default classes and meshes are those of their
//! own model.

use super::attached_keys::{Kept, forget_keys, keys_of, made, with_keys};
use super::compiler::Compiler;
use super::defaults::{Defaults, MAIN, Node};
use super::document::Document;
use super::error::{MjcfError, MjcfProblem};
use super::references::{Named, Names, REFERRING, names_in, refers_to, rename_all, renamed};
use super::report::MjcfOmission;
use crate::io::xml::{Element, numbers};
use crate::math::rotation;
use nalgebra::Vector3;
use std::collections::HashMap;

/// Of all copies together.
const MAX_ELEMENTS: usize = 500_000;

/// What is to be in a model beside its assets; nothing if it has no copies.
#[derive(Default)]
pub(super) struct Expanded {
    sections: Option<Vec<Element>>,
    lost: Vec<MjcfOmission>,
}

impl Expanded {
    /// What refers to an element of which there are copies, and has none itself.
    pub fn lost(&self) -> &[MjcfOmission] {
        &self.lost
    }

    pub fn put_into(self, root: &mut Element) {
        if let Some(sections) = self.sections {
            root.children.retain(|section| section.name == "asset");
            root.children.extend(sections);
        }
    }
}

/// Makes the copies in a model, in which those that it attaches already are.
pub(super) fn expanded(document: &Document, model: usize) -> Result<Expanded, MjcfError> {
    let root = &document.models[model].root;
    if !root.children.iter().any(has_copies) {
        return Ok(Expanded::default());
    }
    let is_body = |section: &&Element| section.name == "worldbody";
    let others = root.children.iter();
    let others = others.filter(|section| !is_body(section) && section.name != "asset");
    let mut expansion = Expansion {
        document,
        defaults: &Defaults::new(document)?,
        compiler: Compiler::new(document, model)?,
        model,
        sections: others.cloned().collect(),
        attaches_itself: attaches_itself(root),
        finished: HashMap::new(),
        elements: 0,
        lost: Vec::new(),
    };
    let mut bodies = Vec::new();
    for section in root.children.iter().filter(is_body) {
        let mut expanded = section.clone_alone();
        expanded.children = expansion.contents(section, MAIN)?;
        bodies.push(expanded);
    }
    bodies.append(&mut expansion.sections);
    Ok(Expanded {
        sections: Some(bodies),
        lost: expansion.lost,
    })
}

fn has_copies(element: &Element) -> bool {
    matches!(element.name.as_str(), "replicate" | "attach")
        || element.children.iter().any(has_copies)
}

/// A joint of the body around an element.
fn joint_in(element: &Element) -> Option<&Element> {
    (element.children.iter()).find_map(|child| match child.name.as_str() {
        "joint" | "freejoint" => Some(child),
        "frame" | "replicate" => joint_in(child),
        _ => None,
    })
}

/// Whether something in an element is attached to the model that has it.
fn attaches_itself(element: &Element) -> bool {
    (element.name == "attach" && element.attribute("model").is_none())
        || element.children.iter().any(attaches_itself)
}

/// A model of which the copies are being made.
struct Expansion<'d> {
    document: &'d Document,
    defaults: &'d Defaults<'d>,
    compiler: Compiler,
    model: usize,
    /// All but bodies and assets.
    sections: Vec<Element>,
    attaches_itself: bool,
    /// Bodies and frames with names, and the classes around them: the model can attach these to itself.
    finished: HashMap<(Named, String), (Element, String)>,
    /// How many were copied.
    elements: usize,
    lost: Vec<MjcfOmission>,
}

impl<'d> Expansion<'d> {
    /// What is in an element, with copies.
    fn contents(&mut self, element: &'d Element, class: &str) -> Result<Vec<Element>, MjcfError> {
        let class = element.attribute("childclass").unwrap_or(class);
        let mut contents = Vec::with_capacity(element.children.len());
        for child in &element.children {
            match child.name.as_str() {
                "replicate" => self.replicate(child, class, &mut contents)?,
                "attach" => self.attach(child, class, &mut contents)?,
                _ => {
                    let mut expanded = child.clone_alone();
                    expanded.children = self.contents(child, class)?;
                    self.finish(&expanded, class);
                    contents.push(expanded);
                }
            }
        }
        Ok(contents)
    }

    /// Keeps what the model can attach to itself, if it does so anywhere.
    fn finish(&mut self, element: &Element, class: &str) {
        let kind = Named::of(&element.name);
        if let (Named::Body | Named::Frame, Some(name)) = (kind, element.attribute("name"))
            && self.attaches_itself
        {
            let kept = (element.clone(), class.to_owned());
            self.finished.insert((kind, name.to_owned()), kept);
        }
    }

    fn finish_all(&mut self, elements: &[Element], class: &str) {
        for element in elements {
            let inner = element.attribute("childclass").unwrap_or(class);
            self.finish_all(&element.children, inner);
            self.finish(element, class);
        }
    }

    fn replicate(
        &mut self,
        element: &'d Element,
        class: &str,
        out: &mut Vec<Element>,
    ) -> Result<(), MjcfError> {
        let node = self.node(element);
        if let Some(joint) = joint_in(element) {
            return Err(self.node(joint).error(MjcfProblem::ReplicatedJoint));
        }
        let count = node.required("count")?;
        let count: i64 = (count.parse()).map_err(|_| node.value("count", "an integer"))?;
        let offset = Vector3::from(node.array("offset")?.unwrap_or_default());
        let euler = node.array::<3>("euler")?.unwrap_or_default();
        let separator = node.text("sep").unwrap_or_default();
        let mut originals = self.contents(element, class)?;
        let names = self.names_in(&originals);
        let digits = count.to_string().len();
        let mut position = Vector3::zeros();
        let copied = self.sections_about(&names);
        let each = originals
            .iter()
            .chain(copied.iter().flat_map(|s| &s.children));
        self.count(element, each, usize::try_from(count).unwrap_or(0))?;
        for i in 0..count {
            let rename = |name: &str| format!("{name}{separator}{i:0digits$}");
            let turn = self
                .compiler
                .euler_rotation(euler.map(|angle| i as f64 * angle));
            let q = rotation::quaternion_from_matrix(&turn);
            let mut frame = frame_around(element, originals.clone());
            frame.attributes = vec![
                made("pos", numbers(position.as_slice())),
                made("quat", numbers(&[q.w, q.i, q.j, q.k])),
            ];
            if let Some(class) = element.attribute("childclass") {
                frame.attributes.push(made("childclass", class.to_owned()));
            }
            position += turn * offset;
            rename_all(&mut frame.children, &rename);
            self.finish_all(&frame.children, class);
            out.push(frame);
            let copies = referring(&copied, &names, &rename, &|_, _| true);
            self.add_referring(copies);
            forget_keys(&mut originals);
        }
        self.finished.retain(|name, _| !names.contains(name));
        let rename = |name: &str| name.to_owned();
        for section in copied.iter().filter(|_| count > 0) {
            for child in &section.children {
                if renamed(&section.name, child, &names, &rename, &|_, _| true).is_none() {
                    let place = self.document.place_alone(child);
                    let reason = "refers to a part of a copy and to something beside it";
                    self.lost.push(MjcfOmission { place, reason });
                }
            }
        }
        for section in &mut self.sections {
            if REFERRING.contains(&section.name.as_str()) {
                section.children.retain(|child| !refers_to(child, &names));
            }
        }
        Ok(())
    }

    fn attach(
        &mut self,
        element: &'d Element,
        class: &str,
        out: &mut Vec<Element>,
    ) -> Result<(), MjcfError> {
        let node = self.node(element);
        let prefix = node.required("prefix")?;
        let rename = |name: &str| format!("{prefix}{name}");
        let wanted = match (node.text("body"), node.text("frame")) {
            (Some(name), _) => Some((Named::Body, name)),
            (None, Some(name)) => Some((Named::Frame, name)),
            (None, None) => None,
        };
        let unknown = |(kind, name): (Named, &str)| {
            let element = if kind == Named::Body { "body" } else { "frame" };
            let (name, nearest) = (name.to_owned(), None);
            node.error(MjcfProblem::UnknownName {
                element,
                name,
                nearest,
            })
        };
        let Some(model) = node.text("model") else {
            node.required("body").or(node.required("frame"))?;
            let wanted = wanted.unwrap_or((Named::Body, ""));
            let found = self.finished.get(&(wanted.0, wanted.1.to_owned()));
            let (copy, class) = found.cloned().ok_or_else(|| unknown(wanted))?;
            let source = copy.clone_alone();
            let mut copies = vec![copy];
            let names = self.names_in(&copies);
            let referring_to_it = self.sections_about(&names);
            let about = referring_to_it.iter().flat_map(|s| &s.children);
            self.count(element, copies.iter().chain(about), 1)?;
            forget_keys(&mut copies);
            rename_all(&mut copies, &rename);
            self.finish_all(&copies, &class);
            out.push(in_class(&source, copies, &class));
            let copies = referring(&referring_to_it, &names, &rename, &|_, _| true);
            self.add_referring(copies);
            return Ok(());
        };
        let attachable = &self.document.models[self.model].attachable;
        let Some(&model) = attachable.get(model) else {
            return Err(super::defaults::unknown(
                &node,
                "model",
                model,
                attachable.keys().map(String::as_str),
            ));
        };
        let (keys, kept) = keys_of(self.defaults, model, &rename)?;
        let root = &self.document.models[model].root;
        let worlds = || root.children.iter().filter(|e| e.name == "worldbody");
        let contents = || {
            worlds().map(|world| {
                let class = world.attribute("childclass").unwrap_or(MAIN);
                (world, class, copies_of(&world.children, &kept))
            })
        };
        let mut parts: Vec<(&str, Vec<Element>)> = Vec::new();
        match wanted {
            None => parts.extend(contents().map(|(_, class, copies)| (class, copies))),
            Some((Named::Body, "world")) => {
                let frames =
                    contents().map(|(world, class, copies)| in_class(world, copies, class));
                let mut body = frame_around(root, frames.collect());
                body.name = "body".to_owned();
                body.attributes.push(made("name", "world".to_owned()));
                parts.push((MAIN, vec![body]));
            }
            Some(wanted) => {
                let found = worlds().find_map(|world| find(world, MAIN, wanted));
                let (found, class) = found.ok_or_else(|| unknown(wanted))?;
                parts.push((class, copies_of(std::slice::from_ref(found), &kept)));
            }
        }
        let mut names = Names::new();
        let mut frames = Vec::new();
        for (class, mut copies) in parts {
            self.count(element, copies.iter(), 1)?;
            names_in(&copies, &mut names);
            rename_all(&mut copies, &rename);
            frames.push(in_class(root, copies, class));
        }
        self.add_names(&root.children, &mut names);
        let is_world = |kind, name: &str| kind == Named::Body && name == "world";
        let copies = referring(&root.children, &names, &rename, &is_world);
        self.add_referring(copies);
        let known: Vec<&str> = (self.sections.iter())
            .filter(|section| section.name == "keyframe")
            .flat_map(|section| &section.children)
            .filter_map(|key| key.attribute("name"))
            .collect();
        let is_new = |key: &Element| key.attribute("name").is_none_or(|n| !known.contains(&n));
        let keys: Vec<Element> = keys.into_iter().filter(is_new).collect();
        self.add("keyframe", keys);
        self.finish_all(&frames, class);
        out.append(&mut frames);
        Ok(())
    }

    fn node(&self, element: &'d Element) -> Node<'d> {
        Node {
            document: self.document,
            element,
        }
    }

    /// The sections of what refers, with what refers to these names alone. A clock, which refers to nothing, is not a
    /// part of what is copied (MuJoCo doubles it with every copy).
    fn sections_about(&self, names: &Names) -> Vec<Element> {
        let sections = self.sections.iter();
        let sections = sections.filter(|section| REFERRING.contains(&section.name.as_str()));
        let about = |section: &Element| {
            let mut about = section.clone_alone();
            let children = section.children.iter();
            about.children = children.filter(|e| refers_to(e, names)).cloned().collect();
            about
        };
        sections.map(about).collect()
    }

    /// The names of elements, and of the tendons and actuators that depend on them alone.
    fn names_in(&self, elements: &[Element]) -> Names {
        let mut names = Names::new();
        names_in(elements, &mut names);
        self.add_names(&self.sections, &mut names);
        names
    }

    fn add_names(&self, sections: &[Element], names: &mut Names) {
        for (tag, kind) in [("tendon", Named::Tendon), ("actuator", Named::Actuator)] {
            let sections = sections.iter().filter(|section| section.name == tag);
            for element in sections.flat_map(|section| &section.children) {
                if let Some(name) = element.attribute("name")
                    && refers_to(element, names)
                {
                    names.insert((kind, name.to_owned()));
                }
            }
        }
    }

    /// Counts so many copies, each in a frame.
    fn count<'e>(
        &mut self,
        element: &'d Element,
        copied: impl Iterator<Item = &'e Element>,
        copies: usize,
    ) -> Result<(), MjcfError> {
        fn count(element: &Element) -> usize {
            1 + element.children.iter().map(count).sum::<usize>()
        }
        let added = (1 + copied.map(count).sum::<usize>()).saturating_mul(copies);
        self.elements = self.elements.saturating_add(added);
        if self.elements > MAX_ELEMENTS {
            let message = format!("the model has more than {MAX_ELEMENTS} elements in copies");
            return Err(self.node(element).error(MjcfProblem::Syntax { message }));
        }
        Ok(())
    }

    fn add_referring(&mut self, sections: Vec<(&'static str, Vec<Element>)>) {
        for (name, elements) in sections {
            self.add(name, elements);
        }
    }

    /// Adds elements to a section, behind those that there are.
    fn add(&mut self, name: &str, mut elements: Vec<Element>) {
        let mut sections = self.sections.iter_mut();
        match sections.rfind(|section| section.name == name) {
            Some(section) => section.children.append(&mut elements),
            None => {
                if let Some(first) = elements.first() {
                    let mut section = frame_around(first, Vec::new());
                    section.name = name.to_owned();
                    section.children = elements;
                    self.sections.push(section);
                }
            }
        }
    }
}

/// Copies of what refers to elements, section by section.
fn referring(
    sections: &[Element],
    names: &Names,
    rename: &dyn Fn(&str) -> String,
    is_elsewhere: &dyn Fn(Named, &str) -> bool,
) -> Vec<(&'static str, Vec<Element>)> {
    let of_section = |name: &'static str| {
        let sections = sections.iter().filter(|section| section.name == name);
        let elements = sections.flat_map(|section| &section.children);
        let copies = elements.filter_map(|e| renamed(name, e, names, rename, is_elsewhere));
        (name, copies.collect())
    };
    REFERRING.into_iter().map(of_section).collect()
}

fn copies_of(elements: &[Element], kept: &Kept) -> Vec<Element> {
    elements.iter().map(|e| with_keys(e, kept)).collect()
}

/// The body or the frame of a name, with the class around it.
fn find<'e>(
    from: &'e Element,
    class: &'e str,
    wanted: (Named, &str),
) -> Option<(&'e Element, &'e str)> {
    let class = from.attribute("childclass").unwrap_or(class);
    from.children.iter().find_map(|child| {
        let is_wanted =
            Named::of(&child.name) == wanted.0 && child.attribute("name") == Some(wanted.1);
        match is_wanted {
            true => Some((child, class)),
            false => find(child, class, wanted),
        }
    })
}

/// A frame in the text of an element.
fn frame_around(element: &Element, children: Vec<Element>) -> Element {
    let mut frame = element.clone_alone();
    frame.name = "frame".to_owned();
    frame.attributes.clear();
    frame.children = children;
    frame
}

/// A frame in which elements have a class of the model that they came from.
fn in_class(element: &Element, children: Vec<Element>, class: &str) -> Element {
    let mut frame = frame_around(element, children);
    frame.attributes.push(made("childclass", class.to_owned()));
    frame
}
