//! Gravity and masses of bodies of a machine, set at once: all that depends on them follows.

use crate::support::scenes::cube;
use dualbody::prelude::*;
use dualbody::system::{IntegrationMethod, Scheme, SystemError};
use num_dual::Dual64;

const SCHEMES: [Scheme; 3] = [
    Scheme::Compliant,
    Scheme::Rigid,
    Scheme::Continuous {
        method: IntegrationMethod::ImplicitMidpoint,
        substeps: 2,
    },
];

fn in_scheme(scheme: Scheme) -> TimeSteppingRigidBodySystem<f64> {
    let material = ContactMaterial::new(1e4, 0.5, 0.3).unwrap();
    let system = SystemBuilder::new()
        .floor("floor", material)
        .free_body(
            "box",
            Shape::new_box(Vector3::repeat(0.1)).unwrap(),
            1.0,
            material,
        )
        .build()
        .unwrap();
    TimeSteppingRigidBodySystem::with_scheme(system, 1e-3, scheme).unwrap()
}

/// A box that tumbles over the floor.
fn tumble(system: &TimeSteppingRigidBodySystem<f64>) -> State<f64> {
    let mut start = system.initial_state();
    let height = vector![0.0, 0.0, 0.08];
    (system.set_body_position(&mut start, "box", height)).unwrap();
    start.v.copy_from_slice(&[1.0, 4.0, -2.0, 0.5, 0.1, -1.0]);
    system.rollout(&start, 60).unwrap().last().clone()
}

#[test]
fn what_is_set_at_once_is_what_names_set() {
    for scheme in SCHEMES {
        let (before, mut at_once, mut by_names) = (
            tumble(&in_scheme(scheme)),
            in_scheme(scheme),
            in_scheme(scheme),
        );
        at_once.set_gravity(vector![1.0, 0.0, -1.62]).unwrap();
        by_names.set_parameter("gravity/x", 1.0).unwrap();
        by_names.set_parameter("gravity/z", -1.62).unwrap();
        let lighter = tumble(&at_once);
        assert_eq!(lighter, tumble(&by_names), "{scheme:?}");
        assert_ne!(lighter, before, "{scheme:?}");
        at_once.set_body_mass("box", 3.0).unwrap();
        let moments = ["xx", "yy", "zz"].map(|axis| format!("box/rotational_inertia/{axis}"));
        let moment = by_names.parameter(&moments[0]).unwrap();
        let mut values = vec![(by_names.parameter_index("body/box/mass").unwrap(), 3.0)];
        let indices = by_names.parameter_indices(&moments).unwrap();
        values.extend(indices.into_iter().map(|index| (index, 3.0 * moment)));
        by_names.set_parameters(&values).unwrap();
        let heavier = tumble(&at_once);
        assert_eq!(heavier, tumble(&by_names), "{scheme:?}");
        assert_ne!(heavier, lighter, "{scheme:?}");
    }
}

/// A push changes the velocity by its impulse over the mass, and the derivative is that of the quotient.
#[test]
fn outcomes_are_differentiated_by_gravity_and_mass() {
    let system = cube(1e-3).into_system().with_generalized_forces().unwrap();
    let system = TimeSteppingRigidBodySystem::compliant(system, 1e-3).unwrap();
    let mut system = system.cast::<Dual64>();
    let body = system
        .tree()
        .body(dualbody::tree::BodyIndex::new(1))
        .unwrap();
    let name = body.name().to_owned();
    system.set_body_mass(&name, Dual64::new(2.0, 1.0)).unwrap();
    (system.set_gravity([0.0, 0.0, 3.0].map(Dual64::from).into())).unwrap();
    let mut workspace = system.workspace().unwrap();
    let mut start = system.initial_state();
    start.q[6] = Dual64::from(10.0);
    let mut push = vec![Dual64::from(0.0); system.num_inputs()];
    push[3] = Dual64::from(8.0);
    let step = system.step(&mut workspace, &start, &push).unwrap();
    let (sideways, up) = (step.state().v[3], step.state().v[5]);
    assert!((sideways.re - 4e-3).abs() < 1e-15 && (sideways.eps + 2e-3).abs() < 1e-15);
    assert!((up.re - 3e-3).abs() < 1e-15 && up.eps.abs() < 1e-15);
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut system = in_scheme(Scheme::Compliant);
    let before = (system.parameters(), tumble(&system));
    for (body, mass, text) in [
        ("ball", 1.0, r#"there is no body "ball""#),
        (
            "box",
            -1.0,
            r#"body "box": mass = -1, expected a positive number"#,
        ),
        ("box", f64::NAN, r#"body "box": mass = NaN"#),
        ("world", 1.0, r#"body "world": mass before = 0"#),
    ] {
        let error: SystemError = system.set_body_mass(body, mass).unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
        let error = system.clone().into_system().set_body_mass(body, mass);
        assert!(error.is_err());
    }
    let bad = vector![0.0, 0.0, f64::NAN];
    assert!(system.set_gravity(bad).is_err());
    assert_eq!((system.parameters(), tumble(&system)), before);
}
