//! A cube that stands, tumbles and slides on eight points that stick by springs: no step fails, no energy comes from
//! nowhere, and derivatives and the certificate know of the points.

use crate::support::random_contact::Random;
use dualbody::actuator::BristleContact;
use dualbody::contact::{ContactMaterial, ContactModel};
use dualbody::force::BodyPoint;
use dualbody::math::SpatialInertia;
use dualbody::system::{
    RigidBodySystem, State, StepDifferentiator, StepJacobian, StepKink, StepStatus,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
use nalgebra::{DVector, UnitQuaternion, Vector3};

type System = TimeSteppingRigidBodySystem<f64>;

const HALF: f64 = 0.05;

struct Case {
    system: System,
    start: State<f64>,
}

fn case(seed: u64, dt: f64) -> Case {
    let mut random = Random::new(seed * 7919 + 5);
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_box(1.0, &Vector3::repeat(2.0 * HALF));
    let cube = tree.add_body("cube", inertia).unwrap();
    let tree = tree.finish().unwrap();
    let friction = [0.0, 0.5, 1.5][seed as usize % 3];
    let stiffness = 10f64.powf(random.uniform(4.0, 6.0));
    let dissipation = random.uniform(0.0, 0.3);
    let material = ContactMaterial::new(stiffness, dissipation, friction).unwrap();
    let across = [0.8 * stiffness, [0.0, 5.0, 50.0][(seed as usize / 3) % 3]];
    let relaxation = [1e-5, 1e-3][seed as usize % 2];
    let points = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| {
        let at = Vector3::from_fn(|k, _| if i >> k & 1 == 0 { -HALF } else { HALF });
        let (name, point) = (format!("corner{i}"), BodyPoint::new(cube, at));
        let plane = BodyIndex::WORLD;
        let made = BristleContact::new(name, &tree, point, plane, material, across, relaxation);
        made.unwrap()
    });
    let machine = RigidBodySystem::new(tree, ContactModel::none())
        .unwrap()
        .with_actuators(points)
        .unwrap();
    let system = System::compliant(machine, dt).unwrap();
    let mut vector = |size: f64| Vector3::from_fn(|_, _| random.uniform(-size, size));
    let turned = UnitQuaternion::from_scaled_axis(vector(3.0));
    let (spin, speed) = (vector(8.0), vector(2.0));
    let mut start = system.initial_state();
    (start.q.as_mut_slice()[..4]).copy_from_slice(&[turned.w, turned.i, turned.j, turned.k]);
    start.q[6] = 0.12;
    start.v.fixed_rows_mut::<3>(0).copy_from(&spin);
    start.v.fixed_rows_mut::<3>(3).copy_from(&speed);
    Case { system, start }
}

fn energy(system: &System, state: &State<f64>) -> f64 {
    let energy = system.energy(state, &[]).unwrap();
    energy.kinetic + energy.gravitational + energy.actuators.stored
}

/// Steps from the start of a case, to what `visit` says of the state before and the status.
fn run(
    Case { system, start }: &Case,
    steps: usize,
    mut visit: impl FnMut(&State<f64>, &StepStatus, &State<f64>),
) -> Result<(), String> {
    let mut workspace = system.workspace().unwrap();
    let mut state = start.clone();
    for k in 0..steps {
        let step = system.step(&mut workspace, &state, &[]);
        let step = step.map_err(|e| format!("step {k}: {e}"))?;
        visit(&state, step.status(), step.state());
        state = step.state().clone();
    }
    Ok(())
}

#[test]
fn no_step_fails_and_no_energy_comes_from_nowhere() {
    let (mut divided, mut turned) = (0, 0);
    for (dt, seeds) in [(1e-3, 12), (2e-3, 12), (5e-3, 150)] {
        for seed in 0..seeds {
            let case = case(seed, dt);
            let before = energy(&case.system, &case.start);
            let mut most = before;
            let result = run(&case, (0.6 / dt) as usize, |_, status, state| {
                most = most.max(energy(&case.system, state));
                divided += usize::from(status.parts == 16);
                turned += usize::from(status.parts > 1);
            });
            assert!(result.is_ok(), "{dt} {seed}: {result:?}");
            assert!(most < (1.0 + 1e-3) * before, "{dt} {seed}: {most} {before}");
        }
    }
    assert!(divided > 0 && turned > divided, "{divided} {turned}");
}

