//! Forces that are found together with the motion, beside what is known in closed form.
//!
//! Eight scenes, each with a force law of a few lines and no derivative written by hand: a bead on a circle and on a
//! helix, a bead that leaves a sphere, a stone on a rope that becomes taut, a motor with a limit of its torque, a one-way
//! clutch, a rod whose tip jams while it slides (Painlevé's), and a ball that slides, then rolls, by a law of contact and
//! friction of its own beside the built-in one. For
//! every length of the step it prints the largest `|φ|` at an end of a step, the largest `|f φ|` of rows that are
//! inequalities, and the error beside the closed form, which falls with the step.
//!
//! `--json FILE` writes them, `--quick` makes longer steps.

#[path = "support/mod.rs"]
mod support;

use dualbody::constraint::{
    AnyForceLaw, ConstraintError, ConstraintForceLaw, ForceLawRow, StepMotion,
};
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::force::{AppliedForce, BodyPoint, ExpressedIn};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialForce, SpatialInertia};
use dualbody::system::{RigidBodySystem, Scheme, State, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use dualbody::{Scalar, constants};
use nalgebra::Vector3;
use support::Failure;
use support::arguments::Arguments;
use support::output::write_whole;

const GRAVITY: f64 = 9.81;

/// Where the origin of a body may be.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Path {
    /// On a circle in the plane y = 0.
    Circle,
    /// On a helix about z; its slope is the rise per radian.
    Helix,
    /// Not inside a sphere, in the plane y = 0.
    Outside,
    /// Not farther from the centre than on a sphere, in the plane y = 0.
    Rope,
}

/// Holds a body on a path about the origin.
#[derive(Debug, Clone)]
struct Bead<T> {
    body: BodyIndex,
    path: Path,
    radius: T,
    rise: T,
}

impl<T: Scalar> ConstraintForceLaw<T> for Bead<T> {
    constants! { ConstraintForceLaw for Bead, named "bead" {
        body: in_tree;
        path;
        radius: positive("m");
        rise: any("m/rad");
    } }

    fn num_rows(&self) -> usize {
        2
    }

    fn over_step(
        &self,
        motion: &StepMotion<'_, T>,
        _: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), ConstraintError> {
        let p = motion.end.body_pose(self.body)?.translation;
        let beyond = T::norm_lifted(&[p.x, p.z]) - self.radius;
        let plane = ForceLawRow::equation(p.y);
        [rows[0], rows[1]] = match self.path {
            Path::Circle => [ForceLawRow::equation(beyond), plane],
            Path::Outside => [ForceLawRow::inequality(beyond), plane],
            Path::Rope => [ForceLawRow::inequality(-beyond), plane],
            Path::Helix => {
                let angle = p.z / self.rise;
                [
                    p.x - self.radius * angle.cos(),
                    p.y - self.radius * angle.sin(),
                ]
                .map(ForceLawRow::equation)
            }
        };
        Ok(())
    }
}

/// Holds a joint at a speed, as far as its torque goes.
#[derive(Debug, Clone)]
struct Drive<T> {
    name: String,
    coordinate: usize,
    speed: T,
    lower: T,
    upper: T,
}

impl<T: Scalar> ConstraintForceLaw<T> for Drive<T> {
    constants! { ConstraintForceLaw for Drive {
        name;
        coordinate;
        speed: any("rad/s");
        lower: any("N m");
        upper: any("N m");
    } }

    fn num_rows(&self) -> usize {
        1
    }

    fn over_step(
        &self,
        motion: &StepMotion<'_, T>,
        _: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), ConstraintError> {
        let phi = motion.end.v()[self.coordinate] - self.speed;
        rows[0] = ForceLawRow::between(phi, self.lower, self.upper);
        Ok(())
    }
}

/// A ball about a point of a body, which may be as small as the point, on the plane z = 0: it does not enter, and slides along x
/// with Coulomb friction.
#[derive(Debug, Clone)]
struct Sliding<T> {
    body: BodyIndex,
    point: Vector3<T>,
    radius: T,
    friction: T,
}

