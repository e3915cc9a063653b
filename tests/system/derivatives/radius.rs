//! How far derivatives hold: of random outcomes, what is decided within the radius and beyond.

use crate::support::cases::tier;
use crate::support::random_contact::Random;
use dualbody::actuator::TorqueSource;
use dualbody::autodiff::{ChunkDual, GradientWithRadius};
use dualbody::constraint::JointLimitConstraint;
use dualbody::force::JointStops;
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::prelude::*;
use dualbody::system::{IntegrationMethod, Scheme};
use dualbody::tree::{BodyIndex, JointKind};
use dualbody::{Decision, Margin, Observable, Observer, gradient_with_radius};
use nalgebra::Vector3;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

type System<T> = TimeSteppingRigidBodySystem<T>;

/// What a derivative is taken by.
#[derive(Clone, Copy, Debug)]
enum Input {
    Parameter(&'static str),
    Position(usize),
    Velocity(usize),
}

/// A machine, from where it starts, and what is asked of it.
struct Outcome {
    kind: &'static str,
    system: System<f64>,
    start: State<f64>,
    inputs: Vec<Input>,
    steps: usize,
    /// The coordinate that is asked for.
    coordinate: usize,
}

/// The inputs of actuators in a step.
fn control(step: usize) -> f64 {
    0.3 * (0.05 * step as f64).sin()
}

impl Outcome {
    /// The values of the inputs.
    fn x(&self) -> Result<Vec<f64>> {
        let system = &self.system;
        let values = self.inputs.iter().map(|input| match *input {
            Input::Parameter(name) => Ok(system.parameter(name)?),
            Input::Position(i) => Ok(self.start.q[i]),
            Input::Velocity(i) => Ok(self.start.v[i]),
        });
        values.collect()
    }

    fn start<T: DefaultScalar>(
        &self,
        system: &System<T>,
        x: &[T],
    ) -> Result<(System<T>, State<T>)> {
        let (mut system, mut start) = (system.clone(), self.start.cast());
        for (input, &x) in self.inputs.iter().zip(x) {
            match *input {
                Input::Parameter(name) => system.set_parameter(name, x)?,
                Input::Position(i) => start.q[i] = x,
                Input::Velocity(i) => start.v[i] = x,
            }
        }
        Ok((system, start))
    }

    fn end<T: DefaultScalar>(&self, system: &System<T>, x: &[T]) -> Result<T> {
        let (system, start) = self.start(system, x)?;
        let mut workspace = system.workspace()?;
        let rollout = system
            .rollout_with(&mut workspace, &start, self.steps, |k, _, u| {
                u.fill(T::from(control(k)));
            })
            .completed()
            .map_err(|failure| *failure.source)?;
        Ok(rollout.last().q[self.coordinate])
    }

    fn differentiate(&self, x: &[f64]) -> Result<GradientWithRadius> {
        gradient_with_radius!(|system, x| self.end(system, x), &self.system, x)
    }

    /// What was decided on the way, as far as parts, contacts that press and what they do, and positions beyond stops
    /// show it.
    fn decided(&self, x: &[f64]) -> Result<Vec<String>> {
        let (system, mut state) = self.start(&self.system, x)?;
        let mut workspace = system.workspace()?;
        let tolerance = system.options().contact_solver.stiction_tolerance;
        let (mut decided, mut u) = (Vec::new(), vec![0.0; system.num_inputs()]);
        for k in 0..self.steps {
            u.fill(control(k));
            let mut step = system.step(&mut workspace, &state, &u)?;
            decided.push(format!("{k}: {} parts", step.status().parts));
            for contact in step.contacts()?.iter().filter(|c| c.force.z > 0.0) {
                let (f, v) = (contact.force, contact.velocity);
                let features = contact.contact;
                decided.push(if self.kind == "rigid" {
                    // The edges of the pyramid along which friction is at its limit.
                    let slack = contact.material.friction * f.z - f.x.abs() - f.y.abs();
                    match slack > 1e-9 * f.z {
                        true => format!("{k}: {features:?} holds"),
                        false => format!("{k}: {features:?} {:?} {:?}", f.x > 0.0, f.y > 0.0),
                    }
                } else {
                    let slips = v.xy().norm() > tolerance;
                    format!("{k}: {features:?} {slips}")
                });
            }
            state = step.state().clone();
            if self.kind == "arm" {
                let beyond = |q: f64| (q > LIMIT, q < -LIMIT);
                decided.push(format!(
                    "{k}: {:?} {:?}",
                    beyond(state.q[0]),
                    beyond(state.q[1])
                ));
            }
        }
        Ok(decided)
    }
}

/// The signs of all numbers that decide on the way, as the machine shows them in `f64`: those at stages within a step of
/// continuous time, and which edges of a pyramid bound friction, show in no contact at its end.
fn signs(outcome: &Outcome, x: &[f64]) -> Result<Vec<String>> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (into, mut system) = (seen.clone(), outcome.system.clone());
    system.observe(Some(Observer::new(move |decision: &Decision<'_, f64>| {
        let sign = match &decision.margin {
            Margin::Sign(number) | Margin::SignAmong { number, .. } => *number > 0.0,
            Margin::Length { vector, bound } => {
                vector.iter().map(|x| x * x).sum::<f64>() > bound * bound
            }
            _ => return,
        };
        let Decision {
            step,
            place,
            change,
            ..
        } = decision;
        let mut seen = into.lock().unwrap();
        seen.push(format!("{step}: {place}, {change} {sign}"));
    })));
    outcome.end(&system, x)?;
    let mut seen = seen.lock().unwrap();
    Ok(std::mem::take(&mut *seen))
}

