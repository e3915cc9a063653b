//! Systems that step with force elements.

use crate::support::random_tree::{Random, Style, random_state, random_tree};
use crate::support::scenes::{cube, free_body, geometry};
use crate::support::user_elements::{Brake, Tether, Vortex};
use dualbody::actuator::{Saturation, TorqueSource};
use dualbody::autodiff::{JacobianChecker, VectorFunction, check_jacobian};
use dualbody::contact::{ContactError, ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::force::{AnyForce, ForceElement, ForceError, JointMotion, JointSpring, JointStops};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::parameter::ParameterError;
use dualbody::system::{
    IntegrationMethod, RigidBodySystem, Scheme, State, StepDifferentiator, StepJacobian,
    SystemError, TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointIndex, JointKind, RigidBodyTreeBuilder, TreeError};
use dualbody::{DefaultScalar, InvalidInput, Parameters};
use nalgebra::{DVector, Vector3, dvector};
use num_dual::{Dual2_64, Dual64, DualSVec64};

/// The state after some steps as a function of velocities and of named parameters.
struct Steps<'a> {
    system: &'a TimeSteppingRigidBodySystem<f64>,
    start: &'a State<f64>,
    parameters: &'a [&'a str],
    steps: usize,
}

impl Steps<'_> {
    fn point(&self) -> Vec<f64> {
        let parameters = (self.parameters.iter()).map(|p| self.system.parameter(p).unwrap());
        self.start.v.iter().copied().chain(parameters).collect()
    }
}

impl VectorFunction for Steps<'_> {
    type Error = InvalidInput;
    fn eval<T: DefaultScalar>(&self, x: &[T]) -> Result<DVector<T>, InvalidInput> {
        let nv = self.start.v.len();
        let mut system = self.system.cast::<T>();
        for (name, &value) in self.parameters.iter().zip(&x[nv..]) {
            system.set_parameter(name, value).unwrap();
        }
        let mut start = self.start.cast::<T>();
        start.v.copy_from_slice(&x[..nv]);
        let mut workspace = system.workspace().unwrap();
        let rollout = system.rollout_with(&mut workspace, &start, self.steps, |_, _, _| {});
        let states = rollout.completed().unwrap().states;
        let last = &states[states.len() - 1];
        let values = last.q.iter().chain(last.v.iter()).copied();
        Ok(DVector::from_iterator(last.q.len() + nv, values))
    }
}

/// A mass on a rail along x, without gravity.
fn cart(
    mass: f64,
    dt: f64,
    force: impl ForceElement<f64> + Clone,
) -> TimeSteppingRigidBodySystem<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    builder.set_gravity(Vector3::zeros()).unwrap();
    let inertia = SpatialInertia::point_mass(mass, Vector3::zeros());
    let body = builder.add_body("cart", inertia).unwrap();
    let rail = JointKind::Prismatic { axis: Vector3::x() };
    let pose = dualbody::math::RigidTransform::identity();
    (builder.add_joint("rail", rail, BodyIndex::WORLD, pose, body)).unwrap();
    let tree = builder.finish().unwrap();
    (TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), dt).unwrap())
        .with_forces([force])
        .unwrap()
}

#[test]
fn a_spring_is_symplectic_and_conserves_energy() {
    let (m, k, dt) = (2.0, 50.0, 1e-2);
    let spring = Tether {
        bodies: [BodyIndex::WORLD, BodyIndex::new(1)],
        stiffness: k,
    };
    let system = cart(m, dt, spring);
    let mut workspace = system.workspace().unwrap();
    let mut state = State::new(dvector![0.1], dvector![0.0]);
    let modified = |s: &State<f64>| {
        // What semi-implicit Euler conserves: H − ½ δt v ∂U/∂q.
        0.5 * m * s.v[0] * s.v[0] + 0.5 * k * s.q[0] * s.q[0] - 0.5 * dt * k * s.q[0] * s.v[0]
    };
    let before = modified(&state);
    for _ in 0..10_000 {
        let step = system.step(&mut workspace, &state, &[]).unwrap();
        state = step.state().clone();
    }
    assert!((modified(&state) / before - 1.0).abs() < 1e-10);
}

