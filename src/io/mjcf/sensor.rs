//! MJCF: the section `<sensor>`.

use super::assembly::Assembly;
use super::body::Kind;
use super::error::{MjcfError, MjcfProblem};
use crate::Scalar;
use crate::sensor::{AnySensor, Encoder, ForceTorque, FramePose, Imu, Touch};
use crate::tree::RigidBodyTree;

impl<T: Scalar> Assembly<'_, '_, T> {
    /// A sensor for each that there is here, of its name.
    pub(super) fn read_sensors(&mut self, tree: &RigidBodyTree<T>) -> Result<(), MjcfError> {
        for element in self.section("sensor") {
            let node = self.defaults.node(element);
            let error = |e| node.error(MjcfProblem::Sensor(e));
            for attribute in ["noise", "cutoff"] {
                if node.number(attribute)?.is_some_and(|x| x < 0.0) {
                    return Err(node.value(attribute, "a number that is not negative"));
                }
            }
            for (given, beside) in [("reftype", "refname"), ("refname", "reftype")] {
                if node.text(given).is_some() {
                    node.required(beside)?;
                }
            }
            let place = match element.name.as_str() {
                "jointpos" | "jointvel" => node.required("joint")?,
                "accelerometer" | "gyro" | "touch" | "force" | "torque" => node.required("site")?,
                "framepos" | "framequat" if node.text("objtype") == Some("site") => {
                    node.required("objname")?
                }
                _ => {
                    let reason = "is a sensor of another kind";
                    self.model.report.leave_out(&node, reason);
                    continue;
                }
            };
            if node.text("refname").is_some() {
                let reason = "measures relative to something";
                self.model.report.leave_out(&node, reason);
                continue;
            }
            let name = match node.text("name").filter(|name| !name.is_empty()) {
                Some(name) => name.to_owned(),
                None => self.unique("sensors", &format!("{place}_{}", element.name)),
            };
            let name = self.full_name(&name);
            let sensor = match element.name.as_str() {
                "jointpos" | "jointvel" => {
                    let joint = self.required_joint(&node, "joint")?;
                    if !matches!(joint.kind, Kind::Hinge | Kind::Slide) {
                        let reason = "is on a joint of several degrees of freedom";
                        self.model.report.leave_out(&node, reason);
                        continue;
                    }
                    let encoder = Encoder::new(name, tree, joint.index, T::zero());
                    AnySensor::new(encoder.map_err(error)?)
                }
                "accelerometer" | "gyro" => {
                    let (_, body, pose) = self.required_site(&node, "site")?;
                    let body = self.model.bodies[body];
                    let imu = Imu::new(name, tree, body, &pose.cast());
                    AnySensor::new(imu.map_err(error)?)
                }
                "force" | "torque" => {
                    let site = self.required_site(&node, "site")?.0;
                    AnySensor::new(ForceTorque::new(name, site))
                }
                "touch" => {
                    let site = self.required_site(&node, "site")?.0;
                    let sites = self.bodies.iter().flat_map(|body| &body.sites);
                    let zone = sites
                        .zip(&self.model.sites)
                        .find(|(_, index)| **index == site);
                    let Some((of_site, _)) = zone else { continue };
                    let touch = Touch::new(name, site, of_site.zone.clone());
                    AnySensor::new(touch.map_err(error)?)
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
