//! The elements of the machines of `system`.

#[allow(dead_code)] // `system` uses more of it
#[path = "../../system/elements/every_element.rs"]
pub mod every_element;
