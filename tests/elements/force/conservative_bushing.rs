//! The energy-consistent bushing: conservation laws over many steps, agreement for small angles.

use super::bushing::{constants, links, placed, two_bodies};
use super::laws::{check_action_and_reaction, check_element};
use crate::support::random_tree::{Random, Style, random_state, random_tree};
use dualbody::force::bushing::{BushingConstants, BushingOrientation, ConservativeBushing};
use dualbody::force::{ForceContext, ForceElement, ForceError, Forces, LinearBushingRollPitchYaw};
use dualbody::tree::{BodyIndex, FrameIndex, RigidBodyTree};
use nalgebra::Vector3;

const ORIENTATIONS: [BushingOrientation; 2] = [
    BushingOrientation::RollPitchYaw,
    BushingOrientation::RotationVector,
];

fn bushing(
    orientation: BushingOrientation,
    constants: BushingConstants<f64>,
) -> ConservativeBushing<f64> {
    let (a, c) = links();
    ConservativeBushing::new("bushing", a, c, orientation, constants).unwrap()
}

#[test]
fn the_laws_hold_and_dampers_alone_dissipate() {
    for seed in 0..8 {
        let mut random = Random::new(seed);
        let tree = random_tree(seed, 5, Style::General);
        let (q, v) = random_state(&tree, seed);
        for orientation in ORIENTATIONS {
            let (a, c) = (FrameIndex::new(0), BodyIndex::new(random.below(6)));
            let constants = constants(&mut random);
            let element = ConservativeBushing::new("b", a, c, orientation, constants).unwrap();
            let damping = check_element(&tree, &element, &q, &v);
            assert!((&damping - damping.transpose()).amax() < 1e-9);
            assert!(damping.symmetric_eigenvalues().min() > -1e-9);
            check_action_and_reaction(&tree, &element, &q, &v);
            let mut workspace = tree.workspace();
            tree.set_state(&mut workspace, &q, &v).unwrap();
            let context = ForceContext::new(&tree, &workspace);
            let mut forces = Forces::new(&tree);
            element.add_forces(&context, &mut forces).unwrap();
            let power = forces.power(&context).unwrap();
            let conservative = element.conservative_power(&context).unwrap();
            let damping = element.damping_power(&context).unwrap();
            assert!(damping <= 0.0);
            assert!((power - conservative - damping).abs() < 1e-10 * (1.0 + power.abs()));
        }
    }
}

/// Energy, linear momentum, and angular momentum about the origin, of two free bodies.
fn invariants<F: ForceElement<f64> + Clone>(
    tree: &RigidBodyTree<f64>,
    element: &F,
    q: &[f64],
    v: &[f64],
) -> [f64; 7] {
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, q, v).unwrap();
    let stored = element
        .potential_energy(&ForceContext::new(tree, &workspace))
        .unwrap();
    let energy = tree.kinetic_energy(&workspace).unwrap() + stored;
    let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
    for body in tree.bodies().skip(1) {
        let index = body.index();
        let pose = tree.body_pose(&workspace, index).unwrap();
        let velocity = tree.body_velocity(&workspace, index).unwrap();
        let inertia = body.inertia();
        let p = velocity.linear * inertia.mass;
        linear += p;
        angular += pose.translation.cross(&p)
            + pose.rotation
                * inertia.rotational_inertia
                * pose.rotation.transpose()
                * velocity.angular;
    }
    [
        energy, linear.x, linear.y, linear.z, angular.x, angular.y, angular.z,
    ]
}

