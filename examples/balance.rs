//! Balances a pole on a cart: linearise, solve a Riccati equation, run with encoders and a force limit.
//!
//! `cargo run --release --example balance [-- --quick]`

mod plot;

use dualbody::actuator::TorqueSource;
use dualbody::contact::ContactModel;
use dualbody::math::{Factorization, Lu, RigidTransform, SpatialInertia};
use dualbody::sensor::Encoder;
use dualbody::system::{DiscretePlant, PlantState, Recording, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::{DMatrix, DVector, Vector3};
use std::error::Error;

const TIME_STEP: f64 = 0.005;
/// The largest force of the cart's motor, in N.
const FORCE_LIMIT: f64 = 15.0;

fn cart_pole() -> Result<RigidBodyTree<f64>, Box<dyn Error>> {
    let mut builder = RigidBodyTreeBuilder::new();
    let cart = SpatialInertia::solid_box(1.0, &Vector3::new(0.3, 0.2, 0.1));
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

/// The gain K of the control u = −K x that minimises Σ xᵀ Q x + uᵀ R u, by iterating the Riccati
/// difference equation; and the number of iterations.
fn regulator(
    a: &DMatrix<f64>,
    b: &DMatrix<f64>,
    q: &DMatrix<f64>,
    r: &DMatrix<f64>,
) -> Result<(DMatrix<f64>, usize), Box<dyn Error>> {
    let mut p = q.clone();
    let mut lu = Lu::identity(r.nrows());
    for iteration in 1..100_000 {
        let bp = b.tr_mul(&p);
        lu.factor(&(r + &bp * b))?;
        let mut k = &bp * a;
        for mut column in k.column_iter_mut() {
            let mut solution: Vec<f64> = column.iter().copied().collect();
            lu.solve_in_place(&mut solution)?;
            column.copy_from_slice(&solution);
        }
        let next = q + a.tr_mul(&p) * (a - b * &k);
        let change = (&next - &p).amax();
        p = (&next + next.transpose()) * 0.5;
        if change < 1e-10 * p.amax() {
            return Ok((k, iteration));
        }
    }
    Err("the Riccati iteration does not converge".into())
}

fn main() -> Result<(), Box<dyn Error>> {
    let tree = cart_pole()?;
    let (rail, hinge) = (tree.joint_by_name("rail")?, tree.joint_by_name("hinge")?);
    let motor = TorqueSource::new("motor", &tree, rail, 1.0, Some(FORCE_LIMIT))?;
    let encoders = vec![
        Encoder::new("cart", &tree, rail, 1e-4)?,
        Encoder::new("pole", &tree, hinge, std::f64::consts::TAU / 4096.0)?,
    ];
    let system = TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), TIME_STEP)?;
    let mut plant = DiscretePlant::new(system, motor, encoders)?;

    let upright = plant.initial_state();
    let model = plant.linearize(&upright, &[0.0])?;
    println!("states:  {}", model.states.join(", "));
    println!("A ={}B ={}", model.a, model.b);
    let weights = DMatrix::from_diagonal(&DVector::from_vec(vec![10.0, 10.0, 1.0, 1.0]));
    let effort = DMatrix::from_element(1, 1, 0.1);
    let (gain, iterations) = regulator(&model.a, &model.b, &weights, &effort)?;
    println!("LQR gain after {iterations} iterations: {gain}");

    // Control reads the encoders: quantised positions, and rates.
    let outputs = ["cart/position", "pole/position", "cart/rate", "pole/rate"];
    let read = outputs.map(|name| plant.output_index(name));
    let [x, angle, speed, rate] = read;
    let read = [x?, angle?, speed?, rate?];
    let mut state: PlantState<f64> = upright;
    state.tree.q.copy_from_slice(&[0.0, 0.3]);
    let mut first = [0.0; 6];
    first[read[1]] = 0.3;
    let control = |step: usize, _: &PlantState<f64>, output: &[f64], input: &mut [f64]| {
        let output = if step == 0 { &first } else { output };
        input[0] = -(0..4).map(|i| gain[(0, i)] * output[read[i]]).sum::<f64>();
    };
    let seconds = if plot::is_quick() { 4.0 } else { 10.0 };
    let steps = (seconds / TIME_STEP) as usize;
    let mut recording = Recording::default();
    plant.record(&mut state, steps, control, &mut || 0.0, &mut recording)?;

    let time = recording.column("time").unwrap_or_default();
    let line = |label: &str, column: &str, scale: f64| {
        let values = recording.column(column).unwrap_or_default();
        let points = time.iter().zip(values).map(|(t, x)| (*t, x * scale));
        (label.to_owned(), points.collect())
    };
    let (q, v) = (&state.tree.q, &state.tree.v);
    println!(
        "after {seconds} s from a tilt of 0.3 rad: cart at {:.4} m, pole at {:.5} rad, {:.5} rad/s",
        q[0], q[1], v[1]
    );
    if q[1].abs() > 0.02 {
        return Err("the pole has fallen".into());
    }
    plot::draw(
        "balance",
        "Cart-pole under an LQR that reads encoders",
        ["time in s", "m, rad, 10 N"],
        &[
            line("cart (m)", "q/0", 1.0),
            line("pole (rad)", "q/1", 1.0),
            line("motor (10 N)", "motor/torque", 0.1),
        ],
    )
}