/// Where the stops of the arm are, in rad.
const LIMIT: f64 = 0.8;

fn tilted(random: &mut Random) -> [f64; 4] {
    let q: [f64; 4] = std::array::from_fn(|_| random.uniform(-1.0, 1.0));
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| x / norm)
}

/// Something that is thrown onto a floor, before a wall and beside a block.
fn throw(random: &mut Random) -> Result<Outcome> {
    let shapes = [
        ("sphere", Shape::new_sphere(0.05)?),
        ("box", Shape::new_box(Vector3::new(0.1, 0.08, 0.06))?),
        ("capsule", Shape::new_capsule(0.04, 0.1)?),
        ("cylinder", Shape::new_cylinder(0.05, 0.08)?),
    ];
    let (kind, shape) = shapes[random.index(4)].clone();
    let stiffness = random.logarithmic(1e3, 1e5);
    let rubber = ContactMaterial::new(
        stiffness,
        random.uniform(0.0, 1.0),
        random.uniform(0.1, 0.8),
    )?;
    let dt = random.logarithmic(1e-3, 4e-3);
    let at = |x, z| RigidTransform::from_translation(Vector3::new(x, 0.0, z));
    let mut builder = SystemBuilder::new()
        .floor("floor", rubber)
        .fixed(
            "wall",
            Shape::new_box(Vector3::new(0.1, 1.0, 1.0))?,
            at(0.6, 0.5),
            rubber,
        )
        .free_body("body", shape, 0.4, rubber)
        .pair_material("body", "floor", rubber);
    let rigid = random.index(6) == 0;
    let continuous = !rigid && random.index(8) == 0;
    let beside = !rigid && !continuous && random.index(2) == 0;
    if beside {
        let block = Shape::new_box(Vector3::repeat(0.1))?;
        builder = builder.free_body("block", block, 0.3, rubber);
    }
    let mut system = builder.build()?;
    if continuous {
        // An explicit method has to resolve how friction begins.
        let mut options = *system.options();
        options.contact_solver.stiction_tolerance = 0.1;
        system = system.with_options(options)?;
    }
    let system = if rigid {
        System::rigid(system, dt)?
    } else if continuous {
        let scheme = Scheme::Continuous {
            method: IntegrationMethod::RungeKutta4,
            substeps: 4,
        };
        System::with_scheme(system, dt.min(1e-3), scheme)?
    } else {
        System::compliant(system, dt)?
    };
    let mut start = system.initial_state();
    tilted(random)
        .into_iter()
        .zip(start.q.iter_mut())
        .for_each(|(x, q)| *q = x);
    start.q[6] = random.uniform(0.1, 0.3);
    if beside {
        (start.q[11], start.q[12]) = (random.uniform(0.2, 0.4), random.uniform(-0.05, 0.05));
        start.q[13] = 0.05;
    }
    for i in 0..3 {
        start.v[i] = random.uniform(-8.0, 8.0);
    }
    start.v[3] = random.uniform(0.2, 1.5);
    start.v[4] = random.uniform(-0.3, 0.3);
    start.v[5] = random.uniform(-1.0, 0.5);
    let mut inputs = vec![Input::Position(6), Input::Parameter("body|floor/friction")];
    inputs.extend([0, 1, 3, 5].map(Input::Velocity));
    if !rigid {
        let names = ["body|floor/stiffness", "body|floor/dissipation"];
        inputs.extend(names.map(Input::Parameter));
    }
    let time = random.uniform(0.05, 0.3);
    Ok(Outcome {
        kind: match (rigid, continuous) {
            (true, _) => "rigid",
            (_, true) => "continuous",
            _ => kind,
        },
        steps: ((time / system.time_step()) as usize).max(1),
        system,
        start,
        inputs,
        coordinate: 4 + random.index(3),
    })
}