#[test]
fn damping_is_implicit() {
    // v⁺ = v/(1 + c δt/m), however stiff the damper.
    for drag in [1.0, 1e3, 1e9] {
        let element = Vortex {
            body: BodyIndex::new(1),
            drag,
            lift: 0.0,
            cubic: 0.0,
        };
        let system = cart(2.0, 0.01, element);
        let mut workspace = system.workspace().unwrap();
        let state = State::new(dvector![0.0], dvector![3.0]);
        let step = system.step(&mut workspace, &state, &[]).unwrap();
        let expected = 3.0 / (1.0 + drag * 0.01 / 2.0);
        assert!((step.state().v[0] / expected - 1.0).abs() < 1e-12);
    }
    // Friction so strong that it stops the body within a step, from a speed a million times that of
    // its regularisation.
    for start in [1.0, -3.0, 1e3] {
        let brake = Brake {
            coordinate: 0,
            force: 1e6,
            speed: 1e-6,
        };
        let system = cart(2.0, 0.01, brake);
        let mut workspace = system.workspace().unwrap();
        let state = State::new(dvector![0.0], dvector![start]);
        let step = system.step(&mut workspace, &state, &[]).unwrap();
        let v = step.state().v[0];
        let balance = 2.0 * (v - start) + 0.01 * 1e6 * (v / 1e-6).tanh();
        assert!(balance.abs() < 1e-8 * start.abs(), "{start}: {v} {balance}");
        assert!(v.abs() < 1e-6 && v * start > 0.0);
    }
}

#[test]
fn derivatives_of_steps_are_exact() {
    for seed in 0..3 {
        let tree = random_tree(seed, 4, Style::General);
        let (q, v) = random_state(&tree, seed);
        let tether = Tether {
            bodies: [BodyIndex::new(1), BodyIndex::new(3)],
            stiffness: 20.0,
        };
        let vortex = Vortex {
            body: BodyIndex::new(2),
            drag: 3.0,
            lift: 5.0,
            cubic: 2.0,
        };
        let brake = Brake {
            coordinate: 1,
            force: 0.5,
            speed: 0.2,
        };
        let system = (TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), 0.01).unwrap())
            .with_forces([
                AnyForce::new(tether),
                AnyForce::new(vortex),
                AnyForce::new(brake),
            ])
            .unwrap();
        let start = State::new(DVector::from_vec(q), DVector::from_vec(v));
        let steps = Steps {
            system: &system,
            start: &start,
            parameters: &[
                "tether/stiffness",
                "vortex/drag",
                "vortex/lift",
                "vortex/cubic",
                "brake/force",
                "time_step",
            ],
            steps: 3,
        };
        let x = steps.point();
        let mut scales: Vec<f64> = x.iter().map(|x| x.abs().max(1.0)).collect();
        scales[x.len() - 1] = 0.01;
        let checker = JacobianChecker::default().tolerance(1e-6, 1e-7);
        check_jacobian(&checker.scales(scales), &steps, &x)
            .unwrap()
            .assert_agrees();

        // Second order along a line: differences of the exact first derivatives.
        let direction: Vec<f64> = Random::new(seed).numbers(x.len() - 1);
        let along = |h: f64| {
            let mut x: Vec<Dual2_64> = x.iter().map(|&x| Dual2_64::from(x)).collect();
            for (x, &d) in x.iter_mut().zip(&direction) {
                *x = Dual2_64::new(x.re + h * d, d, 0.0);
            }
            steps.eval(&x).unwrap()
        };
        let (before, here, after) = (along(-1e-5), along(0.0), along(1e-5));
        for i in 0..here.len() {
            let difference = (after[i].v1 - before[i].v1) / 2e-5;
            let allowed = 1e-5 * (1.0 + difference.abs());
            assert!((here[i].v2 - difference).abs() < allowed);
        }

        // Every scalar follows the trajectory of f64 bit for bit.
        let real = steps.eval::<f64>(&x).unwrap();
        let seeded: Vec<Dual64> = x.iter().map(|&x| Dual64::new(x, 1.0)).collect();
        let chunk: Vec<DualSVec64<8>> = (x.iter())
            .map(|&x| DualSVec64::from_re(x).derivative(1))
            .collect();
        let (dual, chunk) = (steps.eval(&seeded).unwrap(), steps.eval(&chunk).unwrap());
        for i in 0..real.len() {
            assert_eq!(real[i].to_bits(), dual[i].re.to_bits());
            assert_eq!(real[i].to_bits(), chunk[i].re.to_bits());
        }
    }
}

