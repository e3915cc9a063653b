//! Nearest contacts of shapes with height fields that MuJoCo computed, by
//! `scripts/reference/mujoco_height_fields.py`.

use super::support::*;
use dualbody::geometry::{HeightField, Shape};
use nalgebra::{Vector2, Vector3};
use serde_json::Value;

/// In m; heights and vertices of meshes are in single precision there.
const TOLERANCE: f64 = 1e-6;

#[test]
fn contacts_are_those_of_mujoco() {
    let Some(reference) = reference("height_fields.json") else {
        return; // Another collection, without fields.
    };
    let columns = reference["columns"].as_u64().unwrap() as usize;
    let [width, depth] = numbers::<2>(&reference["half_size"]).map(|x| 2.0 * x);
    let field = |value: &Value| -> Shape<f64> {
        let heights: Vec<f64> = (value.as_array().unwrap().iter())
            .map(|h| h.as_f64().unwrap())
            .collect();
        let between = |size: f64, count: usize| size / (count - 1) as f64;
        let rows = heights.len() / columns;
        let spacing = Vector2::new(between(width, columns), between(depth, rows));
        HeightField::new(columns, heights, spacing).unwrap().into()
    };
    let fields: Vec<_> = (reference["fields"].as_array().unwrap().iter())
        .map(field)
        .collect();
    let mut compared = [0, 0];
    for (index, case) in reference["cases"].as_array().unwrap().iter().enumerate() {
        let ground = &fields[case["field"].as_u64().unwrap() as usize];
        let pair = Pair::in_b(described(&case["shape"]), placed(case), ground.clone());
        let [expected, gap] = ["distance", "gap"].map(|name| case[name].as_f64().unwrap());
        let distance = pair.signed_distance();
        let what = format!("{index} {}", case["shape"]["kind"]);
        assert!(
            (distance - expected).abs() < TOLERANCE,
            "{what}: {distance} {expected}"
        );
        compared[usize::from(expected < 0.0)] += 1;
        if expected.abs() > 1e-4 && gap > 1e-5 {
            let normal = Vector3::from(numbers(&case["normal"]));
            let found = pair.deepest(0.06).unwrap().nhat_BA_W;
            assert!((found - normal).norm() < 1e-3, "{what}: {found} {normal}");
        }
    }
    assert!(compared[0] > 100 && compared[1] > 20, "{compared:?}");
}
