//! Surfaces that are all rigid.

use dualbody::contact::ContactError;
use dualbody::prelude::*;
use dualbody::system::{IntegrationMethod, RigidBodySystem, Scheme, SystemError, SystemOptions};

const G: f64 = 9.81;

/// A box of 2 kg on the floor, each of a rigid material of its own.
fn builder() -> Result<SystemBuilder<f64>> {
    Ok(SystemBuilder::new()
        .floor("floor", ContactMaterial::rigid(0.2)?)
        .free_body(
            "box",
            Shape::new_box(Vector3::repeat(0.1))?,
            2.0,
            ContactMaterial::rigid(0.6)?,
        ))
}

fn on_the_floor(system: &RigidBodySystem<f64>, speed: f64) -> State<f64> {
    let mut state = system.initial_state();
    (state.q[6], state.v[3]) = (0.05, speed);
    state
}

/// It slides with the harmonic mean of the two coefficients, 0.3.
#[test]
fn a_box_slides_by_the_friction_of_both_materials() -> Result<()> {
    let (dt, speed) = (1e-3, 1.0);
    let system = builder()?.rigid(dt)?;
    let start = on_the_floor(&system, speed);
    let end = system.rollout(&start, 100)?;
    let expected = speed - 0.3 * G * 0.1;
    assert!((end.last().v[3] - expected).abs() < 1e-9);
    // At an instant, too.
    let mut options = SystemOptions::default();
    options.rigid_contact = true;
    let system = builder()?.build()?.with_options(options)?;
    let mut workspace = system.dynamics_workspace();
    let start = on_the_floor(&system, speed);
    let rates = system.accelerations(&mut workspace, &start, &[])?;
    assert!((rates[3] + 0.3 * G).abs() < 1e-9, "{rates:?}");
    Ok(())
}

#[test]
fn compliant_contact_refuses_them_by_name() -> Result<()> {
    let check = |error: SystemError| {
        let SystemError::Contact(ContactError::RigidPair { first, second }) = &error else {
            panic!("{error}");
        };
        let mut names = [first.as_str(), second.as_str()];
        names.sort_unstable();
        assert_eq!(names, ["box", "floor"]);
    };
    check(builder()?.compliant(1e-3).unwrap_err());
    let scheme = Scheme::Continuous {
        method: IntegrationMethod::RungeKutta4,
        substeps: 1,
    };
    let system = builder()?.build()?;
    check(TimeSteppingRigidBodySystem::with_scheme(system, 1e-3, scheme).unwrap_err());
    let system = builder()?.build()?;
    let mut start = on_the_floor(&system, 0.0);
    let mut workspace = system.dynamics_workspace();
    start.q[6] = 0.0499;
    check((system.accelerations(&mut workspace, &start, &[])).unwrap_err());
    Ok(())
}
