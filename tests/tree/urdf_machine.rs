//! The machine of a robot description: what acts, what touches, what drives it.

use dualbody::Parameters;
use dualbody::io::urdf::{UrdfDrive, UrdfReader, UrdfSurroundings};
use dualbody::system::TimeSteppingRigidBodySystem;

#[test]
fn dry_friction_of_joints_acts_in_the_machine() {
    let slide = |friction: f64| {
        format!(
            r#"<robot name="slide">
              <link name="world"/>
              <link name="block">
                <inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
              </link>
              <joint name="rail" type="prismatic">
                <parent link="world"/><child link="block"/><limit lower="-9" upper="9" effort="9" velocity="9"/>
                <dynamics friction="{friction}"/>
              </joint>
            </robot>"#
        )
    };
    let run = |friction: f64, force: f64| {
        let (tree, model) = UrdfReader::new().tree_from_str(&slide(friction)).unwrap();
        let machine = model.system(tree, &UrdfSurroundings::default()).unwrap();
        let has_element = machine.parameter_index("slide/friction/speed").is_ok();
        assert_eq!(has_element, friction > 0.0);
        let system = TimeSteppingRigidBodySystem::compliant(machine, 1e-3).unwrap();
        let start = system.initial_state();
        let mut workspace = system.workspace().unwrap();
        let rollout = system.rollout_with(&mut workspace, &start, 1000, |_, _, u| u[0] = force);
        rollout.completed().unwrap().last().v[0]
    };
    // After 1 s: (F − f)/m, less what the regularisation takes; below the limit it creeps at F/√(f² − F²) times 0.01 m/s.
    assert!((run(0.0, 3.0) - 1.5).abs() < 1e-9);
    assert!((run(1.0, 3.0) - 1.0).abs() < 1e-2);
    let creep = 0.01 * 0.5 / (1.0f64 - 0.25).sqrt();
    assert!((run(1.0, 0.5) / creep - 1.0).abs() < 1e-6);
}

#[test]
fn a_robot_stands_on_the_ground_and_touches_itself_if_asked() {
    let link = |name: &str, z: f64| {
        format!(
            r#"<link name="{name}">
              <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
              <collision><origin xyz="0 0 {z}"/><geometry><sphere radius="0.1"/></geometry></collision>
            </link>"#
        )
    };
    let text = format!(
        r#"<robot name="pair">{}{}{}
          <joint name="a" type="revolute"><parent link="root"/><child link="left"/><limit/></joint>
          <joint name="b" type="revolute"><parent link="left"/><child link="right"/><limit/></joint>
        </robot>"#,
        link("root", 0.0),
        link("left", 0.5),
        link("right", -0.5)
    );
    let (tree, model) = UrdfReader::new().tree_from_str::<f64>(&text).unwrap();
    let surroundings = |floor, self_contact, drive| UrdfSurroundings {
        floor,
        self_contact,
        drive,
    };
    let machine = |surroundings| model.system(tree.clone(), &surroundings).unwrap();
    let alone = machine(surroundings(None, false, UrdfDrive::None));
    assert_eq!((alone.contact().pairs().len(), alone.num_inputs()), (0, 0));
    let own = machine(surroundings(None, true, UrdfDrive::All));
    assert_eq!((own.contact().pairs().len(), own.num_inputs()), (1, 8));
    let ground = machine(surroundings(Some(0.5), false, UrdfDrive::Joints));
    assert_eq!(
        (ground.contact().pairs().len(), ground.num_inputs()),
        (3, 2)
    );
    let mut state = ground.initial_state();
    model.stand(&ground, &mut state).unwrap();
    let root = ground.body_pose(&state, "pair/root").unwrap();
    assert_eq!(root.translation.z, 0.6);
    let slippery = surroundings(Some(-1.0), false, UrdfDrive::None);
    assert!(model.system(tree.clone(), &slippery).is_err());
}
