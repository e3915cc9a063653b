//! Every pair of shapes where they touch, lie squarely on each other, coincide.

use super::super::other_scalars::OtherScalars;
use super::evaluate::{Curve, Task};
use super::{Build, Check, report};
use crate::elements::every_element::{Element, Machine};
use crate::support::cases::tier;
use crate::support::scenes::geometry;
use dualbody::Scalar;
use dualbody::contact::{ContactMaterial, ContactModelBuilder};
use dualbody::geometry::{HeightField, Shape};
use dualbody::math::SpatialInertia;
use dualbody::system::{RigidBodySystem, SystemOptions};
use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
use nalgebra::{Vector2, Vector3};
use std::f64::consts::FRAC_1_SQRT_2;

/// Shapes that reach 0.125 m up and down, with a flat or round top.
fn shapes() -> [(&'static str, Shape<f64>); 6] {
    let half = 0.125;
    let corner = |x: f64, y: f64, z: f64| Vector3::new(x, y, z) * half;
    let octahedron = [
        corner(1.0, 1.0, -1.0),
        corner(1.0, -1.0, -1.0),
        corner(-1.0, 1.0, -1.0),
        corner(-1.0, -1.0, -1.0),
        corner(0.0, 0.0, 1.0),
    ];
    [
        ("sphere", Shape::new_sphere(half).unwrap()),
        ("capsule", Shape::new_capsule(0.0625, 0.125).unwrap()),
        ("cylinder", Shape::new_cylinder(0.125, 0.25).unwrap()),
        ("box", Shape::new_box(Vector3::repeat(0.25)).unwrap()),
        (
            "ellipsoid",
            Shape::new_ellipsoid(Vector3::new(0.25, 0.1875, half)).unwrap(),
        ),
        ("pyramid", Shape::new_convex(&octahedron).unwrap()),
    ]
}

/// Points that reach as far, in the directions of the axes and at their origin.
fn points() -> (&'static str, Shape<f64>) {
    let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| axis * 0.125);
    let points = vec![x, -x, y, -y, z, -z, Vector3::zeros()];
    ("points", Shape::new_points(points).unwrap())
}

/// Height fields that have a vertex at the origin, where they are 0 m high; edges between triangles run along the axes
/// and a diagonal.
fn fields() -> [(&'static str, Shape<f64>); 4] {
    let of = |height: fn(f64, f64) -> f64| {
        let spacing = 0.5;
        let at = |k: usize| (k as f64 - 2.0) * spacing;
        let heights = (0..25).map(|k| height(at(k % 5), at(k / 5))).collect();
        let field = HeightField::new(5, heights, Vector2::repeat(spacing)).unwrap();
        Shape::from(field)
    };
    [
        ("flat field", of(|_, _| 0.0)),
        ("ridge", of(|x, _| -0.25 * x.abs())),
        ("crease", of(|x, _| 0.25 * x.abs())),
        ("peak", of(|x, y| -0.25 * (x.abs() + y.abs()))),
    ]
}

/// Whether a shape is ground, which the world carries.
fn is_ground(shape: &Shape<f64>) -> bool {
    matches!(shape, Shape::HalfSpace | Shape::HeightField { .. })
}

/// A free body of the second shape over another of the first, or over the ground.
struct Pair<'a>(&'a Shape<f64>, &'a Shape<f64>);

impl Build for Pair<'_> {
    fn build<T: Scalar>(&self) -> Vec<Element<T>> {
        vec![("pair", pair(self.0, self.1))]
    }
}

fn pair<T: Scalar>(lower: &Shape<f64>, upper: &Shape<f64>) -> Machine<T> {
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_sphere(0.5, 0.2);
    let on_ground = is_ground(lower);
    let above = tree.add_body("upper", inertia).unwrap();
    let below = match on_ground {
        true => BodyIndex::WORLD,
        false => tree.add_body("lower", inertia).unwrap(),
    };
    let tree = tree.finish().unwrap();
    let material = ContactMaterial::new(200.0, 1.0, 0.5).unwrap();
    let mut contact = ContactModelBuilder::new();
    for (name, body, shape) in [("upper", above, upper), ("lower", below, lower)] {
        contact
            .add_geometry(geometry(name, body, shape.clone(), material))
            .unwrap();
    }
    let contact = contact.finish(&tree).unwrap();
    let mut options = SystemOptions::default();
    options.contact_solver.stiction_tolerance = 0.05;
    let system = RigidBodySystem::new(tree.cast(), contact.cast()).unwrap();
    let system = system.with_generalized_forces().unwrap();
    system.with_options(options).unwrap()
}

