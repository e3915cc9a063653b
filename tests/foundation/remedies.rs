//! What is printed on a mistake says what to do.

use dualbody::contact::{ContactError, ContactModelBuilder};
use dualbody::force::{BodyPoint, LinearSpringDamper};
use dualbody::io::mjcf::MjcfReader;
use dualbody::prelude::*;
use dualbody::tree::{BodyIndex, JointKind};

fn builder() -> SystemBuilder<f64> {
    let rubber = ContactMaterial::new(1e4, 0.3, 0.5).unwrap();
    SystemBuilder::new().floor("floor", rubber).free_body(
        "ball",
        Shape::new_sphere(0.1).unwrap(),
        1.0,
        rubber,
    )
}

fn says(error: impl std::fmt::Display, remedy: &str) {
    let error = error.to_string();
    assert!(error.contains(remedy), "{error}");
    assert!(error.lines().count() <= 2 && error.len() < 300, "{error}");
}

#[test]
fn a_misspelt_geometry_is_answered_by_its_name() {
    let rubber = ContactMaterial::new(1e4, 0.3, 0.5).unwrap();
    let error = builder()
        .pair_material("bal", "floor", rubber)
        .compliant(1e-3)
        .unwrap_err();
    says(error, "there is no geometry \"bal\", is it \"ball\"?");
    let mut contact = ContactModelBuilder::<f64>::new();
    let error: ContactError = contact.exclude("a", "b").unwrap_err();
    says(error, "there is no geometry \"a\"");
}

#[test]
fn a_wrong_mass_names_its_body() {
    let rubber = ContactMaterial::new(1e4, 0.3, 0.5).unwrap();
    for mass in [-1.0, 0.0, f64::NAN] {
        let ball = Shape::new_sphere(0.1).unwrap();
        let error = SystemBuilder::new()
            .free_body("ball", ball, mass, rubber)
            .compliant(1e-3);
        says(
            error.unwrap_err(),
            &format!("body \"ball\": mass = {mass}, expected a positive mass"),
        );
    }
}

#[test]
fn a_workspace_of_another_system_says_where_to_take_one() {
    let system = builder().compliant(1e-3).unwrap();
    let other = SystemBuilder::new().compliant(1e-3).unwrap();
    let mut workspace = other.workspace().unwrap();
    let error = system
        .step(&mut workspace, &system.initial_state(), &[])
        .err()
        .unwrap();
    says(error, "`workspace()` of this one");
    let mut workspace = other.tree().workspace();
    let error = system
        .tree()
        .set_positions(&mut workspace, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    says(error.unwrap_err(), "`workspace()` of this tree");
}

#[test]
fn a_loop_of_joints_says_how_to_close_it() {
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let inertia = SpatialInertia::solid_sphere(1.0, 0.1);
    let a = builder.add_body("a", inertia).unwrap();
    let b = builder.add_body("b", inertia).unwrap();
    let at = dualbody::math::RigidTransform::identity();
    builder.add_joint("ab", JointKind::Fixed, a, at, b).unwrap();
    builder.add_joint("ba", JointKind::Fixed, b, at, a).unwrap();
    says(
        builder.finish().unwrap_err(),
        "close the loop with a constraint",
    );
    assert_eq!(BodyIndex::WORLD.get(), 0);
}

#[test]
fn mistakes_in_mjcf_have_their_place_and_what_is_expected() {
    let read = |joint: &str, option: &str| {
        let text = format!(
            "<mujoco>\n{option}\n<worldbody><body name='b'>\n{joint}<geom size='1'/></body></worldbody></mujoco>"
        );
        MjcfReader::new().tree_from_str::<f64>(&text).unwrap_err()
    };
    says(
        read("<joint axis='0 0 0'/>", ""),
        "MJCF text:4: worldbody/body \"b\"/joint: axis = \"0 0 0\", expected not all zero",
    );
    says(
        read("", "<option timestep='0'/>"),
        "MJCF text:2: option: timestep = \"0\", expected a positive time in s",
    );
    let error = MjcfReader::new().tree_from_str::<f64>("\n").unwrap_err();
    says(error, "there is no element: the text is empty, or no XML");
}

#[test]
fn what_has_no_mass_says_so() {
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    builder.add_body("ghost", SpatialInertia::zero()).unwrap();
    let tree = builder.finish().unwrap();
    let mut workspace = tree.workspace();
    tree.set_positions(&mut workspace, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        .unwrap();
    says(
        tree.center_of_mass(&workspace).unwrap_err(),
        "give one of them mass",
    );
}

#[test]
fn two_elements_of_one_name_are_told_how_to_differ() {
    let system = builder().build().unwrap();
    let ball = system.tree().body_by_name("ball").unwrap();
    let ends = [BodyIndex::WORLD, ball].map(|body| BodyPoint::new(body, vector![0.0, 0.0, 0.0]));
    let rope = LinearSpringDamper::new("rope", system.tree(), ends, 1e3, 1.0, 0.2, 1e-3).unwrap();
    let error = system.clone().with_forces([rope.clone(), rope]);
    says(
        error.unwrap_err(),
        "give each element one of its own (a type that is `named` in `constants!` takes a field `name` instead)",
    );
}
