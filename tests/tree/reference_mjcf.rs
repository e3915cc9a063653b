//! Dynamics of models in MJCF, and the forces of their actuators, against MuJoCo's.
//!
//! Every JSON file in the folder `mjcf` of `DUALBODY_REFERENCE`, or of this repository when there is no
//! such folder, names its model and holds cases that `scripts/reference/mujoco_mjcf.py` wrote. Models
//! with elements that count and that the reader leaves out are listed, not compared.

use crate::support::reference::{data, folder, matrix, vector};
use dualbody::actuator::{Actuator, AnyActuator};
use dualbody::force::{ForceContext, Forces, JointSpring};
use dualbody::io::mjcf::{MjcfError, MjcfModel, MjcfProblem, MjcfReader};
use dualbody::math::rotation::matrix_from_quaternion;
use dualbody::tree::{Joint, JointKind, RigidBodyTree};
use nalgebra::{DMatrix, Matrix3, Quaternion};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Relative to the largest entry of a quantity.
const TOLERANCE: f64 = 1e-9;

/// Where the model has meshes: MuJoCo turns to the principal axes of a mesh to within 10⁻⁶ rad and drops
/// the products of inertia that are left. The moments about its axes are those found here.
const WITH_MESHES: f64 = 1e-7;

#[derive(Default)]
struct Set {
    models: usize,
    loaded: usize,
    /// Models of which all bodies are read.
    with_all_bodies: usize,
    supported: usize,
    agree: usize,
    nothing_left_out: usize,
    /// Models whose actuators are all read, and how many these are.
    with_actuators: usize,
    actuators: usize,
    /// Why something was left out, and of how many models.
    reasons: BTreeMap<&'static str, usize>,
}

