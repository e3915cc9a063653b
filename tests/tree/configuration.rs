//! Positions and velocities: `q̇ = N v`, steps, differences.

use crate::support::cases::cases;
use crate::support::random_tree::{
    Random, Style, assert_near, constants, random_state, random_tree, with_rate,
};
use dualbody::tree::RigidBodyTree;
use num_dual::Dual64;
use proptest::prelude::*;

fn tree_and_state(seed: u64) -> (RigidBodyTree<f64>, Vec<f64>, Vec<f64>) {
    let tree = random_tree(seed, 6, Style::Mimic);
    let (q, v) = random_state(&tree, seed);
    (tree, q, v)
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn velocities_from_rates_are_the_velocities(seed: u64) {
        let (tree, q, v) = tree_and_state(seed);
        let (mut qdot, mut back) = (q.clone(), v.clone());
        tree.map_velocity_to_qdot(&q, &v, &mut qdot).unwrap();
        tree.map_qdot_to_velocity(&q, &qdot, &mut back).unwrap();
        assert_near(&back, &v, 1e-14);
        // A rate along the quaternion is no velocity.
        for joint in tree.joints().filter(|j| j.kind().has_quaternion()) {
            for k in joint.position_start()..joint.position_start() + 4 {
                qdot[k] += 0.7 * q[k];
            }
        }
        tree.map_qdot_to_velocity(&q, &qdot, &mut back).unwrap();
        assert_near(&back, &v, 1e-14);
    }

    /// Quaternions stay of unit length, and `N v` is the slope of either step at `dt = 0`.
    #[test]
    fn steps_start_along_the_velocity(seed: u64) {
        let (tree, q, v) = tree_and_state(seed);
        let mut qdot = q.clone();
        tree.map_velocity_to_qdot(&q, &v, &mut qdot).unwrap();
        let dual = tree.cast::<Dual64>();
        let (q_dual, v_dual) = (constants::<Dual64>(&q), constants::<Dual64>(&v));
        let time = Dual64::from(0.0).derivative();
        let mut step = q_dual.clone();
        for exponential in [false, true] {
            if exponential {
                dual.integrate_exponential(&q_dual, &v_dual, time, &mut step).unwrap();
            } else {
                dual.integrate(&q_dual, &v_dual, time, &mut step).unwrap();
            }
            let slope: Vec<f64> = step.iter().map(|x| x.eps).collect();
            assert_near(&slope, &qdot, 1e-14);
        }
        let mut far = q.clone();
        tree.integrate(&q, &v, 0.3, &mut far).unwrap();
        prop_assert!(tree.set_positions(&mut tree.workspace(), &far).is_ok());
        for joint in tree.joints().filter(|j| j.kind().has_quaternion()) {
            let square: f64 = far[joint.position_start()..][..4].iter().map(|x| x * x).sum();
            prop_assert!((square - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn difference_undoes_the_exponential_step(seed: u64) {
        let (tree, q, v) = tree_and_state(seed);
        let (mut to, mut back) = (q.clone(), v.clone());
        tree.integrate_exponential(&q, &v, 0.5, &mut to).unwrap();
        tree.difference(&q, &to, &mut back).unwrap();
        let expected: Vec<f64> = v.iter().map(|v| 0.5 * v).collect();
        assert_near(&back, &expected, 1e-13);
        tree.difference(&q, &q, &mut back).unwrap();
        assert_near(&back, &vec![0.0; v.len()], 1e-15);
    }

    /// Steps compose: half a second twice is a second, with derivatives.
    #[test]
    fn exponential_steps_compose(seed: u64) {
        let (tree, q, v) = tree_and_state(seed);
        let tree = tree.cast::<Dual64>();
        let rate = Random::new(seed).numbers(v.len());
        let (q, v) = (constants::<Dual64>(&q), with_rate(&v, &rate));
        let (mut half, mut twice, mut once) = (q.clone(), q.clone(), q.clone());
        tree.integrate_exponential(&q, &v, Dual64::from(0.5), &mut half).unwrap();
        tree.integrate_exponential(&half, &v, Dual64::from(0.5), &mut twice).unwrap();
        tree.integrate_exponential(&q, &v, Dual64::from(1.0), &mut once).unwrap();
        for part in [|x: &Dual64| x.re, |x: &Dual64| x.eps] {
            let [a, b] = [&twice, &once].map(|q| q.iter().map(part).collect::<Vec<_>>());
            assert_near(&a, &b, 1e-13);
        }
    }
}

#[test]
fn bad_arguments_are_refused() {
    let (tree, q, v) = tree_and_state(1);
    let mut out = q.clone();
    assert!(tree.integrate(&q, &v, f64::NAN, &mut out).is_err());
    assert!(tree.integrate(&q[1..], &v, 0.1, &mut out).is_err());
    assert!(tree.integrate(&q, &v[1..], 0.1, &mut out).is_err());
    assert!(
        tree.integrate_exponential(&q, &v, 0.1, &mut out[1..])
            .is_err()
    );
    assert!(tree.difference(&q, &q[1..], &mut v.clone()).is_err());
    let long: Vec<f64> = q.iter().map(|x| 2.0 * x + 2.0).collect();
    assert!(tree.map_velocity_to_qdot(&long, &v, &mut out).is_err());
    assert!(tree.map_qdot_to_velocity(&q, &q, &mut out).is_err());
}

#[test]
fn steps_that_overflow_are_refused() {
    let (tree, q, v) = tree_and_state(1);
    let mut out = q.clone();
    for size in [1e160, 1e308] {
        let v: Vec<f64> = v.iter().map(|x| x.signum() * size).collect();
        assert!(tree.integrate(&q, &v, 100.0, &mut out).is_err(), "{size}");
    }
}
