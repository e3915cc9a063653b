//! The work of rigid contacts.

use crate::support::random_tree::Random;
use dualbody::contact::ContactMaterial;
use dualbody::geometry::Shape;
use dualbody::system::SystemBuilder;
use nalgebra::Vector3;

const G: f64 = 9.81;

/// It is stopped while it rises: work of the contact, which the weight has done less.
#[test]
fn a_contact_stops_a_ball_that_its_weight_would_pull_back_within_the_step() {
    let material = ContactMaterial::new(1e4, 0.0, 0.5).unwrap();
    let (mass, dt) = (2.0, 5e-3);
    let system = SystemBuilder::new()
        .floor("floor", material)
        .free_body("ball", Shape::new_sphere(0.1).unwrap(), mass, material)
        .rigid(dt)
        .unwrap();
    let mut state = system.initial_state();
    (state.q[6], state.v[5]) = (0.1, 0.5 * G * dt);
    let mut workspace = system.workspace().unwrap();
    let mut step = system.step(&mut workspace, &state, &[]).unwrap();
    let ledger = step.energy().unwrap();
    let work = mass * (dt * G).powi(2) / 8.0;
    assert!((ledger.dissipated_by_contact_normal / work + 1.0).abs() < 1e-9);
    assert!((ledger.residual() + ledger.loss.total()).abs() < 1e-12 * work);
}

/// On the mean of the velocities that the weight alone would lead to and those after, impulses only take energy, but for
/// what pushes overlaps out: so they lose at least half of what the weight brings along them.
#[test]
fn contacts_do_no_more_work_than_the_weight_loses_by_them() {
    let mut random = Random::new(11);
    let material = ContactMaterial::new(1e4, 0.0, 0.6).unwrap();
    let dt = 4e-3;
    let system = SystemBuilder::new()
        .floor("floor", material)
        .free_body(
            "box",
            Shape::new_box(Vector3::new(0.2, 0.1, 0.05)).unwrap(),
            1.3,
            material,
        )
        .rigid(dt)
        .unwrap();
    let mut workspace = system.workspace().unwrap();
    let (mut touching, mut negative) = (0, 0);
    for _ in 0..30 {
        let mut state = system.initial_state();
        state.q[6] = 0.15;
        for v in state.v.iter_mut() {
            *v = random.vector().x * 4.0;
        }
        for _ in 0..250 {
            let mut step = system.step(&mut workspace, &state, &[]).unwrap();
            let ledger = step.energy().unwrap();
            let lost = ledger.dissipated_by_contact_normal + ledger.dissipated_by_friction;
            let (mut weight, mut push) = (0.0, 0.0);
            for contact in step.contacts().unwrap() {
                weight += contact.force.z * dt;
                push += contact.force.z * dt * contact.velocity.z.max(0.0);
            }
            let bound = -0.5 * dt * G * weight - push;
            assert!(lost >= bound - 1e-11, "{lost:e} J, bound {bound:e} J");
            touching += usize::from(weight > 0.0);
            negative += usize::from(lost < -1e-9);
            state.clone_from(step.state());
        }
    }
    assert!(touching > 1000 && negative > 0, "{touching} {negative}");
}
