//! The quasi-symmetric bushing on reference cases: forces, and their gradient.

use crate::support::reference::{cases, matrix, vector};
use dualbody::Scalar;
use dualbody::force::bushing::BushingConstants;
use dualbody::force::{ForceContext, LinearBushingRollPitchYaw};
use dualbody::math::{SpatialForce, SpatialInertia};
use dualbody::tree::{BodyIndex, RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::{DMatrix, Vector3};
use num_dual::{Dual2SVec64, DualSVec64};
use serde_json::Value;

/// Two free bodies whose frames are A and C.
fn two_bodies() -> RigidBodyTree<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    for name in ["A", "C"] {
        let inertia = SpatialInertia::solid_box(1.0, &Vector3::repeat(0.1));
        builder.add_body(name, inertia).unwrap();
    }
    builder.finish().unwrap()
}

const CONSTANTS: [&str; 4] = [
    "torque_stiffness",
    "torque_damping",
    "force_stiffness",
    "force_damping",
];

fn constants(case: &Value) -> Vec<f64> {
    (CONSTANTS.iter().flat_map(|name| vector(&case[*name]))).collect()
}

/// Forces on A in A and on C in C.
fn forces<T: Scalar>(case: &Value, constants: &[T]) -> [SpatialForce<T>; 2] {
    let tree = two_bodies().cast::<T>();
    let mut q = Vec::new();
    let mut v = Vec::new();
    for frame in ["A", "C"] {
        let pose = &case[format!("pose_W{frame}")];
        q.extend(vector(&pose["quaternion_wxyz"]));
        q.extend(vector(&pose["position"]));
        let velocity = &case[format!("velocity_W{frame}")];
        v.extend(vector(&velocity["angular"]));
        v.extend(vector(&velocity["linear"]));
    }
    let lift = |x: Vec<f64>| x.into_iter().map(T::from).collect::<Vec<T>>();
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &lift(q), &lift(v)).unwrap();
    let context = ForceContext::new(&tree, &workspace);
    let three = |i: usize| Vector3::from_column_slice(&constants[3 * i..3 * i + 3]);
    let constants = BushingConstants {
        torque_stiffness: three(0),
        torque_damping: three(1),
        force_stiffness: three(2),
        force_damping: three(3),
    };
    let (a, c) = (BodyIndex::new(1), BodyIndex::new(2));
    let bushing = LinearBushingRollPitchYaw::new("bushing", a, c, constants).unwrap();
    [
        bushing.spatial_force_on_frame_a(&context).unwrap(),
        bushing.spatial_force_on_frame_c(&context).unwrap(),
    ]
}

fn expected(case: &Value, name: &str) -> Vec<f64> {
    let force = &case["expected"][name];
    [vector(&force["torque"]), vector(&force["force"])].concat()
}

/// Largest deviation relative to the largest entry of torque or force, each by itself.
fn deviation(actual: &[f64], expected: &[f64]) -> f64 {
    let half = actual.len() / 2;
    let part = |range: std::ops::Range<usize>| {
        let largest = (expected[range.clone()].iter()).fold(1e-3f64, |m, x| m.max(x.abs()));
        let differences = actual[range.clone()].iter().zip(&expected[range]);
        differences.fold(0.0f64, |m, (a, e)| m.max((a - e).abs())) / largest
    };
    f64::max(part(0..half), part(half..actual.len()))
}

#[test]
fn forces_agree() {
    let cases = cases("bushing.json");
    let mut worst = 0.0f64;
    for (index, case) in cases.iter().enumerate() {
        let [on_a, on_c] = forces::<f64>(case, &constants(case));
        for (force, name) in [(on_a, "force_on_A_in_A"), (on_c, "force_on_C_in_C")] {
            let deviation = deviation(force.to_vector().as_slice(), &expected(case, name));
            assert!(deviation < 1e-9, "case {index}, {name}: {deviation:e}");
            worst = worst.max(deviation);
        }
    }
    println!(
        "forces: {} cases of bushing.json, deviation at most {worst:e}",
        cases.len()
    );
}

#[test]
fn gradients_agree() {
    let cases = cases("bushing.json");
    let mut worst = 0.0f64;
    for (index, case) in cases.iter().enumerate() {
        let expected = matrix(&case["gradient"]["dF_C"], 12);
        let x = constants(case);
        let first = |k: usize| DualSVec64::<12>::from_re(x[k]).derivative(k);
        let second = |k: usize| Dual2SVec64::<12>::from_re(x[k]).derivative(k);
        let by_first = forces(case, &std::array::from_fn::<_, 12, _>(first))[1].to_vector();
        let by_second = forces(case, &std::array::from_fn::<_, 12, _>(second))[1].to_vector();
        let routes = [
            DMatrix::from_fn(6, 12, |i, k| by_first[i].eps.0.unwrap_or_default()[k]),
            DMatrix::from_fn(6, 12, |i, k| by_second[i].v1.0.unwrap_or_default()[k]),
        ];
        for gradient in routes {
            for k in 0..12 {
                let (actual, expected) = (gradient.column(k), expected.column(k));
                let deviation = deviation(
                    actual.clone_owned().as_slice(),
                    expected.clone_owned().as_slice(),
                );
                assert!(
                    deviation < 1e-9,
                    "case {index}, constant {k}: {deviation:e}"
                );
                worst = worst.max(deviation);
            }
        }
    }
    println!(
        "gradients: {} cases of bushing.json, deviation at most {worst:e}",
        cases.len()
    );
}
