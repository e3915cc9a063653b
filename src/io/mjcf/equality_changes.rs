//! MJCF: writing back constants of equality constraints.

use super::body::{Body, Joint, Site};
use super::changes::Update;
use super::defaults::Item;
use super::element_constants::Change;
use super::error::MjcfError;
use super::reader::MjcfModel;
use crate::io::round_trip::same_pose;
use crate::io::unique_names::UniqueNames;
use crate::io::xml::{Element, numbers};
use crate::math::{RigidTransform, rotation};
use crate::tree::{RigidBodyTree, TreeError};
use nalgebra::Matrix3;
use quick_xml::escape::escape;

/// Poses of the bodies of a model in the reference configuration.
pub(super) struct ReferencePoses(Vec<RigidTransform<f64>>);

impl ReferencePoses {
    pub fn new(tree: &RigidBodyTree<f64>, model: &MjcfModel<f64>) -> Result<Self, TreeError> {
        let (mut q, mut workspace) = (tree.neutral_configuration(), tree.workspace());
        model.reference.write(tree, q.as_mut_slice())?;
        tree.set_positions(&mut workspace, q.as_slice())?;
        let poses = model
            .bodies
            .iter()
            .map(|&body| tree.body_pose(&workspace, body));
        Ok(ReferencePoses(poses.collect::<Result<_, _>>()?))
    }

    /// The pose of the second body on the first.
    fn relative(&self, [a, b]: [usize; 2]) -> RigidTransform<f64> {
        self.0[a].inverse() * self.0[b]
    }
}

impl<'a> Update<'_, 'a> {
    /// The constants of an equality constraint.
    pub fn equality(
        &mut self,
        item: &Item<'a>,
        change: &Change,
        poses: &ReferencePoses,
    ) -> Result<(), MjcfError> {
        match item.tag() {
            "joint" => self.coupling(item, change),
            tag => {
                self.coincidence(item, change, poses, tag == "weld");
                Ok(())
            }
        }
    }

    /// Of points or frames of two bodies. Where those of the format follow from one another and these do not, they
    /// become sites.
    fn coincidence(
        &mut self,
        item: &Item<'a>,
        change: &Change,
        poses: &ReferencePoses,
        turns: bool,
    ) {
        let element = item.node.element;
        let [a, b] = ["a", "b"].map(|frame| {
            let rotation = if turns {
                change.orientation(frame)
            } else {
                Matrix3::identity()
            };
            RigidTransform::new(rotation, change.vector(&format!("point_{frame}")))
        });
        let are_sites = item.node.text("site1").is_some();
        let names = if are_sites {
            ["site1", "site2"]
        } else {
            ["body1", "body2"]
        };
        let bodies = names.map(|name| match item.node.text(name) {
            Some(name) if are_sites => self.body_of_site(name),
            Some(name) => self.body_of_name(name),
            None => Some(0),
        });
        let [Some(body_a), Some(body_b)] = bodies else {
            return;
        };
        if !are_sites && turns {
            let anchor = RigidTransform::from_translation(b.translation);
            if same_pose(&b, &anchor) {
                let (p, q) = (a.translation, rotation::quaternion_from_matrix(&a.rotation));
                self.set(element, "relpose", &[p.x, p.y, p.z, q.w, q.i, q.j, q.k]);
                self.set(element, "anchor", b.translation.as_slice());
                return;
            }
        } else if !are_sites {
            let on_a = poses.relative([body_a, body_b]) * b;
            if same_pose(&RigidTransform::from_translation(on_a.translation), &a) {
                self.set(element, "anchor", a.translation.as_slice());
                return;
            }
        }
        let ends = [("site1", "a", body_a, a), ("site2", "b", body_b, b)];
        let base = item.node.text("name").filter(|name| !name.is_empty());
        for (attribute, frame, body, pose) in ends {
            let name = self
                .site_names
                .unique(&format!("{}_{frame}", base.unwrap_or(item.tag())));
            let q = rotation::quaternion_from_matrix(&pose.rotation);
            let site = format!(
                "<site name=\"{}\" pos=\"{}\" quat=\"{}\"/>",
                escape(&name),
                numbers(pose.translation.as_slice()),
                numbers(&[q.w, q.i, q.j, q.k])
            );
            let holder = match body {
                0 => self.root.children.iter().find(|e| e.name == "worldbody"),
                _ => Some(self.bodies[body].item.node.element),
            };
            let Some(holder) = holder else { return };
            self.edits(holder).add_child(holder, &site);
            self.edits(element).set(element, attribute, &escape(&name));
        }
        for name in ["body1", "body2", "anchor", "relpose"] {
            self.edits(element).remove(element, name);
        }
    }

    fn body_of_name(&self, name: &str) -> Option<usize> {
        let is_it = |element: &Element| element.attribute("name") == Some(name);
        let found = self
            .bodies
            .iter()
            .position(|body| is_it(body.item.node.element));
        found.or((name == "world").then_some(0))
    }

    fn body_of_site(&self, name: &str) -> Option<usize> {
        let has_it = |sites: &[Site]| sites.iter().any(|site| site.name == name);
        self.bodies.iter().position(|body| has_it(&body.sites))
    }

    /// `q₁ − r₁ = c₀ + c₁ (q₂ − r₂)` with the reference coordinates r.
    fn coupling(&mut self, item: &Item<'a>, change: &Change) -> Result<(), MjcfError> {
        let reference = |attribute| {
            let name = item.node.text(attribute)?;
            let mut joints = self.bodies.iter().flat_map(|body| &body.joints);
            let found = joints.find(|joint: &&Joint| joint.item.node.text("name") == Some(name))?;
            Some(found.reference)
        };
        let driven = reference("joint1").unwrap_or(0.0);
        let Some(driving) = reference("joint2") else {
            let constant = change.wanted("coefficients/0") - driven;
            return self.set_first(&item.node, "polycoef", &[constant]);
        };
        let slope = change.wanted("ratio");
        let constant = change.wanted("offset") - driven + slope * driving;
        self.set_first(&item.node, "polycoef", &[constant, slope])
    }
}

/// The names of the sites of a model.
pub(super) fn site_names(bodies: &[Body]) -> UniqueNames {
    let mut names = UniqueNames::default();
    for site in bodies.iter().flat_map(|body| &body.sites) {
        names.take(site.name);
    }
    names
}
