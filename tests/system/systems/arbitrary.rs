//! Arbitrary numbers (not finite, subnormal, huge) and sizes through the public surface, and damaged files: an
//! error or finite results.

use crate::elements::every_element::{
    Machine, actuators, constraints, forces, frictions, lively, mechanism, sensors,
};
use crate::support::arbitrary_number::{self, HOSTILE};
use crate::support::cases::cases;
use crate::support::cases::tier;
use crate::support::random_contact::Random;
use dualbody::constraint::{MotionProfile, MotionSpline};
use dualbody::contact::ContactMaterial;
use dualbody::geometry::{Shape, signed_distance};
use dualbody::integrator::{DormandPrince, ImplicitRungeKutta};
use dualbody::math::{RigidTransform, SpatialInertia, rotation};
use dualbody::solver::lcp::{LcpSolver, LinearComplementarityProblem};
use dualbody::system::{
    IntegrationMethod, RigidBodyFlow, Scheme, State, SystemBuilder, TimeSteppingRigidBodySystem,
    read_signal, write_signal,
};
use dualbody::{Parameters, Scalar};
use nalgebra::{DMatrix, DVector, Vector3};
use num_dual::Dual3_64;
use proptest::prelude::*;
use std::error::Error;

type Failure = Box<dyn Error>;

fn number() -> impl Strategy<Value = f64> {
    arbitrary_number::number(3, 2)
}

fn shape(kind: usize, x: &[f64]) -> Result<Shape<f64>, Failure> {
    let size = Vector3::new(x[0], x[1], x[2]);
    Ok(match kind % 7 {
        0 => Shape::new_sphere(x[0])?,
        1 => Shape::new_capsule(x[0], x[1])?,
        2 => Shape::new_cylinder(x[0], x[1])?,
        3 => Shape::new_box(size)?,
        4 => Shape::new_ellipsoid(size)?,
        5 => Shape::new_convex(&[size, -size, Vector3::x(), Vector3::y(), Vector3::z() * x[3]])?,
        _ => Shape::HalfSpace,
    })
}

