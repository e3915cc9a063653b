//! A four-bar linkage that drives a flywheel through a gear, and its gradient.
//!
//! The loop is closed by a hinge constraint, of whose five equations three are redundant in the
//! plane; the flywheel follows the crank by a gear constraint. The crank is let go and falls. The
//! angle and speed of the flywheel at the end are differentiated with respect to the length of the
//! crank, the gear ratio and the moment of inertia of the flywheel, in one simulation with dual numbers,
//! and compared with central differences.
//!
//! `--out DIR` is the folder for picture and page (default `out`), `--quick` simulates a shorter time and
//! draws fewer points.

#[path = "support/mod.rs"]
mod support;

use dualbody::Scalar;
use dualbody::autodiff::{VectorFunction, jacobian};
use dualbody::constraint::{
    Baumgarte, ConstraintSolver, GearConstraint, HingeConstraint, TreeConstraints,
};
use dualbody::contact::ContactModel;
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia, rotation};
use dualbody::scene::Scene;
use dualbody::system::{RigidBodySystem, State};
use dualbody::tree::{BodyIndex, JointIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::{DVector, Matrix3, Vector3};
use num_dual::Dual64;
use support::Failure;
use support::arguments::Arguments;
use support::chart::{Chart, Mark, write_charts};

const COUPLER: f64 = 0.9;
const ROCKER: f64 = 0.7;
const GROUND: f64 = 1.0;
const CRANK_ANGLE: f64 = 0.8;
const TIME_STEP: f64 = 1e-3;
const PARAMETERS: [(&str, &str, f64); 3] = [
    ("length of the crank", "m", 0.3),
    ("gear ratio", "1", -2.0),
    ("inertia of the flywheel", "kg m²", 0.01),
];

/// A rod of 2 kg/m, along x from its hinge.
fn rod<T: Scalar>(length: T) -> SpatialInertia<T> {
    let mass = length * 2.0;
    let moment = mass * length * length / 12.0;
    SpatialInertia {
        mass,
        center_of_mass: Vector3::new(length * 0.5, T::zero(), T::zero()),
        rotational_inertia: Matrix3::from_diagonal(&Vector3::new(T::zero(), moment, moment)),
    }
}

/// Crank, coupler and rocker in a row, in the plane y = 0, and the flywheel.
struct Machine<T> {
    tree: RigidBodyTree<T>,
    rocker: BodyIndex,
    crank_hinge: JointIndex,
    axle: JointIndex,
}

fn machine<T: Scalar>(crank: T, inertia: T) -> Result<Machine<T>, Failure> {
    let mut builder = RigidBodyTreeBuilder::new();
    let turning = JointKind::Continuous { axis: Vector3::y() };
    let (mut parent, mut end, mut hinges) = (BodyIndex::WORLD, T::zero(), Vec::new());
    for (name, length) in [
        ("crank", crank),
        ("coupler", T::from(COUPLER)),
        ("rocker", T::from(ROCKER)),
    ] {
        let body = builder.add_body(name, rod(length))?;
        let at = RigidTransform::new(Matrix3::identity(), Vector3::new(end, T::zero(), T::zero()));
        hinges.push(builder.add_joint(format!("{name} hinge"), turning, parent, at, body)?);
        (parent, end) = (body, length);
    }
    let wheel = SpatialInertia::principal(T::one(), Vector3::repeat(inertia));
    let wheel = builder.add_body("flywheel", wheel)?;
    let fixed = RigidTransform::identity();
    let axle = builder.add_joint("axle", turning, BodyIndex::WORLD, fixed, wheel)?;
    Ok(Machine {
        tree: builder.finish()?,
        rocker: parent,
        crank_hinge: hinges[0],
        axle,
    })
}

/// Joint angles in which the loop is closed. Angles about y are positive downwards.
fn closed<T: Scalar>(crank: T, ratio: T) -> Vec<T> {
    let phi = T::from(CRANK_ANGLE);
    // The triangle of coupler, rocker and the line from the crank's end to the ground hinge.
    let (x, z) = (-crank * phi.cos() + GROUND, -crank * phi.sin());
    let diagonal = T::norm_lifted(&[x, z]);
    let cosine = (diagonal * diagonal + (COUPLER * COUPLER - ROCKER * ROCKER))
        / (diagonal * (2.0 * COUPLER));
    let coupler = z.atan2_lifted(x) + cosine.acos();
    let knee_x = crank * phi.cos() + coupler.cos() * COUPLER;
    let knee_z = crank * phi.sin() + coupler.sin() * COUPLER;
    let rocker = (-knee_z).atan2_lifted(-knee_x + GROUND);
    vec![-phi, phi - coupler, coupler - rocker, -phi * ratio]
}

/// How the machine has moved.
struct Run<T: Scalar> {
    /// Angle and speed of the flywheel at the end.
    flywheel: [T; 2],
    /// Time, angles and speeds at each step.
    states: Vec<State<T>>,
    /// Largest opening of the loop, in m.
    opening: f64,
    /// Change of the mechanical energy, in J.
    energy_change: f64,
    /// Redundant equations.
    redundant: usize,
}

fn point<T: Scalar>(x: f64) -> Vector3<T> {
    Vector3::new(T::from(x), T::zero(), T::zero())
}

/// What holds the end of the rocker to the ground.
fn loop_closure<T: Scalar>(rocker: BodyIndex) -> Result<HingeConstraint<T>, Failure> {
    Ok(HingeConstraint::new(
        "hinge",
        (rocker, point(ROCKER), Vector3::y()),
        (BodyIndex::WORLD, point(GROUND), Vector3::y()),
    )?)
}

fn simulate<T: Scalar>(parameters: &[T], steps: usize) -> Result<Run<T>, Failure> {
    let [crank, ratio, inertia] = [parameters[0], parameters[1], parameters[2]];
    let Machine {
        tree,
        rocker,
        crank_hinge,
        axle,
    } = machine(crank, inertia)?;
    let loop_closure = loop_closure(rocker)?;
    let gear = GearConstraint::new("gear", &tree, axle, crank_hinge, ratio)?;
    let mut constraints = TreeConstraints::new();
    let stabilization = Baumgarte::critical(T::from(10.0 * TIME_STEP))?;
    constraints.add(&loop_closure, stabilization);
    constraints.add(&gear, stabilization);

    let mut workspace = tree.workspace();
    let mut solver = ConstraintSolver::default();
    let (mut q, mut v) = (closed(crank, ratio), vec![T::zero(); 4]);
    let (dt, tau) = (T::from(TIME_STEP), [T::zero(); 4]);
    let (mut opening, mut redundant) = (0.0f64, 0);
    let (mut energies, mut states) = (Vec::new(), Vec::new());
    for step in 0..=steps {
        tree.set_state(&mut workspace, &q, &v)?;
        let tip = tree
            .body_pose(&workspace, rocker)?
            .transform_point(&point(ROCKER));
        opening = opening.max((tip - point(GROUND)).map(|x| x.re()).norm());
        let energy = tree.kinetic_energy(&workspace)? + tree.potential_energy(&workspace)?;
        energies.push(energy.re());
        let mut state = State::new(q.clone().into(), v.clone().into());
        state.time = T::from(step as f64 * TIME_STEP);
        states.push(state);
        if step == steps {
            break;
        }
        // The midpoint rule: accelerations half a step ahead.
        let mut accelerate = |q: &[T], v: &[T]| -> Result<DVector<T>, Failure> {
            tree.set_state(&mut workspace, q, v)?;
            let mut problem = constraints.acceleration_problem(&tree, &mut workspace, &tau)?;
            let solution = solver.solve_accelerations(&mut problem.data)?;
            redundant = solution.forces.redundant.len();
            Ok(solution.generalized_acceleration)
        };
        let a = accelerate(&q, &v)?;
        let half = dt * 0.5;
        let middle_q: Vec<T> = q.iter().zip(&v).map(|(&q, &v)| q + half * v).collect();
        let middle_v: Vec<T> = v.iter().zip(&a).map(|(&v, &a)| v + half * a).collect();
        let a = accelerate(&middle_q, &middle_v)?;
        for k in 0..4 {
            q[k] += dt * middle_v[k];
            v[k] += dt * a[k];
        }
    }
    Ok(Run {
        flywheel: [q[3], v[3]],
        states,
        opening,
        energy_change: energies[energies.len() - 1] - energies[0],
        redundant,
    })
}

/// Angle and speed of the flywheel at the end, as a function of the parameters.
struct Flywheel {
    steps: usize,
}

impl Flywheel {
    /// With parameter `k` at another value.
    fn at(&self, k: usize, value: f64) -> Result<DVector<f64>, Failure> {
        let mut parameters = PARAMETERS.map(|(.., value)| value);
        parameters[k] = value;
        self.eval(&parameters)
    }
}

impl VectorFunction for Flywheel {
    type Error = Failure;

    fn eval<T: Scalar>(&self, x: &[T]) -> Result<DVector<T>, Failure> {
        let run = simulate(x, self.steps)?;
        Ok(DVector::from_column_slice(&run.flywheel))
    }
}

/// The fall, and where a longer and a shorter crank would lead.
fn scene(steps: usize) -> Result<Scene, Failure> {
    let mut parameters = PARAMETERS.map(|(.., value)| Dual64::from(value));
    parameters[0] = parameters[0].derivative();
    let run = simulate(&parameters, steps)?;
    let Machine { tree, rocker, .. } = machine(parameters[0], parameters[2])?;
    let system = RigidBodySystem::new(tree, ContactModel::none())?
        .with_constraints([loop_closure(rocker)?])?;
    let here = |y: f64| {
        let turn = rotation::exp(&(Vector3::x() * std::f64::consts::FRAC_PI_2));
        RigidTransform::new(turn, Vector3::new(0.0, y, 0.0))
    };
    let along = |length: f64| {
        let turn = rotation::exp(&(Vector3::y() * std::f64::consts::FRAC_PI_2));
        RigidTransform::new(turn, Vector3::new(0.5 * length, 0.0, 0.0))
    };
    let mut scene = Scene::of_states(&system, &run.states)?
        .titled("A linkage falls, geared to a flywheel")
        .about("The ghosts show the linkage with a longer and a shorter crank, by the derivative.")
        .with_shape("flywheel", &Shape::new_cylinder(0.14, 0.02)?, &here(0.08))?
        .with_shape(
            "flywheel",
            &Shape::new_box(Vector3::new(0.02, 0.27, 0.03))?,
            &here(0.08),
        )?;
    for (body, length) in [
        ("crank", PARAMETERS[0].2),
        ("coupler", COUPLER),
        ("rocker", ROCKER),
    ] {
        scene = scene.with_shape(body, &Shape::new_capsule(0.018, length)?, &along(length))?;
    }
    Ok(scene.with_sensitivity("crank ± 5 mm", &system, &run.states, 0.005)?)
}

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process("usage: constraints [--quick] [--out DIR]");
    let (steps, points) = if arguments.flag("--quick") {
        (200, 9)
    } else {
        (1500, 41)
    };
    let folder = arguments.output_folder()?;
    arguments.finish()?;

    let parameters = PARAMETERS.map(|(.., value)| value);
    let run = simulate(&parameters, steps)?;
    println!(
        "A four-bar linkage falls from rest, geared to a flywheel. After {:.1} s:",
        steps as f64 * TIME_STEP
    );
    println!(
        "  the flywheel has turned to {:.6} rad at {:.6} rad/s",
        run.flywheel[0], run.flywheel[1]
    );
    println!("  {} equations of the loop are redundant", run.redundant);
    println!("  the loop has opened by at most {:.1e} m", run.opening);
    println!(
        "  the mechanical energy has changed by {:.1e} J",
        run.energy_change
    );

    let flywheel = Flywheel { steps };
    let (end, exact) = jacobian(&flywheel, &parameters)?;
    println!(
        "\nDerivatives of angle and speed of the flywheel, by one simulation with dual numbers and \
         by central differences:\n"
    );
    println!(
        "{:23} {:>6}  {:>13} {:>13}  {:>13} {:>13}",
        "with respect to", "in", "angle, duals", "differences", "speed, duals", "differences"
    );
    for (k, (name, unit, value)) in PARAMETERS.into_iter().enumerate() {
        let h = 1e-6 * value.abs();
        let difference = (flywheel.at(k, value + h)? - flywheel.at(k, value - h)?) / (2.0 * h);
        println!(
            "{name:23} {unit:>6}  {:>13.6} {:>13.6}  {:>13.6} {:>13.6}",
            exact[(0, k)],
            difference[0],
            exact[(1, k)],
            difference[1]
        );
        let error = (exact.column(k) - &difference).amax();
        if error > 1e-4 * (1.0 + difference.amax()) {
            return Err(format!("the derivatives differ by {error:e}").into());
        }
    }

    let angle = |joint: usize| run.states.iter().map(|s| (s.time, s.q[joint])).collect();
    let motion = Chart::new("How it falls", "time [s]", "angle [rad]")
        .with("crank", Mark::Line, angle(0))
        .with("flywheel", Mark::Line, angle(3));
    let mut charts = vec![motion.clone()];
    for (k, range) in [(0, 0.06), (2, 0.005)] {
        let (name, unit, value) = PARAMETERS[k];
        let (mut ends, mut tangent) = (Vec::new(), Vec::new());
        for i in 0..points {
            let change = range * (2.0 * i as f64 / (points - 1) as f64 - 1.0);
            ends.push((value + change, flywheel.at(k, value + change)?[0]));
            if change.abs() <= 0.5 * range {
                tangent.push((value + change, end[0] + exact[(0, k)] * change));
            }
        }
        let chart = Chart::new(
            format!("Where the flywheel ends, against the {name}"),
            format!("{name} [{unit}]"),
            "angle at the end [rad]",
        );
        charts.push(
            (chart.with("simulated", Mark::Dots, ends))
                .with("tangent from the gradient", Mark::Line, tangent)
                .with(
                    "here the gradient was taken",
                    Mark::Dots,
                    vec![(value, end[0])],
                ),
        );
    }
    let picture = folder.join("constraints.svg");
    write_charts(&picture, &charts)?;
    println!("\nPicture: {}", picture.display());
    support::show(&scene(steps)?.with_chart(motion), &folder, "constraints")
}