#[test]
fn models_agree_with_reference() {
    let given = folder().join("mjcf");
    let is_given = given.is_dir();
    let folder = if is_given { given } else { data("mjcf") };
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    files.sort();
    let mut sets: BTreeMap<String, Set> = BTreeMap::new();
    let (mut incomplete, mut inexact, mut failures) = (vec![], vec![], vec![]);
    for file in &files {
        let reference: Value =
            serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let name = file.file_stem().unwrap().to_str().unwrap();
        let set = name.split("__").next().unwrap_or_default();
        let set = sets.entry(set.to_owned()).or_default();
        set.models += 1;
        let model = folder.join(reference["mjcf"].as_str().unwrap());
        let (tree, model) = match MjcfReader::new().tree_from_file::<f64>(&model) {
            Ok(read) => read,
            // MuJoCo reads URDF under the same extension.
            Err(MjcfError::Invalid { problem, .. })
                if matches!(*problem, MjcfProblem::NotAModel { .. }) =>
            {
                continue;
            }
            Err(error) => {
                failures.push(format!("{name}: {error}"));
                continue;
            }
        };
        set.loaded += 1;
        match what_differs(&tree, &model, &reference) {
            None => set.with_all_bodies += 1,
            Some(difference) => {
                failures.push(format!("{name}: {difference}"));
                continue;
            }
        }
        set.nothing_left_out += usize::from(model.report.left_out.is_empty());
        let reasons: BTreeSet<_> = model.report.left_out.iter().map(|o| o.reason).collect();
        for reason in reasons {
            *set.reasons.entry(reason).or_default() += 1;
        }
        if let Err(error) = model.system(tree.clone()) {
            failures.push(format!("{name}: {error}"));
        }
        let acting = &model.elements.actuators;
        let expected = &reference["actuators"];
        let count = expected["gear"].as_array().map_or(0, Vec::len);
        if count > 0 && acting.len() == count {
            set.with_actuators += 1;
            set.actuators += count;
            let cases = expected["cases"].as_array().unwrap().iter();
            let errors = cases.map(|case| error_of_actuators(&tree, acting, expected, case));
            let error = errors.fold(0.0, f64::max);
            if error > TOLERANCE {
                failures.push(format!("{name}: actuators differ by {error:.1e}"));
            }
        }
        if let Some(reason) = what_is_missing(&model) {
            incomplete.push(format!("{name}: {reason}"));
            continue;
        }
        set.supported += 1;
        let cases = reference["cases"].as_array().unwrap().iter();
        let error = cases.map(|case| error_of_case(&tree, &model, case));
        let (error, quantity) = error.fold((0.0, ""), |a, b| if b.0 > a.0 { b } else { a });
        let message = format!("{name}: {quantity} differ by {error:.1e}");
        set.agree += usize::from(error <= TOLERANCE);
        match reference["meshes"].as_u64().unwrap_or(0) {
            _ if error <= TOLERANCE => {}
            1.. if error <= WITH_MESHES => inexact.push(message),
            _ => failures.push(message),
        }
    }
    println!(
        "set: models, loaded, with all bodies, dynamics supported, agree, nothing left out, actuators compared"
    );
    for (name, set) in &sets {
        let Set {
            models,
            loaded,
            with_all_bodies,
            supported,
            agree,
            nothing_left_out,
            with_actuators,
            actuators,
            reasons,
        } = set;
        println!(
            "{name}: {models}, {loaded}, {with_all_bodies}, {supported}, {agree}, {nothing_left_out}, {actuators} of {with_actuators}; {reasons:?}"
        );
    }
    for (title, list) in [("not compared", &incomplete), ("with meshes", &inexact)] {
        println!("{title} ({}):\n{}", list.len(), list.join("\n"));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let compared: usize = sets.values().map(|set| set.supported).sum();
    let actuators: usize = sets.values().map(|set| set.actuators).sum();
    assert!(is_given || actuators >= 30);
    assert!(compared > 0 && (is_given || (incomplete.is_empty() && inexact.is_empty())));
}

/// What of the dynamics of joints alone was left out.
fn what_is_missing(model: &MjcfModel<f64>) -> Option<String> {
    let report = &model.report;
    if let Some(body) = report.unknown_inertia.first() {
        return Some(format!("the inertia of {body} is that of a mesh"));
    }
    let counts = ["has a springdamper"];
    let omission = report.left_out.iter().find(|o| counts.contains(&o.reason));
    omission.map(|o| format!("{} {}", o.place, o.reason))
}

/// The first of bodies, joints and coordinates that are not those of the reference.
fn what_differs(
    tree: &RigidBodyTree<f64>,
    model: &MjcfModel<f64>,
    reference: &Value,
) -> Option<String> {
    let start = match model.name.as_str() {
        "" => String::new(),
        name => format!("{name}/"),
    };
    let list = |key: &str| reference[key].as_array().unwrap().clone();
    let (bodies, joints) = (list("bodies"), list("joints"));
    if (bodies.len(), joints.len()) != (model.bodies.len(), model.joints.len()) {
        let counts = (model.bodies.len(), model.joints.len());
        return Some(format!("{counts:?} bodies and joints"));
    }
    let of_tree = model.bodies.iter().map(|&b| tree.body(b).unwrap().name());
    let of_joints = model.joints.iter().map(|&j| tree.joint(j).unwrap().name());
    for (found, wanted) in of_tree
        .skip(1)
        .zip(&bodies[1..])
        .chain(of_joints.zip(&joints))
    {
        let wanted = wanted.as_str().unwrap();
        if !wanted.is_empty() && found != format!("{start}{wanted}") {
            return Some(format!("{found:?} is {wanted:?}"));
        }
    }
    let mut configurations = vec![(&model.reference, &reference["reference"])];
    let keys = model.key_frames.iter();
    configurations.extend(keys.map(|key| (key, &reference["keys"][key.name.as_str()])));
    configurations.into_iter().find_map(|(found, wanted)| {
        let mut q = tree.neutral_configuration();
        found.write(tree, q.as_mut_slice()).unwrap();
        let wanted = match wanted.is_null() {
            true => return None, // it has no name
            false => Coordinates::new(tree, &vector(wanted)).q,
        };
        let wanted = with_signs_of(tree, wanted, q.as_slice());
        let error = relative_error(q.as_slice(), &wanted);
        (error > TOLERANCE).then(|| format!("{:?} differs by {error:.1e}", found.name))
    })
}

/// The coordinates with the unit quaternions, of two for each rotation, that are nearer to those of others.
fn with_signs_of(tree: &RigidBodyTree<f64>, mut q: Vec<f64>, others: &[f64]) -> Vec<f64> {
    for joint in tree.joints().filter(|joint| joint.kind().has_quaternion()) {
        let start = joint.position_start();
        let (own, other) = (&mut q[start..start + 4], &others[start..start + 4]);
        if own.iter().zip(other).map(|(x, y)| x * y).sum::<f64>() < 0.0 {
            own.iter_mut().for_each(|x| *x = -*x);
        }
    }
    q
}

/// MuJoCo's free joints have the position first, and angular velocities of ball and free joints are
/// expressed in the body: `v = G v_MuJoCo`, with the rotations of the joints in G.
struct Coordinates {
    q: Vec<f64>,
    g: DMatrix<f64>,
}

impl Coordinates {
    fn new(tree: &RigidBodyTree<f64>, qpos: &[f64]) -> Self {
        let n = tree.num_velocities();
        let (mut q, mut g) = (qpos.to_vec(), DMatrix::identity(n, n));
        for joint in tree.joints() {
            let (i, k) = (joint.position_start(), joint.velocity_start());
            match joint.kind() {
                JointKind::Ball => turn(&mut g, &q[i..i + 4], k..k + 3),
                JointKind::Floating => {
                    q[i..i + 7].rotate_left(3);
                    // MuJoCo's velocity is [v; w], v = [w; v] here.
                    let mut block = g.view_mut((k, k), (6, 6));
                    block.fill(0.0);
                    let r = rotation(&q[i..i + 4]);
                    block.view_mut((0, 3), (3, 3)).copy_from(&r);
                    block.view_mut((3, 0), (3, 3)).fill_with_identity();
                }
                _ => {}
            }
        }
        Coordinates { q, g }
    }

    fn velocities(&self, v: &[f64]) -> Vec<f64> {
        (&self.g * DMatrix::from_column_slice(v.len(), 1, v))
            .as_slice()
            .to_vec()
    }
}

fn turn(g: &mut DMatrix<f64>, quaternion: &[f64], k: std::ops::Range<usize>) {
    g.view_mut((k.start, k.start), (3, 3))
        .copy_from(&rotation(quaternion));
}

fn rotation(q: &[f64]) -> Matrix3<f64> {
    matrix_from_quaternion(&Quaternion::new(q[0], q[1], q[2], q[3]))
}

/// The largest error of a quantity relative to its largest entry, and which quantity that is.
fn error_of_case(
    tree: &RigidBodyTree<f64>,
    model: &MjcfModel<f64>,
    case: &Value,
) -> (f64, &'static str) {
    let n = tree.num_velocities();
    let coordinates = Coordinates::new(tree, &vector(&case["qpos"]));
    let g = &coordinates.g;
    let v = coordinates.velocities(&vector(&case["qvel"]));
    let mut ws = tree.workspace();
    tree.set_state(&mut ws, &coordinates.q, &v).unwrap();
    let mut largest = (0.0, "");
    let mut check = |quantity: &'static str, actual: &[f64], expected: &[f64]| {
        let error = relative_error(actual, expected);
        if error.is_nan() || error > largest.0 {
            largest = (error, quantity);
        }
    };

    let (positions, rotations) = (vector(&case["positions"]), vector(&case["rotations"]));
    let mut poses = (vec![], vec![]);
    for &body in &model.bodies {
        let pose = tree.body_pose(&ws, body).unwrap();
        poses.0.extend(pose.translation.iter());
        poses.1.extend(pose.rotation.transpose().iter());
    }
    check("positions", &poses.0, &positions);
    check("rotations", &poses.1, &rotations);

    let mut mass = DMatrix::zeros(n, n);
    tree.mass_matrix(&mut ws, &mut mass).unwrap();
    let mass = g.tr_mul(&(mass * g));
    check(
        "mass matrix",
        mass.as_slice(),
        matrix(&case["mass_matrix"], n).as_slice(),
    );

    let mut bias = vec![0.0; n];
    tree.inverse_dynamics(&mut ws, &vec![0.0; n], None, &mut bias)
        .unwrap();
    let bias = g.tr_mul(&DMatrix::from_column_slice(n, 1, &bias));
    check("bias", bias.as_slice(), &vector(&case["bias"]));

    // The force of MuJoCo's coordinates is Gᵀ times that of these.
    let applied = DMatrix::from_column_slice(n, 1, &vector(&case["force"]));
    let mut tau = vec![0.0; n];
    tree.joint_damping_forces(&ws, &mut tau).unwrap();
    for (tau, applied) in tau.iter_mut().zip((g * applied).as_slice()) {
        *tau += applied;
    }
    for force in &model.elements.forces {
        let Some(spring) = force.downcast_ref::<JointSpring<f64>>() else {
            continue;
        };
        let joint: &Joint<f64> = tree.joint(spring.joint).unwrap();
        let stretch = coordinates.q[joint.position_start()] - spring.nominal_position;
        tau[joint.velocity_start()] -= spring.stiffness * stretch;
    }
    let mut vdot = vec![0.0; n];
    if (tree.forward_dynamics(&mut ws, &tau, None, &mut vdot)).is_err() {
        vdot.fill(f64::NAN); // a joint moves next to no mass
    }
    // Derivatives of the rotations in G cancel: they turn about the angular velocity itself.
    let expected = coordinates.velocities(&vector(&case["qacc"]));
    check("accelerations", &vdot, &expected);
    largest
}