/// Two links with stops, the first driven by a motor with a limit.
fn arm(random: &mut Random) -> Result<Outcome> {
    let mut builder = RigidBodyTreeBuilder::new();
    let mut parent = BodyIndex::WORLD;
    for (k, name) in ["upper", "lower"].into_iter().enumerate() {
        let inertia = SpatialInertia::solid_sphere(random.uniform(0.5, 1.5), 0.1);
        let body = builder.add_body(name, inertia)?;
        let down = Vector3::new(0.0, 0.0, if k == 0 { 0.0 } else { -0.4 });
        let kind = JointKind::Revolute { axis: Vector3::y() };
        let at = RigidTransform::from_translation(down);
        builder.add_joint(["shoulder", "elbow"][k], kind, parent, at, body)?;
        parent = body;
    }
    let tree = builder.finish()?;
    let [shoulder, elbow] = ["shoulder", "elbow"].map(|name| tree.joint_by_name(name).unwrap());
    let (stiffness, dissipation) = (random.logarithmic(30.0, 1e3), random.uniform(0.0, 0.5));
    let limits = [-LIMIT, LIMIT];
    let stops = [("first", shoulder), ("second", elbow)].map(|(name, joint)| {
        JointStops::new(name, &tree, joint, stiffness, dissipation, limits).unwrap()
    });
    let motor = TorqueSource::new("motor", &tree, shoulder, 2.0, Some(0.4)).unwrap();
    let contact = dualbody::contact::ContactModel::none();
    let system = RigidBodySystem::new(tree, contact)?
        .with_forces(stops)?
        .with_actuators([motor])?;
    let system = System::compliant(system, random.logarithmic(1e-3, 1e-2))?;
    let mut start = system.initial_state();
    start
        .q
        .iter_mut()
        .for_each(|q| *q = random.uniform(-0.7, 0.7));
    start
        .v
        .iter_mut()
        .for_each(|v| *v = random.uniform(-3.0, 3.0));
    Ok(Outcome {
        kind: "arm",
        system,
        start,
        inputs: vec![
            Input::Parameter("force/first/stiffness"),
            Input::Position(0),
            Input::Position(1),
            Input::Velocity(0),
            Input::Velocity(1),
        ],
        steps: 20 + random.index(100),
        coordinate: random.index(2),
    })
}

/// Boxes on each other, in rigid steps: they slide, stick, and tip.
fn stack(random: &mut Random) -> Result<Outcome> {
    let material = |random: &mut Random| ContactMaterial::rigid(random.uniform(0.1, 0.9));
    let mut builder = SystemBuilder::new().floor("floor", material(random)?);
    let (names, mut height) = (["lower", "middle", "upper"], 0.0);
    let count = 2 + random.index(2);
    let mut places = Vec::new();
    for name in &names[..count] {
        let sides = Vector3::from_fn(|_, _| random.uniform(0.05, 0.2));
        let mass = random.logarithmic(0.1, 5.0);
        builder = builder.free_body(*name, Shape::new_box(sides)?, mass, material(random)?);
        places.push([
            random.uniform(-0.02, 0.02),
            random.uniform(-0.02, 0.02),
            height + sides.z / 2.0,
        ]);
        height += sides.z;
    }
    let system = System::rigid(builder.build()?, random.logarithmic(1e-3, 5e-3))?;
    let mut start = system.initial_state();
    for (k, place) in places.into_iter().enumerate() {
        start.q.as_mut_slice()[7 * k + 4..7 * k + 7].copy_from_slice(&place);
        start.v[6 * k + 2] = random.uniform(-3.0, 3.0);
        start.v[6 * k + 3] = random.uniform(-0.5, 0.5);
        start.v[6 * k + 4] = random.uniform(-0.5, 0.5);
    }
    let pair = "lower|floor/friction";
    let mut inputs = vec![
        Input::Velocity(3),
        Input::Velocity(2),
        Input::Velocity(10),
        Input::Position(4),
    ];
    if system.parameter(pair).is_ok() {
        inputs.push(Input::Parameter(pair));
    }
    Ok(Outcome {
        kind: "stack",
        system,
        start,
        inputs,
        steps: 5 + random.index(40),
        coordinate: [4, 5, 11, 12][random.index(4)],
    })
}

