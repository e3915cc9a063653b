//! MJCF: the section `<keyframe>`.

use super::assembly::Assembly;
use super::attached_keys::{ATTACHED, positions_in};
use super::defaults::Node;
use super::error::MjcfError;
use crate::Scalar;
use crate::io::NamedConfiguration;
use crate::io::quaternion::unit_quaternion;
use crate::tree::{JointKind, RigidBodyTree};
use std::collections::HashMap;

impl<T: Scalar> Assembly<'_, '_, T> {
    pub(super) fn read_key_frames(&mut self, tree: &RigidBodyTree<T>) -> Result<(), MjcfError> {
        let elements = self.bodies.iter().flat_map(|body| &body.joints);
        let mut joints = Vec::new();
        let mut reference = Vec::new();
        let given = self.model.reference.joints.iter();
        let given: HashMap<_, _> = given.map(|(index, own)| (*index, own)).collect();
        for (element, &index) in elements.zip(&self.model.joints) {
            let node = element.item.node;
            let joint = tree.joint(index).map_err(|e| node.error(e))?;
            joints.push((node, index, joint));
            match given.get(&index) {
                Some(own) if *joint.kind() == JointKind::Floating => {
                    reference.extend(own[4..].iter().chain(&own[..4]));
                }
                Some(own) => reference.extend(own.iter()),
                None if joint.kind().has_quaternion() => reference.extend([1.0, 0.0, 0.0, 0.0]),
                None => reference.extend(vec![0.0; joint.num_positions()]),
            }
        }
        for (number, element) in self.section("keyframe").enumerate() {
            let node = self.defaults.node(element);
            self.check_key(&node, tree.num_velocities())?;
            let is_attached = node.text(ATTACHED).is_some();
            if node.text("qpos").is_none() && !is_attached {
                continue;
            }
            let name = node.text("name").map(str::to_owned);
            let name = name.unwrap_or_else(|| self.unique("keys", &format!("key{number}")));
            // What is not given is as in the reference configuration.
            let mut qpos = reference.clone();
            node.numbers("qpos", &mut qpos)?;
            let kept = positions_in(&name);
            let mut rest = qpos.as_slice();
            let mut positions = Vec::new();
            for (of_joint, index, joint) in &joints {
                let (own, next) = rest.split_at(joint.num_positions());
                rest = next;
                let mut own = own.to_vec();
                if let Some(words) = of_joint.text(&kept).filter(|_| is_attached) {
                    let numbers = words.split(' ').map(str::parse);
                    own = numbers.collect::<Result<_, _>>().unwrap_or(own);
                }
                if *joint.kind() == JointKind::Floating {
                    own.rotate_left(3);
                }
                if joint.kind().has_quaternion() {
                    // The format takes one of zero length for no rotation.
                    let unit =
                        unit_quaternion([own[0], own[1], own[2], own[3]]).unwrap_or_default();
                    own[..4].copy_from_slice(&[unit.w, unit.i, unit.j, unit.k]);
                }
                positions.push((*index, own));
            }
            self.model.key_frames.push(NamedConfiguration {
                name,
                joints: positions,
            });
        }
        Ok(())
    }

    /// Refuses velocities and controls of a key that are more than the model has.
    fn check_key(&self, key: &Node<'_>, num_velocities: usize) -> Result<(), MjcfError> {
        if key.list("qvel")?.len() > num_velocities {
            return Err(key.value("qvel", "a number for each velocity of the model"));
        }
        if key.list("ctrl")?.len() > self.section("actuator").count() {
            return Err(key.value("ctrl", "a number for each actuator"));
        }
        Ok(())
    }
}