impl<T: Scalar> ConstraintForceLaw<T> for Sliding<T> {
    constants! { ConstraintForceLaw for Sliding, named "sliding" {
        body: in_tree;
        point: any("m");
        radius: not_negative("m");
        friction: not_negative("1");
    } }

    fn num_rows(&self) -> usize {
        2
    }

    fn over_step(
        &self,
        motion: &StepMotion<'_, T>,
        forces: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), ConstraintError> {
        let height = motion.end.point_position(self.body, &self.point)?.z - self.radius;
        // The slip of the lowest point; its direction of force is that at the start of the step.
        let velocity = motion.end.point_velocity(self.body, &self.point)?;
        let slip = velocity.linear.x - velocity.angular.y * self.radius;
        let limit = self.friction * forces[0];
        let limit = if limit.re() > 0.0 { limit } else { T::zero() };
        rows[0] = ForceLawRow::inequality(height);
        rows[1] = ForceLawRow::between(slip, -limit, limit);
        Ok(())
    }
}

/// What is measured in a scene.
struct Report {
    name: &'static str,
    time_steps: Vec<f64>,
    /// Of rows whose force is strictly between its bounds, in their units.
    largest_phi: f64,
    /// Of inequalities, in their units.
    largest_f_phi: f64,
    /// Beside the closed form, for each length of the step.
    errors: Vec<f64>,
}

type Machine = TimeSteppingRigidBodySystem<f64>;

/// A machine of one body in steps, with a law.
fn machine(
    body: SpatialInertia<f64>,
    joint: Option<JointKind<f64>>,
    scheme: (Scheme, f64),
    law: impl FnOnce(BodyIndex) -> Option<AnyForceLaw<f64>>,
    contact: impl FnOnce(BodyIndex, &RigidBodyTree<f64>) -> Result<ContactModel<f64>, Failure>,
) -> Result<Machine, Failure> {
    let mut tree = RigidBodyTreeBuilder::new();
    let body = tree.add_body("body", body)?;
    if let Some(kind) = joint {
        tree.add_joint(
            "joint",
            kind,
            BodyIndex::WORLD,
            RigidTransform::identity(),
            body,
        )?;
    }
    let tree = tree.finish()?;
    let contact = contact(body, &tree)?;
    let mut system = RigidBodySystem::new(tree, contact)?;
    if let Some(law) = law(body) {
        system.add_force_law(law)?;
    }
    Ok(Machine::with_scheme(system, scheme.1, scheme.0)?)
}

/// The largest `|φ|` of equations and `|f φ|` of inequalities, of what `rows` says of a state and forces.
#[derive(Default)]
struct Largest {
    phi: f64,
    f_phi: f64,
}

impl Largest {
    fn take(&mut self, rows: &[(f64, Option<f64>)]) {
        for &(phi, force) in rows {
            match force {
                None => self.phi = self.phi.max(phi.abs()),
                Some(force) => {
                    self.phi = self.phi.max(-phi);
                    self.f_phi = self.f_phi.max((force * phi).abs());
                }
            }
        }
    }
}

/// Makes steps over a time, and hands each state and the forces that led to it over.
fn run(
    machine: &Machine,
    start: State<f64>,
    time: f64,
    mut see: impl FnMut(&State<f64>, &[f64]),
) -> Result<State<f64>, Failure> {
    let mut workspace = machine.workspace()?;
    let mut state = start;
    for _ in 0..(time / machine.time_step()).round() as usize {
        let mut step = machine.step(&mut workspace, &state, &[])?;
        let forces = step.law_forces()?.to_vec();
        see(step.state(), &forces);
        let next = step.state().clone();
        state = next;
    }
    Ok(state)
}