fn random_outcome(random: &mut Random) -> Result<Outcome> {
    match random.index(6) {
        0 => arm(random),
        _ => throw(random),
    }
}

/// What became of the inputs that were looked at.
#[derive(Default, Debug)]
struct Counts {
    /// All, and those of which no decision depends on the input, or only far away.
    outcomes: usize,
    unbounded: usize,
    /// Changes within the radius, those with the same decisions, those whose difference is the mean of the derivatives, and
    /// those whose difference is the derivative to 1 %.
    within: usize,
    same: usize,
    agree: usize,
    straight: usize,
    /// Changes by one and a half radii, and those with other decisions.
    beyond: usize,
    changed: usize,
}

/// A radius beyond this multiple of the size of an input is none.
const FAR: f64 = 3.0;

fn look_at(outcome: &Outcome, random: &mut Random, counts: &mut Counts) -> Result<()> {
    let x = outcome.x()?;
    let found = outcome.differentiate(&x)?;
    let i = random.index(x.len());
    let (part, sign) = (random.uniform(0.0, 1.0), random.index(2) as f64 * 2.0 - 1.0);
    counts.outcomes += 1;
    let (slope, radius) = (found.gradient[i], found.radius[i]);
    let size = match outcome.inputs[i] {
        Input::Parameter(_) => x[i] / 1.6 / FAR,
        _ => 1.0,
    };
    if radius > FAR * size {
        counts.unbounded += 1;
        return Ok(());
    }
    // Nothing can be said where a decision is open.
    if radius < 1e-12 * size {
        return Ok(());
    }
    let at = |change: f64| {
        let mut y = x.clone();
        y[i] += change;
        y
    };
    let decided = outcome.decided(&x)?;
    let h = part * sign * radius;
    let same = outcome.decided(&at(h))? == decided;
    let difference = (outcome.end(&outcome.system, &at(h))? - found.value) / h;
    let noise = 1e-11 / h.abs();
    // Simpson's rule for the mean of the derivative on the way, which knows nothing of jumps and kinks; finer where it bends.
    let mean = |intervals: usize| {
        let mut sum = 0.0;
        for k in 1..=2 * intervals {
            let x = at(h * k as f64 / (2 * intervals) as f64);
            let weight = match k {
                k if k == 2 * intervals => 1.0,
                k => 2.0 + 2.0 * (k % 2) as f64,
            };
            sum += weight * outcome.differentiate(&x)?.gradient[i];
        }
        Ok::<_, dualbody::Error>((slope + sum) / (6 * intervals) as f64)
    };
    let (mut agrees, mut scale) = (false, slope.abs());
    for intervals in [1, 8] {
        let mean = mean(intervals)?;
        scale = slope.abs().max(mean.abs());
        agrees = agrees || (difference - mean).abs() <= 1e-3 * scale + noise;
        if agrees {
            break;
        }
    }
    counts.within += 1;
    counts.same += usize::from(same);
    counts.agree += usize::from(agrees);
    counts.straight += usize::from((difference - slope).abs() <= 1e-2 * scale + noise);
    let seen = signs(outcome, &x)?;
    let changes = |k: f64| {
        let x = at(k * radius);
        Ok::<_, dualbody::Error>(outcome.decided(&x)? != decided || signs(outcome, &x)? != seen)
    };
    let changed = changes(1.5)? || changes(-1.5)?;
    counts.beyond += 1;
    counts.changed += usize::from(changed);
    Ok(())
}

fn add(all: &mut BTreeMap<&'static str, Counts>, cases: std::ops::Range<u32>) {
    for case in cases {
        let mut random = Random::new(1_000_003 * u64::from(case));
        let outcome = random_outcome(&mut random).unwrap();
        let counts = all.entry(outcome.kind).or_default();
        if let Err(error) = look_at(&outcome, &mut random, counts) {
            panic!("{case}: {error}");
        }
    }
}

