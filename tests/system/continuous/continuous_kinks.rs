//! What steps in continuous time say about kinks.

use crate::support::scenes::{body_over_ground, free_body};
use dualbody::constraint::ConstraintKinkKind;
use dualbody::contact::ContactMaterial;
use dualbody::force::JointStops;
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::solver::implicit_stribeck::KinkKind;
use dualbody::system::{
    IntegrationMethod, RigidBodySystem, Scheme, State, StepKink, StepStatus, SystemBuilder,
    SystemOptions, TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use nalgebra::{DVector, Vector3};
use num_dual::Dual64;

const H: f64 = 1e-3;

fn schemes() -> [Scheme; 2] {
    [IntegrationMethod::RungeKutta4, IntegrationMethod::Radau3].map(|method| {
        let substeps = 1;
        Scheme::Continuous { method, substeps }
    })
}

/// A ball of radius 5 cm at a height above the ground, and the step that it makes.
fn step_of_ball(scheme: Scheme, rigid: bool, [gap, speed]: [f64; 2]) -> (StepStatus, State<f64>) {
    let shape = Shape::new_sphere(0.05).unwrap();
    let material = ContactMaterial::new(1e4, 2.0, 0.3).unwrap();
    let system = body_over_ground(shape, 4e-4, material, H).into_system();
    let mut options = SystemOptions::default();
    options.rigid_contact = rigid;
    let system = system.with_options(options).unwrap();
    let system = TimeSteppingRigidBodySystem::with_scheme(system, H, scheme).unwrap();
    let (position, linear) = ([0.0, 0.0, 0.05 + gap], [0.0, 0.0, speed]);
    let start = free_body([1.0, 0.0, 0.0, 0.0], position, [0.0; 3], linear);
    let mut workspace = system.workspace().unwrap();
    let unasked = system.step(&mut workspace, &start, &[]).unwrap();
    if scheme != Scheme::Rigid {
        assert_eq!(unasked.status().nearest_kinks.iter().count(), 0);
    }
    workspace.set_kink_search(true);
    let step = system.step(&mut workspace, &start, &[]).unwrap();
    (*step.status(), step.state().clone())
}

/// The kink of compliant contact, with its kind and its distance.
fn contact_kink(status: &StepStatus) -> (KinkKind, f64) {
    match status.nearest_kinks.in_unit("m/s") {
        Some(&StepKink::ContactOfPair {
            pair: 0,
            kind,
            distance,
        }) => (kind, distance),
        other => panic!("{other:?}"),
    }
}

#[test]
fn contacts_that_are_about_to_close_or_open_are_named() {
    for scheme in schemes() {
        for rigid in [false, true] {
            // It falls towards the ground, which it is nearest to at the end.
            let (status, end) = step_of_ball(scheme, rigid, [2e-4, -0.1]);
            let (kind, distance) = contact_kink(&status);
            assert_eq!(kind, KinkKind::Touching);
            let gap = end.q[6] - 0.05;
            assert!((distance - gap / H).abs() < 1e-9, "{distance} {gap}");
            // Far away there is nothing.
            let (far, _) = step_of_ball(scheme, rigid, [1.0, -0.1]);
            assert_eq!(far.nearest_kinks.iter().count(), 0);
        }
        // It leaves the ground, to which it is nearest at the end.
        let (status, end) = step_of_ball(scheme, false, [-3e-4, 0.2]);
        let (kind, distance) = contact_kink(&status);
        let depth = 0.05 - end.q[6];
        assert!(kind == KinkKind::Touching && depth > 0.0);
        assert!((distance - depth / H).abs() < 1e-9, "{distance} {depth}");
        // Nearly as fast as the dissipation lets a force act on, at 0.5 m/s.
        let (status, end) = step_of_ball(scheme, false, [-2e-3, 0.45]);
        let (kind, distance) = contact_kink(&status);
        assert_eq!(kind, KinkKind::Clamping);
        let nearest = f64::min(0.05, (end.v[5] - 0.5).abs());
        assert!((distance - nearest).abs() < 1e-12, "{distance} {nearest}");
    }
}

#[test]
fn rigid_contacts_that_rest_are_named() {
    for scheme in schemes() {
        let (status, _) = step_of_ball(scheme, true, [-1e-6, 0.0]);
        let Some(StepKink::Constraint { kink, .. }) = status.nearest_kinks.in_unit("N") else {
            panic!("{:?}", status.nearest_kinks);
        };
        // What friction of 0.3 could hold.
        assert_eq!(kink.kind, ConstraintKinkKind::Slipping);
        let slack = 0.3 * 0.37 * 9.81;
        assert!((kink.distance - slack).abs() < 1e-9, "{kink:?}");
        // At a gap of zero derivatives are one-sided.
        let (status, _) = step_of_ball(scheme, true, [0.0, 0.0]);
        assert!(
            status
                .nearest_kinks
                .iter()
                .any(|kink| kink.distance() == 0.0)
        );
    }
}

#[test]
fn changes_of_features_are_named() {
    let rubber = ContactMaterial::new(1e4, 0.3, 0.4).unwrap();
    let cube = || Shape::new_box(Vector3::repeat(0.1)).unwrap();
    let system = SystemBuilder::new()
        .free_body("lower", cube(), 1.0, rubber)
        .free_body("upper", cube(), 1.0, rubber)
        .build()
        .unwrap();
    for scheme in schemes() {
        let system = TimeSteppingRigidBodySystem::with_scheme(system.clone(), H, scheme).unwrap();
        let mut start = system.initial_state();
        (start.q[11], start.q[12], start.q[13]) = (1e-3, 2e-3, 0.0999);
        // The upper one slides back over the lower one.
        start.v[9] = -0.1;
        let mut workspace = system.workspace().unwrap();
        workspace.set_kink_search(true);
        let step = system.step(&mut workspace, &start, &[]).unwrap();
        let kink = step.status().nearest_geometry_kink.unwrap();
        let offset = (step.state().q[11] - step.state().q[4]).abs();
        assert!((kink.distance - offset).abs() < 1e-5, "{kink:?} {offset}");
        assert!(offset < 0.95e-3);
    }
}

#[test]
fn stops_are_visited_at_both_ends() {
    let mut tree = RigidBodyTreeBuilder::new();
    let cart = tree
        .add_body("cart", SpatialInertia::solid_sphere(1.0, 0.1))
        .unwrap();
    let kind = JointKind::Prismatic { axis: Vector3::x() };
    let at = RigidTransform::identity();
    let rail = (tree.add_joint("rail", kind, BodyIndex::WORLD, at, cart)).unwrap();
    let tree = tree.finish().unwrap();
    let stop = JointStops::new("stop", &tree, rail, 1e3, 0.5, [-1.0, 2.0]).unwrap();
    let contact = dualbody::contact::ContactModel::none();
    let system = RigidBodySystem::new(tree, contact).unwrap();
    let system = system.with_forces([stop]).unwrap();
    for scheme in schemes() {
        let system = TimeSteppingRigidBodySystem::with_scheme(system.clone(), H, scheme).unwrap();
        let start = State::new(DVector::from_vec(vec![1.9]), DVector::from_vec(vec![20.0]));
        let mut workspace = system.workspace().unwrap();
        let mut step = system.step(&mut workspace, &start, &[]).unwrap();
        let mut distances = Vec::new();
        step.visit_element_kinks(&mut |kink| {
            if kink.change == "upper stop" {
                distances.push(kink.distance);
            }
        })
        .unwrap();
        let end = step.state().q[0];
        assert_eq!(distances.len(), 2, "{distances:?}");
        assert!((distances[0] - 0.1).abs() < 1e-12 && (distances[1] - (2.0 - end)).abs() < 1e-12);
        assert!(distances[1] < 0.081);
    }
}

#[test]
fn accelerations_have_the_kinks_of_contacts_and_limits() {
    let shape = Shape::new_sphere(0.05).unwrap();
    let material = ContactMaterial::new(1e4, 2.0, 0.3).unwrap();
    let soft = body_over_ground(shape, 4e-4, material, H).into_system();
    let mut options = SystemOptions::default();
    options.rigid_contact = true;
    let rigid = soft.clone().with_options(options).unwrap();
    let at = |z| free_body([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, z], [0.0; 3], [0.0; 3]);
    let mut workspace = soft.dynamics_workspace();
    let (kinks, _) = (soft.nearest_kinks(&mut workspace, &at(0.0501), &[], 0.02)).unwrap();
    let touching = kinks.in_unit("m/s").unwrap().distance();
    assert!((touching - 1e-4 / 0.02).abs() < 1e-12, "{touching}");
    // Nothing can touch so soon.
    let (kinks, _) = (soft.nearest_kinks(&mut workspace, &at(0.06), &[], 1e-3)).unwrap();
    assert_eq!(kinks.iter().count(), 0);
    let (kinks, _) = (rigid.nearest_kinks(&mut workspace, &at(0.05), &[], 1e-3)).unwrap();
    let slack = kinks.in_unit("N").unwrap().distance();
    assert!((slack - 0.3 * 0.37 * 9.81).abs() < 1e-9, "{slack}");
    for horizon in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!((soft.nearest_kinks(&mut workspace, &at(0.06), &[], horizon)).is_err());
    }
    assert!((soft.nearest_kinks(&mut workspace, &at(0.06), &[0.0; 5], 1e-3)).is_err());
    // Duals have the same.
    let dual = soft.cast::<Dual64>();
    let mut workspace = dual.dynamics_workspace();
    let state = at(0.0501).cast::<Dual64>();
    let (kinks, _) = (dual.nearest_kinks(&mut workspace, &state, &[], 0.02)).unwrap();
    assert_eq!(kinks.in_unit("m/s").unwrap().distance(), touching);
}

/// A gap of a millionth of a metre is not nearer than an impulse, nor further.
#[test]
fn the_nearest_kink_of_each_unit_is_named() {
    let (status, _) = step_of_ball(Scheme::Rigid, false, [-1e-6, 0.0]);
    let kinks: Vec<_> = status.nearest_kinks.iter().collect();
    let of = |unit: &str| match status.nearest_kinks.in_unit(unit) {
        Some(StepKink::Constraint { kink, .. }) => (kink.kind, kink.distance),
        other => panic!("{unit}: {other:?}"),
    };
    let (kind, gap) = of("m");
    assert!(kind == ConstraintKinkKind::Touching && (gap - 1e-6).abs() < 1e-12);
    let (kind, slack) = of("N s");
    let weight = 0.37 * 9.81 * H;
    assert_eq!(kind, ConstraintKinkKind::Slipping);
    assert!(
        (slack - 0.3 * weight).abs() < 1e-9 * weight.max(1.0),
        "{slack}"
    );
    assert_eq!(kinks.len(), 2, "{kinks:?}");
}
