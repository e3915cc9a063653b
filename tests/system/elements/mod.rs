//! Forces, actuators and sensors in a system.

mod element_kinks;
mod elements_from_outside;
pub mod every_element;
mod force_elements;
mod not_finite;
mod own_elements;
mod remote;
mod sampled_actuators;