/// How many outcomes: `DUALBODY_OUTCOMES`, or a number that a test can afford.
fn outcomes() -> u32 {
    let given = std::env::var("DUALBODY_OUTCOMES").ok();
    let given = given.map(|n| n.parse().expect("a number"));
    given.unwrap_or(tier(10, 40))
}

/// Within the radius, nothing is decided otherwise and differences are the mean of the derivatives; at one and a half radii, to
/// one side or the other, something is decided otherwise: in most cases, as the radius is of first order.
#[test]
fn a_derivative_holds_as_far_as_its_radius() {
    let cases = outcomes();
    let mut all = BTreeMap::new();
    add(&mut all, 0..cases);
    let sum = |of: fn(&Counts) -> usize| all.values().map(of).sum::<usize>() as f64;
    let (within, beyond) = (sum(|c| c.within), sum(|c| c.beyond));
    let said = format!("{all:#?}");
    println!("{said}");
    assert!(within > 0.4 * f64::from(cases), "{said}");
    // One exception beside the share that is expected: few outcomes show no rate.
    let few =
        |exceptions: f64, share: f64, of: f64| assert!(exceptions <= 1.0 + share * of, "{said}");
    few(within - sum(|c| c.agree), 0.1, within);
    few(within - sum(|c| c.same), 0.15, within);
    few(beyond - sum(|c| c.changed), 0.1, beyond);
}

/// The step from one solution to another is far larger than what derivatives say.
#[test]
fn derivatives_of_rigid_stacks_hold_within_their_radius() {
    let mut counts = Counts::default();
    for case in 0..tier(30, 300u64) {
        let mut random = Random::new(1_000_003 * case);
        let outcome = stack(&mut random).unwrap();
        if let Err(error) = look_at(&outcome, &mut random, &mut counts) {
            // 3 of 840 have no forces within their cones.
            assert!(error.to_string().contains("cone"), "{case}: {error}");
        }
    }
    assert_eq!(counts.within, counts.agree, "{counts:#?}");
}

/// A box that slides in rigid steps, and how far it comes, by its speed.
fn sliding(spin: f64) -> Result<GradientWithRadius> {
    let (material, side) = (ContactMaterial::rigid(0.3)?, Vector3::repeat(0.1));
    let system = SystemBuilder::new()
        .floor("floor", material)
        .free_body("box", Shape::new_box(side)?, 1.0, material)
        .build()?;
    let system = System::rigid(system, DT)?;
    let way = |system: &System<_>, x: &[ChunkDual]| {
        let mut start = system.initial_state();
        start.q[6] = ChunkDual::from(0.05);
        (start.v[2], start.v[3]) = (ChunkDual::from(spin), x[0]);
        Ok::<_, dualbody::Error>(system.rollout(&start, 50)?.last().q[4])
    };
    gradient_with_radius!(way, &system, [1.0])
}

/// What is round-off, as gaps that stay closed and rows that follow from others, decides nothing: the box slides until friction
/// has taken its speed.
#[test]
fn a_box_slides_until_it_sticks() -> Result<()> {
    let found = sliding(0.0)?;
    assert!((found.gradient[0] - 50.0 * DT).abs() < 1e-12);
    let left = 1.0 - 0.3 * 9.81 * 50.0 * DT;
    assert!((found.radius[0] / left - 1.0).abs() < 1e-9, "{found:?}");
    Ok(())
}

/// Four points carry it, and where it turns so fast that they slide along other edges of their pyramids, its motion depends on
/// how.
#[test]
fn a_box_that_turns_as_it_slides_has_many_solutions() -> Result<()> {
    let found = sliding(40.0)?;
    let kink = found.nearest[0].as_ref().unwrap();
    assert_eq!(
        (found.radius[0], kink.change.as_str()),
        (0.0, "sharing a load")
    );
    Ok(())
}

const RADIUS: f64 = 0.05;
const DT: f64 = 1e-3;

fn ball(scheme: Scheme) -> Result<System<f64>> {
    let rubber = ContactMaterial::new(1e4, 0.1, 0.4)?;
    let system = SystemBuilder::new()
        .floor("floor", rubber)
        .free_body("ball", Shape::new_sphere(RADIUS)?, 0.2, rubber)
        .build()?;
    Ok(System::with_scheme(system, DT, scheme)?)
}

/// The height after some steps, from that of the start and the speed downwards.
fn fallen<T: Scalar>(system: &System<T>, x: &[T], steps: usize) -> Result<T> {
    let mut start = system.initial_state();
    (start.q[6], start.v[5]) = (x[0], -x[1]);
    Ok(system.rollout(&start, steps)?.last().q[6])
}