/// The complete elliptic integral of the first kind, by the arithmetic–geometric mean.
fn elliptic_k(modulus: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - modulus * modulus).sqrt());
    while (a - b).abs() > 1e-15 {
        (a, b) = ((a + b) / 2.0, (a * b).sqrt());
    }
    std::f64::consts::FRAC_PI_2 / a
}

fn free_bead(path: Path, scheme: Scheme, time_step: f64) -> Result<Machine, Failure> {
    let bead = |body| {
        let bead = Bead {
            body,
            path,
            radius: 0.5,
            rise: 0.1,
        };
        Some(AnyForceLaw::new(bead))
    };
    let inertia = SpatialInertia::solid_sphere(0.2, 0.02);
    machine(inertia, None, (scheme, time_step), bead, |_, _| {
        Ok(ContactModel::none())
    })
}

fn at(machine: &Machine, position: Vector3<f64>) -> Result<State<f64>, Failure> {
    let mut state = machine.neutral_state();
    machine.set_body_position(&mut state, "body", position)?;
    Ok(state)
}

fn place(state: &State<f64>) -> Vector3<f64> {
    Vector3::new(state.q[4], state.q[5], state.q[6])
}

fn speed(state: &State<f64>) -> f64 {
    state.v.rows(3, 3).norm()
}

const RADIUS: f64 = 0.5;

/// `φ = 0`: after a quarter of its period the bead, let go at rest, is lowest. Its speed is that of the height it fell.
fn circle(scheme: Scheme, steps: usize) -> Result<(f64, Largest, f64), Failure> {
    let amplitude: f64 = 1.0;
    let quarter = elliptic_k((amplitude / 2.0).sin()) * (RADIUS / GRAVITY).sqrt();
    let machine = free_bead(Path::Circle, scheme, quarter / steps as f64)?;
    let start = at(
        &machine,
        Vector3::new(amplitude.sin(), 0.0, -amplitude.cos()) * RADIUS,
    )?;
    let mut largest = Largest::default();
    let end = run(&machine, start, quarter, |state, _| {
        let p = place(state);
        largest.take(&[(p.xz().norm() - RADIUS, None), (p.y, None)]);
    })?;
    let error = place(&end).x.abs() / RADIUS;
    Ok((machine.time_step(), largest, error))
}

/// `φ = 0`, twice: a helix is an inclined plane, `s̈ = −g c/(r² + c²)`.
fn helix(scheme: Scheme, steps: usize) -> Result<(f64, Largest, f64), Failure> {
    let (time, rise) = (1.0, 0.1);
    let machine = free_bead(Path::Helix, scheme, time / steps as f64)?;
    let start = at(&machine, Vector3::new(RADIUS, 0.0, 0.0))?;
    let mut largest = Largest::default();
    let end = run(&machine, start, time, |state, _| {
        let (p, angle) = (place(state), state.q[6] / rise);
        let rows = [p.x - RADIUS * angle.cos(), p.y - RADIUS * angle.sin()];
        largest.take(&rows.map(|phi| (phi, None)));
    })?;
    let expected = -0.5 * GRAVITY * rise / (RADIUS * RADIUS + rise * rise) * time * time;
    let error = (place(&end).z / rise - expected).abs() / expected.abs();
    Ok((machine.time_step(), largest, error))
}

/// `φ ≥ 0`: a bead slides down on a sphere and leaves it where `cos θ = ⅔ cos θ₀`, as the normal force is zero there.
fn leaves_sphere(scheme: Scheme, steps: usize) -> Result<(f64, Largest, f64), Failure> {
    let (time, angle) = (0.8, 0.3f64);
    let machine = free_bead(Path::Outside, scheme, time / steps as f64)?;
    let start = at(
        &machine,
        Vector3::new(angle.sin(), 0.0, angle.cos()) * RADIUS,
    )?;
    let (mut largest, mut left_at) = (Largest::default(), None);
    run(&machine, start, time, |state, forces| {
        let p = place(state);
        largest.take(&[(p.xz().norm() - RADIUS, Some(forces[0])), (p.y, None)]);
        if forces[0] == 0.0 {
            left_at.get_or_insert(p.z / p.norm());
        }
    })?;
    let left_at = left_at.ok_or("the bead did not leave the sphere")?;
    let error = (left_at - 2.0 / 3.0 * angle.cos()).abs();
    Ok((machine.time_step(), largest, error))
}