#[test]
fn derivatives_with_contact_are_exact() {
    let vortex = Vortex {
        body: BodyIndex::new(1),
        drag: 0.3,
        lift: 0.8,
        cubic: 0.1,
    };
    let system = cube(1e-3).with_forces([vortex]).unwrap();
    let start = free_body(
        [0.9, 0.2, 0.1, 0.3],
        [0.0, 0.0, 0.066],
        [1.0, -2.0, 3.0],
        [0.8, 0.2, -0.3],
    );
    let steps = Steps {
        system: &system,
        start: &start,
        parameters: &["vortex/drag", "vortex/lift", "body/shape/friction"],
        steps: 40,
    };
    let mut workspace = system.workspace().unwrap();
    let rollout = system.rollout_with(&mut workspace, &start, 40, |_, _, _| {});
    let touched = !rollout.nearest_kinks().is_empty();
    assert!(touched, "the scene is to have contact");
    let checker = JacobianChecker::default().tolerance(1e-5, 1e-6);
    check_jacobian(&checker, &steps, &steps.point())
        .unwrap()
        .assert_agrees();
}

#[test]
fn an_element_without_force_changes_nothing() {
    let plain = cube(1e-3);
    let weak = Vortex {
        body: BodyIndex::new(1),
        drag: 0.0,
        lift: 0.0,
        cubic: 0.0,
    };
    let with_zero = plain.clone().with_forces([weak]).unwrap();
    let start = free_body([1.0, 0.1, 0.2, 0.0], [0.0, 0.0, 0.08], [2.0; 3], [0.5; 3]);
    let mut workspace = plain.workspace().unwrap();
    let a = (plain.rollout_with(&mut workspace, &start, 50, |_, _, _| {}))
        .completed()
        .unwrap();
    let b = (with_zero.rollout_with(&mut workspace, &start, 50, |_, _, _| {}))
        .completed()
        .unwrap();
    let (a, b) = (a.last(), b.last());
    assert!((&a.q - &b.q).amax() < 1e-10 && (&a.v - &b.v).amax() < 1e-8);
}

#[test]
fn elements_that_do_not_fit_are_rejected() {
    let stranger = Tether {
        bodies: [BodyIndex::WORLD, BodyIndex::new(9)],
        stiffness: 1.0,
    };
    let error = cube(1e-3).with_forces([stranger]).unwrap_err();
    assert!(matches!(
        error,
        SystemError::Force(ForceError::Tree(TreeError::NoSuchBody { .. }))
    ));
    let tether = Tether {
        bodies: [BodyIndex::WORLD, BodyIndex::new(1)],
        stiffness: 1.0,
    };
    // Two of one name; but one may be named as a joint.
    let error = (cube(1e-3).with_forces([tether.clone(), tether.clone()])).unwrap_err();
    assert!(error.to_string().contains("tether/stiffness"), "{error}");
    let spring = JointSpring {
        name: "rail".into(),
        joint: JointIndex::new(0),
        motion: JointMotion::Translation,
        stiffness: 1.0,
        damping: 0.0,
        nominal_position: 0.0,
    };
    let system = cart(1.0, 1e-3, spring);
    assert_eq!(system.parameter("joint/rail/damping"), Ok(0.0));
    assert_eq!(system.parameter("force/rail/damping"), Ok(0.0));
    let short = system.parameter("rail/damping").unwrap_err();
    assert!(matches!(short, ParameterError::Ambiguous { .. }));
    let mut system = cube(1e-3).with_forces([tether]).unwrap();
    assert!(system.set_parameter("tether/stiffness", -1.0).is_err());
    assert!(system.set_parameter("tether/stiffness", f64::NAN).is_err());
    system.set_parameter("tether/stiffness", 2.0).unwrap();
    let tether: &Tether<f64> = system.forces()[0].downcast_ref().unwrap();
    assert_eq!(tether.stiffness, 2.0);
}