/// Before a ball meets the floor, it may start lower by what is left of the way.
#[test]
fn a_ball_may_start_lower_by_what_is_left_of_its_way() -> Result<()> {
    let explicit = Scheme::Continuous {
        method: IntegrationMethod::RungeKutta4,
        substeps: 1,
    };
    for scheme in [Scheme::Compliant, Scheme::Rigid, explicit] {
        let (system, steps) = (ball(scheme)?, 40);
        let found = gradient_with_radius!(|s, x| fallen(s, x, steps), &system, [0.3, 4.0])?;
        let (height, slopes) = gradient!(|s, x| fallen(s, x, steps), &system, [0.3, 4.0])?;
        assert_eq!((found.value, &found.gradient), (height, &slopes));
        let left = height - RADIUS;
        let time = DT * steps as f64;
        for (i, (expected, sign)) in [(left, -1.0), (left / time, 1.0)].into_iter().enumerate() {
            let nearest = found.nearest[i].clone().unwrap();
            assert!(
                (found.radius[i] / expected - 1.0).abs() < 2e-3,
                "{scheme:?} {nearest:?} {expected}"
            );
            assert_eq!(nearest.change_of_input.signum(), sign);
            assert_eq!(nearest.place, "ball|floor");
        }
    }
    Ok(())
}

/// On a box, other features of it touch where a ball comes to its edge.
#[test]
fn features_change_at_the_edge() -> Result<()> {
    let rubber = ContactMaterial::new(1e4, 0.1, 0.0)?;
    let here = RigidTransform::identity();
    let system = SystemBuilder::new()
        .fixed("block", Shape::new_box(Vector3::repeat(0.2))?, here, rubber)
        .free_body("ball", Shape::new_sphere(RADIUS)?, 0.2, rubber)
        .compliant(DT)?;
    let end = |system: &System<_>, x: &[_]| {
        let mut start = system.initial_state();
        (start.q[4], start.q[6]) = (x[0], (0.1 + RADIUS - 2e-4).into());
        Ok::<_, dualbody::Error>(system.rollout(&start, 3)?.last().q[6])
    };
    let found = gradient_with_radius!(end, &system, [0.07])?;
    let nearest = found.nearest[0].clone().unwrap();
    assert_eq!(
        (nearest.place.as_str(), nearest.change.as_str()),
        ("ball|block", "features")
    );
    assert!((nearest.change_of_input - 0.03).abs() < 1e-4, "{nearest:?}");
    Ok(())
}

/// So they do for a capsule that stands aslant on it: it is near the side of the capsule, as of any edge, all the way.
#[test]
fn features_change_where_a_capsule_comes_to_the_edge() -> Result<()> {
    let rubber = ContactMaterial::new(1e4, 0.1, 0.0)?;
    let here = RigidTransform::identity();
    let (radius, length) = (0.04, 0.12);
    let system = SystemBuilder::new()
        .fixed("block", Shape::new_box(Vector3::repeat(0.2))?, here, rubber)
        .free_body("capsule", Shape::new_capsule(radius, length)?, 0.4, rubber)
        .compliant(DT)?;
    for tilt in [0.3, 0.6, 1.0, 1.3] {
        let end = |system: &System<_>, x: &[_]| {
            let mut start = system.initial_state();
            let half = 0.5 * length;
            (start.q[0], start.q[2]) = ((0.5f64 * tilt).cos().into(), (0.5f64 * tilt).sin().into());
            start.q[4] = x[0] + half * tilt.sin();
            start.q[6] = (0.1 + radius + half * tilt.cos() - 2e-4).into();
            Ok::<_, dualbody::Error>(system.rollout(&start, 3)?.last().q[6])
        };
        let found = gradient_with_radius!(end, &system, [0.07])?;
        let nearest = found.nearest[0].clone();
        assert!(
            (found.radius[0] / 0.03 - 1.0).abs() < 0.05,
            "{tilt}: {nearest:?}"
        );
        assert_eq!(nearest.unwrap().change, "features");
    }
    Ok(())
}

