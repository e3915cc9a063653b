//! One error for all parts of the crate.

use dualbody::Error;
use dualbody::contact::{ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::identification::IdentificationError;
use dualbody::math::SpatialInertia;
use dualbody::system::TimeSteppingRigidBodySystem;
use dualbody::tree::{RigidBodyTree, RigidBodyTreeBuilder};
use std::error::Error as _;

fn ball() -> dualbody::Result<RigidBodyTree<f64>> {
    let mut tree = RigidBodyTreeBuilder::new();
    tree.add_body("ball", SpatialInertia::solid_sphere(1.0, 0.1))?;
    Ok(tree.finish()?)
}

fn of_a_tree() -> dualbody::Result<()> {
    let mut tree = RigidBodyTreeBuilder::new();
    tree.add_body("ball", SpatialInertia::solid_sphere(1.0, 0.1))?;
    tree.add_body("ball", SpatialInertia::solid_sphere(1.0, 0.1))?;
    Ok(())
}

fn of_a_contact() -> dualbody::Result<()> {
    ContactModelBuilder::<f64>::new().exclude("ball", "floor")?;
    Ok(())
}

fn of_a_system() -> dualbody::Result<()> {
    let system = TimeSteppingRigidBodySystem::new(ball()?, ContactModel::none(), 1e-3)?;
    system.body_pose(&system.initial_state(), "bell")?;
    Ok(())
}

fn of_an_identification() -> dualbody::Result<()> {
    let source = ContactMaterial::new(-1.0, 0.0, 0.0).unwrap_err();
    let name = "mass".to_owned();
    Err(IdentificationError::Unknown { name, source })?
}

fn of_a_file() -> dualbody::Result<()> {
    std::fs::read("no such folder/machine.json")?;
    Ok(())
}

#[test]
fn every_part_has_its_variant_with_text_and_source() {
    let error = of_a_tree().unwrap_err();
    assert!(matches!(&error, Error::Tree(e) if e.to_string() == error.to_string()));
    assert!(error.to_string().contains("ball"), "{error}");
    let error = of_a_contact().unwrap_err();
    assert!(matches!(&error, Error::Contact(e) if e.to_string() == error.to_string()));
    let error = of_a_system().unwrap_err();
    assert!(matches!(&error, Error::System(e) if e.to_string() == error.to_string()));
    assert!(error.to_string().contains("bell"), "{error}");
    let error = of_an_identification().unwrap_err();
    assert!(matches!(&error, Error::Identification(e) if e.to_string() == error.to_string()));
    let source = error.source().expect("what is wrong with the unknown");
    assert!(source.is::<dualbody::InvalidInput>(), "{source}");
    let error = of_a_file().unwrap_err();
    assert!(matches!(&error, Error::Io(e) if e.kind() == std::io::ErrorKind::NotFound));
}

/// As an executor, a thread or the error of an experiment need it.
#[test]
fn it_goes_into_a_box_that_can_be_sent() {
    let boxed: Box<dyn std::error::Error + Send + Sync> = of_a_system().unwrap_err().into();
    assert!(boxed.is::<Error>());
}