/// Parameters of a pair with a material of its own have the names of both geometries in theirs.
#[test]
fn two_pairs_whose_parameters_have_one_name_are_refused() {
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_sphere(0.5, 0.1);
    let body = tree.add_body("body", inertia).unwrap();
    let tree = tree.finish().unwrap();
    let rubber = ContactMaterial::new(1e4, 0.1, 0.5).unwrap();
    let finish = |materials: &[[&str; 2]]| {
        let mut contact = ContactModelBuilder::new();
        for name in ["a|b", "a", "c", "b|c", "pair/a|c"] {
            let is_moving = name.starts_with('a');
            let on = if is_moving { body } else { BodyIndex::WORLD };
            let ball = Shape::new_sphere(0.1).unwrap();
            contact
                .add_geometry(geometry(name, on, ball, rubber))
                .unwrap();
        }
        for [first, second] in materials {
            contact.set_pair_material(first, second, rubber).unwrap();
        }
        contact.finish(&tree)
    };
    assert!(finish(&[["a|b", "c"], ["a", "pair/a|c"]]).is_ok());
    for (materials, name) in [
        ([["a|b", "c"], ["a", "b|c"]], "pair/a|b|c"),
        ([["a", "c"], ["a", "b|c"]], "pair/a|c"),
    ] {
        let name = name.to_owned();
        assert_eq!(
            finish(&materials).unwrap_err(),
            ContactError::DuplicateName { name }
        );
    }
}

/// What a joint and a geometry called `slider`, a body and its shape called `box` have in common is not guessed:
/// short names are refused where they could mean either, and full ones reach what they say.
#[test]
fn short_names_that_could_mean_two_things_are_refused() {
    let here = RigidTransform::identity();
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_sphere(0.5, 0.1);
    let cart = tree.add_body("cart", inertia).unwrap();
    let kind = JointKind::Prismatic { axis: Vector3::x() };
    let slider = (tree.add_joint("slider", kind, BodyIndex::WORLD, here, cart)).unwrap();
    tree.set_friction(slider, &[0.25]).unwrap();
    let load = tree.add_body("box", inertia).unwrap();
    (tree.add_joint("box", JointKind::Fixed, cart, here, load)).unwrap();
    let tree = tree.finish().unwrap();
    let mut contact = ContactModelBuilder::new();
    let ball = || Shape::new_sphere(0.1).unwrap();
    let rubber = ContactMaterial::new(1e4, 0.1, 0.5).unwrap();
    for (name, body) in [("slider", cart), ("box", load)] {
        (contact.add_geometry(geometry(name, body, ball(), rubber))).unwrap();
    }
    let twice = contact.add_geometry(geometry("box", cart, ball(), rubber));
    let name = "box".to_owned();
    assert_eq!(twice, Err(ContactError::DuplicateName { name }));
    let contact = contact.finish(&tree).unwrap();
    let mut system = TimeSteppingRigidBodySystem::new(tree, contact, 1e-3).unwrap();
    let before = system.parameters();
    for (short, kinds) in [
        ("slider/friction", ["joint", "geometry"]),
        ("box/origin/x", ["joint", "geometry"]),
    ] {
        let error = system.set_parameter(short, 0.125).unwrap_err();
        let mut candidates = kinds.map(|kind| format!("{kind}/{short}")).to_vec();
        candidates.sort();
        let ParameterError::Ambiguous {
            candidates: mut found,
            ..
        } = error
        else {
            panic!("{error}");
        };
        found.sort();
        assert_eq!(found, candidates);
        assert_eq!(system.parameters(), before);
    }
    system
        .set_parameter("geometry/slider/friction", 0.125)
        .unwrap();
    system.set_parameter("joint/box/origin/x", 0.5).unwrap();
    assert_eq!(system.parameter("joint/slider/friction"), Ok(0.25));
    assert_eq!(system.parameter("geometry/slider/friction"), Ok(0.125));
    assert_eq!(system.parameter("geometry/box/origin/x"), Ok(0.0));
    let pose = system.body_pose(&system.initial_state(), "box").unwrap();
    assert_eq!(pose.translation.x, 0.5);
}