/// A box that slides aslant is stopped by friction within a step where it is 0.11 m/s slower in one direction: the slip turns
/// meanwhile, and along a straight line it would pass zero by.
#[test]
fn friction_ends_slip_that_turns() -> Result<()> {
    let board = ContactMaterial::new(1e4, 0.5, 0.5)?;
    let (height, weight) = (0.02, 9.81);
    let system = SystemBuilder::new()
        .floor("floor", board)
        .free_body(
            "box",
            Shape::new_box(Vector3::new(0.4, 0.4, height))?,
            1.0,
            board,
        )
        .compliant(0.04)?;
    let end = |system: &System<_>, x: &[_]| {
        let mut start = system.initial_state();
        start.q[6] = (0.5 * height - weight / 4e4).into();
        (start.v[3], start.v[4]) = (0.05.into(), x[0]);
        Ok::<_, dualbody::Error>(system.rollout(&start, 1)?.last().v[4])
    };
    let found = gradient_with_radius!(end, &system, [0.3])?;
    let nearest = found.nearest[0].clone();
    assert!((0.1..0.12).contains(&found.radius[0]), "{nearest:?}");
    assert_eq!(nearest.unwrap().place, "box|floor");
    Ok(())
}

/// Along one entry of an initial state, the radius of a gradient by all of it is that by this entry.
#[test]
fn a_direction_has_a_radius() -> Result<()> {
    use dualbody::system::{Adjoint, RolloutObjective};
    use nalgebra::{DMatrix, DVector};
    struct Height(usize);
    impl RolloutObjective for Height {
        fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, _: &[T]) -> T {
            if step == self.0 {
                state.q[6]
            } else {
                T::zero()
            }
        }
    }
    let (system, steps) = (ball(Scheme::Compliant)?, 100);
    let found = gradient_with_radius!(|s, x| fallen(s, x, steps), &system, [0.3, 3.0])?;
    let mut start = system.initial_state();
    (start.q[6], start.v[5]) = (0.3, -3.0);
    let inputs = DMatrix::zeros(0, steps);
    let mut adjoint = Adjoint::new(&system, &["ball/mass"])?;
    let mut direction = adjoint.gradient(&Height(steps), &start, &inputs)?;
    direction.parameters.fill(0.0);
    for (i, (entry, step)) in [(6, 1.0), (7 + 5, -2.0)].into_iter().enumerate() {
        direction.initial_state = DVector::zeros(13);
        direction.initial_state[entry] = step;
        let along = adjoint.radius_along(&direction, &start, &inputs)?;
        assert!((along.radius * step.abs() / found.radius[i] - 1.0).abs() < 1e-9);
        let (nearest, by_input) = (along.nearest.unwrap(), found.nearest[i].clone().unwrap());
        assert_eq!(
            (nearest.step, nearest.place),
            (by_input.step, by_input.place)
        );
    }
    direction.initial_state = DVector::zeros(12);
    assert!(adjoint.radius_along(&direction, &start, &inputs).is_err());
    Ok(())
}

/// In continuous time with events, it counts whether an impact comes before the end, and how fast it is.
#[test]
fn events_are_decisions() -> Result<()> {
    use dualbody::integrator::DormandPrince;
    use dualbody::system::RigidBodyFlow;
    let rubber = ContactMaterial::new(1e5, 0.1, 0.0)?;
    let system = SystemBuilder::new()
        .floor("floor", rubber)
        .free_body("ball", Shape::new_sphere(RADIUS)?, 0.2, rubber)
        .build()?;
    let mut options = *system.options();
    options.rigid_contact = true;
    let system = system.with_options(options)?;
    let g = 9.81;
    let impact = |height: f64| (2.0 * (height - RADIUS) / g).sqrt();
    for (end, is_before) in [(impact(0.3) - 1e-3, false), (impact(0.3) + 1e-3, true)] {
        let height = |system: &RigidBodySystem<_>, x: &[_]| {
            let mut start = system.initial_state();
            start.q[6] = x[0];
            let (mut at, mut events) = (Vec::new(), Vec::new());
            let mut flow = RigidBodyFlow::new(system)?;
            flow.write_state(&start, &mut at);
            DormandPrince::new(1e-9, 1e-9)?.integrate_with_events(
                &mut flow,
                0.0,
                end,
                &mut at,
                |_| {},
                &mut events,
            )?;
            Ok::<_, Box<dyn std::error::Error>>(at[6])
        };
        let found = gradient_with_radius!(height, &system, [0.3]).unwrap();
        let nearest = found.nearest[0].clone().unwrap();
        let expected = if is_before {
            "event before the end"
        } else {
            "event after the end"
        };
        assert_eq!(nearest.change, expected);
        // The height from which the impact is at the end.
        let other = RADIUS + 0.5 * g * end * end;
        assert!(
            (nearest.change_of_input / (other - 0.3) - 1.0).abs() < 0.02,
            "{nearest:?}"
        );
    }
    Ok(())
}

