//! Derivatives of rigid steps of what rests and sticks: forces are not unique there, and friction may be zero.
//! Both one-sided differences say that nothing moves.

use crate::support::cases::tier;
use crate::support::random_contact::Random;
use crate::support::scenes::{bodies_over_ground, geometry};
use dualbody::contact::{ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{
    RigidBodySystem, State, StepDifferentiator, StepJacobian, SystemOptions,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody::{DefaultScalar, Parameters};
use nalgebra::{DVector, Vector3};
use num_dual::{Dual2_64, Dual64};

const G: f64 = 9.81;
const SIZE: [f64; 3] = [0.3, 0.2, 0.1];

/// Bodies of 1 kg over the ground, on a slope, with friction cones of so many edges.
fn bodies(shapes: &[Shape<f64>], slope: f64, edges: usize) -> TimeSteppingRigidBodySystem<f64> {
    let mut tree = RigidBodyTreeBuilder::new();
    tree.set_gravity(Vector3::new(G * slope.sin(), 0.0, -G * slope.cos()))
        .unwrap();
    let material = ContactMaterial::new(1e5, 0.0, 0.5).unwrap();
    let inertia = SpatialInertia::solid_box(1.0, &Vector3::from(SIZE));
    let system = bodies_over_ground(tree, shapes, inertia, material);
    let mut options = SystemOptions::default();
    options.friction_edges = edges;
    let system = system.with_options(options).unwrap();
    TimeSteppingRigidBodySystem::rigid(system, 0.01).unwrap()
}

/// One upon the other, each so deep in the one below, turned about the vertical.
fn pile(system: &TimeSteppingRigidBodySystem<f64>, overlap: f64, turn: f64) -> State<f64> {
    let mut state = system.initial_state();
    for k in 0..system.tree().num_bodies() - 1 {
        let rows = [(0.5 * turn).cos(), 0.0, 0.0, (0.5 * turn).sin(), 0.0, 0.0];
        state.q.as_mut_slice()[7 * k..7 * k + 6].copy_from_slice(&rows);
        state.q[7 * k + 6] = 0.05 + 0.1 * k as f64 - overlap * (k + 1) as f64;
    }
    state
}

/// Eight contacts with four edges, of two boxes on each other or beside each other, at rest, sliding or falling onto the
/// ground: what differs in the last digits of velocities is solved as well.
#[test]
fn nearly_equal_copies_of_two_boxes_are_all_solved() {
    let brick = || Shape::new_box(Vector3::from(SIZE)).unwrap();
    let mut failed = Vec::new();
    for (slope, speed, fall, apart) in [
        (0.0, 0.0, 0.0, 0.0),
        (0.0, 0.0, 0.0, 0.4),
        (0.3, 0.0, 0.0, 0.0),
        (0.46, 0.0, 0.0, 0.4),
        (0.0, 1.5, 0.0, 0.0),
        (0.0, 1.5, 0.3, 0.0),
        (0.0, 1.5, 0.3, 0.4),
    ] {
        let system = bodies(&[brick(), brick()], slope, 4);
        let mut workspace = system.workspace().unwrap();
        let mut most = 0;
        for copy in 0..20 {
            let mut state = pile(&system, 0.0, 0.0);
            if apart > 0.0 {
                state.q[7 + 4] = apart;
                state.q[7 + 6] = state.q[6];
            }
            for body in 0..2 {
                state.v[6 * body + 3] = speed / (1 + body) as f64;
                state.v[6 * body + 5] = -fall;
            }
            for (i, v) in state.v.iter_mut().enumerate() {
                *v += 1e-9 * (1.7 * (12 * copy + i) as f64).sin();
            }
            for number in 0..20 {
                match system.step(&mut workspace, &state, &[]) {
                    Ok(mut step) => {
                        most = most.max(step.contacts().unwrap().len());
                        state.clone_from(step.state());
                    }
                    Err(error) => {
                        failed.push(format!(
                            "slope {slope}, {speed} m/s, copy {copy}, step {number}: {error}"
                        ));
                        break;
                    }
                }
            }
        }
        assert!(most >= 8, "{most} contacts");
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Scenes that rest.
fn scenes() -> Vec<(&'static str, TimeSteppingRigidBodySystem<f64>, f64)> {
    let brick = || Shape::new_box(Vector3::from(SIZE)).unwrap();
    let ball = Shape::new_sphere(0.05).unwrap();
    let bodies = |shapes: &[Shape<f64>], slope, edges| {
        let system = bodies(shapes, slope, edges);
        system.with_generalized_forces().unwrap()
    };
    vec![
        ("ball", bodies(&[ball], 0.0, 4), 0.0),
        ("brick", bodies(&[brick()], 0.0, 4), 0.0),
        ("turned brick", bodies(&[brick()], 0.0, 8), 0.3),
        ("stack", bodies(&[brick(), brick()], 0.0, 4), 0.0),
        ("brick on a slope", bodies(&[brick()], 0.3, 4), 0.0),
        (
            "near the angle of friction",
            bodies(&[brick()], 0.46, 4),
            0.0,
        ),
        ("stack on a slope", bodies(&[brick(), brick()], 0.3, 4), 0.0),
    ]
}

fn next(
    system: &TimeSteppingRigidBodySystem<f64>,
    state: &State<f64>,
    input: &[f64],
) -> DVector<f64> {
    let mut workspace = system.workspace().unwrap();
    let step = system.step(&mut workspace, state, input).unwrap();
    let next = step.state();
    DVector::from_iterator(
        next.q.len() + next.v.len(),
        next.q.iter().chain(&next.v).copied(),
    )
}

/// Columns against differences to both sides, where `evaluate` moves by its argument.
fn check(name: &str, column: DVector<f64>, mut evaluate: impl FnMut(f64) -> DVector<f64>) {
    const H: f64 = 1e-7;
    let here = evaluate(0.0);
    for h in [H, -H] {
        let difference = (evaluate(h) - &here) / h;
        let error = (&column - &difference).amax();
        assert!(
            error < 1e-5 * (1.0 + difference.amax()),
            "{name} {h}: {column} {difference}"
        );
    }
}

#[test]
fn what_sticks_is_differentiated_as_sticking() {
    for (name, system, turn) in scenes() {
        for overlap in [0.0, 1e-5] {
            let start = pile(&system, overlap, turn);
            let input = vec![0.0; start.v.len()];
            let list = system.parameters();
            let names: Vec<&str> = list.iter().map(|p| p.name.as_str()).collect();
            let mut differentiator = StepDifferentiator::new(&system, &names).unwrap();
            let mut jacobian = StepJacobian::default();
            (differentiator.jacobian(&start, &input, &mut jacobian)).unwrap();
            let (nq, nv) = (start.q.len(), start.v.len());
            let (state, inputs) = (&jacobian.state, &jacobian.input);
            for i in 0..nv {
                check(&format!("{name} v{i}"), state.column(nq + i).into(), |h| {
                    let mut moved = start.clone();
                    moved.v[i] += h;
                    next(&system, &moved, &input)
                });
                check(&format!("{name} u{i}"), inputs.column(i).into(), |h| {
                    let mut moved = input.clone();
                    moved[i] = h;
                    next(&system, &start, &moved)
                });
            }
            // The gap has a kink where they touch.
            if overlap == 0.0 {
                continue;
            }
            for i in 0..nq {
                check(&format!("{name} q{i}"), state.column(i).into(), |h| {
                    let mut moved = start.clone();
                    moved.q[i] += h;
                    let own = 7 * (i / 7);
                    let norm = moved.q.rows(own, 4).norm();
                    moved.q.rows_mut(own, 4).unscale_mut(norm);
                    next(&system, &moved, &input)
                });
            }
            for (i, parameter) in list.iter().enumerate() {
                // Others have no effect, or a bound here.
                if parameter.value <= 0.0 && !parameter.name.starts_with("gravity") {
                    continue;
                }
                let label = format!("{name} {}", parameter.name);
                check(&label, jacobian.parameters.column(i).into(), |h| {
                    let mut changed = system.clone();
                    let value = parameter.value * (1.0 + h);
                    let value = if parameter.value == 0.0 { h } else { value };
                    let scale = if parameter.value == 0.0 {
                        1.0
                    } else {
                        parameter.value
                    };
                    changed.set_parameter(&parameter.name, value).unwrap();
                    let here = next(&system, &start, &input);
                    (next(&changed, &start, &input) - &here) / scale + here
                });
            }
        }
    }
}

/// Along one direction of everything, by other scalars: first derivatives as above, second as differences.
#[test]
fn other_scalars_stick_as_well() {
    fn run<T: DefaultScalar>(
        system: &TimeSteppingRigidBodySystem<f64>,
        start: &State<f64>,
        t: T,
    ) -> Vec<T> {
        let system = system.cast::<T>();
        let mut state = start.cast::<T>();
        for (i, v) in state.v.iter_mut().enumerate() {
            *v += t * (0.3 + 0.1 * i as f64);
        }
        let input: Vec<T> = (0..state.v.len())
            .map(|i| t * t + t * (1.0 - 0.2 * i as f64))
            .collect();
        let mut workspace = system.workspace().unwrap();
        let step = system.step(&mut workspace, &state, &input).unwrap();
        step.state().v.iter().copied().collect()
    }
    for (name, system, turn) in scenes() {
        let start = pile(&system, 0.0, turn);
        let first = run(&system, &start, Dual64::from(0.0).derivative());
        let second = run(&system, &start, Dual2_64::from(0.0).derivative());
        let h = 1e-5;
        let [below, here, above] = [-h, 0.0, h].map(|t| run::<f64>(&system, &start, t));
        let rests = !name.starts_with("ball");
        for i in 0..here.len() {
            let [a, b] = [above[i] - here[i], here[i] - below[i]].map(|d| d / h);
            // The force grows with the square as well.
            let error = (first[i].eps - a).abs().max((first[i].eps - b).abs());
            assert!(error < 1e-4, "{name} {i}: {} {a} {b}", first[i].eps);
            assert!((second[i].v1 - first[i].eps).abs() < 1e-12, "{name} {i}");
            assert!(
                (second[i].v2 - (a - b) / h).abs() < 1e-3,
                "{name} {i}: {}",
                second[i].v2
            );
            assert!(!rests || first[i].eps.abs() < 1e-9, "{name} {i}: it moves");
        }
    }
}

/// The centre of the table on which something slides beside what is pinched.
const TABLE: Vector3<f64> = Vector3::new(0.0, 5.0, 0.0);

/// A box between a wall and a pad on a slide, at rest at the height zero; the pad is first. Of the ways in which their
/// corners can share the push, some let the box turn about two of them, and fall.
struct Pinch {
    mass: f64,
    size: Vector3<f64>,
    center: Vector3<f64>,
    friction: f64,
    pad: Vector3<f64>,
    edges: usize,
    turn: f64,
    push: f64,
    /// Whether a brick slides on a table beside it.
    slides: bool,
}

impl Pinch {
    /// A cube of 1.47 N, with friction that holds up to 1.2 times the push.
    fn cube(push: f64) -> Self {
        Pinch {
            mass: 0.15,
            size: Vector3::repeat(0.04),
            center: Vector3::zeros(),
            friction: 0.6,
            pad: Vector3::new(0.06, 0.01, 0.02),
            edges: 4,
            turn: 0.0,
            push,
            slides: false,
        }
    }

    fn system(&self) -> RigidBodySystem<f64> {
        let material = ContactMaterial::new(1e6, 0.5, self.friction).unwrap();
        let mut tree = RigidBodyTreeBuilder::new();
        tree.set_gravity(Vector3::new(0.0, 0.0, -G)).unwrap();
        let mut inertia = SpatialInertia::solid_box(self.mass, &self.size);
        inertia.center_of_mass = self.center;
        let body = tree.add_body("box", inertia).unwrap();
        let pad = tree.add_body("pad", SpatialInertia::solid_box(0.04, &self.pad));
        let pad = pad.unwrap();
        let kind = JointKind::Prismatic {
            axis: -Vector3::y(),
        };
        let beside = 0.5 * (self.size.y + self.pad.y);
        let at = |y: f64| RigidTransform::from_translation(Vector3::new(0.0, y, 0.0));
        (tree.add_joint("slide", kind, BodyIndex::WORLD, at(beside), pad)).unwrap();
        let brick = Vector3::new(0.2, 0.1, 0.05);
        let slider = (self.slides).then(|| {
            tree.add_body("brick", SpatialInertia::solid_box(1.0, &brick))
                .unwrap()
        });
        let tree = tree.finish().unwrap();
        let mut contact = ContactModelBuilder::new();
        let block = |size: Vector3<f64>| Shape::new_box(size).unwrap();
        let mut wall = geometry("wall", BodyIndex::WORLD, block(self.pad), material);
        wall.pose_in_body = at(-beside);
        contact.add_geometry(wall).unwrap();
        (contact.add_geometry(geometry("cube", body, block(self.size), material))).unwrap();
        (contact.add_geometry(geometry("face", pad, block(self.pad), material))).unwrap();
        if let Some(slider) = slider {
            let table = Vector3::new(10.0, 1.0, 0.1);
            let mut table = geometry("table", BodyIndex::WORLD, block(table), material);
            table.pose_in_body = RigidTransform::from_translation(TABLE);
            contact.add_geometry(table).unwrap();
            (contact.add_geometry(geometry("slider", slider, block(brick), material))).unwrap();
        }
        let contact = contact.finish(&tree).unwrap();
        let mut options = SystemOptions::default();
        options.friction_edges = self.edges;
        RigidBodySystem::new(tree, contact)
            .and_then(|system| system.with_options(options))
            .and_then(RigidBodySystem::with_generalized_forces)
            .unwrap()
    }

    /// How far the box has sunk and turned after half a second, and the last state.
    fn motion(&self, system: &TimeSteppingRigidBodySystem<f64>, warm: bool) -> (f64, State<f64>) {
        let mut state = system.initial_state();
        let (sine, cosine) = (0.5 * self.turn).sin_cos();
        state.q.as_mut_slice()[1..5].copy_from_slice(&[cosine, 0.0, sine, 0.0]);
        let mut input = vec![0.0; state.v.len()];
        input[0] = self.push;
        if self.slides {
            let center = TABLE + Vector3::z() * 0.075;
            state.q.rows_mut(12, 3).copy_from(&center);
            state.v[10] = 3.0;
        }
        let mut workspace = system.workspace().unwrap();
        workspace.set_warm_start(warm);
        let steps = (0.5 / system.time_step()).round() as usize;
        for _ in 0..steps {
            let step = system.step(&mut workspace, &state, &input).unwrap();
            state.clone_from(step.state());
        }
        let turned =
            (state.q[1] * sine - state.q[3] * cosine).abs() + state.q[2].abs() + state.q[4].abs();
        (state.q[7].abs().max(0.05 * turned), state)
    }
}

#[test]
fn what_is_pinched_is_held() {
    for (case, turn) in [0.0, 0.01, 0.3, 0.7].into_iter().enumerate() {
        for push in [1.4, 2.0, 8.0, 80.0] {
            let pinch = Pinch {
                turn,
                ..Pinch::cube(push)
            };
            let system = TimeSteppingRigidBodySystem::rigid(pinch.system(), 0.005).unwrap();
            let (motion, state) = pinch.motion(&system, case % 2 == 0);
            assert!(motion < 1e-9, "{turn}, {push} N: {motion}");
            // Nothing moves, however hard it is pushed.
            let mut input = [0.0; 7];
            input[0] = push;
            let mut differentiator = StepDifferentiator::new(&system, &[]).unwrap();
            let mut jacobian = StepJacobian::default();
            (differentiator.jacobian(&state, &input, &mut jacobian)).unwrap();
            for (k, column) in jacobian.input.column_iter().enumerate() {
                assert!(column.amax() < 1e-9, "{turn}, {push} N, {k}: {column}");
            }
        }
    }
}

/// What slides on a table beside it, in the same machine, changes nothing about what is pinched.
#[test]
fn what_is_pinched_is_held_beside_what_slides() {
    for turn in [0.0, 0.3] {
        let mut pinch = Pinch {
            turn,
            ..Pinch::cube(8.0)
        };
        for slides in [false, true] {
            pinch.slides = slides;
            let system = TimeSteppingRigidBodySystem::rigid(pinch.system(), 0.005).unwrap();
            let (motion, state) = pinch.motion(&system, false);
            assert!(motion < 1e-9, "{turn}: {motion}");
            if slides {
                // From 3 m/s, by μ g.
                let v = 3.0 - 0.6 * G * 0.5;
                assert!((state.v[10] - v).abs() < 1e-6, "{turn}: {}", state.v);
            }
            // Turned, a step from nothing may let go.
            if turn != 0.0 {
                continue;
            }
            let mut input = vec![0.0; state.v.len()];
            input[0] = pinch.push;
            let mut differentiator = StepDifferentiator::new(&system, &[]).unwrap();
            let mut jacobian = StepJacobian::default();
            (differentiator.jacobian(&state, &input, &mut jacobian)).unwrap();
            for (k, column) in jacobian.input.column_iter().enumerate() {
                let held = [0..8, state.q.len()..state.q.len() + 7];
                let moves = held.map(|rows| column.rows(rows.start, rows.len()).amax());
                assert!(moves.iter().all(|x| *x < 1e-9), "{turn}, {k}: {column}");
                if !slides {
                    check(&format!("{turn} u{k}"), column.into(), |h| {
                        let mut moved = input.clone();
                        moved[k] += h;
                        next(&system, &state, &moved)
                    });
                }
            }
        }
    }
}

/// Boxes of random sizes, pushed by 1.1 to 6 times what they need, are held where compliant steps hold them; a step may
/// slip where friction is nearly used up.
#[test]
fn what_compliant_contact_holds_is_held() {
    let mut random = Random::new(5);
    let mut held = 0;
    let cases = tier(8, 24);
    for case in 0..cases {
        let mut between = |low: f64, high: f64| random.uniform(low, high);
        let size = Vector3::new(between(0.03, 0.1), 0.04, between(0.03, 0.1));
        let (mass, friction) = (between(0.05, 2.0), between(0.2, 1.0));
        let aside = f64::from(u8::from(case % 2 == 1));
        let pinch = Pinch {
            mass,
            size,
            center: Vector3::new(
                between(-0.4, 0.4) * size.x,
                0.0,
                between(-0.3, 0.3) * size.z,
            ) * aside,
            friction,
            pad: Vector3::new(between(0.01, 0.12), 0.01, between(0.01, 0.06)),
            edges: [4, 8, 16][case % 3],
            turn: between(-0.8, 0.8),
            push: mass * G / (2.0 * friction) * between(1.1, 6.0),
            slides: false,
        };
        let compliant = TimeSteppingRigidBodySystem::compliant(pinch.system(), 0.002);
        if pinch.motion(&compliant.unwrap(), false).0 > 1e-3 {
            continue;
        }
        held += 1;
        let rigid = TimeSteppingRigidBodySystem::rigid(pinch.system(), 0.005).unwrap();
        let (motion, _) = pinch.motion(&rigid, case % 4 < 2);
        assert!(motion < 1e-3, "case {case}: {motion}");
    }
    assert!(4 * held > 3 * cases, "{held}");
}
