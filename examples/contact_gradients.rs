//! Gradients of where a thrown cube comes to lie.
//!
//! A cube is thrown onto a table, tumbles and slides. The position where it ends is differentiated
//! with respect to the velocity of the throw and to friction, stiffness and dissipation of the
//! contact, in one simulation with dual numbers, and compared with central differences. Each derivative comes with its
//! radius, the change of its variable at which something is decided otherwise on the way, and with the slope of the outcome
//! averaged over a tenth of the variable, which is the trend where the radius is small.
//!
//! `--out DIR` is the folder for picture and page (default `out`), `--quick` draws fewer points.

#[path = "support/mod.rs"]
mod support;

use dualbody::autodiff::{AveragedSlope, JacobianWithRadius, VectorFunction, averaged_gradient};
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::scene::Scene;
use dualbody::system::{Rollout, State, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
use dualbody::{DefaultScalar, Parameters, jacobian_with_radius};
use nalgebra::{DMatrix, DVector, Vector3};
use num_dual::Dual64;
use support::Failure;
use support::arguments::Arguments;
use support::chart::{Chart, Mark, write_charts};

const STEPS: usize = 700;
const STEPS_PER_SECOND: f64 = 1000.0;
const WIDTH: f64 = 0.1;
/// Half the width over which outcomes are averaged, relative to a variable.
const WIDTH_OF_AVERAGE: f64 = 0.05;
const CONTACT: [&str; 3] = [
    "cube/box|table/friction",
    "cube/box|table/stiffness",
    "cube/box|table/dissipation",
];

/// Position at the end, as a function of the velocity of the throw (3) and the contact (3).
struct Throw {
    system: TimeSteppingRigidBodySystem<f64>,
    contact: [usize; 3],
}

impl Throw {
    fn start<T: DefaultScalar>(
        &self,
        system: &TimeSteppingRigidBodySystem<T>,
        x: &[T],
    ) -> Result<(TimeSteppingRigidBodySystem<T>, State<T>), Failure> {
        let mut system = system.clone();
        let [friction, stiffness, dissipation] = self.contact;
        system.set_parameters(&[(friction, x[3]), (stiffness, x[4]), (dissipation, x[5])])?;
        let mut start = State::new(
            DVector::from_vec([1.0, 0.05, 0.08, 0.1, 0.0, 0.0, 0.08].map(T::from).to_vec()),
            DVector::from_vec([0.2, 0.6, 1.0, 0.0, 0.0, 0.0].map(T::from).to_vec()),
        );
        start.q.rows_mut(0, 4).normalize_mut();
        start.v.rows_mut(3, 3).copy_from_slice(&x[..3]);
        Ok((system, start))
    }

    fn rollout<T: DefaultScalar>(
        &self,
        x: &[T],
    ) -> Result<(TimeSteppingRigidBodySystem<T>, Rollout<T>), Failure> {
        let (system, start) = self.start(&self.system.cast::<T>(), x)?;
        let rollout = system.rollout(&start, STEPS)?;
        Ok((system, rollout))
    }

    /// The end with its derivatives, and how far they hold.
    fn differentiate(&self, at: &[f64; 6]) -> Result<JacobianWithRadius, Failure> {
        let end = |system: &TimeSteppingRigidBodySystem<_>, x: &[_]| {
            let (system, start) = self.start(system, x)?;
            let rollout = system.rollout(&start, STEPS)?;
            Ok::<_, Failure>(rollout.last().q.rows(4, 3).into_owned())
        };
        jacobian_with_radius!(end, &self.system, at)
    }

    /// The slopes of x at the end, averaged over widths of all variables and the phases of a step.
    fn average(&self, at: &[f64; 6], pairs: usize) -> Result<Vec<AveragedSlope>, Failure> {
        let outcome = |x: &[f64]| {
            let (system, start) = self.start(&self.system, &x[..6])?;
            let rollout = system.rollout_in_phase(&start, STEPS, x[6].clamp(1e-9, 1.0))?;
            Ok::<_, Failure>(rollout.last().q[4])
        };
        let mut centre = at.to_vec();
        let mut widths: Vec<f64> = at.iter().map(|x| WIDTH_OF_AVERAGE * x.abs()).collect();
        centre.push(0.5);
        widths.push(0.5);
        averaged_gradient(outcome, &centre, &widths, &[0, 1, 2, 3, 4, 5], pairs)
    }

    /// The throw, and where more or less friction and a faster or slower one would lead.
    fn scene(
        &self,
        at: &[f64; 6],
        found: &JacobianWithRadius,
        average: &[AveragedSlope],
    ) -> Result<Scene, Failure> {
        let along = |j: usize| {
            let mut x = at.map(Dual64::from);
            x[j] = x[j].derivative();
            self.rollout(&x)
        };
        let (dual, by_friction) = along(3)?;
        let (_, by_speed) = along(0)?;
        let label = |name: &str, j: usize| {
            format!(
                "{name}: derivative {:.3}, holds to ± {:.1e}, averaged slope {:.3} ± {:.3}",
                found.jacobian[(0, j)],
                found.radius[j],
                average[j].slope,
                average[j].error
            )
        };
        Ok((by_friction.scene(&dual)?)
            .titled("A thrown cube")
            .about(
                "Ghosts and arrows show where it would be with another friction or velocity, by exact \
                 derivatives through all impacts.",
            )
            .with_sensitivity(
                label("friction ± 0.03", 3),
                &dual,
                &by_friction.states,
                0.03,
            )?
            .with_sensitivity(
                label("velocity x ± 0.1 m/s", 0),
                &dual,
                &by_speed.states,
                0.1,
            )?)
    }
}

/// How far central differences of x at the end are from its derivatives, against their step, both relative.
fn differences(throw: &Throw, at: &[f64; 6], gradient: &DMatrix<f64>) -> Result<Chart, Failure> {
    let mut chart = Chart::new(
        "Central differences, beside the exact derivative",
        "step, relative to the variable",
        "relative error",
    )
    .logarithmic()
    .logarithmic_abscissa();
    for (j, name) in [(3, "friction"), (4, "stiffness"), (0, "velocity x")] {
        let mut errors = Vec::new();
        for k in 0..=30 {
            let relative = 10f64.powf(-11.0 + 0.3 * f64::from(k));
            let step = relative * at[j];
            let end = |sign: f64| {
                let mut x = *at;
                x[j] += sign * step;
                Ok::<_, Failure>(throw.eval(&x)?[0])
            };
            let difference = (end(1.0)? - end(-1.0)?) / (2.0 * step);
            errors.push((relative, (difference / gradient[(0, j)] - 1.0).abs()));
        }
        chart = chart.with(name, Mark::Line, errors);
    }
    Ok(chart)
}

impl VectorFunction for Throw {
    type Error = Failure;

    fn eval<T: DefaultScalar>(&self, x: &[T]) -> Result<DVector<T>, Failure> {
        let (_, rollout) = self.rollout(x)?;
        Ok(rollout.last().q.rows(4, 3).into_owned())
    }
}

fn throw() -> Result<Throw, Failure> {
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_box(0.4, &Vector3::repeat(WIDTH));
    let cube = tree.add_body("cube", inertia)?;
    let tree = tree.finish()?;
    let material = ContactMaterial::new(5e3, 0.4, 0.3)?;
    let mut contact = ContactModelBuilder::new();
    for (name, body, shape) in [
        ("cube/box", cube, Shape::new_box(Vector3::repeat(WIDTH))?),
        ("table", BodyIndex::WORLD, Shape::HalfSpace),
    ] {
        contact.add_geometry(CollisionGeometry {
            name: name.to_owned(),
            body,
            pose_in_body: RigidTransform::identity(),
            shape,
            material,
        })?;
    }
    contact.set_pair_material("cube/box", "table", material)?;
    let contact = contact.finish(&tree)?;
    let system = TimeSteppingRigidBodySystem::new(tree, contact, 1.0 / STEPS_PER_SECOND)?;
    let mut indices = [0; 3];
    for (index, name) in indices.iter_mut().zip(CONTACT) {
        *index = system.parameter_index(name)?;
    }
    Ok(Throw {
        system,
        contact: indices,
    })
}

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process("usage: contact_gradients [--quick] [--out DIR]");
    let points = if arguments.flag("--quick") { 21 } else { 161 };
    let folder = arguments.output_folder()?;
    arguments.finish()?;

    let throw = throw()?;
    let at = [0.8, 0.3, 0.2, 0.3, 5e3, 0.4];
    let found = throw.differentiate(&at)?;
    let average = throw.average(&at, if points < 100 { 4 } else { 16 })?;
    let (end, gradient) = (&found.value, &found.jacobian);
    println!(
        "A cube of {WIDTH} m is thrown at {:?} m/s. After {} s it lies at ({:.4}, {:.4}, {:.4}) m.\n",
        &at[..3],
        STEPS as f64 / STEPS_PER_SECOND,
        end[0],
        end[1],
        end[2]
    );
    println!(
        "Derivatives of x and y of the end, by one simulation with dual numbers and by central differences:\n"
    );
    let names = [
        "throw/x",
        "throw/y",
        "throw/z",
        "friction",
        "stiffness",
        "dissipation",
    ];
    let units = ["m/s", "m/s", "m/s", "1", "N/m", "s/m"];
    println!(
        "{:12} {:>8}  {:>13} {:>13}  {:>13} {:>13}",
        "with respect", "in", "dx, duals", "differences", "dy, duals", "differences"
    );
    for (j, (name, unit)) in names.iter().zip(units).enumerate() {
        let step = 1e-6 * at[j].abs();
        let mut ends = Vec::new();
        for sign in [1.0, -1.0] {
            let mut x = at;
            x[j] += sign * step;
            ends.push(throw.eval(&x)?);
        }
        let difference = (&ends[0] - &ends[1]) / (2.0 * step);
        println!(
            "{name:12} {unit:>8}  {:>13.6e} {:>13.6e}  {:>13.6e} {:>13.6e}",
            gradient[(0, j)],
            difference[0],
            gradient[(1, j)],
            difference[1]
        );
    }

    println!(
        "\nHow far the derivatives hold, and the slopes of x at the end averaged over ± {} % of each variable:\n",
        100.0 * WIDTH_OF_AVERAGE
    );
    for (j, (name, unit)) in names.iter().zip(units).enumerate() {
        let nearest = found.nearest[j].as_ref();
        println!(
            "{name:12} {unit:>8}  ± {:<10.3e} slope {:>11.4e} ± {:<9.2e} {}",
            found.radius[j],
            average[j].slope,
            average[j].error,
            nearest.map_or_else(String::new, ToString::to_string)
        );
    }

    let mut charts = Vec::new();
    for (j, range) in [(3, 0.06), (0, 0.2)] {
        let (mut ends, mut tangent, mut trend) = (Vec::new(), Vec::new(), Vec::new());
        let width = WIDTH_OF_AVERAGE * at[j].abs();
        for i in 0..points {
            let change = range * (2.0 * i as f64 / (points - 1) as f64 - 1.0);
            let mut x = at;
            x[j] += change;
            ends.push((x[j], throw.eval(&x)?[0]));
            if change.abs() < 0.5 * range {
                tangent.push((x[j], end[0] + gradient[(0, j)] * change));
            }
            if change.abs() <= width {
                trend.push((x[j], end[0] + average[j].slope * change));
            }
        }
        let radius = found.radius[j].min(range);
        let within =
            [-radius, radius].map(|change| (at[j] + change, end[0] + gradient[(0, j)] * change));
        let chart = Chart::new(
            format!("Where the cube ends, against {}", names[j]),
            format!("{} [{}]", names[j], units[j]),
            "x at the end [m]",
        );
        charts.push(
            (chart.with("simulated", Mark::Dots, ends))
                .with("tangent from the gradient", Mark::Line, tangent)
                .with("slope of averaged outcomes", Mark::Line, trend)
                .with(
                    "as far as the derivative holds",
                    Mark::Dots,
                    within.to_vec(),
                )
                .with(
                    "here the gradient was taken",
                    Mark::Dots,
                    vec![(at[j], end[0])],
                ),
        );
    }
    let picture = folder.join("contact_gradients.svg");
    write_charts(&picture, &charts)?;
    let differences_picture = folder.join("contact_gradients_differences.svg");
    write_charts(&differences_picture, &[differences(&throw, &at, gradient)?])?;
    println!(
        "\nPictures: {}, {}",
        picture.display(),
        differences_picture.display()
    );
    let scene = throw.scene(&at, &found, &average)?;
    support::show(&scene, &folder, "contact_gradients")
}
