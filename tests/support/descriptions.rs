//! Descriptions of robots of which nothing is known: an error, or a model that can be used or says why not.

use dualbody::contact::ContactModelBuilder;
use dualbody::io::mjcf::MjcfReader;
use dualbody::io::urdf::UrdfReader;
use dualbody::tree::RigidBodyTree;

/// Whether it is read.
pub fn read_urdf(text: &str) -> bool {
    let reader = UrdfReader::new().without_meshes();
    let Ok((tree, model)) = reader.tree_from_str::<f64>(text) else {
        return false;
    };
    use_tree(&tree);
    let mut contact = ContactModelBuilder::new();
    for geometry in model.collision_geometries {
        if contact.add_geometry(geometry).is_err() {
            return true;
        }
    }
    let _ = contact.finish(&tree);
    true
}

/// Whether it is read.
pub fn read_mjcf(text: &str) -> bool {
    let Ok((tree, model)) = MjcfReader::new().tree_from_str::<f64>(text) else {
        return false;
    };
    use_tree(&tree);
    if let Ok(system) = model.system(tree) {
        let (mut workspace, state) = (system.dynamics_workspace(), system.initial_state());
        let input = vec![0.1; system.num_inputs()];
        if let Ok(rates) = system.accelerations(&mut workspace, &state, &input) {
            assert!(rates.iter().all(|x| x.is_finite()));
        }
    }
    true
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
