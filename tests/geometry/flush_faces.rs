//! Faces flat on each other: the wrench of their contacts is differentiable where they are parallel, and jumps nowhere.

use super::support::*;
use dualbody::Scalar;
use dualbody::geometry::{Shape, Witness, witnesses};
use dualbody::math::RigidTransform;
use nalgebra::{Vector3, Vector6};
use num_dual::Dual64;

const DEPTH: f64 = 1e-3;

/// Force and torque about the origin of springs at the contacts of A, turned by `tilt` about a point of the plane
/// between both.
fn wrench<T: Scalar>(pair: &Pair, tilt: Vector3<T>) -> Vector6<T> {
    let turn = RigidTransform::new(dualbody::math::rotation::exp(&tilt), Vector3::zeros());
    let (a, b) = (pair.a.cast::<T>(), pair.b.cast::<T>());
    let (X_WA, X_WB) = (turn * pair.X_WA.cast(), pair.X_WB.cast());
    let mut found: Vec<Witness> = Vec::new();
    witnesses(&a, &X_WA, &b, &X_WB, 0.0, &mut found).unwrap();
    let mut wrench = Vector6::zeros();
    for witness in found {
        let c = witness.contact_point(&a, &X_WA, &b, &X_WB).unwrap();
        let force = c.nhat_BA_W * (c.weight * c.penetration);
        let torque = (c.p_WCa + c.p_WCb).cross(&force) * T::from(0.5);
        for i in 0..3 {
            wrench[i] += force[i];
            wrench[i + 3] += torque[i];
        }
    }
    wrench
}

fn prism(corners: usize, radius: f64, length: f64) -> Shape<f64> {
    let corner = |k: usize| {
        let angle = std::f64::consts::TAU * (k / 2) as f64 / corners as f64;
        let z = if k.is_multiple_of(2) { -0.5 } else { 0.5 };
        [radius * angle.cos(), radius * angle.sin(), z * length]
    };
    convex(&(0..2 * corners).map(corner).collect::<Vec<_>>())
}

/// Pairs of shapes squarely on each other, with equal, smaller and larger faces that share a part.
fn stacks() -> Vec<Pair> {
    let shapes = [
        (cuboid(0.2, 0.22, 0.2), 0.1),
        (cylinder(0.1, 0.2), 0.1),
        (cylinder(0.12, 0.1), 0.05),
        (prism(6, 0.12, 0.2), 0.1),
        (prism(5, 0.11, 0.3), 0.15),
    ];
    let mut stacks = Vec::new();
    for (a, above) in &shapes {
        for (b, below) in &shapes {
            for [yaw, x, y] in [[0.3, 0.05, 0.02], [0.0, -0.03, 0.06], [0.7, 0.011, -0.043]] {
                stacks.push(Pair {
                    a: a.clone(),
                    X_WA: pose([0.0, 0.0, yaw], [x, y, above - DEPTH]),
                    b: b.clone(),
                    X_WB: at(0.0, 0.0, -below),
                });
            }
        }
    }
    stacks
}

#[test]
fn wrenches_are_differentiable_where_faces_are_parallel() {
    let h = 1e-8;
    let mut shared = 0;
    for pair in stacks() {
        let is_shared = |w: &Witness| {
            matches!(
                w,
                Witness::ConvexPatch {
                    is_shared: true,
                    ..
                }
            )
        };
        shared += usize::from(pair.witnesses(0.0).iter().any(is_shared));
        let at_rest = wrench(&pair, Vector3::zeros());
        for axis in [Vector3::x(), Vector3::y(), Vector3::new(0.6, -0.8, 0.0)] {
            let exact = wrench(&pair, axis.map(|x: f64| Dual64::new(0.0, x)));
            let scale = exact.map(|x| x.eps).amax();
            for side in [h, -h] {
                let slope = (wrench(&pair, axis * side) - at_rest) / side;
                for i in 0..6 {
                    assert!(
                        (exact[i].eps - slope[i]).abs() < 2e-5 * scale,
                        "{i}: {} {} of {scale} {pair:?}",
                        exact[i].eps,
                        slope[i]
                    );
                }
            }
        }
    }
    assert!(shared > 20, "{shared}");
}

#[test]
fn wrenches_are_continuous_while_faces_share_less_and_less() {
    for pair in stacks() {
        let steps = 400;
        let tilted = |k: i32| {
            let tilt = 2.5e-6 * f64::from(k);
            wrench(&pair, Vector3::new(tilt, 0.4 * tilt, 0.0))
        };
        // Within 1e-6 rad the points of a cap are fixed in the cylinder: a kink of another kind.
        let is_round = |shape: &Shape<f64>| matches!(shape, Shape::Cylinder { .. });
        let first = i32::from(is_round(&pair.a) || is_round(&pair.b));
        let mut before = tilted(first);
        let scale = before.amax();
        for k in first + 1..=steps {
            let next = tilted(k);
            // A step of the tilt moves corners by 3e-4 of the depth.
            assert!(
                (next - before).amax() < 1e-3 * scale,
                "{k}: {before} {next} {pair:?}"
            );
            before = next;
        }
    }
}

#[test]
fn shares_of_two_faces_have_their_derivatives() {
    let mut compared = 0;
    for pair in stacks() {
        for tilt in [1e-5, 4e-5, 1e-4] {
            let at = Vector3::new(tilt, -0.3 * tilt, 0.0);
            let axis = Vector3::new(0.3, 1.0, 0.0);
            let h = 1e-9;
            let exact = wrench(&pair, at.zip_map(&axis, Dual64::new));
            let [more, less] = [h, -h].map(|h| wrench(&pair, at + axis * h));
            let [ahead, behind] = [2.0 * h, -2.0 * h].map(|h| wrench(&pair, at + axis * h));
            let slope = (more - less) / (2.0 * h);
            let wide = (ahead - behind) / (4.0 * h);
            let scale = slope.amax();
            if (slope - wide).amax() > 1e-4 * scale {
                continue; // beside a kink
            }
            compared += 1;
            for i in 0..6 {
                let error = exact[i].eps - slope[i];
                assert!(
                    error.abs() < 1e-3 * scale,
                    "{i}: {} {} {pair:?}",
                    exact[i].eps,
                    slope[i]
                );
            }
        }
    }
    assert!(compared > 150, "{compared}");
}