/// Quaternion and position of the upper shape relative to the lower one, and its velocity.
type Placing = (&'static str, [f64; 4], [f64; 3], [f64; 3]);

const UPRIGHT: [f64; 4] = [1.0, 0.0, 0.0, 0.0];
const REST: [f64; 3] = [0.0; 3];
const PLACINGS: &[Placing] = &[
    ("exact touching at rest", UPRIGHT, [0.0, 0.0, 0.25], REST),
    (
        "exact touching, meeting",
        UPRIGHT,
        [0.0, 0.0, 0.25],
        [0.0, 0.0, -0.5],
    ),
    (
        "squarely stacked, zero slip",
        UPRIGHT,
        [0.0, 0.0, 0.1875],
        REST,
    ),
    (
        "squarely stacked, sliding",
        UPRIGHT,
        [0.0, 0.0, 0.1875],
        [0.25, 0.125, 0.0],
    ),
    (
        "half-turn, squarely stacked",
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 0.1875],
        REST,
    ),
    (
        "quarter-turn, squarely stacked",
        [FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2],
        [0.0, 0.0, 0.1875],
        REST,
    ),
    (
        "crossed, on its side",
        [FRAC_1_SQRT_2, FRAC_1_SQRT_2, 0.0, 0.0],
        [0.0, 0.0, 0.1875],
        REST,
    ),
    ("edge on edge", UPRIGHT, [0.25, 0.0, 0.1875], REST),
    ("no contact", UPRIGHT, [0.0, 0.0, 1.0], REST),
    ("coincident centres", UPRIGHT, REST, REST),
];

fn walk(
    lower: &(&'static str, Shape<f64>),
    upper: &(&'static str, Shape<f64>),
    failures: &mut Vec<String>,
) {
    let pair = Pair(&lower.1, &upper.1);
    let (machines, others) = (pair.build(), OtherScalars::of(&pair));
    let machine = &machines[0].1;
    let ground = is_ground(&lower.1);
    for &(name, quaternion, mut position, velocity) in PLACINGS.iter().step_by(tier(4, 1)) {
        if ground {
            position[2] -= 0.125;
        }
        let mut state = machine.initial_state();
        let q = quaternion.into_iter().chain(position);
        state.q.iter_mut().zip(q).for_each(|(x, q)| *x = q);
        (state.v.iter_mut().skip(3).zip(velocity)).for_each(|(x, v)| *x = v);
        for number in 0..tier(1, 2) {
            let moved = |scale: f64| {
                let one = [
                    0.3, -0.5, 0.2, 0.6, -0.4, 0.7, -0.2, 0.1, 0.4, -0.3, 0.5, -0.6,
                ];
                (0..state.v.len()).map(|i| scale * one[i]).collect()
            };
            let curve = Curve {
                motion: moved(if number == 0 { 1.0 } else { 0.0 }),
                acceleration: moved(if number == 0 { 0.0 } else { 1.0 }),
                input: vec![0.0; machine.num_inputs()],
                rate: 0.3,
                state: state.clone(),
            };
            for task in Task::ALL {
                // The edges of a friction cone are those of a frame that changes where the normal has two equal components.
                let turns = lower.0 == "peak" && velocity != REST && task == Task::Rigid;
                let check = Check {
                    machine,
                    others: &others,
                    number: 0,
                    task,
                    curve: &curve,
                    many_sided: true,
                    orders: if turns { 1 } else { 3 },
                };
                // In the stiff friction of a step in continuous time differences say nothing.
                let result = match task {
                    Task::Continuous => check.keeps_bits(),
                    _ => check.run().map(|_| ()),
                };
                if let Err(what) = result {
                    failures.push(format!(
                        "{} on {}, {task:?}, {name}, curve {number}: {what}",
                        upper.0, lower.0
                    ));
                }
            }
        }
    }
}

#[test]
fn shapes_are_differentiable_on_the_ground() {
    let mut failures = Vec::new();
    for upper in shapes().iter().chain([&points()]) {
        walk(&("ground", Shape::HalfSpace), upper, &mut failures);
    }
    report(&failures);
}

#[test]
fn shapes_are_differentiable_on_height_fields() {
    let mut failures = Vec::new();
    for lower in &fields() {
        for upper in shapes().iter().chain([&points()]) {
            walk(lower, upper, &mut failures);
        }
    }
    report(&failures);
}

#[test]
fn points_are_differentiable_on_shapes() {
    let mut failures = Vec::new();
    for lower in &shapes() {
        walk(lower, &points(), &mut failures);
    }
    report(&failures);
}

#[test]
fn shapes_are_differentiable_on_each_other() {
    let (shapes, mut failures) = (shapes(), Vec::new());
    for (i, lower) in shapes.iter().enumerate() {
        for upper in &shapes[i..] {
            walk(lower, upper, &mut failures);
        }
    }
    report(&failures);
}