/// Relative to the largest entry; entries that are all below 10⁻¹⁴ are round-off of zero.
fn relative_error(actual: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(actual.len(), expected.len());
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let scale = largest(&mut expected.iter().map(|x| x.abs()));
    let difference = largest(&mut actual.iter().zip(expected).map(|(a, e)| (a - e).abs()));
    let is_number = actual.iter().all(|x| x.is_finite());
    match is_number {
        true => (difference - 1e-14).max(0.0) / scale.max(f64::MIN_POSITIVE),
        false => f64::INFINITY,
    }
}

/// The largest error of forces and of rates of activations, relative to the largest of these.
fn error_of_actuators(
    tree: &RigidBodyTree<f64>,
    actuators: &[AnyActuator<f64>],
    reference: &Value,
    case: &Value,
) -> f64 {
    let coordinates = Coordinates::new(tree, &vector(&case["qpos"]));
    let v = coordinates.velocities(&vector(&case["qvel"]));
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &coordinates.q, &v).unwrap();
    let context = ForceContext::new(tree, &workspace);
    let (gear, control) = (vector(&reference["gear"]), vector(&case["control"]));
    let activation = vector(&case["activation"]);
    let mut activation = activation.iter();
    let (mut forces, mut rates) = (Forces::new(tree), Vec::new());
    for (i, actuator) in actuators.iter().enumerate() {
        // A servo has a position and a rate of the joint for the control, which is one of these times the gear.
        let (size, entry) = match actuator.num_inputs() {
            2 => {
                let is_position = reference["is_position"][i].as_bool().unwrap();
                (gear[i], usize::from(!is_position))
            }
            _ => (1.0, 0),
        };
        let mut input = vec![0.0; actuator.num_inputs()];
        input[entry] = control[i] / size;
        let mut state = vec![0.0; actuator.num_states()];
        let mut rate = state.clone();
        let is_filtered = reference["activations"][i].as_u64().unwrap() > 0;
        assert_eq!(is_filtered, !state.is_empty());
        if is_filtered {
            state[entry] = activation.next().unwrap() / size;
        }
        (actuator.add_forces(&context, &input, &state, &mut forces)).unwrap();
        (actuator.state_derivative(&context, &input, &state, &mut rate)).unwrap();
        if is_filtered {
            rates.push(rate[entry] * size);
        }
    }
    let errors = [
        relative_error(forces.generalized(), &vector(&case["force"])),
        relative_error(&rates, &vector(&case["activation_rate"])),
    ];
    errors.into_iter().fold(0.0, f64::max)
}
