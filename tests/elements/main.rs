//! Force elements and sensors.

#[path = "../support/mod.rs"]
mod support;

mod force;
mod lidar;
mod reference_bushing;
mod reference_sensors;
mod sensors;