/// `φ ≥ 0`: a stone falls freely until its rope is taut, loses its velocity along the rope, and swings.
fn rope(scheme: Scheme, steps: usize) -> Result<(f64, Largest, f64), Failure> {
    let (time, side) = (0.6, 0.4f64);
    let machine = free_bead(Path::Rope, scheme, time / steps as f64)?;
    let start = at(&machine, Vector3::new(side, 0.0, 0.0))?;
    let (mut largest, mut fastest) = (Largest::default(), 0.0f64);
    run(&machine, start, time, |state, forces| {
        let p = place(state);
        largest.take(&[(RADIUS - p.xz().norm(), Some(forces[0])), (p.y, None)]);
        fastest = fastest.max(speed(state));
    })?;
    let fall = (RADIUS * RADIUS - side * side).sqrt();
    let along = 2.0 * GRAVITY * fall * (side / RADIUS).powi(2);
    let expected = (along + 2.0 * GRAVITY * (RADIUS - fall)).sqrt();
    let error = (fastest - expected).abs() / expected;
    Ok((machine.time_step(), largest, error))
}

fn driven(
    drive: Drive<f64>,
    scheme: Scheme,
    time_step: f64,
) -> Result<(Machine, State<f64>), Failure> {
    let kind = JointKind::Revolute { axis: Vector3::z() };
    let law = |_| Some(AnyForceLaw::new(drive));
    let body = SpatialInertia::principal(1.0, Vector3::repeat(0.02));
    let machine = machine(body, Some(kind), (scheme, time_step), law, |_, _| {
        Ok(ContactModel::none())
    })?;
    let start = machine.neutral_state();
    Ok((machine, start))
}

/// A motor holds a speed, reached as fast as its torque allows: `v = min(τ t/I, v₀)`.
fn motor(scheme: Scheme, steps: usize) -> Result<(f64, Largest, f64), Failure> {
    let time = 1.0;
    let drive = Drive {
        name: "motor".into(),
        coordinate: 0,
        speed: 3.0,
        lower: -0.1,
        upper: 0.1,
    };
    let (machine, start) = driven(drive, scheme, time / steps as f64)?;
    let (mut largest, mut error) = (Largest::default(), 0.0f64);
    run(&machine, start, time, |state, forces| {
        let phi = state.v[0] - 3.0;
        if forces[0].abs() < 0.1 {
            largest.take(&[(phi, None)]);
        }
        error = error.max((state.v[0] - f64::min(5.0 * state.time, 3.0)).abs());
    })?;
    Ok((machine.time_step(), largest, error))
}

/// A clutch lets a shaft turn one way only: `v ≥ 0`. From `v₀` a torque of −τ stops it, and cannot turn it back.
fn clutch(scheme: Scheme, steps: usize) -> Result<(f64, Largest, f64), Failure> {
    let time = 1.0;
    let drive = Drive {
        name: "clutch".into(),
        coordinate: 0,
        speed: 0.0,
        lower: 0.0,
        upper: 1e6,
    };
    let (mut machine, mut start) = driven(drive, scheme, time / steps as f64)?;
    let torque = SpatialForce::new(Vector3::new(0.0, 0.0, -0.04), Vector3::zeros());
    let body = BodyPoint::new(BodyIndex::new(1), Vector3::zeros());
    let tree = machine.tree();
    let brake = AppliedForce::new("brake", tree, body, torque, ExpressedIn::World)?;
    machine.add_force(brake)?;
    start.v[0] = 1.0;
    let (mut largest, mut error) = (Largest::default(), 0.0f64);
    run(&machine, start, time, |state, forces| {
        largest.take(&[(state.v[0], Some(forces[0]))]);
        error = error.max((state.v[0] - f64::max(1.0 - 2.0 * state.time, 0.0)).abs());
    })?;
    Ok((machine.time_step(), largest, error))
}

