//! What `<keyframe>` says.

use super::assembly::Assembly;
use super::error::MjcfError;
use crate::Scalar;
use crate::io::NamedConfiguration;
use crate::io::quaternion::unit_quaternion;
use crate::tree::{JointKind, RigidBodyTree, TreeError};

impl<T: Scalar> Assembly<'_, '_, T> {
    pub(super) fn read_key_frames(&mut self, tree: &RigidBodyTree<T>) -> Result<(), MjcfError> {
        for (number, element) in self.section("keyframe").enumerate() {
            let node = self.defaults.node(element);
            if node.text("qpos").is_none() {
                continue;
            }
            let joints = self
                .model
                .joints
                .iter()
                .map(|&index| Ok((index, tree.joint(index)?)));
            let joints: Result<Vec<_>, TreeError> = joints.collect();
            let joints = joints.map_err(|e| node.error(e))?;
            let size = joints.iter().map(|(_, joint)| joint.num_positions()).sum();
            let mut qpos = vec![0.0; size];
            if node.numbers("qpos", &mut qpos)? != size {
                return Err(node.value("qpos", "one number a position coordinate"));
            }
            let mut rest = qpos.as_slice();
            let mut positions = Vec::new();
            for (index, joint) in joints {
                let (own, next) = rest.split_at(joint.num_positions());
                rest = next;
                let mut own = own.to_vec();
                if *joint.kind() == JointKind::Floating {
                    own.rotate_left(3);
                }
                if joint.kind().has_quaternion() {
                    let unit = unit_quaternion([own[0], own[1], own[2], own[3]])
                        .ok_or_else(|| node.value("qpos", "quaternions that are not zero"))?;
                    own[..4].copy_from_slice(&[unit.w, unit.i, unit.j, unit.k]);
                }
                positions.push((index, own));
            }
            let name = node.text("name").map(str::to_owned);
            self.model.key_frames.push(NamedConfiguration {
                name: name.unwrap_or_else(|| format!("key{number}")),
                joints: positions,
            });
        }
        Ok(())
    }
}
