//! Machines with motions that no inertia opposes are refused by name before they move, in every scheme.

use crate::support::reference::data;
use dualbody::contact::ContactModel;
use dualbody::io::mjcf::MjcfReader;
use dualbody::io::urdf::UrdfReader;
use dualbody::system::{
    IntegrationMethod, RigidBodySystem, Scheme, SystemError, TimeSteppingRigidBodySystem,
};
use dualbody::tree::RigidBodyTree;

fn schemes() -> [Scheme; 3] {
    let method = IntegrationMethod::RungeKutta4;
    [
        Scheme::Compliant,
        Scheme::Rigid,
        Scheme::Continuous {
            method,
            substeps: 1,
        },
    ]
}

/// The first step, from positions or from those to start with.
fn first_step(
    machine: RigidBodySystem<f64>,
    scheme: Scheme,
    q: Option<&[f64]>,
) -> Result<(), SystemError> {
    let plant = TimeSteppingRigidBodySystem::with_scheme(machine, 1e-3, scheme)?;
    let mut workspace = plant.workspace()?;
    let mut state = plant.initial_state();
    if let Some(q) = q {
        state.q.copy_from_slice(q);
    }
    plant.step(&mut workspace, &state, &[]).map(|_| ())
}

fn refused(machine: &RigidBodySystem<f64>, q: Option<&[f64]>, name: &str) {
    for scheme in schemes() {
        let error = match first_step(machine.clone(), scheme, q) {
            Err(error) => error.to_string(),
            Ok(()) => panic!("{scheme:?} moves"),
        };
        assert!(error.contains(name), "{scheme:?}: {error}");
        assert!(error.contains("no inertia opposes"), "{scheme:?}: {error}");
        assert!(error.contains("weld"), "{error}");
    }
}

fn alone(tree: RigidBodyTree<f64>) -> RigidBodySystem<f64> {
    RigidBodySystem::new(tree, ContactModel::none()).unwrap()
}

#[test]
fn floating_roots_without_mass_are_named() {
    for case in ["u14_massless_base_yaw", "u15_massless_base_yaw_turned"] {
        let path = data("urdf/cases").join(format!("{case}.urdf"));
        let (tree, _) = UrdfReader::new().tree_from_file::<f64>(path).unwrap();
        refused(&alone(tree), None, "r/base");
    }
    // Inertia far away, light or heavy, hides less than round-off in the mass matrix.
    for mass in [1e-6, 1.0, 1e6] {
        for xyz in ["0 0 0", "1 2 3", "100 0 0", "0.01 0.02 0.03"] {
            let text = format!(
                r#"<robot name="r"><link name="base"/><link name="arm"><inertial><origin xyz="{xyz}"/><mass value="{mass}"/>
                <inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial></link>
                <joint name="j" type="continuous"><origin xyz="0.3 0.1 0.7" rpy="0.4 1 -2"/><parent link="base"/>
                <child link="arm"/><axis xyz="1 2 3"/></joint></robot>"#,
                i = 1e-3 * mass
            );
            let (tree, _) = UrdfReader::new().tree_from_str::<f64>(&text).unwrap();
            refused(&alone(tree), None, "r/base");
        }
    }
}

/// Hinges about three axes through one point, the second turned until the others are one.
#[test]
fn gimbals_move_until_they_lock_and_name_the_joint() {
    let text = r#"<mujoco><worldbody><body name="b" pos="0 0 1"><joint name="x" axis="1 0 0"/>
        <joint name="y" axis="0 1 0"/><joint name="z" axis="0 0 1"/><geom type="box" size=".1 .2 .3" mass="1"/></body>
        </worldbody></mujoco>"#;
    let (tree, _) = MjcfReader::new().tree_from_str::<f64>(text).unwrap();
    let machine = alone(tree);
    let right_angle = std::f64::consts::FRAC_PI_2;
    for scheme in schemes() {
        first_step(machine.clone(), scheme, None).unwrap();
        first_step(machine.clone(), scheme, Some(&[0.3, 1.5, 0.2])).unwrap();
    }
    for angle in [0.0, 0.3] {
        refused(&machine, Some(&[angle, right_angle, angle]), "joint \"");
    }
}

/// A joint that follows another makes the mass matrix dense.
#[test]
fn coupled_joints_without_inertia_are_named() {
    let text = r#"<robot name="r"><link name="world"/><link name="a"/><link name="b"/><link name="c"><inertial>
        <mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="j" type="continuous"><parent link="world"/><child link="a"/></joint>
        <joint name="k" type="continuous"><parent link="a"/><child link="b"/><mimic joint="j"/></joint>
        <joint name="l" type="continuous"><parent link="world"/><child link="c"/></joint></robot>"#;
    let (tree, _) = UrdfReader::new().tree_from_str::<f64>(text).unwrap();
    refused(&alone(tree), None, "r/j");
}

/// What damping or armature of a joint opposes moves.
#[test]
fn damping_and_armature_oppose_motion() {
    let text = |dynamics: &str| {
        format!(
            r#"<robot name="r"><link name="world"/><link name="a"/>
            <joint name="j" type="continuous"><parent link="world"/><child link="a"/>{dynamics}</joint></robot>"#
        )
    };
    let tree = |text: &str| UrdfReader::new().tree_from_str::<f64>(text).unwrap().0;
    refused(&alone(tree(&text(""))), None, "r/j");
    let damped = alone(tree(&text(r#"<dynamics damping="0.1"/>"#)));
    for scheme in [Scheme::Compliant, Scheme::Rigid] {
        first_step(damped.clone(), scheme, None).unwrap();
    }
}
