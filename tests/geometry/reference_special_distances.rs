//! Signed distances and normals at special poses, of shapes that are also long, flat, small or large: the largest
//! separation, which `scripts/reference/distances.py` bounds from both sides, and those of MuJoCo and Drake that it
//! confirms.

use super::convex_pair::distance_and_normal;
use super::support::*;
use nalgebra::Vector3;
use serde_json::Value;
use std::collections::BTreeMap;

/// A case, with what is computed here.
struct Special {
    case: Value,
    kinds: [String; 2],
    scale: f64,
    distance: f64,
    normal: Vector3<f64>,
}

impl Special {
    fn new(case: Value) -> Self {
        let pair = Pair {
            a: described(&case["a"]),
            X_WA: placed(&case["pose_a"]),
            b: described(&case["b"]),
            X_WB: placed(&case["pose_b"]),
        };
        let (distance, normal) = distance_and_normal(&pair);
        Special {
            kinds: [&case["a"], &case["b"]].map(|s| s["kind"].as_str().unwrap().to_owned()),
            scale: case["scale"].as_f64().unwrap(),
            distance,
            normal,
            case,
        }
    }

    fn has(&self, kind: &str) -> bool {
        self.kinds.iter().any(|k| k == kind)
    }

    /// How much more the distance is than a reference, relative to the size, and how far the normal is from its, where
    /// it has one and no other direction is as good.
    fn differences(&self, reference: &Value) -> (f64, f64) {
        let more = self.distance - reference["distance"].as_f64().unwrap();
        let turn = match (&self.case["normal"], &reference["normal"]) {
            (Value::Null, _) | (_, Value::Null) => 0.0,
            (_, n) => (self.normal - Vector3::from(numbers(n))).norm(),
        };
        (more / self.scale, turn)
    }
}

fn special_cases() -> Vec<Special> {
    let Some(mut reference) = reference("special_distances.json") else {
        return Vec::new(); // Another collection, without these.
    };
    let Value::Array(cases) = reference["cases"].take() else {
        panic!("not a list of cases");
    };
    assert!(!cases.is_empty());
    cases.into_iter().map(Special::new).collect()
}

#[test]
fn distances_are_the_largest_separations() {
    let mut worst: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    let mut others = Vec::new();
    for special in special_cases() {
        let (more, turn) = special.differences(&special.case);
        let kinds = special.kinds.join(" ");
        let (error, turned) = worst.entry(kinds.clone()).or_default();
        (*error, *turned) = (error.max(more.abs()), turned.max(turn));
        // Where many directions are as good, the separation is a bound from below, and another is as far as the gap.
        let gap = special.case["gap"].as_f64().unwrap() / special.scale;
        let is_right = (-1e-9..gap + 1e-9).contains(&more) && turn <= 1e-7;
        if !is_right {
            others.push((kinds, special.case["pose"].to_string(), more, turn));
        }
    }
    for (kinds, (error, turn)) in worst {
        println!("{kinds:24} {error:.1e} of the size, normal {turn:.1e}");
    }
    assert!(others.is_empty(), "{others:#?}");
}

#[test]
fn confirmed_distances_are_those_of_mujoco() {
    for special in special_cases() {
        if special.case["mujoco"].is_null() {
            continue;
        }
        let (more, turn) = special.differences(&special.case["mujoco"]);
        // Vertices of meshes are in single precision there, and normals are those of the points that a search ends at.
        let (allowed, turned) = match (special.has("convex"), special.has("ellipsoid")) {
            (true, _) => (1e-7, f64::INFINITY),
            (false, true) => (2e-9, 3e-5),
            (false, false) => (2e-9, 3e-6),
        };
        assert!(
            more.abs() <= allowed && turn <= turned,
            "{more:e} {turn:e} {}",
            special.case
        );
    }
}

#[test]
fn confirmed_distances_are_those_of_drake() {
    for special in special_cases() {
        if special.case["drake"].is_null() {
            continue;
        }
        let (more, turn) = special.differences(&special.case["drake"]);
        // Of pairs with a formula normals are exact; those of others are not, nor always of unit length where they touch.
        let has_formula = special.has("half_space")
            || special.has("sphere") && !special.has("ellipsoid") && !special.has("convex");
        let turned = if has_formula { 1e-12 } else { f64::INFINITY };
        assert!(
            more.abs() <= 2e-9 && turn <= turned,
            "{more:e} {turn:e} {}",
            special.case
        );
    }
}