/// The derivative along a direction agrees with differences where the certificate says that no kink is near.
#[test]
fn derivatives_hold_where_no_kink_is_near() {
    let (mut checked, mut near, mut worst) = (0, 0, 0.0f64);
    for seed in 0..36 {
        let dt = [1e-3, 2e-3, 5e-3][seed as usize / 12];
        let case = case(seed, dt);
        let system = &case.system;
        let mut differentiator = StepDifferentiator::new(system, &["corner3/stiffness"]).unwrap();
        let mut jacobian = StepJacobian::default();
        let mut random = Random::new(seed);
        let mut workspace = system.workspace().unwrap();
        let mut k = 0;
        let result = run(&case, (0.4 / dt) as usize, |state, status, next| {
            k += 1;
            if state.actuators.amax() == 0.0 || k % 7 != 0 {
                return;
            }
            let end = differentiator.jacobian(state, &[], &mut jacobian).unwrap();
            assert_eq!((&end.q, &end.v), (&next.q, &next.v), "{seed} {k}");
            let mut moves = DVector::from_fn(12, |_, _| random.uniform(-1.0, 1.0));
            moves.rows_mut(0, 6).scale_mut(1e-2);
            let bent = DVector::from_fn(16, |_, _| random.uniform(-1e-4, 1e-4));
            let mut at = |h: f64| {
                let mut moved = state.clone();
                let (q, way) = (moved.q.as_mut_slice(), &moves.as_slice()[..6]);
                system
                    .tree()
                    .integrate(state.q.as_slice(), way, h, q)
                    .unwrap();
                moved.v += moves.rows(6, 6) * h;
                moved.actuators += &bent * h;
                let step = system.step(&mut workspace, &moved, &[]).unwrap();
                (stacked(&moved), stacked(step.state()))
            };
            let mut error_at = |h: f64| {
                let (high, low) = (at(h), at(-h));
                let along = (high.0 - low.0) / (2.0 * h);
                let expected = (high.1 - low.1) / (2.0 * h);
                let found = &jacobian.state * along;
                (&found - &expected).amax() / expected.amax()
            };
            let error = [1e-4, 1e-5, 1e-6].map(&mut error_at);
            let error = error.into_iter().fold(f64::INFINITY, f64::min);
            let is_near = (status.nearest_kinks.iter()).any(|kink| kink.distance() < 1e-6)
                || status.division_margin.is_some_and(|margin| margin < 1e-6);
            if is_near {
                near += 1;
            } else {
                worst = worst.max(error);
                assert!(error < 2e-5, "{seed} {k}: {error:e} {status:?}");
                checked += 1;
            }
        });
        assert!(result.is_ok(), "{result:?}");
    }
    assert!(
        checked > 100 && near < checked / 4,
        "{checked} {near} {worst:e}"
    );
}

fn stacked(state: &State<f64>) -> DVector<f64> {
    let parts = [&state.q, &state.v, &state.actuators];
    let all = parts.iter().flat_map(|part| part.iter().copied());
    DVector::from_vec(all.collect())
}

/// The distance of the nearest corner from the plane at the end of the step.
#[test]
fn the_certificate_names_the_touch() {
    let Case { system, mut start } = case(1, 1e-3);
    let mut workspace = system.workspace().unwrap();
    start.q.as_mut_slice()[..4].copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
    start.v.fill(0.0);
    for (height, is_seen) in [(1.5e-5, true), (0.5, false)] {
        start.q[6] = HALF + height;
        let status = *system.step(&mut workspace, &start, &[]).unwrap().status();
        let expected = is_seen.then_some(("touching", "m"));
        let found = (status.nearest_kinks.in_unit("m")).map(|kink| match *kink {
            StepKink::Actuator {
                change,
                unit,
                distance,
            } => {
                assert!((distance - (height - 9.81e-6)).abs() < 1e-12, "{distance}");
                (change, unit)
            }
            _ => panic!("{kink:?}"),
        });
        assert_eq!(found, expected);
    }
}
