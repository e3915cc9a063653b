//! Motions that excite a mechanism, and which experiment to make next.

use crate::common::{assert_close, unknown};
use crate::support::cases::tier;
use dualbody::Scalar;
use dualbody::identification::{
    Excitation, Experiment, Optimality, PlannedExperiment, Unknown, compare_candidates,
};
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::{DMatrix, Vector3};
use std::convert::Infallible;

const RANGE: [[f64; 3]; 2] = [[-1.0, 2.0, 3.0], [-0.5, 0.7, 1.5]];

/// Two links with limits of position and velocity.
fn arm() -> RigidBodyTree<f64> {
    let mut tree = RigidBodyTreeBuilder::new();
    let mut parent = BodyIndex::WORLD;
    for (k, [lower, upper, velocity]) in RANGE.into_iter().enumerate() {
        let mut link = SpatialInertia::solid_box(1.0, &Vector3::new(0.06, 0.05, 0.4));
        link.center_of_mass = Vector3::new(0.0, 0.0, -0.2);
        let link = tree.add_body(format!("link{k}"), link).unwrap();
        let pose = RigidTransform::from_translation(Vector3::new(0.0, 0.0, -0.4 * k as f64));
        let kind = JointKind::Revolute { axis: Vector3::y() };
        let joint = (tree.add_joint(format!("joint{k}"), kind, parent, pose, link)).unwrap();
        tree.set_position_limits(joint, &[lower], &[upper]).unwrap();
        tree.set_velocity_limits(joint, &[velocity]).unwrap();
        tree.set_damping(joint, &[0.1]).unwrap();
        parent = link;
    }
    tree.finish().unwrap()
}

const NAMES: [&str; 4] = [
    "body/link1/mass",
    "body/link1/center_of_mass/z",
    "joint/joint0/damping",
    "joint/joint1/damping",
];

fn excitation() -> Excitation {
    Excitation::new(arm(), &NAMES, [0.1, 0.05], 2.0, 3).unwrap()
}

fn design() -> Vec<f64> {
    let size = excitation().design_size();
    (0..size).map(|i| (1.7 * i as f64 + 0.3).sin()).collect()
}

#[test]
fn motions_stay_within_the_limits_and_come_near_them() {
    for factor in [1.0, 1e-9, 1e90] {
        let design: Vec<f64> = design().iter().map(|u| u * factor).collect();
        let motion = excitation().motion(&design).unwrap();
        assert_eq!(motion.len(), 24);
        let mut largest = 0.0f64;
        for moment in &motion {
            for (k, [lower, upper, velocity]) in RANGE.into_iter().enumerate() {
                let (middle, half) = (0.5 * (lower + upper), 0.5 * (upper - lower));
                let part = ((moment.q[k] - middle) / half).abs();
                largest = largest.max(part).max((moment.v[k] / velocity).abs());
            }
        }
        assert!(largest <= 1.0 && largest > 0.8, "{largest}");
    }
}

/// Velocities and accelerations are the slopes of trigonometric interpolation.
#[test]
fn velocities_and_accelerations_are_rates() {
    let motion = excitation().motion(&design()).unwrap();
    let n = motion.len();
    let rate = |values: &dyn Fn(usize) -> f64, at: usize| -> f64 {
        // Of the interpolant of period 2π/ω through an even number of samples.
        let slope = |k: usize| {
            let turn = std::f64::consts::PI * k as f64 / n as f64;
            0.5 * (-1.0f64).powi(k as i32) / turn.tan()
        };
        let others = (0..n).filter(|&j| j != at);
        2.0 * others
            .map(|j| slope((n + at - j) % n) * values(j))
            .sum::<f64>()
    };
    for k in 0..2 {
        for (at, moment) in motion.iter().enumerate() {
            assert!((rate(&|j| motion[j].q[k], at) - moment.v[k]).abs() < 1e-10);
            assert!((rate(&|j| motion[j].v[k], at) - moment.vdot[k]).abs() < 1e-10);
        }
    }
    assert_close(motion[6].time, std::f64::consts::PI / 4.0, 1e-15);
}

/// Torques are linear in these parameters one by one: their derivatives are differences of any length.
#[test]
fn information_is_that_of_the_torques() {
    let (excitation, design) = (excitation(), design());
    let values = excitation.values();
    assert_eq!(values, [1.0, -0.2, 0.1, 0.1]);
    let columns: Vec<_> = (0..4)
        .map(|j| {
            let [mut plus, mut minus] = [values.clone(), values.clone()];
            plus[j] += 1e-3;
            minus[j] -= 1e-3;
            let [plus, minus] = [plus, minus].map(|p| excitation.predict(&p, &design).unwrap());
            (plus - minus) / 2e-3
        })
        .collect();
    let jacobian = DMatrix::from_columns(&columns);
    let expected = jacobian.tr_mul(&jacobian);
    let score = Optimality::D
        .score(&excitation, &values, &[1.0; 4], None, &design)
        .unwrap();
    assert!((score.information - &expected).amax() < 1e-8 * expected.amax());
}

