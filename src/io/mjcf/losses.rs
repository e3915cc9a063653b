//! MJCF: round-trip check of a written model.

use super::changes::{Update, shapes_of_geoms};
use super::defaults::{Defaults, Node};
use super::error::{MjcfError, MjcfProblem};
use super::reader::MjcfModel;
use crate::contact::CollisionGeometry;
use crate::io::round_trip::RoundTrip;
use crate::tree::{BodyIndex, JointIndex, TreeError};

impl<'a> Update<'_, 'a> {
    /// Whether the tree that is read again, and the geometries of its model, are those that are wanted.
    pub fn check(
        &self,
        round_trip: RoundTrip,
        geometries: &[CollisionGeometry<f64>],
        again: &MjcfModel<f64>,
    ) -> Result<(), MjcfError> {
        let root = self.bodies[0].item.node;
        check(&root, None, Ok(round_trip.gravity()))?;
        // All bodies and joints: also those between the joints of a body, and those that fix bodies.
        for body in self.original.bodies().skip(1) {
            let index = body.index();
            let difference = round_trip.body(body.name());
            check(&self.node_of_body(index), Some(body.name()), difference)?;
        }
        for joint in self.original.joints() {
            let index = joint.index();
            let difference = round_trip.joint(joint.name());
            let node = self.node_of_joint(index, joint.child());
            check(&node, Some(joint.name()), difference)?;
        }
        let sites = self.bodies.iter().flat_map(|body| &body.sites);
        for (site, &index) in sites.zip(&self.model.sites) {
            let node = &site.item.node;
            let name = (self.original.frame(index).map_err(|e| node.error(e))?).name();
            check(node, Some(name), round_trip.frame(name))?;
        }
        for (_, geom, shapes) in shapes_of_geoms(self.bodies, again) {
            for found in shapes {
                let wanted = geometries.iter().find(|g| g.name == found.name);
                let lost = wanted.and_then(|wanted| round_trip.geometry(wanted, found));
                check(&geom.item.node, Some(&found.name), Ok(lost))?;
            }
        }
        Ok(())
    }

    /// The error that a constant of an element is another, if one is.
    pub fn check_elements(
        &self,
        defaults: &Defaults<'a>,
        lost: Option<String>,
    ) -> Result<(), MjcfError> {
        let Some(constant) = lost else { return Ok(()) };
        // The element with the longest name that the constant's starts with.
        let start = match self.model.name.as_str() {
            "" => "",
            model => &format!("{model}/"),
        };
        let rest = constant.strip_prefix(start).unwrap_or(&constant);
        let joints = self.bodies.iter().flat_map(|body| &body.joints);
        let joints = joints.map(|joint| joint.item.node);
        let sections = ["actuator", "sensor", "equality"].into_iter();
        let elements = sections.flat_map(|name| defaults.section(name));
        let elements = elements.map(|element| defaults.node(element));
        let name = |node: &Node<'a>| node.text("name").unwrap_or_default();
        let is_of = |node: &Node<'a>| {
            let after = rest.strip_prefix(name(node));
            !name(node).is_empty() && after.is_some_and(|after| after.starts_with('/'))
        };
        let of = joints.chain(elements).filter(is_of);
        let node = of.max_by_key(|node| name(node).len());
        let node = node.unwrap_or(self.bodies[0].item.node);
        check(&node, Some(&constant), Ok(Some("value")))
    }

    /// The element of a body, or of the joint that carries it on the way to one.
    fn node_of_body(&self, index: BodyIndex) -> Node<'a> {
        let of_model = self.model.bodies.iter().position(|&body| body == index);
        if let Some(position) = of_model {
            return self.bodies[position].item.node;
        }
        let mut joints = self.original.joints();
        match joints.find(|joint| joint.child() == index) {
            Some(joint) => self.node_of_joint(joint.index(), BodyIndex::WORLD),
            None => self.bodies[0].item.node,
        }
    }

    /// The element of a joint, or of the body that it fixes.
    fn node_of_joint(&self, index: JointIndex, child: BodyIndex) -> Node<'a> {
        let position = self.model.joints.iter().position(|&joint| joint == index);
        let mut joints = self.bodies.iter().flat_map(|body| &body.joints);
        match position.and_then(|position| joints.nth(position)) {
            Some(joint) => joint.item.node,
            None => self.node_of_body(child),
        }
    }
}

/// The error that a quantity of an element is another, if one is.
fn check(
    node: &Node,
    element: Option<&str>,
    different: Result<Option<&'static str>, TreeError>,
) -> Result<(), MjcfError> {
    match different.map_err(|e| node.error(e))? {
        None => Ok(()),
        Some(quantity) => Err(node.error(MjcfProblem::NotExpressible {
            quantity,
            element: element.map(str::to_owned),
        })),
    }
}