/// A body of some shape over the ground, with numbers for everything, moved by every scheme and by a flow.
fn move_body(kind: usize, x: &[f64]) -> Result<(), Failure> {
    let material = ContactMaterial::new(x[4], x[5], x[6])?;
    let system = SystemBuilder::new()
        .floor("floor", ContactMaterial::rigid(x[7])?)
        .free_body("body", shape(kind, x)?, x[8], material)
        .build()?
        .with_generalized_forces()?;
    let mut state = system.initial_state();
    state.q[3] = x[9];
    state.q.as_mut_slice()[4..7].copy_from_slice(&x[10..13]);
    state.v.copy_from_slice(&x[13..19]);
    let method = IntegrationMethod::Radau3;
    for scheme in [
        Scheme::Compliant,
        Scheme::Rigid,
        Scheme::Continuous {
            method,
            substeps: 1,
        },
    ] {
        let stepper = TimeSteppingRigidBodySystem::with_scheme(system.clone(), x[19], scheme);
        let Ok(stepper) = stepper else { continue };
        let mut workspace = stepper.workspace()?;
        if let Ok(mut step) = stepper.step(&mut workspace, &state, &x[20..26]) {
            let next = step.state();
            assert!(
                next.q.iter().chain(&next.v).all(|x| x.is_finite()),
                "{scheme:?}"
            );
            for contact in step.contacts()? {
                assert!(contact.force.iter().all(|f| f.is_finite()), "{scheme:?}");
            }
        }
    }
    for rigid in [false, true] {
        let mut options = *system.options();
        options.rigid_contact = rigid;
        let system = system.clone().with_options(options)?;
        let mut flow = RigidBodyFlow::new(&system)?;
        let mut y = Vec::new();
        flow.write_state(&state, &mut y);
        let mut method = DormandPrince::new(1e-3, 1e-3)?.with_limits(200, 20);
        let mut events = Vec::new();
        let end = x[19].abs();
        let result = method.integrate_with_events(&mut flow, 0.0, end, &mut y, |_| {}, &mut events);
        if result.is_ok() {
            assert!(y.iter().all(|x| x.is_finite()), "{y:?}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn a_machine_of_any_numbers_is_refused_or_moves(
        kind in 0usize..7,
        x in prop::collection::vec(number(), 26),
        y in prop::collection::vec(0.01..1.0f64, 26),
        mixed in prop::collection::vec(0usize..8, 26),
    ) {
        let _ = move_body(kind, &x);
        // Mostly sensible.
        let some: Vec<f64> = (0..26).map(|i| if mixed[i] == 0 { x[i] } else { y[i] }).collect();
        let _ = move_body(kind, &some);
    }

    #[test]
    fn distances_of_any_numbers_are_finite_or_errors(
        kinds in [0usize..7, 0usize..7],
        x in prop::collection::vec(number(), 4),
        y in prop::collection::vec(number(), 4),
        at in prop::collection::vec(number(), 6),
    ) {
        let (Ok(a), Ok(b)) = (shape(kinds[0], &x), shape(kinds[1], &y)) else {
            return Ok(());
        };
        let turn = rotation::quaternion_exp(&Vector3::new(at[3], at[4], at[5]));
        let pose = RigidTransform {
            rotation: rotation::matrix_from_quaternion(&turn),
            translation: Vector3::new(at[0], at[1], at[2]),
        };
        if let Ok(distance) = signed_distance(&a, &pose, &b, &RigidTransform::identity()) {
            prop_assert!(distance.is_finite(), "{a:?} {b:?} {pose:?}: {distance}");
        }
    }

    #[test]
    fn complementarity_problems_of_any_numbers_are_solved_or_errors(
        n in 0usize..6,
        rows in 0usize..7,
        x in prop::collection::vec(number(), 42),
    ) {
        let matrix = DMatrix::from_fn(rows, n, |i, j| x[i * 6 + j]);
        let vector = DVector::from_fn(rows, |i, _| x[36 + i.min(5)]);
        let mut solver = LcpSolver::default();
        if let Ok(problem) = LinearComplementarityProblem::new(&matrix, vector.as_slice())
            && let Ok(solution) = solver.solve(problem)
        {
            prop_assert!(solution.z.iter().chain(solution.w.iter()).all(|x| x.is_finite()));
        }
    }

    #[test]
    fn small_things_of_any_numbers_are_finite_or_errors(
        x in prop::collection::vec(number(), 0..12),
        c in prop::collection::vec(number(), 3),
    ) {
        if let Ok(spline) = MotionSpline::through(c[0], c[1], &x) {
            let [position, velocity, acceleration] = MotionProfile::Spline(spline).at(c[2]);
            let finite = [position, velocity, acceleration].iter().all(|x| x.is_finite());
            prop_assert!(finite || !c[2].is_finite() || x.iter().any(|x| x.abs() > 1e100));
        }
        if let Ok(e) = ContactMaterial::new(c[0], c[1], 0.1).and_then(|m| m.restitution_at(c[2])) {
            prop_assert!((0.0..=1.0).contains(&e), "{c:?}: {e}");
        }
        if let Ok(d) = ContactMaterial::dissipation_of(c[0], c[1]) {
            prop_assert!(d >= 0.0 && d.is_finite());
        }
        let inertia = SpatialInertia::solid_box(c[0], &Vector3::new(c[1], c[2], 1.0));
        let _ = inertia.validate(1e-9);
        let _ = DormandPrince::<f64>::new(c[0], c[1]).map(|m| m.with_max_step(c[2]));
        let _ = ImplicitRungeKutta::<f64>::radau_5();
        // What is finite in f64 is not NaN in duals.
        let [a, b] = [c[0], c[1]].map(|x| Dual3_64::new(x, 1.0, 0.0, 0.0));
        for (name, y) in [
            ("sqrt", a.sqrt_lifted()),
            ("tanh", a.tanh_lifted()),
            ("atan2", a.atan2_lifted(b)),
            ("norm", Dual3_64::norm_lifted(&[a, b])),
            ("max", a.max_lifted(b)),
            ("clamp", a.clamp_lifted(-b, b)),
        ] {
            let derivatives = [y.v1, y.v2, y.v3];
            let sane = derivatives.iter().all(|x| !x.is_nan());
            let input = c[0].is_finite() && c[1].is_finite();
            prop_assert!(!input || !y.re.is_finite() || sane, "{name} of {c:?}: {y:?}");
        }
    }

    #[test]
    fn damaged_signals_are_refused_or_read(
        values in prop::collection::vec(proptest::num::f64::ANY, 0..20),
        place in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = Vec::new();
        write_signal(&mut bytes, &values).unwrap();
        let read = read_signal(&mut bytes.as_slice()).unwrap();
        let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(&read), bits(&values));
        let at = place.index(bytes.len());
        bytes[at] = byte;
        if let Ok(read) = read_signal(&mut bytes.as_slice()) {
            prop_assert!(4 + 8 * read.len() <= bytes.len());
        }
        bytes.truncate(cut.index(bytes.len()));
        if let Ok(read) = read_signal(&mut bytes.as_slice()) {
            prop_assert!(4 + 8 * read.len() <= bytes.len());
        }
    }
}

/// States in bytes that something has damaged: an error, with the state as it was, or one of the same size.
#[test]
fn damaged_states_are_refused_or_read() {
    let system = SystemBuilder::new()
        .free_body(
            "body",
            Shape::new_sphere(0.1).unwrap(),
            1.0,
            ContactMaterial::rigid(0.1).unwrap(),
        )
        .build()
        .unwrap();
    let state = system.initial_state();
    let mut whole = Vec::new();
    state.write(&mut whole).unwrap();
    let mut random = Random::new(11);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..2000 {
        let mut bytes = whole.clone();
        for _ in 0..=random.index(3) {
            let at = random.index(bytes.len());
            bytes[at] = random.index(256) as u8;
        }
        bytes.truncate(bytes.len() - random.index(2) * random.index(bytes.len()));
        let mut target = state.clone();
        match target.read(&mut bytes.as_slice()) {
            Ok(()) => read += 1,
            Err(_) => {
                assert_eq!(target, state);
                refused += 1;
            }
        }
        assert_eq!(target.q.len() + target.v.len(), 13);
    }
    assert!(read > 100 && refused > 100, "{read} {refused}");
}

/// What comes of a state in steps, rates and energies: errors, or finite numbers. Names what is neither.
fn move_mechanism(machine: &Machine, state: &State<f64>, input: &[f64]) -> Result<(), String> {
    let finite = |what: &str, numbers: &[f64]| match numbers.iter().all(|x| x.is_finite()) {
        true => Ok(()),
        false => Err(format!("{what}: {numbers:?}")),
    };
    let mut workspace = machine.dynamics_workspace();
    if let Ok(vdot) = machine.accelerations(&mut workspace, state, input) {
        finite("accelerations", vdot)?;
        if let Ok((kinks, _)) = machine.nearest_kinks(&mut workspace, state, input, 1e-3) {
            let distances: Vec<f64> = kinks.iter().map(|kink| kink.distance()).collect();
            if distances.iter().any(|d| d.is_nan() || *d < 0.0) {
                return Err(format!("kinks: {distances:?}"));
            }
        }
    }
    if let Ok(rest) = machine.equilibrium(state, input, 1e-6) {
        finite("equilibrium", rest.q.as_slice())?;
    }
    if let Ok(energy) = machine.energy(state, input) {
        finite("energy", &[energy.kinetic, energy.gravitational])?;
    }
    let continuous = |method| Scheme::Continuous {
        method,
        substeps: 1,
    };
    for scheme in [
        Scheme::Compliant,
        Scheme::Rigid,
        continuous(IntegrationMethod::RungeKutta4),
        continuous(IntegrationMethod::Radau3),
    ] {
        let made = TimeSteppingRigidBodySystem::with_scheme(machine.clone(), 1e-3, scheme);
        let Ok(stepper) = made else { continue };
        let mut workspace = stepper.workspace().unwrap();
        let Ok(mut step) = stepper.step(&mut workspace, state, input) else {
            continue;
        };
        let at = format!("{scheme:?}");
        let next = step.state().clone();
        for part in [
            &next.q,
            &next.v,
            &next.actuators,
            &next.sensors,
            step.output(),
        ] {
            finite(&at, part.as_slice())?;
        }
        if let Ok(contacts) = step.contacts() {
            for contact in contacts {
                finite(&at, contact.force.as_slice())?;
            }
        }
        if let Ok(forces) = step.constraint_forces() {
            for force in forces {
                finite(&at, &[force.force])?;
            }
        }
        if let Ok(ledger) = step.energy() {
            finite(&at, &[ledger.residual()])?;
        }
        let mut bad = false;
        let visited = step.visit_element_kinks(&mut |kink| bad |= kink.distance.is_nan());
        if bad && visited.is_ok() {
            return Err(format!("{at}: a kink"));
        }
    }
    Ok(())
}

/// Every constant of every element, every coordinate of a state and every input, one after the other; a part of them
/// in the everyday tier.
#[test]
fn constants_states_and_inputs_of_any_size_are_refused_or_move() {
    let bare = mechanism().0;
    let known: Vec<String> = bare.parameters().into_iter().map(|p| p.name).collect();
    let elements = [forces(), actuators(), sensors(), constraints(), frictions()];
    let machines = [("mechanism", bare)]
        .into_iter()
        .chain(elements.into_iter().flatten());
    let mut wrong = Vec::new();
    let every = tier(13, 1);
    let mut case = 0;
    let mut is_chosen = || {
        case += 1;
        case % every == 0
    };
    for (name, machine) in machines {
        let input = vec![0.6; machine.num_inputs()];
        let start = lively(&machine, 1);
        for parameter in machine.parameters() {
            if name != "mechanism" && known.contains(&parameter.name) {
                continue;
            }
            for x in HOSTILE.into_iter().filter(|_| is_chosen()) {
                let mut changed = machine.clone();
                if changed.set_parameter(&parameter.name, x).is_ok()
                    && let Err(what) = move_mechanism(&changed, &start, &input)
                {
                    wrong.push(format!("{name}, {} = {x:e}: {what}", parameter.name));
                }
            }
        }
        let count = start.q.len() + start.v.len() + start.actuators.len() + start.sensors.len();
        // What all machines have is tried once.
        let first = if name == "mechanism" {
            0
        } else {
            start.q.len() + start.v.len()
        };
        for index in first..count + input.len() + 1 {
            for x in HOSTILE.into_iter().filter(|_| is_chosen()) {
                let (mut state, mut input) = (start.clone(), input.clone());
                if index == count + input.len() {
                    state.time = x;
                } else if index >= count {
                    input[index - count] = x;
                } else {
                    let mut entries = (state.q.iter_mut())
                        .chain(&mut state.v)
                        .chain(&mut state.actuators)
                        .chain(&mut state.sensors);
                    *entries.nth(index).unwrap() = x;
                }
                if let Err(what) = move_mechanism(&machine, &state, &input) {
                    wrong.push(format!("{name}, entry {index} = {x:e}: {what}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