#[test]
fn a_search_makes_an_excitation_tell_more() {
    let (excitation, design) = (excitation(), design());
    let values = excitation.values();
    for optimality in [Optimality::D, Optimality::A].into_iter().take(tier(1, 2)) {
        let improve = |design: &[f64], steps| {
            (optimality.improve(&excitation, &values, &[1.0; 4], None, design, steps)).unwrap()
        };
        let found = improve(&design, 300);
        let first = optimality
            .score(&excitation, &values, &[1.0; 4], None, &design)
            .unwrap();
        assert_eq!(found.initial_score, first.score);
        let gain = match optimality {
            Optimality::D => first.score - found.score.score,
            _ => (first.score / found.score.score).ln(),
        };
        assert!(
            gain > 0.5 && found.steps > 3,
            "{gain} in {} steps",
            found.steps
        );
        let norm = |gradient: &nalgebra::DVector<f64>, design: &[f64]| {
            gradient.norm() * design.iter().map(|u| u * u).sum::<f64>().sqrt()
        };
        let [before, after] = [
            norm(&first.gradient, &design) / first.score.abs(),
            norm(&found.score.gradient, &found.design) / found.score.score.abs(),
        ];
        assert!(after < 0.01 * before, "{before} {after}");
        // A search goes on from where it was.
        assert!(improve(&found.design, 20).score.score <= found.score.score);
        assert_eq!(improve(&design, 0).design, design);
    }
}

#[test]
fn mechanisms_without_limits_and_designs_without_motion_are_errors() {
    let error = excitation().motion(&[0.0; 12]).unwrap_err();
    assert!(error.to_string().contains("largest coefficient"), "{error}");
    assert!(excitation().motion(&[0.0; 11]).is_err());
    assert!(excitation().motion(&[f64::NAN; 12]).is_err());
    let refused = |tree, deviations: [f64; 2], frequency, harmonics| {
        let error = Excitation::new(tree, &NAMES, deviations, frequency, harmonics).unwrap_err();
        error.to_string()
    };
    assert!(refused(arm(), [0.0, 1.0], 1.0, 2).contains("deviations of forces"));
    assert!(refused(arm(), [1.0, 1.0], 0.0, 2).contains("frequency"));
    assert!(refused(arm(), [1.0, 1.0], 1.0, 0).contains("number of harmonics"));
    let mut tree = RigidBodyTreeBuilder::new();
    let ball = SpatialInertia::solid_sphere(1.0, 0.1);
    tree.add_body("ball", ball).unwrap();
    let error = Excitation::new(
        tree.finish().unwrap(),
        &["body/ball/mass"],
        [1.0; 6],
        1.0,
        1,
    );
    assert!(error.is_err());
    assert!(Excitation::new(arm(), &["no such"], [1.0; 2], 1.0, 1).is_err());
}

/// A line, measured at one place with deviation 1.
struct Point(f64);

impl Experiment for Point {
    type Error = Infallible;

    fn residual_count(&self) -> usize {
        1
    }

    fn residuals<T: Scalar>(&self, p: &[T], r: &mut [T]) -> Result<(), Infallible> {
        r[0] = p[0] + p[1] * self.0;
        Ok(())
    }
}

#[test]
fn candidates_are_ordered_by_what_they_determine() {
    let unknowns = [unknown("height", 1.0), unknown("slope", 2.0)];
    let compare = |made: &[Point], candidates: &[Point]| {
        compare_candidates(&unknowns, &[1.0, 2.0], made, candidates).unwrap()
    };
    let candidates = [Point(3.0), Point(4.0), Point(13.0)];
    let ordered = compare(&[Point(3.0)], &candidates);
    assert_eq!(
        ordered.iter().map(|c| c.index).collect::<Vec<_>>(),
        [2, 1, 0]
    );
    assert_eq!(ordered[0].determines, [0, 1]);
    assert!(ordered[2].determines.is_empty() && ordered[2].standard_errors == [None, None]);
    // Through (3, y) and (13, z): slope (z − y)/10, height y − 3 slope.
    assert_close(
        ordered[0].standard_errors[1].unwrap(),
        0.02f64.sqrt(),
        1e-12,
    );
    let height = (1.3f64 * 1.3 + 0.3 * 0.3).sqrt();
    assert_close(ordered[0].standard_errors[0].unwrap(), height, 1e-12);
    let alone = compare(&[], &candidates);
    assert!(alone.iter().all(|c| c.determines.is_empty()));
    assert!(
        compare_candidates::<Point>(&unknowns, &[1.0, 2.0], &[], &[])
            .unwrap()
            .is_empty()
    );
    assert!(compare_candidates(&unknowns, &[1.0], &[], &candidates).is_err());
}

/// A measurement of the first unknown and one of the second.
struct Both([f64; 2]);

impl Experiment for Both {
    type Error = Infallible;

    fn residual_count(&self) -> usize {
        2
    }

    fn residuals<T: Scalar>(&self, p: &[T], r: &mut [T]) -> Result<(), Infallible> {
        for i in 0..2 {
            r[i] = p[i] - self.0[i];
        }
        Ok(())
    }
}

#[test]
fn measurements_of_candidates_do_not_say_whether_a_bound_holds() {
    let bounded = unknown("bounded", 1.0).bounds(0.0, 1.0).unwrap();
    let fixed = unknown("fixed", 2.0).bounds(2.0, 2.0).unwrap();
    let free = unknown("free", 2.0);
    for measured in [0.5, 1.0, 7.0] {
        let candidates = [Both([measured, measured])];
        let compare = |unknowns: &[Unknown], made: &[Both]| {
            let compared = compare_candidates(unknowns, &[1.0, 2.0], made, &candidates);
            compared.unwrap().remove(0)
        };
        let found = compare(&[bounded.clone(), free.clone()], &[]);
        assert_eq!(found.determines, [0, 1]);
        assert_eq!(found.standard_errors, [Some(1.0), Some(1.0)]);
        let found = compare(&[bounded.clone(), fixed.clone()], &[]);
        assert_eq!(found.determines, [0]);
        assert_eq!(found.standard_errors, [Some(1.0), None]);
        let found = compare(&[bounded.clone(), fixed.clone()], &[Both([9.0, 9.0])]);
        assert!(found.determines.is_empty());
        assert_close(found.standard_errors[0].unwrap(), 0.5f64.sqrt(), 1e-12);
    }
}
