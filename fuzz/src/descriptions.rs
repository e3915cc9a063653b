//! Robot descriptions: URDF, SRDF and MJCF. What is read can be used, or says why not.

#![no_main]

#[path = "../../tests/support/descriptions.rs"]
mod descriptions;

use descriptions::{read_mjcf, read_urdf};
use dualbody::io::srdf::Srdf;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if text.contains("<mujoco") {
        read_mjcf(text);
    } else if text.contains("<group") || text.contains("<disable_collisions") {
        let _ = Srdf::from_text(text);
    } else {
        read_urdf(text);
    }
});
