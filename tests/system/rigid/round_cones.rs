//! Rigid contact with round friction cones.

use crate::support::cases::tier;
use crate::support::derivatives_of_steps::assert_step_jacobian_agrees;
use crate::support::random_contact::Random;
use crate::support::scenes::geometry;
use dualbody::contact::ContactModelBuilder;
use dualbody::gradient;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::prelude::*;
use dualbody::system::{IntegrationMethod, Scheme, SystemOptions};
use dualbody::tree::{BodyIndex, JointKind};
use nalgebra::Vector3;

use num_dual::Dual64;

type Outcome = std::result::Result<(), Box<dyn std::error::Error>>;
type System<T> = TimeSteppingRigidBodySystem<T>;

const G: f64 = 9.81;

fn round() -> SystemOptions {
    let mut options = SystemOptions::default();
    options.round_friction_cones = true;
    options.rigid_contact = true;
    options
}

fn in_steps(
    system: RigidBodySystem<f64>,
    options: SystemOptions,
    scheme: Scheme,
) -> Result<System<f64>> {
    Ok(System::with_scheme(
        system.with_options(options)?,
        0.01,
        scheme,
    )?)
}

/// A puck of 1 kg and friction 0.4 on a floor of the same.
fn puck(options: SystemOptions, scheme: Scheme) -> Result<System<f64>> {
    let ice = ContactMaterial::new(1e5, 0.0, 0.4)?;
    let shape = Shape::new_box(Vector3::new(0.2, 0.2, 0.05))?;
    let system = SystemBuilder::new()
        .floor("floor", ice)
        .free_body("puck", shape, 1.0, ice)
        .build()?;
    in_steps(system, options, scheme)
}

const CONTINUOUS: Scheme = Scheme::Continuous {
    method: IntegrationMethod::RungeKutta4,
    substeps: 1,
};

/// Where it is after a second.
fn slid<T: Scalar>(system: &System<T>, x: &[T]) -> Result<T> {
    let mut start = system.initial_state();
    start.q[6] = T::from(0.025);
    let (sin, cos) = x[1].sin_cos();
    (start.v[3], start.v[4]) = (x[0] * cos, x[0] * sin);
    let last = system.rollout(&start, 100)?.last().clone();
    Ok(T::norm_lifted(&[last.q[4], last.q[5]]))
}

/// It slides `v²/2 μ g`, as implicit steps sum it, in every direction; over a pyramid it slides further between edges.
#[test]
fn a_puck_stops_equally_far_in_all_directions() -> Outcome {
    let system = puck(round(), Scheme::Rigid)?;
    let pyramid = puck(SystemOptions::default(), Scheme::Rigid)?;
    let (speed, dt) = (2.0, 0.01);
    let loss = 0.4 * G * dt;
    let steps = (speed / loss) as usize;
    let expected: f64 = (1..=steps).map(|k| (speed - loss * k as f64) * dt).sum();
    let mut widest: f64 = 0.0;
    for degrees in (0..360).step_by(tier(10, 1)) {
        let x = [speed, f64::from(degrees).to_radians()];
        let distance = slid(&system, &x)?;
        assert!(
            (distance - expected).abs() < 1e-9,
            "{degrees}: {distance} {expected}"
        );
        widest = widest.max(slid(&pyramid, &x)?);
    }
    assert!(widest > 1.2 * expected);
    Ok(())
}

/// `d/dv v²/(2 μ g)`, as steps sum it, and none by the direction.
#[test]
fn the_distance_has_its_derivatives() -> Outcome {
    let system = puck(round(), Scheme::Rigid)?;
    for angle in [0.3, 2.0] {
        let (_, slopes) = gradient!(slid, &system, [2.0, angle])?;
        let h = 1e-6;
        let distance = |speed: f64| slid(&system, &[speed, angle]);
        let expected = (distance(2.0 + h)? - distance(2.0 - h)?) / (2.0 * h);
        assert!((slopes[0] - expected).abs() < 1e-7, "{slopes} {expected}");
        assert!(slopes[1].abs() < 1e-9, "{slopes}");
    }
    Ok(())
}

/// What is pushed from rest goes at `F/m − μ g` along the push, or stays, in continuous time; with the derivatives by the
/// push and friction.
#[test]
fn a_push_from_rest_is_answered_alike_in_all_directions() -> Outcome {
    let system = puck(round(), CONTINUOUS)?
        .system()
        .clone()
        .with_generalized_forces()?;
    let accelerates =
        |system: &RigidBodySystem<Dual64>, push: [Dual64; 2]| -> Result<[Dual64; 2]> {
            let mut state = system.initial_state();
            state.q[6] = Dual64::from(0.025);
            let zero = Dual64::from(0.0);
            let input = [zero, zero, zero, push[0], push[1], zero];
            let mut workspace = system.dynamics_workspace();
            let vdot = system.accelerations(&mut workspace, &state, &input)?;
            Ok([vdot[3], vdot[4]])
        };
    let of_friction = 0.4 * G;
    for degrees in (0..360).step_by(30) {
        let (sin, cos) = f64::from(degrees).to_radians().sin_cos();
        let mut dual = system.cast::<Dual64>();
        let push = |force: Dual64| [force * cos, force * sin];
        let along = |a: [Dual64; 2]| (a[0] * cos + a[1] * sin, a[1] * cos - a[0] * sin);
        let (a, across) = along(accelerates(&dual, push(Dual64::from(5.0).derivative()))?);
        assert!(
            (a.re - (5.0 - of_friction)).abs() < 1e-12 && (a.eps - 1.0).abs() < 1e-12,
            "{a}"
        );
        assert!(
            across.re.abs() < 1e-12 && across.eps.abs() < 1e-12,
            "{across}"
        );
        let (a, _) = along(accelerates(&dual, push(Dual64::from(3.9).derivative()))?);
        assert!(a.re.abs() < 1e-12 && a.eps.abs() < 1e-12, "{a}");
        let friction = Dual64::from(0.4).derivative();
        dual.set_parameter("puck/friction", friction)?;
        dual.set_parameter("floor/friction", friction)?;
        let (a, _) = along(accelerates(&dual, push(Dual64::from(5.0)))?);
        assert!((a.eps + G).abs() < 1e-11, "{a}");
        dual.set_parameter("puck/friction", 0.0.into())?;
        let (a, across) = along(accelerates(&dual, push(Dual64::from(0.0).derivative()))?);
        assert!(a.re.abs() < 1e-12 && (a.eps - 1.0).abs() < 1e-12, "{a}");
        assert!(across.eps.abs() < 1e-12, "{across}");
    }
    Ok(())
}

