//! A cylinder whose axis is normal to the plane, where the deepest point of its rim is undefined.

use super::singular::{check_in_both_orders, moving};
use super::support::*;
use dualbody::geometry::{End, Shape, Witness};
use dualbody::math::rotation;
use nalgebra::Vector3;
use num_dual::Dual3_64;
use std::f64::consts::FRAC_PI_2;

#[test]
fn upright_cylinder() {
    let standing = |tilt: [f64; 3]| {
        let X_WA = pose([0.0, 0.0, 0.4], [0.2, 0.1, 0.99]);
        let X_WA = Pose::new(
            rotation::exp(&Vector3::from(tilt)) * X_WA.rotation,
            X_WA.translation,
        );
        Pair::in_b(cylinder(0.5, 2.0), X_WA, Shape::HalfSpace)
    };
    check_in_both_orders(&standing([0.0; 3]));
    // Upright, the points are fixed in the cylinder, from its x axis on.
    let pair = standing([0.0; 3]);
    for (quarter, (witness, c)) in pair.contacts(0.1).into_iter().enumerate() {
        let end = End::Lower;
        let quarter = quarter as u8;
        assert_eq!(witness, Witness::CylinderHalfSpace { end, quarter });
        let angle = FRAC_PI_2 * f64::from(quarter);
        let p_A = Vector3::new(0.5 * angle.cos(), 0.5 * angle.sin(), -1.0);
        assert_close(&c.p_WCa, &pair.X_WA.transform_point(&p_A), 1e-15);
        // Rotation about a horizontal axis through the centre moves them as points of the body.
        let s = Dual3_64::new(0.0, 1.0, 0.0, 0.0);
        let w = Vector3::new(1.0, 0.0, 0.0);
        let X_WA = moving(&pair.X_WA, s, w.into(), [0.0; 3]);
        let moved = witness
            .contact_point(&pair.a.cast(), &X_WA, &pair.b.cast(), &pair.X_WB.cast())
            .unwrap();
        let velocity = w.cross(&(c.p_WCa - pair.X_WA.translation));
        assert_close(&moved.p_WCa.map(|x| x.v1), &velocity, 1e-15);
        assert!((moved.penetration.v1 + velocity.z).abs() < 1e-15);
    }
    // Tilting from upright, all heights are continuous: none jumps by more than the tilt moves it.
    let heights = |tilt: f64| {
        let tilt = [0.6 * tilt, 0.8 * tilt, 0.0];
        let mut heights: Vec<f64> = (standing(tilt).contacts(0.1).iter())
            .map(|(_, c)| -c.penetration)
            .collect();
        heights.sort_by(f64::total_cmp);
        heights
    };
    let limit = 1e-6;
    for (before, after) in [
        (0.0, 0.9 * limit),
        (0.99 * limit, 1.01 * limit),
        (1e-5, 1.1e-5),
    ] {
        let (before_heights, after_heights) = (heights(before), heights(after));
        assert_eq!((before_heights.len(), after_heights.len()), (4, 4));
        for (b, a) in before_heights.iter().zip(after_heights) {
            assert!((a - b).abs() < 1.01 * limit.max(after - before) * 0.5);
        }
    }
}

#[test]
fn forces_on_a_standing_cylinder_are_continuous() {
    // Force and torque of four springs, about the centre, for a small tilt below and above the
    // limit where the points are fixed in the cylinder.
    let wrench = |tilt: f64| {
        let X_WA = pose([0.6 * tilt, 0.8 * tilt, 0.0], [0.0, 0.0, 0.99]);
        let pair = Pair::in_b(cylinder(0.5, 2.0), X_WA, Shape::HalfSpace);
        let mut wrench = (Vector3::zeros(), Vector3::zeros());
        for (_, c) in pair.contacts(0.0) {
            let force = c.nhat_BA_W * c.penetration;
            wrench.0 += force;
            wrench.1 += (c.p_WCb - X_WA.translation).cross(&force);
        }
        wrench
    };
    let (below, above) = (wrench(0.999e-6), wrench(1.001e-6));
    assert_close(&below.0, &above.0, 1e-14);
    assert_close(&below.1, &above.1, 1e-8 * 1e-1);
    assert!(below.1.norm() > 1e-7);
}

#[test]
fn the_points_are_fixed_in_the_cylinder_below_the_limit_and_below_the_axis_above_it() {
    let deepest_point = |tilt: f64| {
        // Tilted about y towards +x, after a turn about the axis.
        let X_WA = pose([0.0, tilt, 0.0], [0.0, 0.0, 0.99]) * pose([0.0, 0.0, 1.0], [0.0; 3]);
        let contacts = Pair::in_b(cylinder(0.5, 2.0), X_WA, Shape::HalfSpace).contacts(0.1);
        contacts[0].1.p_WCa
    };
    let (x, y) = (0.5 * 1.0f64.cos(), 0.5 * 1.0f64.sin());
    assert_close(&deepest_point(0.9e-6), &Vector3::new(x, y, -0.01), 2e-6);
    assert_close(&deepest_point(1.1e-6), &Vector3::new(0.5, 0.0, -0.01), 2e-6);
}