/// A fit knows how far an unknown may change before the motion that it explains is another one.
#[test]
fn a_fit_has_a_radius() -> Result<()> {
    use dualbody::identification::Experiment;
    use dualbody::identification::motion::{
        Channel, Measured, MotionExperiment, MotionModel, Signals, Start, StateDeviations,
    };
    let (system, samples, steps) = (ball(Scheme::Compliant)?, 5, 40);
    let mut start = system.initial_state();
    (start.q[6], start.v[5]) = (0.3, -4.0);
    let point = Measured::Point {
        body: "ball".into(),
        position: [0.0; 3],
    };
    let channel = Channel::new("centre", point, [1e-3]).unwrap();
    let model = (MotionModel::new(system.clone()).measure(&channel))
        .and_then(|model| model.estimate_parameter("gravity/z"))
        .unwrap();
    let signals = ["centre/x", "centre/y", "centre/z"].into_iter().fold(
        Signals::new(0.0, DT * steps as f64 / (samples - 1) as f64).unwrap(),
        |signals, name| signals.with(name, "m", vec![0.0; samples]).unwrap(),
    );
    let deviations = StateDeviations {
        position: 1.0,
        velocity: 1.0,
        actuators: 1.0,
        sensors: 1.0,
    };
    let known = Start::Known(start);
    let experiment =
        MotionExperiment::new(Arc::new(model), "fall", &signals, known, deviations).unwrap();
    let found = experiment.residuals_with_radius(&[-9.81]).unwrap();
    let mut residuals = vec![0.0; Experiment::residual_count(&experiment)];
    experiment.residuals(&[-9.81], &mut residuals).unwrap();
    assert_eq!(found.value.as_slice(), residuals);
    let left = 1e-3 * residuals[residuals.len() - 1] - RADIUS;
    let expected = left / (DT * DT * (steps * (steps + 1)) as f64 * 0.5);
    let nearest = found.nearest[0].clone().unwrap();
    assert!(
        (nearest.change_of_input / -expected - 1.0).abs() < 2e-3,
        "{nearest:?} {expected}"
    );
    Ok(())
}

/// A slider that rests on its limit, and a pendulum that hangs from it.
fn hanging(scheme: Scheme) -> Result<System<f64>> {
    let mut builder = RigidBodyTreeBuilder::new();
    let slider = builder.add_body("slider", SpatialInertia::solid_sphere(5.0, 0.1))?;
    let here = RigidTransform::identity();
    let axis = Vector3::z();
    let kind = JointKind::Prismatic { axis };
    let slide = builder.add_joint("slide", kind, BodyIndex::WORLD, here, slider)?;
    let bob = SpatialInertia::point_mass(1.0, Vector3::new(0.0, 0.0, -0.3));
    let bob = builder.add_body("bob", bob)?;
    let kind = JointKind::Revolute { axis: Vector3::y() };
    builder.add_joint("hinge", kind, slider, here, bob)?;
    let tree = builder.finish()?;
    let stop = JointLimitConstraint::new("stop", &tree, slide, Some(0.0), None).unwrap();
    let system = RigidBodySystem::new(tree, dualbody::contact::ContactModel::none())?;
    Ok(System::with_scheme(
        system.with_constraints([stop])?,
        2e-3,
        scheme,
    )?)
}

/// Where the pendulum is after some steps, by how it starts.
fn swung<T: Scalar>(system: &System<T>, x: &[T], steps: usize) -> Result<T> {
    let mut start = system.initial_state();
    (start.q[1], start.v[1]) = (x[0], x[1]);
    Ok(system.rollout(&start, steps)?.last().q[1])
}

/// A limit that goes on holding decides nothing, although its gap is zero up to round-off at every step.
#[test]
fn a_limit_that_holds_is_no_decision() -> Result<()> {
    for scheme in [Scheme::Compliant, Scheme::Rigid] {
        let system = hanging(scheme)?;
        let found = gradient_with_radius!(|s, x| swung(s, x, 300), &system, [0.3, 0.5])?;
        assert!(found.radius.min() > 1.0, "{scheme:?} {:?}", found.nearest);
    }
    Ok(())
}