/// A ball that slides and begins to roll, by a law of its own; the error is the difference from the built-in contact.
fn roller(steps: usize) -> Result<(f64, Largest, f64), Failure> {
    let (time, radius, friction) = (0.6, 0.1, 0.3);
    let scheme = (Scheme::Rigid, time / steps as f64);
    let inertia = SpatialInertia::solid_sphere(0.5, radius);
    let law = |body| {
        let ball = Sliding {
            body,
            point: Vector3::zeros(),
            radius,
            friction,
        };
        Some(AnyForceLaw::new(ball))
    };
    let own = machine(inertia, None, scheme, law, |_, _| Ok(ContactModel::none()))?;
    let built_in = machine(
        inertia,
        None,
        scheme,
        |_| None,
        |body, tree| {
            let mut contact = ContactModelBuilder::new();
            let material = ContactMaterial::new(1e6, 0.0, friction)?;
            for (name, body, shape) in [
                ("ball", body, Shape::new_sphere(radius)?),
                ("ground", BodyIndex::WORLD, Shape::HalfSpace),
            ] {
                contact.add_geometry(CollisionGeometry {
                    name: name.into(),
                    body,
                    pose_in_body: RigidTransform::identity(),
                    shape,
                    material,
                })?;
            }
            Ok(contact.finish(tree)?)
        },
    )?;
    let mut start = at(&own, Vector3::new(0.0, 0.0, radius))?;
    start.v[3] = 2.0;
    let (mut largest, mut path) = (Largest::default(), Vec::new());
    run(&own, start.clone(), time, |state, forces| {
        largest.take(&[(state.q[6] - radius, Some(forces[0]))]);
        let slip = state.v[3] - state.v[1] * radius;
        if forces[1].abs() < friction * forces[0] * (1.0 - 1e-9) {
            largest.take(&[(slip, None)]);
        }
        path.push(state.clone());
    })?;
    let (mut error, mut path) = (0.0f64, path.into_iter());
    run(&built_in, start, time, |state, _| {
        if let Some(own) = path.next() {
            error = error
                .max((&own.q - &state.q).amax())
                .max((&own.v - &state.v).amax());
        }
    })?;
    Ok((own.time_step(), largest, error))
}

/// Painlevé's rod slides on its leading tip. Friction turns the tip into the ground so fast that no finite force holds it
/// out: `1 + 3 cos α (cos α − μ sin α) < 0`. The tip stops at once, by an impulse that does not depend on the length of the
/// step, and the rod turns about it: by its angular momentum about the tip with `ω = −¾ V sin α/l`. The error is that of the first step,
/// relative, which gravity makes.
fn rod(scheme: Scheme, steps: usize) -> Result<(f64, Largest, f64), Failure> {
    let (time, half_length, friction) = (0.02, 0.5, 2.0);
    let (tilt, speed) = (60f64.to_radians(), 1.0);
    let law = |body| {
        let tip = Sliding {
            body,
            point: Vector3::new(half_length, 0.0, 0.0),
            radius: 0.0,
            friction,
        };
        Some(AnyForceLaw::new(tip))
    };
    let inertia = SpatialInertia::principal(1.0, Vector3::repeat(half_length * half_length / 3.0));
    let plane = JointKind::Planar {
        x_axis: Vector3::x(),
        y_axis: Vector3::z(),
    };
    let scheme = (scheme, time / steps as f64);
    let machine = machine(inertia, Some(plane), scheme, law, |_, _| {
        Ok(ContactModel::none())
    })?;
    let mut start = machine.neutral_state();
    (start.q[1], start.q[2]) = (half_length * tilt.sin(), -tilt);
    start.v[0] = speed;
    let expected = -0.75 * speed * tilt.sin() / half_length;
    let (mut largest, mut error) = (Largest::default(), None);
    run(&machine, start, time, |state, forces| {
        let height = state.q[1] + half_length * state.q[2].sin();
        largest.take(&[(height, Some(forces[0]))]);
        if forces[1].abs() < friction * forces[0] * (1.0 - 1e-9) {
            let slip = state.v[0] - state.v[2] * half_length * state.q[2].sin();
            largest.take(&[(slip, None)]);
        }
        error.get_or_insert((state.v[2] / expected - 1.0).abs());
    })?;
    Ok((machine.time_step(), largest, error.unwrap_or(f64::NAN)))
}