/// Runge and Kutta's classical method on the configuration manifold.
fn integrate<F: ForceElement<f64> + Clone>(
    tree: &RigidBodyTree<f64>,
    element: &F,
    q: &mut [f64],
    v: &mut [f64],
    dt: f64,
    steps: usize,
) {
    let (nq, nv) = (q.len(), v.len());
    let mut workspace = tree.workspace();
    let mut forces = Forces::new(tree);
    let no_torques = vec![0.0; nv];
    let mut rate = |x: &[f64], out: &mut [f64]| {
        let (q, v) = x.split_at(nq);
        let (qdot, vdot) = out.split_at_mut(nq);
        tree.set_state(&mut workspace, q, v).unwrap();
        forces.clear();
        let context = ForceContext::new(tree, &workspace);
        element.add_forces(&context, &mut forces).unwrap();
        vdot.copy_from_slice(&no_torques);
        let on_bodies = Some(forces.on_bodies());
        (tree.forward_dynamics(&mut workspace, &no_torques, on_bodies, vdot)).unwrap();
        tree.map_velocity_to_qdot(q, v, qdot).unwrap();
    };
    let mut x = [&*q, &*v].concat();
    let (mut at, mut k, mut sum) = (x.clone(), x.clone(), x.clone());
    for _ in 0..steps {
        sum.copy_from_slice(&x);
        k.fill(0.0);
        for (share, weight) in [(0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)] {
            for ((at, x), k) in at.iter_mut().zip(&x).zip(&k) {
                *at = x + share * dt * k;
            }
            rate(&at, &mut k);
            for (sum, k) in sum.iter_mut().zip(&k) {
                *sum += weight / 6.0 * dt * k;
            }
        }
        x.copy_from_slice(&sum);
        for start in [0, 7] {
            let norm = x[start..start + 4]
                .iter()
                .map(|x| x * x)
                .sum::<f64>()
                .sqrt();
            x[start..start + 4].iter_mut().for_each(|x| *x /= norm);
        }
    }
    q.copy_from_slice(&x[..nq]);
    v.copy_from_slice(&x[nq..]);
}

/// A pair of bodies that tumble about each other at large angles and displacements.
fn tumbling() -> (BushingConstants<f64>, Vec<f64>, Vec<f64>) {
    let constants = BushingConstants {
        torque_stiffness: Vector3::new(0.3, 0.8, 0.5),
        torque_damping: Vector3::zeros(),
        force_stiffness: Vector3::new(3.0, 9.0, 1.0),
        force_damping: Vector3::zeros(),
    };
    let q = placed(Vector3::new(0.2, 0.1, -0.1), Vector3::new(0.3, -0.2, 0.4));
    let v = vec![
        0.4, -0.3, 0.5, 0.1, 0.0, -0.2, -0.6, 0.5, 0.3, 0.3, 0.4, -0.1,
    ];
    (constants, q, v)
}

fn drift<F: ForceElement<f64> + Clone>(element: &F, dt: f64, steps: usize) -> [f64; 7] {
    let tree = two_bodies();
    let (_, mut q, mut v) = tumbling();
    let before = invariants(&tree, element, &q, &v);
    integrate(&tree, element, &mut q, &mut v, dt, steps);
    let after = invariants(&tree, element, &q, &v);
    std::array::from_fn(|i| after[i] - before[i])
}

#[test]
fn energy_and_momentum_are_conserved_over_many_steps() {
    let (constants, q, v) = tumbling();
    let element = bushing(BushingOrientation::RotationVector, constants);
    let tree = two_bodies();
    let energy = invariants(&tree, &element, &q, &v)[0];
    let drift = drift(&element, 2e-3, 100_000);
    assert!(drift[0].abs() < 1e-8 * energy, "{drift:?} of {energy}");
    for momentum in &drift[1..] {
        assert!(momentum.abs() < 1e-9, "{drift:?}");
    }
}

#[test]
fn what_is_lost_is_of_the_order_of_the_integrator() {
    let (constants, ..) = tumbling();
    for orientation in ORIENTATIONS {
        let element = bushing(orientation, constants);
        let coarse = drift(&element, 2e-2, 500)[0].abs();
        let fine = drift(&element, 1e-2, 1000)[0].abs();
        assert!(coarse > 1e-10, "nothing to compare");
        assert!(coarse / fine > 13.0, "{coarse:e} {fine:e}");
    }
    // The quasi-symmetric bushing does not conserve energy, however small the step.
    let (a, c) = links();
    let other = LinearBushingRollPitchYaw::new("other", a, c, constants).unwrap();
    let coarse = drift(&other, 2e-2, 500)[0].abs();
    let fine = drift(&other, 1e-2, 1000)[0].abs();
    assert!(
        fine > 1e-5 && (coarse / fine - 1.0).abs() < 0.1,
        "{coarse:e} {fine:e}"
    );
}

