//! Contact points of shapes that meet along lines and faces lie on both of them.

use super::support::*;
use dualbody::geometry::Shape;
use nalgebra::Vector3;
use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;

/// How far a point is beyond the planes and curved faces of a shape; at most 0 inside.
pub fn beyond(shape: &Shape<f64>, X: &Pose, p_W: &Vector3<f64>) -> f64 {
    let p = X.inverse_transform_point(p_W);
    match shape {
        Shape::Sphere { radius, .. } => p.norm() - radius,
        Shape::Capsule { radius, length, .. } => {
            let z = p.z - p.z.clamp(-0.5 * length, 0.5 * length);
            Vector3::new(p.x, p.y, z).norm() - radius
        }
        Shape::Cylinder { radius, length, .. } => {
            (p.x.hypot(p.y) - radius).max(p.z.abs() - 0.5 * length)
        }
        Shape::Box { size, .. } => (p.abs() - size * 0.5).max(),
        Shape::Ellipsoid { semi_axes, .. } => {
            (p.component_div(semi_axes).norm() - 1.0) * semi_axes.min()
        }
        Shape::Convex { polyhedron, .. } => {
            let at = |i: usize| polyhedron.vertices()[i];
            let heights = polyhedron.faces().iter().map(|corners| {
                let turns = corners.windows(2).map(|pair| {
                    (at(pair[0]) - at(corners[0])).cross(&(at(pair[1]) - at(corners[0])))
                });
                let normal = turns.sum::<Vector3<f64>>().normalize();
                normal.dot(&(p - at(corners[0])))
            });
            heights.fold(f64::NEG_INFINITY, f64::max)
        }
        _ => panic!("{shape:?}"),
    }
}

/// How far the contact points of a pair are from the shapes that they belong to; with them, as these are convex, their
/// mean is inside.
pub fn beside(pair: &Pair, margin: f64) -> f64 {
    let contacts = pair.contacts(margin);
    if contacts.is_empty() {
        return f64::INFINITY;
    }
    let mut worst = f64::NEG_INFINITY;
    for (_, c) in &contacts {
        let of_a = beyond(&pair.a, &pair.X_WA, &c.p_WCa);
        worst = worst.max(of_a).max(beyond(&pair.b, &pair.X_WB, &c.p_WCb));
    }
    worst
}

fn shapes() -> [Shape<f64>; 8] {
    let prism: Vec<_> = (0..12)
        .map(|k| {
            let angle = f64::from(k / 2) * FRAC_PI_2 / 1.5;
            [
                0.35 * angle.cos(),
                0.35 * angle.sin(),
                f64::from(k % 2) * 0.9 - 0.45,
            ]
        })
        .collect();
    [
        sphere(0.3),
        capsule(0.2, 0.8),
        cylinder(0.25, 0.7),
        cuboid(0.5, 0.6, 0.8),
        ellipsoid(0.3, 0.4, 0.5),
        convex(&prism),
        capsule(0.15, 2.0),
        cylinder(0.6, 0.3),
    ]
}

/// Half the extent of a shape along a direction in the world.
fn extent(shape: &Shape<f64>, X: &Pose, n: &Vector3<f64>) -> f64 {
    super::convex_pair::reach(shape, &Pose::new(X.rotation, Vector3::zeros()), n)
}

/// A above B, flat on it in many ways, with parts of A beside B.
fn ties(visit: &mut dyn FnMut(&Pair, f64)) {
    let moved = pose([0.5, -1.1, 2.0], [0.3, 0.2, 0.1]);
    let turns = [
        [0.0; 3],
        [FRAC_PI_2, 0.0, 0.0],
        [0.0, FRAC_PI_2, 0.0],
        [0.0, 0.0, 0.7],
    ];
    for a in &shapes() {
        for b in &shapes() {
            for (w, v) in turns
                .iter()
                .flat_map(|w| turns.iter().take(3).map(move |v| (w, v)))
            {
                for tilt in [0.0, 1e-12, 1e-9, 3e-8, 1e-6] {
                    for gap in [-1e-4, 0.0, 1e-4] {
                        for [s, t] in [
                            [0.0, 0.0],
                            [0.5, 0.0],
                            [0.9, 0.3],
                            [1.0, 1.0],
                            [-1.2, 0.6],
                            [0.1, -1.4],
                        ] {
                            let tilted = pose([tilt, 0.6 * tilt, 0.0], [0.0; 3]).rotation;
                            let mut X_WA = pose(*w, [0.0; 3]);
                            X_WA.rotation = tilted * X_WA.rotation;
                            let X_WB = pose(*v, [0.0; 3]);
                            let reach =
                                |n: Vector3<f64>| (extent(a, &X_WA, &n), extent(b, &X_WB, &n));
                            let (x, y, z) = (
                                reach(Vector3::x()),
                                reach(Vector3::y()),
                                reach(Vector3::z()),
                            );
                            // 1 has the middle of A above the side of B, 1.4 most of A beside B.
                            let over = |s: f64, (of_a, of_b): (f64, f64)| {
                                s.clamp(-1.0, 1.0) * of_b
                                    + s.signum() * (s.abs() - 1.0).max(0.0) * of_a
                            };
                            let z = extent(a, &X_WA, &-Vector3::z()) + z.1;
                            X_WA.translation = Vector3::new(over(s, x), over(t, y), z + gap);
                            let pair = Pair {
                                a: a.clone(),
                                X_WA,
                                b: b.clone(),
                                X_WB,
                            };
                            visit(&pair.moved(&moved), tilt);
                            if tilt == 0.0 {
                                visit(&pair, tilt);
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn contact_points_lie_on_both_shapes() {
    // By kinds: how many, the worst and where it is.
    let mut wrong = BTreeMap::<_, (usize, f64, String)>::new();
    let mut count = 0;
    ties(&mut |pair, tilt| {
        count += 1;
        let far = beside(pair, 10.0);
        // A face is preferred to a rim where the distances differ by less than round-off.
        let allowed = if tilt > 1e-8 { 1e-6 } else { 1e-9 };
        if far > allowed {
            let kinds = format!("{:?} {:?}", pair.a.kind(), pair.b.kind());
            let entry = wrong.entry(kinds).or_default();
            entry.0 += 1;
            if far > entry.1 {
                entry.1 = far;
                entry.2 = format!("tilted by {tilt:e}: {:?} {pair:?}", pair.contacts(10.0));
            }
        }
    });
    assert!(wrong.is_empty(), "{wrong:#?} in {count} poses");
}