/// An arm draws its tip over the floor.
#[test]
fn step_jacobians_agree_with_differences() -> Outcome {
    let rubber = ContactMaterial::new(1e5, 0.0, 0.5)?;
    let mut tree = RigidBodyTreeBuilder::<f64>::new();
    let inertia = SpatialInertia::solid_sphere(1.0, 0.2);
    let mut parent = BodyIndex::WORLD;
    for (k, axis) in [Vector3::z(), Vector3::y(), Vector3::y()]
        .into_iter()
        .enumerate()
    {
        let link = tree.add_body(format!("link {k}"), inertia)?;
        let at = RigidTransform::from_translation(Vector3::new(
            if k == 0 { 0.0 } else { 0.4 },
            0.0,
            if k == 0 { 0.3 } else { 0.0 },
        ));
        tree.add_joint(
            format!("joint {k}"),
            JointKind::Continuous { axis },
            parent,
            at,
            link,
        )?;
        parent = link;
    }
    let mut contact = ContactModelBuilder::new();
    contact.add_geometry(geometry(
        "floor",
        BodyIndex::WORLD,
        Shape::HalfSpace,
        rubber,
    ))?;
    let mut tip = geometry("tip", parent, Shape::new_sphere(0.05)?, rubber);
    tip.pose_in_body.translation.x = 0.4;
    contact.add_geometry(tip)?;
    let tree = tree.finish()?;
    let contact = contact.finish(&tree)?;
    let arm = RigidBodySystem::new(tree, contact)?;
    let system = in_steps(arm, round(), Scheme::Rigid)?;
    let mut random = Random::new(5);
    for _ in 0..tier(4, 40) {
        let mut state = system.initial_state();
        // The tip is 0.3 − 0.4 sin a − 0.4 sin (a + b) above the floor.
        let a = random.uniform(-0.2, 0.3);
        let sine = (0.3 - 0.0499 - 0.4 * f64::sin(a)) / 0.4;
        (state.q[1], state.q[2]) = (a, sine.asin() - a);
        for v in &mut state.v {
            *v = random.uniform(-1.0, 1.0);
        }
        assert_step_jacobian_agrees(
            &system,
            (&state, &[]),
            &["tip/friction", "link 2/mass"],
            1e-5,
        );
    }
    Ok(())
}

/// Heaps of boxes on a slope: contacts hold the law, and no step gains energy.
#[test]
fn heaps_hold_the_law_of_friction() -> Outcome {
    let mut random = Random::new(3);
    let (mut sliding, mut sticking) = (0, 0);
    for _ in 0..tier(4, 40) {
        let rubber = ContactMaterial::new(1e5, 0.0, random.uniform(0.2, 0.8))?;
        let mut builder = SystemBuilder::new().floor("floor", rubber);
        for k in 0..3 {
            let size = Vector3::from_fn(|_, _| random.uniform(0.1, 0.3));
            builder = builder.free_body(format!("box {k}"), Shape::new_box(size)?, 1.0, rubber);
        }
        let system = in_steps(builder.build()?, round(), Scheme::Rigid)?;
        let mut state = system.initial_state();
        for k in 0..3 {
            state.q[7 * k + 6] = 0.3 + 0.4 * k as f64;
            for i in 0..6 {
                state.v[6 * k + i] = random.uniform(-1.0, 1.0);
            }
        }
        let mut workspace = system.workspace()?;
        for step in 0..150 {
            let mut next = system.step(&mut workspace, &state, &[])?;
            for contact in next.contacts()? {
                let (force, velocity) = (contact.force, contact.velocity);
                let mu = contact.material.static_friction();
                let (pressed, friction) = (force.z, force.xy());
                let slip = velocity.xy();
                let scale = 1e-7 * (1.0 + pressed);
                assert!(
                    friction.norm() <= mu * pressed + scale,
                    "{step}: {contact:?}"
                );
                let against = friction * slip.norm() + slip * (mu * pressed);
                assert!(against.norm() < scale, "{step}: {contact:?}");
                match slip.norm() > 1e-6 {
                    true => sliding += 1,
                    false => sticking += 1,
                }
            }
            state = next.state().clone();
        }
    }
    assert!(sliding > 100 && sticking > 100, "{sliding} {sticking}");
    Ok(())
}
