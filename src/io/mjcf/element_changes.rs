//! MJCF: writing back constants of springs, actuators and equality constraints.

use super::actuator::{ActuatorItem, actuator_item};
use super::body::{Joint, Kind};
use super::changes::Update;
use super::defaults::Defaults;
use super::element_constants::{Change, ElementConstants};
use super::equality::equality_item;
use super::equality_changes::ReferencePoses;
use super::error::MjcfError;
use super::reader::MjcfModel;
use crate::force::JointSpring;
use crate::io::round_trip::same;
use crate::tree::{JointIndex, RigidBodyTree};

impl<'a> Update<'_, 'a> {
    /// The constants of all elements: of the model, `written` with the constants of the tree as they are `read` again,
    /// and wanted. Whether any changes.
    pub fn elements(
        &mut self,
        defaults: &'a Defaults<'a>,
        [model, written, wanted]: [&ElementConstants; 3],
        (tree, read): (&RigidBodyTree<f64>, &MjcfModel<f64>),
    ) -> Result<bool, MjcfError> {
        let mut any = self.springs_and_dampers(tree)?;
        let changes = Change::of_each(&model.forces, &written.forces, &wanted.forces);
        for (force, change) in self.model.elements.forces.iter().zip(changes) {
            let spring = force.downcast_ref::<JointSpring<f64>>();
            let (Some(change), Some(spring)) = (change, spring) else {
                continue;
            };
            let number = self.model.joints.iter().position(|&j| j == spring.joint);
            if let Some(number) = number {
                self.spring(number, &change)?;
                any = true;
            }
        }
        any |= self.actuators(defaults, [model, written, wanted])?;
        let mut poses = None;
        let [model, written, wanted] = [model, written, wanted].map(|of| &of.constraints);
        let changes = Change::of_each(model, written, wanted);
        let elements: Vec<_> = defaults.section("equality").collect();
        for (&number, change) in self.model.origins.constraints.iter().zip(changes) {
            let (Some(change), Some(element)) = (change, elements.get(number)) else {
                continue;
            };
            let item = equality_item(defaults, element)?;
            let poses = match &poses {
                Some(poses) => poses,
                None => {
                    let new = ReferencePoses::new(tree, read).map_err(|e| item.node.error(e))?;
                    poses.insert(new)
                }
            };
            self.equality(&item, &change, poses)?;
            any = true;
        }
        Ok(any)
    }

    /// The constants of actuators, as [`Self::elements`].
    pub fn actuators(
        &mut self,
        defaults: &'a Defaults<'a>,
        [model, written, wanted]: [&ElementConstants; 3],
    ) -> Result<bool, MjcfError> {
        let mut any = false;
        let changes = Change::of_each(&model.actuators, &written.actuators, &wanted.actuators);
        let elements: Vec<_> = defaults.section("actuator").collect();
        for (&number, change) in self.model.origins.actuators.iter().zip(changes) {
            let (Some(change), Some(element)) = (change, elements.get(number)) else {
                continue;
            };
            let item = actuator_item(defaults, element)?;
            if let Ok(actuator) = ActuatorItem::read(item, self.compilers.of(&item.node))? {
                self.actuator(&actuator, &change)?;
                any = true;
            }
        }
        Ok(any)
    }

    /// Parts springs and dampers of which the dampers are not those of the tree. Whether there are any.
    fn springs_and_dampers(&mut self, read: &RigidBodyTree<f64>) -> Result<bool, MjcfError> {
        let mut any = false;
        let joints = self.bodies.iter().flat_map(|body| &body.joints);
        for (joint, &index) in joints.zip(&self.model.joints) {
            if joint.item.springdamper()?.is_none() {
                continue;
            }
            let error = |e| joint.item.node.error(e);
            let name = self.original.joint(index).map_err(error)?.name();
            let damping = |tree: &RigidBodyTree<f64>| {
                let joint = tree.joint_by_name(name).and_then(|index| tree.joint(index));
                joint.map(|joint| joint.damping().to_vec()).map_err(error)
            };
            if !same(&damping(read)?, &damping(self.tree)?) {
                self.part_spring_and_damper(joint, index)?;
                any = true;
            }
        }
        Ok(any)
    }

    /// The constants of the spring of a joint, the `number`-th of the model.
    fn spring(&mut self, number: usize, change: &Change) -> Result<(), MjcfError> {
        let index = self.model.joints[number];
        let mut joints = self.bodies.iter().flat_map(|body| &body.joints);
        let Some(joint) = joints.nth(number) else {
            return Ok(());
        };
        let element = joint.item.node.element;
        let is_parted = joint.item.springdamper()?.is_some();
        if is_parted {
            self.part_spring_and_damper(joint, index)?;
        }
        if let Some(position) = change.changed("nominal_position") {
            let unit = match joint.kind {
                Kind::Slide => 1.0,
                _ => self.compilers.of(&joint.item.node).angle(1.0),
            };
            self.set(element, "springref", &[position / unit]);
        }
        if is_parted || change.changed("stiffness").is_some() {
            self.set(element, "stiffness", &[change.wanted("stiffness")]);
        }
        Ok(())
    }

    /// Writes stiffness and damping in place of the time constant and the ratio that they follow from.
    fn part_spring_and_damper(
        &mut self,
        joint: &Joint,
        index: JointIndex,
    ) -> Result<(), MjcfError> {
        let node = &joint.item.node;
        let name = self
            .original
            .joint(index)
            .map_err(|e| node.error(e))?
            .name();
        let is = self
            .tree
            .joint_by_name(name)
            .and_then(|index| self.tree.joint(index));
        let damping = is.map_err(|e| node.error(e))?.damping();
        self.set(node.element, "springdamper", &[0.0, 0.0]);
        self.set(node.element, "damping", damping);
        let springs = self.model.elements.forces.iter();
        let springs = springs.filter_map(|force| force.downcast_ref::<JointSpring<f64>>());
        for spring in springs.filter(|spring| spring.joint == index) {
            self.set(node.element, "stiffness", &[spring.stiffness]);
        }
        Ok(())
    }
}
