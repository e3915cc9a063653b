//! What `<sensor>` says.

use super::assembly::Assembly;
use super::body::Kind;
use super::error::{MjcfError, MjcfProblem};
use crate::Scalar;
use crate::sensor::{AnySensor, Encoder, FramePose, Imu};
use crate::tree::RigidBodyTree;
use std::collections::HashSet;

impl<T: Scalar> Assembly<'_, '_, T> {
    /// One sensor for all that the model measures in one place.
    pub(super) fn read_sensors(&mut self, tree: &RigidBodyTree<T>) -> Result<(), MjcfError> {
        let mut made = HashSet::new();
        for element in self.section("sensor") {
            let node = self.defaults.node(element);
            let error = |e| node.error(MjcfProblem::Sensor(e));
            let (kind, place) = match element.name.as_str() {
                "jointpos" | "jointvel" => ("encoder", node.required("joint")?),
                "accelerometer" | "gyro" => ("imu", node.required("site")?),
                "framepos" | "framequat" if node.text("objtype") == Some("site") => {
                    ("pose", node.required("objname")?)
                }
                _ => {
                    self.model
                        .report
                        .leave_out(&node, "is a sensor of another kind");
                    continue;
                }
            };
            if node.text("refname").is_some() {
                self.model
                    .report
                    .leave_out(&node, "measures relative to something");
                continue;
            }
            if kind == "encoder"
                && !matches!(
                    self.required_joint(&node, "joint")?.kind,
                    Kind::Hinge | Kind::Slide
                )
            {
                self.model
                    .report
                    .leave_out(&node, "is on a joint of several degrees of freedom");
                continue;
            }
            if !made.insert((kind, place)) {
                continue;
            }
            let name = self.full_name(&format!("{place}/{kind}"));
            let sensor = match kind {
                "encoder" => {
                    let joint = self.required_joint(&node, "joint")?.index;
                    let encoder = Encoder::new(name, tree, joint, T::zero());
                    AnySensor::new(encoder.map_err(error)?)
                }
                "imu" => {
                    let (_, body, pose) = self.required_site(&node, "site")?;
                    let body = self.model.bodies[body];
                    let imu = Imu::new(name, tree, body, &pose.cast());
                    AnySensor::new(imu.map_err(error)?)
                }
                _ => {
                    let site = self.required_site(&node, "objname")?.0;
                    AnySensor::new(FramePose::new(name, site))
                }
            };
            self.model.elements.sensors.push(sensor);
        }
        Ok(())
    }
}