#[test]
fn for_small_angles_it_is_the_quasi_symmetric_bushing() {
    let tree = two_bodies();
    let mut random = Random::new(4);
    let constants = constants(&mut random);
    let (p, phi, v) = (random.vector(), random.vector(), random.numbers(12));
    let (a, c) = links();
    let other = LinearBushingRollPitchYaw::new("other", a, c, constants).unwrap();
    for orientation in ORIENTATIONS {
        let element = bushing(orientation, constants);
        let difference = |size: f64| {
            let mut workspace = tree.workspace();
            tree.set_state(&mut workspace, &placed(p * size, phi * size), &v)
                .unwrap();
            let context = ForceContext::new(&tree, &workspace);
            let forces = |f: &dyn Fn(&mut Forces<f64>)| {
                let mut forces = Forces::new(&tree);
                f(&mut forces);
                forces.on_bodies()[2].to_vector()
            };
            let ours = forces(&|out| element.add_forces(&context, out).unwrap());
            let theirs = forces(&|out| other.add_forces(&context, out).unwrap());
            (ours - theirs).amax() / theirs.amax()
        };
        let (coarse, fine) = (difference(1e-2), difference(1e-3));
        // Damping forces agree to first order at least.
        assert!(
            fine < 3e-3 && fine < 0.15 * coarse + 1e-12,
            "{coarse:e} {fine:e}"
        );
        // The stored energies agree to the second order of the angle, relative to themselves; with
        // rotation vectors to the first, as those differ from roll, pitch and yaw in the second.
        let energies_differ = |size: f64| {
            let mut workspace = tree.workspace();
            tree.set_state(&mut workspace, &placed(p * size, phi * size), &v)
                .unwrap();
            let context = ForceContext::new(&tree, &workspace);
            let ours = element.potential_energy(&context).unwrap();
            (ours / other.potential_energy(&context).unwrap() - 1.0).abs()
        };
        let ratio = energies_differ(1e-2) / energies_differ(1e-3);
        let expected = match orientation {
            BushingOrientation::RollPitchYaw => 100.0,
            BushingOrientation::RotationVector => 10.0,
        };
        assert!((ratio / expected - 1.0f64).abs() < 0.2, "{ratio}");
    }
}

#[test]
fn the_rotation_vector_knows_no_gimbal_lock() {
    let tree = two_bodies();
    let mut random = Random::new(6);
    let constants = constants(&mut random);
    let q = placed(
        Vector3::repeat(0.2),
        Vector3::y() * std::f64::consts::FRAC_PI_2,
    );
    let v = random.numbers(12);
    let element = bushing(BushingOrientation::RotationVector, constants);
    check_element(&tree, &element, &q, &v);
    // A right angle about y: the torque is that of a torsion spring.
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &q, &[0.0; 12]).unwrap();
    let context = ForceContext::new(&tree, &workspace);
    let still = BushingConstants {
        force_stiffness: Vector3::zeros(),
        ..constants
    };
    let mut forces = Forces::new(&tree);
    bushing(BushingOrientation::RotationVector, still)
        .add_forces(&context, &mut forces)
        .unwrap();
    let expected = -constants.torque_stiffness.y * std::f64::consts::FRAC_PI_2;
    assert!((forces.on_bodies()[2].torque - Vector3::y() * expected).amax() < 1e-12);
    let locked = bushing(BushingOrientation::RollPitchYaw, constants);
    let error = locked.add_forces(&context, &mut forces).unwrap_err();
    assert!(matches!(error, ForceError::GimbalLock { .. }));
    // Coincident origins, identity, an angle of π: finite.
    for phi in [Vector3::zeros(), Vector3::x() * std::f64::consts::PI] {
        check_finite(&tree, &element, &placed(Vector3::zeros(), phi), &v);
    }
}

fn check_finite(
    tree: &RigidBodyTree<f64>,
    element: &ConservativeBushing<f64>,
    q: &[f64],
    v: &[f64],
) {
    use num_dual::Dual2_64;
    let tree = tree.cast::<Dual2_64>();
    let element = ForceElement::<f64>::cast::<Dual2_64>(element);
    let seed =
        |x: &[f64]| -> Vec<Dual2_64> { x.iter().map(|&x| Dual2_64::new(x, 0.3, 0.0)).collect() };
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &seed(q), &seed(v)).unwrap();
    let context = ForceContext::new(&tree, &workspace);
    let mut forces = Forces::new(&tree);
    element.add_forces(&context, &mut forces).unwrap();
    for x in forces.on_bodies()[2].to_vector().iter() {
        assert!(x.re.is_finite() && x.v1.is_finite() && x.v2.is_finite());
    }
}
