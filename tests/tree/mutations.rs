//! Readers of descriptions on files that something has damaged: an error or a model, no panic, no hang.
//!
//! `DUALBODY_MUTATIONS` says how many of each file; `--release` for many.

use crate::support::descriptions;
use crate::support::mutation::{count, in_time, mutated};
use crate::support::random_contact::Random;
use crate::support::reference::data;
use dualbody::io::srdf::Srdf;
use std::time::Duration;

fn attack(files: &[(&str, &str)], seed: u64, read: impl Fn(&str) -> bool) {
    let (mut random, mut all) = (Random::new(seed), 0);
    for (folder, file) in files {
        let path = data(folder).join(file);
        let text = std::fs::read_to_string(path).unwrap();
        assert!(read(&text), "{file} as it is");
        let (mut slowest, mut understood) = (Duration::ZERO, 0);
        for i in 0..count() {
            let damaged = mutated(&text, &mut random);
            let (is_read, taken) = in_time(&format!("{file}, mutation {i}"), || read(&damaged));
            understood += usize::from(is_read);
            slowest = slowest.max(taken);
        }
        let count = count();
        println!("{file}: {understood} of {count} read, slowest {slowest:?}");
        all += understood;
    }
    // Mutations that always break a file test the tokeniser only.
    assert!(all > 0 && all < files.len() * count());
}

#[test]
fn damaged_urdf_is_refused_or_read() {
    let files = [
        ("models", "humanoid.urdf"),
        ("models", "arm7.urdf"),
        ("urdf", "welded_branches.urdf"),
        ("urdf", "gripper.urdf"),
        ("urdf", "tilted_chain.urdf"),
    ];
    attack(&files, 3, descriptions::read_urdf);
}

#[test]
fn damaged_mjcf_is_refused_or_read() {
    let files = [
        ("mjcf", "scaled.xml"),
        ("mjcf", "arm.xml"),
        ("mjcf", "actuators.xml"),
    ];
    attack(&files, 4, descriptions::read_mjcf);
}

#[test]
fn damaged_srdf_is_refused_or_read() {
    const SRDF: &str = r#"<?xml version="1.0"?>
<robot name="r">
  <group name="arm"><chain base_link="a" tip_link="b"/><joint name="j"/></group>
  <group_state name="home" group="arm"><joint name="j" value="0.5"/></group_state>
  <disable_collisions link1="a" link2="b" reason="Adjacent"/>
</robot>"#;
    let mut random = Random::new(5);
    let read = |text: &str| Srdf::from_text(text).is_ok();
    assert!(read(SRDF));
    let understood = (0..10 * count()).filter(|i| {
        let damaged = mutated(SRDF, &mut random);
        in_time(&format!("mutation {i}"), || read(&damaged)).0
    });
    assert!(understood.count() > 0);
}
