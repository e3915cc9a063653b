//! Signed distances and normals that MuJoCo and Drake computed, by `scripts/reference/distances.py`.

use super::convex_pair::distance_and_normal;
use super::support::*;
use nalgebra::Vector3;
use serde_json::Value;

/// How far, relative to the size, distances and normals are from those of a program, by the kinds of the shapes.
fn differences(program: &str) -> Vec<(String, f64, f64, f64)> {
    let Some(reference) = reference("distances.json") else {
        return Vec::new(); // Another collection, without distances.
    };
    let cases = reference["cases"].as_array().unwrap();
    assert!(!cases.is_empty());
    let compared = cases.iter().filter(|case| !case[program].is_null());
    let compared = compared.map(|case| {
        let pair = Pair {
            a: described(&case["a"]),
            X_WA: placed(&case["pose_a"]),
            b: described(&case["b"]),
            X_WB: placed(&case["pose_b"]),
        };
        let scale = case["scale"].as_f64().unwrap();
        let (distance, normal) = distance_and_normal(&pair);
        let expected = &case[program];
        let error = (distance - expected["distance"].as_f64().unwrap()).abs() / scale;
        let turn = match &expected["normal"] {
            Value::Null => 0.0,
            n => (normal - Vector3::from(numbers(n))).norm(),
        };
        let kinds = [&case["a"]["kind"], &case["b"]["kind"]].map(|kind| kind.as_str().unwrap());
        (kinds.join(" "), scale, error, turn)
    });
    compared.collect()
}

#[test]
fn distances_and_normals_are_those_of_mujoco() {
    let all = differences("mujoco");
    let mut others = Vec::new();
    for (kinds, _, error, turn) in &all {
        // Vertices of meshes are in single precision there, and normals are those of the points that a search ends at.
        let (allowed, turned) = match (kinds.contains("convex"), kinds.contains("ellipsoid")) {
            (true, false) => (1e-7, 3e-6),
            (true, true) => (1e-7, 3e-5),
            (false, true) => (1e-9, 3e-5),
            (false, false) => (1e-9, 3e-6),
        };
        if *error > allowed || *turn > turned {
            others.push((kinds, error, turn));
        }
    }
    // In one case, a capsule deep in a box, MuJoCo 4.0 reports less than the largest separation over all directions.
    assert!(others.len() <= all.len() / 250, "{others:?}");
}

/// Whether Drake has a formula for a pair, or an algorithm that ends; for others it iterates until a step is less than
/// 10⁻⁶ m, whatever the size of the shapes.
fn is_exact_in_drake(kinds: &str) -> bool {
    match kinds.split_once(' ').unwrap() {
        ("sphere", b) => !matches!(b, "ellipsoid" | "convex"),
        (_, "half_space") | ("box", "box" | "convex") => true,
        _ => false,
    }
}

#[test]
fn distances_and_normals_are_those_of_drake() {
    let all = differences("drake");
    let mut others = Vec::new();
    for (kinds, scale, error, turn) in &all {
        let (allowed, turned) = match is_exact_in_drake(kinds) {
            true => (1e-12, 1e-12),
            false if *scale < 1.0 => (1e-5 / scale, f64::INFINITY),
            false => (1e-5 / scale, 5e-3),
        };
        if *error > allowed || *turn > turned {
            others.push((kinds, scale, error, turn));
        }
    }
    // In one case, a capsule of a millimetre in a polyhedron, Drake 1.51.1 ends on the other side.
    assert!(others.len() <= all.len() / 250, "{others:?}");
}
