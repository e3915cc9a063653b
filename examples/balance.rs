//! Balances a pole on a cart: linearise, solve a Riccati equation, run with encoders and a force limit.
//!
//! `--out DIR` is the folder for picture and page (default `out`), `--quick` simulates 4 s in place of 10.

#[path = "support/mod.rs"]
mod support;

use dualbody::actuator::TorqueSource;
use dualbody::contact::ContactModel;
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::sensor::Encoder;
use dualbody::system::{Recording, State, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::{DMatrix, DVector, Vector3};
use support::Failure;
use support::arguments::Arguments;
use support::chart::{Chart, Mark, write_charts};

const TIME_STEP: f64 = 0.005;
/// Edges of the cart, in m.
const CART: [f64; 3] = [0.3, 0.2, 0.1];
/// The largest force of the cart's motor, in N.
const FORCE_LIMIT: f64 = 15.0;
/// The angle of the pole at first, in rad.
const TILT: f64 = 0.3;

fn cart_pole() -> Result<RigidBodyTree<f64>, Failure> {
    let mut builder = RigidBodyTreeBuilder::new();
    let cart = SpatialInertia::solid_box(1.0, &CART.into());
    let cart = builder.add_body("cart", cart)?;
    // The pole stands at zero: its mass lies above the hinge.
    let pole = SpatialInertia::point_mass(0.2, Vector3::new(0.0, 0.0, 0.6));
    let pole = builder.add_body("pole", pole)?;
    let (rail, hinge) = (
        JointKind::Prismatic { axis: Vector3::x() },
        JointKind::Continuous { axis: Vector3::y() },
    );
    let at = RigidTransform::identity();
    builder.add_joint("rail", rail, BodyIndex::WORLD, at, cart)?;
    let hinge = builder.add_joint("hinge", hinge, cart, at, pole)?;
    builder.set_damping(hinge, &[0.002])?;
    Ok(builder.finish()?)
}

/// The gain K of the control u = −K x that minimises Σ xᵀ Q x + uᵀ R u, and the number of iterations, by
/// structure-preserving doubling: its k-th iterate is the Riccati recursion over 2ᵏ steps.
///
/// Chu, Fan, Lin and Wang, "Structure-preserving algorithms for periodic discrete-time algebraic Riccati
/// equations", International Journal of Control 77 (2004).
fn regulator(
    a: &DMatrix<f64>,
    b: &DMatrix<f64>,
    q: &DMatrix<f64>,
    r: &DMatrix<f64>,
) -> Result<(DMatrix<f64>, usize), Failure> {
    let singular = "the Riccati equation has no stabilising solution";
    let identity = DMatrix::identity(a.nrows(), a.nrows());
    let mut transition = a.clone();
    let mut reach = b * r.clone().lu().solve(&b.transpose()).ok_or(singular)?;
    let mut cost = q.clone();
    for iteration in 1..50 {
        let factor = (&identity + &reach * &cost).lu();
        let step = factor.solve(&transition).ok_or(singular)?;
        let reached = factor.solve(&reach).ok_or(singular)?;
        let added = transition.tr_mul(&cost) * &step;
        cost += &added;
        reach += &transition * reached * transition.transpose();
        transition *= step;
        if added.amax() < 1e-13 * cost.amax() {
            let bp = b.tr_mul(&cost);
            let gain = (r + &bp * b).lu().solve(&(bp * a)).ok_or(singular)?;
            return Ok((gain, iteration));
        }
    }
    Err(singular.into())
}

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process("usage: balance [--quick] [--out DIR]");
    let seconds = if arguments.flag("--quick") { 4.0 } else { 10.0 };
    let folder = arguments.output_folder()?;
    arguments.finish()?;

    let tree = cart_pole()?;
    let (rail, hinge) = (tree.joint_by_name("rail")?, tree.joint_by_name("hinge")?);
    let motor = TorqueSource::new("motor", &tree, rail, 1.0, Some(FORCE_LIMIT))?;
    let encoders = [
        Encoder::new("cart", &tree, rail, 1e-3)?,
        Encoder::new("pole", &tree, hinge, std::f64::consts::TAU / 4096.0)?,
    ];
    let system = TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), TIME_STEP)?
        .with_actuators([motor])?
        .with_sensors(encoders)?;

    let upright = system.initial_state();
    let model = system.linearize(&upright, &[0.0])?;
    println!(
        "A pole stands on a cart whose motor pushes with up to {FORCE_LIMIT} N. One step of {TIME_STEP} s takes"
    );
    println!("x = ({}) to A x + B u,", model.states.join(", "));
    println!("u = ({}), with", model.inputs.join(", "));
    println!("A ={:.5}B ={:.5}", model.a, model.b);
    let weights = DMatrix::from_diagonal(&DVector::from_vec(vec![10.0, 10.0, 1.0, 1.0]));
    let effort = DMatrix::from_element(1, 1, 0.1);
    let (gain, iterations) = regulator(&model.a, &model.b, &weights, &effort)?;
    println!("The regulator u = −K x, after {iterations} doublings of the horizon:\nK ={gain:.4}");
    let closed = &model.a - &model.b * &gain;
    let slowest = (closed.complex_eigenvalues().iter()).fold(0.0, |s: f64, z| s.max(z.norm()));
    println!("Largest eigenvalue of A − B K: {slowest:.5}\n");

    // The control reads the encoders, which are quantised: the outputs of the step before.
    let read = ["cart/position", "pole/position", "cart/rate", "pole/rate"];
    let read = read.map(|name| system.output_index(name));
    let read: Vec<usize> = read.into_iter().collect::<Result<_, _>>()?;
    let control = |_: usize, _: &State<f64>, output: &[f64], input: &mut [f64]| {
        let feedback = gain.iter().zip(&read).map(|(k, index)| k * output[*index]);
        input[0] = -feedback.sum::<f64>();
    };
    let mut state = upright;
    state.q.copy_from_slice(&[0.0, TILT]);
    let steps = (seconds / TIME_STEP) as usize;
    let mut recording = Recording::default();
    system.record(&mut state, steps, control, &mut || 0.0, &mut recording)?;

    let (q, v) = (&state.q, &state.v);
    println!(
        "{seconds} s after a tilt of {TILT} rad: cart at {:.4} m, pole at {:.5} rad with {:.5} rad/s",
        q[0], q[1], v[1]
    );
    if q[1].abs() > 0.02 {
        return Err("the pole has fallen".into());
    }

    let line = |column: &str| -> Vec<(f64, f64)> {
        let [time, values] = ["time", column].map(|c| recording.column(c).unwrap_or_default());
        time.into_iter().zip(values).collect()
    };
    let motion = Chart::new("Cart-pole under a regulator", "time [s]", "m, rad")
        .with("cart [m]", Mark::Line, line("q/0"))
        .with("pole [rad]", Mark::Line, line("q/1"));
    let limit = vec![(0.0, FORCE_LIMIT), (seconds, FORCE_LIMIT)];
    let force = Chart::new("Command to the motor", "time [s]", "N")
        .with("command", Mark::Line, line("motor/torque"))
        .with("limit of the motor", Mark::Dashes, limit);
    let picture = folder.join("balance.svg");
    write_charts(&picture, &[motion, force])?;
    println!("Picture: {}", picture.display());

    let here = RigidTransform::identity();
    let rail = RigidTransform::new(
        dualbody::math::rotation::exp(&(Vector3::y() * std::f64::consts::FRAC_PI_2)),
        Vector3::new(0.0, 0.0, -0.07),
    );
    let scene = (recording.scene(&system)?)
        .titled("A pole on a cart")
        .about(
            "A linear regulator balances it, with quantised encoders and a motor of limited force.",
        )
        .with_shape("cart", &Shape::new_box(CART.into())?, &here)?
        .with_shape("world", &Shape::new_cylinder(0.015, 2.0)?, &rail)?;
    support::show(&scene, &folder, "balance")
}