/// A stop that there is none of has an infinite limit, which it may keep, and which no derivative minds.
#[test]
fn infinite_limits_keep_their_value() {
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let inertia = SpatialInertia::solid_sphere(1.0, 0.1);
    let body = builder.add_body("slider", inertia).unwrap();
    let kind = JointKind::Prismatic { axis: Vector3::z() };
    let here = RigidTransform::identity();
    let joint = (builder.add_joint("rail", kind, BodyIndex::WORLD, here, body)).unwrap();
    let tree = builder.finish().unwrap();
    let range = [f64::NEG_INFINITY, 1.0];
    let stops = JointStops::new("stops", &tree, joint, 100.0, 0.1, range).unwrap();
    let motor = TorqueSource::new("motor", &tree, joint, 1.0, None).unwrap();
    let motor = Saturation::new("range", &[range], motor).unwrap();
    let machine = RigidBodySystem::new(tree, ContactModel::none()).unwrap();
    let machine = machine.with_forces([stops]).unwrap();
    let mut machine = machine.with_actuators([motor]).unwrap();
    let infinite = ["stops/lower", "range/lower/0"];
    for name in infinite {
        machine.set_parameter(name, f64::NEG_INFINITY).unwrap();
        assert!(machine.set_parameter(name, f64::NAN).is_err());
        assert!(machine.set_parameter(name, f64::INFINITY).is_err());
    }
    assert!(machine.set_parameter("stops/upper", f64::INFINITY).is_err());
    assert!(
        machine
            .set_parameter("stops/stiffness", f64::INFINITY)
            .is_err()
    );
    // Each bound has the unit of its input.
    let list = machine.parameters();
    let unit = |name: &str| list.iter().find(|p| p.name.ends_with(name)).unwrap().unit;
    assert_eq!(unit("range/lower/0"), "N m or N");
    assert!(list.iter().all(|p| p.unit != "SI"));
    let names: Vec<&str> = list.iter().map(|p| p.name.as_str()).collect();
    for scheme in [
        Scheme::Compliant,
        Scheme::Rigid,
        Scheme::Continuous {
            method: IntegrationMethod::RungeKutta4,
            substeps: 1,
        },
    ] {
        let plant = TimeSteppingRigidBodySystem::with_scheme(machine.clone(), 0.01, scheme);
        let mut differentiator = StepDifferentiator::new(&plant.unwrap(), &names).unwrap();
        let mut jacobian = StepJacobian::default();
        let mut state = machine.initial_state();
        state.q[0] = 1.5;
        differentiator
            .jacobian(&state, &[0.3], &mut jacobian)
            .unwrap();
        let of = |name: &str| names.iter().position(|n| n.ends_with(name)).unwrap();
        for name in infinite {
            assert!(
                jacobian
                    .parameters
                    .column(of(name))
                    .iter()
                    .all(|x| *x == 0.0)
            );
        }
        assert!(jacobian.parameters.column(of("stops/upper")).amax() > 0.1);
    }
}