/// All scenes, in steps of one scheme, with each of the numbers of steps.
fn reports(scheme: Scheme, counts: &[usize]) -> Result<Vec<Report>, Failure> {
    type Scene<'a> = &'a dyn Fn(usize) -> Result<(f64, Largest, f64), Failure>;
    let scenes: [(&str, Scene<'_>); 8] = [
        ("circle", &|n| circle(scheme, n)),
        ("helix", &|n| helix(scheme, n)),
        ("leaves the sphere", &|n| leaves_sphere(scheme, n)),
        ("rope", &|n| rope(scheme, n)),
        ("motor", &|n| motor(scheme, n)),
        ("clutch", &|n| clutch(scheme, n)),
        ("Painlevé's rod", &|n| rod(scheme, n)),
        ("roller", &roller),
    ];
    // A rigid contact is one of rigid steps.
    let known = scenes.len() - usize::from(scheme != Scheme::Rigid);
    let report = |(name, scene): (&'static str, Scene<'_>)| {
        let mut report = Report {
            name,
            time_steps: Vec::new(),
            largest_phi: 0.0,
            largest_f_phi: 0.0,
            errors: Vec::new(),
        };
        for &count in counts {
            let (time_step, largest, error) = scene(count)?;
            report.time_steps.push(time_step);
            report.largest_phi = report.largest_phi.max(largest.phi);
            report.largest_f_phi = report.largest_f_phi.max(largest.f_phi);
            report.errors.push(error);
        }
        Ok(report)
    };
    scenes.into_iter().take(known).map(report).collect()
}

fn run_example() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process("constraint_forces [--json FILE] [--quick]");
    let quick = arguments.flag("--quick");
    let json = arguments.output_file("--json")?;
    arguments.output_folder()?;
    arguments.finish()?;
    let counts: &[usize] = if quick {
        &[25, 50]
    } else {
        &[50, 100, 200, 400]
    };
    let mut documents = Vec::new();
    for (scheme_name, scheme) in [("compliant", Scheme::Compliant), ("rigid", Scheme::Rigid)] {
        println!(
            "{scheme_name} steps         largest |φ|   largest |f φ|   error, as the step shrinks"
        );
        for report in reports(scheme, counts)? {
            let errors: Vec<String> = report.errors.iter().map(|e| format!("{e:.1e}")).collect();
            let Report {
                name,
                largest_phi,
                largest_f_phi,
                ..
            } = report;
            let errors_of = errors.join("  ");
            println!("  {name:<20}{largest_phi:>13.1e}{largest_f_phi:>16.1e}   {errors_of}");
            documents.push(serde_json::json!({
                "name": name,
                "scheme": scheme_name,
                "time_steps": report.time_steps,
                "largest_phi": largest_phi,
                "largest_f_phi": largest_f_phi,
                "errors": report.errors,
            }));
        }
    }
    if let Some(file) = json {
        write_whole(
            &file,
            &format!("{:#}\n", serde_json::Value::Array(documents)),
        )?;
    }
    Ok(())
}

fn main() -> std::process::ExitCode {
    support::exit_code(run_example())
}
