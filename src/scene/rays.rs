//! Rays of range sensors, as long as what was measured along them.

use super::arrows::{Arrows, Style};
use crate::sensor::{AnySensor, Delayed, Lidar, Sensor};
use crate::system::RigidBodySystem;
use crate::tree::{TreeError, TreeWorkspace};

/// An empty list of rays.
pub(super) fn rays() -> Arrows {
    let mut rays = Arrows::new("rays", "m").drawn_as(Style::Ray);
    rays.scale = Some(1.0);
    rays
}

/// Adds the rays of all lidars, at the state of a workspace, with the outputs of the machine.
pub(super) fn add_rays(
    rays: &mut Arrows,
    system: &RigidBodySystem<f64>,
    kinematics: &TreeWorkspace<f64>,
    outputs: &[f64],
) -> Result<(), TreeError> {
    let mut rest = outputs;
    for sensor in system.sensors() {
        let Some((ranges, others)) = rest.split_at_checked(sensor.num_outputs()) else {
            break;
        };
        rest = others;
        let Some(lidar) = lidar(sensor) else { continue };
        let body = system.tree().body_pose(kinematics, lidar.mounting.body)?;
        let pose = body * lidar.mounting.pose();
        let label = rays.label(&lidar.name);
        for (direction, range) in lidar.directions.iter().zip(ranges) {
            let along = pose.rotation * direction.normalize() * *range;
            rays.add(label, &pose.translation, &along);
        }
    }
    Ok(())
}

fn lidar(sensor: &AnySensor<f64>) -> Option<&Lidar<f64>> {
    let delayed = sensor.downcast_ref::<Delayed<f64>>();
    delayed.map_or_else(|| sensor.downcast_ref(), |delayed| lidar(&delayed.sensor))
}
