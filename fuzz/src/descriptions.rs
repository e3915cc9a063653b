//! Robot descriptions: URDF, SRDF and MJCF. What is read can be used, or says why not.

#![no_main]

use dualbody::contact::ContactModelBuilder;
use dualbody::io::mjcf::MjcfReader;
use dualbody::io::srdf::Srdf;
use dualbody::io::urdf::UrdfReader;
use dualbody::tree::RigidBodyTree;
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

fn read_urdf(text: &str) {
    let reader = UrdfReader::new().without_meshes();
    let Ok((tree, model)) = reader.tree_from_str::<f64>(text) else {
        return;
    };
    use_tree(&tree);
    let mut contact = ContactModelBuilder::new();
    for geometry in model.collision_geometries {
        if contact.add_geometry(geometry).is_err() {
            return;
        }
    }
    let _ = contact.finish(&tree);
}

fn read_mjcf(text: &str) {
    let Ok((tree, model)) = MjcfReader::new().tree_from_str::<f64>(text) else {
        return;
    };
    use_tree(&tree);
    let Ok(system) = model.system(tree) else {
        return;
    };
    let (mut workspace, state) = (system.dynamics_workspace(), system.initial_state());
    let input = vec![0.1; system.num_inputs()];
    if let Ok(rates) = system.accelerations(&mut workspace, &state, &input) {
        assert!(rates.iter().all(|x| x.is_finite()));
    }
}

fn use_tree(tree: &RigidBodyTree<f64>) {
    let mut workspace = tree.workspace();
    let q = tree.neutral_configuration();
    let v = vec![0.1; tree.num_velocities()];
    if tree.set_state(&mut workspace, q.as_slice(), &v).is_err() {
        return;
    }
    let mut forces = vec![0.0; v.len()];
    if (tree.inverse_dynamics(&mut workspace, &v, None, &mut forces)).is_ok() {
        assert!(forces.iter().all(|f| f.is_finite()));
    }
}
