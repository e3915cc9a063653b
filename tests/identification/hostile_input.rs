//! Numbers that are not finite, huge or tiny, sizes that do not fit and damaged tables: an error, or finite results.

use crate::common::{assert_close, unknown};
use crate::motion::{DOCUMENT, arm, files_of_a_fit, measured_arm, record, start};
use crate::support::arbitrary_number;
use crate::support::cases::cases;
use crate::support::mutation::{count, mutated};
use crate::support::random_contact::Random;
use dualbody::Scalar;
use dualbody::identification::motion::{
    Adjusts, Channel, Measured, MotionExperiment, MotionModel, Signals, Start, StateDeviations,
};
use dualbody::identification::{
    Excitation, Experiment, IdentificationError, LevenbergMarquardt, Optimality, PlannedExperiment,
    Problem, SegmentedTrajectory, Status, compare_candidates,
};
use dualbody::io::json::MotionFit;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::Vector3;
use proptest::prelude::*;
use std::convert::Infallible;
use std::sync::Arc;

fn number() -> impl Strategy<Value = f64> {
    arbitrary_number::number(2, 2)
}

fn deviations(size: f64) -> StateDeviations {
    StateDeviations {
        position: size,
        velocity: size,
        actuators: 1.0,
        sensors: 1.0,
    }
}

/// The signals that `measured_arm` wants, some samples of each.
fn signals(start: f64, interval: f64, samples: &[f64]) -> Option<Signals> {
    let all = [
        ("angle", "rad"),
        ("rate", "rad/s"),
        ("marker/x", "m"),
        ("marker/y", "m"),
        ("marker/z", "mm"),
        ("elbow angle", "rad"),
        ("joint/shoulder/force", "N m"),
        ("joint/elbow/force", "N m"),
    ];
    let signals = Signals::new(start, interval).ok();
    all.iter()
        .enumerate()
        .fold(signals, |signals, (k, (name, unit))| {
            let mut samples = samples.to_vec();
            let shift = k % samples.len().max(1);
            samples.rotate_left(shift);
            signals?.with(*name, *unit, samples).ok()
        })
}

/// An arm with limits that are numbers of the caller's.
fn limited([lower, upper, velocity]: [f64; 3]) -> Option<RigidBodyTree<f64>> {
    let mut tree = RigidBodyTreeBuilder::new();
    let mut link = SpatialInertia::solid_box(1.0, &Vector3::new(0.06, 0.05, 0.4));
    link.center_of_mass = Vector3::new(0.0, 0.0, -0.2);
    let link = tree.add_body("link", link).ok()?;
    let kind = JointKind::Revolute { axis: Vector3::y() };
    let here = RigidTransform::identity();
    let joint = (tree.add_joint("joint", kind, BodyIndex::WORLD, here, link)).ok()?;
    tree.set_position_limits(joint, &[lower], &[upper]).ok()?;
    tree.set_velocity_limits(joint, &[velocity]).ok()?;
    tree.finish().ok()
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn recordings_of_any_numbers_are_refused_or_simulated(
        x in prop::collection::vec(number(), 0..6),
        [first, interval, size, value] in [number(), number(), number(), number()],
        sane in any::<[bool; 3]>(),
        kind in 0usize..3,
    ) {
        let interval = if sane[0] { 1e-2 } else { interval };
        let x = if sane[1] { vec![0.1; 4] } else { x };
        let size = if sane[2] { 0.1 } else { size };
        let Some(signals) = signals(first, interval, &x) else { return Ok(()) };
        let model = measured_arm().estimate_parameter("body/lower/mass").unwrap();
        let mut state = start();
        state.q[0] = value;
        let start = match kind {
            0 => Start::Measured,
            1 => Start::Known(state),
            _ => Start::Guessed(state),
        };
        let experiment =
            MotionExperiment::new(Arc::new(model), "any", &signals, start, deviations(size));
        let Ok(experiment) = experiment else { return Ok(()) };
        for mass in [1.0, value] {
            let mut residuals = vec![0.0; Experiment::residual_count(&experiment)];
            if experiment.residuals(&[mass], &mut residuals).is_ok() {
                prop_assert!(residuals.iter().all(|r| r.is_finite()), "{residuals:?}");
            }
            if let Ok(misfit) = experiment.misfit(&[mass]) {
                prop_assert!(misfit.is_finite());
            }
        }
    }

    #[test]
    fn motions_of_any_numbers_are_refused_or_finite(
        limits in [number(), number(), number()],
        [frequency, deviation] in [number(), number()],
        harmonics in prop_oneof![0usize..5, Just(usize::MAX), Just(1 << 60)],
        design in prop::collection::vec(number(), 0..9),
        sane in any::<[bool; 3]>(),
    ) {
        let limits = if sane[0] { [-1.0, 2.0, 3.0] } else { limits };
        let frequency = if sane[1] { 2.0 } else { frequency };
        let deviation = if sane[2] { 0.1 } else { deviation };
        let Some(tree) = limited(limits) else { return Ok(()) };
        let names = ["body/link/mass"];
        let Ok(excitation) = Excitation::new(tree, &names, [deviation], frequency, harmonics) else {
            return Ok(());
        };
        let size = excitation.design_size();
        let mut design = design;
        if sane[0] {
            design.resize(size.min(20), 0.5);
        }
        if let Ok(motion) = excitation.motion(&design) {
            for moment in motion {
                let all = moment.q.iter().chain(&moment.v).chain(&moment.vdot);
                prop_assert!(moment.time.is_finite() && all.clone().all(|x| x.is_finite()));
            }
        }
        if let Ok(predicted) = excitation.predict(&[1.0], &design) {
            prop_assert!(predicted.iter().all(|x| x.is_finite()));
        }
        if let Ok(best) = Optimality::D.improve(&excitation, &[1.0], &[1.0], None, &design, 2) {
            prop_assert!(best.design.iter().all(|x| x.is_finite()));
            prop_assert!(best.score.score.is_finite());
        }
    }

    #[test]
    fn tables_that_are_damaged_are_refused_or_read(
        values in prop::collection::vec(number(), 1..12),
        place in any::<prop::sample::Index>(),
        bytes in prop::collection::vec(any::<u8>(), 0..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut table = String::from("time [s],angle [deg],force [kN]\n");
        for (i, x) in values.iter().enumerate() {
            table += &format!("{},{x},{:e}\n", 0.01 * i as f64, -x);
        }
        let mut damaged = table.into_bytes();
        let at = place.index(damaged.len());
        damaged.splice(at..at, bytes);
        for end in [damaged.len(), cut.index(damaged.len() + 1)] {
            let Ok(signals) = Signals::from_csv(&damaged[..end]) else { continue };
            prop_assert!(signals.interval() > 0.0 && signals.start().is_finite());
            for name in signals.names() {
                let (values, _) = signals.signal(name).unwrap();
                prop_assert!(values.len() == signals.len());
                prop_assert!(values.iter().all(|x| !x.is_infinite()), "{values:?}");
            }
        }
    }

    #[test]
    fn candidates_of_any_numbers_are_refused_or_ranked(
        slopes in prop::collection::vec((number(), number()), 0..5),
        made in 0usize..5,
        values in prop::collection::vec(number(), 0..4),
        scale in number(),
    ) {
        let all: Vec<Line> = slopes.into_iter().map(|(a, b)| Line([a, b])).collect();
        let (made, candidates) = all.split_at(made.min(all.len()));
        let unknowns = [unknown("a", 1.0), unknown("b", 1.0)];
        let mut values = values;
        values.truncate(3);
        for values in [values.as_slice(), &[1.0, scale], &[1.0, 2.0]] {
            let Ok(ranked) = compare_candidates(&unknowns, values, made, candidates) else {
                continue;
            };
            prop_assert_eq!(ranked.len(), candidates.len());
            for candidate in ranked {
                let errors = candidate.standard_errors.iter().flatten();
                prop_assert!(errors.clone().all(|e| !e.is_nan() && *e >= 0.0), "{candidate:?}");
            }
        }
    }
}

/// A residual that is linear in two unknowns.
struct Line([f64; 2]);

impl Experiment for Line {
    type Error = Infallible;

    fn residual_count(&self) -> usize {
        1
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Infallible> {
        residuals[0] = p[0] * self.0[0] + p[1] * self.0[1];
        Ok(())
    }
}

/// A recording of the arm, with one unknown.
fn recorded() -> MotionExperiment {
    let model = measured_arm()
        .estimate_parameter("body/lower/mass")
        .unwrap();
    let signals = record(&arm(), &start(), 5, 0.0, 0.0);
    let known = Start::Known(start());
    MotionExperiment::new(Arc::new(model), "swing", &signals, known, deviations(0.1)).unwrap()
}

#[test]
fn sizes_and_intervals_that_do_not_fit_are_errors() {
    let experiment = recorded();
    let (n, states) = (
        experiment.interval_count(),
        experiment.state_deviations().len(),
    );
    for intervals in [
        0..n + 1,
        n..n + 1,
        2..2,
        usize::MAX - 1..usize::MAX,
        0..usize::MAX,
    ] {
        let count = SegmentedTrajectory::residual_count(&experiment, intervals.clone());
        let (mut state, mut residuals) = (vec![0.0; states], vec![0.0; count]);
        let result = experiment.shoot(&[1.0], intervals.clone(), &mut state, &mut residuals);
        assert!(result.is_err(), "{intervals:?}");
    }
    #[allow(clippy::reversed_empty_ranges)]
    let backwards = 3..1;
    assert_eq!(
        SegmentedTrajectory::residual_count(&experiment, backwards),
        0
    );
    let count = SegmentedTrajectory::residual_count(&experiment, 0..n);
    for (unknowns, state, residuals) in [
        (0, states, count),
        (2, states, count),
        (1, states - 1, count),
        (1, states + 1, count),
        (1, states, count - 1),
        (1, states, 0),
    ] {
        let (unknowns, mut state) = (vec![1.0; unknowns], vec![0.0; state]);
        let mut residuals = vec![0.0; residuals];
        assert!((experiment.shoot(&unknowns, 0..n, &mut state, &mut residuals)).is_err());
    }
    assert!(experiment.state(n + 1, &vec![0.0; states]).is_err());
    assert!(experiment.state(0, &[0.0]).is_err());
    assert!(experiment.misfit(&[]).is_err() && experiment.misfit(&[f64::NAN]).is_err());
}

/// No program waits for 10¹⁵ steps from sample to sample.
#[test]
fn intervals_of_too_many_steps_are_refused() {
    for interval in [1e3, 1e12, 1e300] {
        let signals = signals(0.0, interval, &[0.1; 3]).unwrap();
        let model = Arc::new(measured_arm());
        let made = MotionExperiment::new(model, "slow", &signals, Start::Measured, deviations(0.1));
        let error = made.unwrap_err().to_string();
        assert!(
            error.contains("interval of the signals in time steps"),
            "{error}"
        );
    }
}

#[test]
fn samples_that_overflow_in_si_units_are_refused() {
    let signals = Signals::new(0.0, 0.1).unwrap();
    let error = signals.with("load", "kN", [1.0, 1e306]).unwrap_err();
    assert!(
        error.to_string().contains("sample 1 is infinite"),
        "{error}"
    );
}

#[test]
fn what_is_adjusted_twice_is_refused() {
    let of = |name: &str| unknown(name, 0.5);
    let bias = |experiment: Option<&str>| Adjusts::Bias {
        channel: "marker".into(),
        entry: 1,
        experiment: experiment.map(str::to_owned),
    };
    let mounting = || Adjusts::Mounting {
        channel: "marker".into(),
        axis: 2,
    };
    let masses =
        |names: [&str; 2]| Adjusts::Parameters(names.map(|n| (n.to_owned(), 1.0)).to_vec());
    for [first, second] in [
        [bias(None), bias(None)],
        [bias(None), bias(Some("a"))],
        [bias(Some("a")), bias(Some("a"))],
        [mounting(), mounting()],
        [bias(None), masses(["body/lower/mass"; 2])],
    ] {
        let model: MotionModel = measured_arm().estimate(of("first"), &first).unwrap();
        let error = model.estimate(of("second"), &second).unwrap_err();
        assert!(error.to_string().contains("\"second\""), "{error}");
    }
    let model = measured_arm()
        .estimate(of("first"), &bias(Some("a")))
        .unwrap();
    assert!(model.estimate(of("second"), &bias(Some("b"))).is_ok());
    let channel = Channel::new("x", Measured::JointPosition("elbow".into()), []).unwrap();
    assert!(MotionModel::new(arm()).measure(&channel).is_err());
}

#[test]
fn designs_that_tell_nothing_are_errors() {
    let excitation = Excitation::new(
        limited([-1.0, 1.0, 2.0]).unwrap(),
        &["body/link/mass"],
        [0.1],
        2.0,
        2,
    );
    let excitation = excitation.unwrap();
    let zero = vec![0.0; excitation.design_size()];
    assert!(excitation.motion(&zero).is_err());
    assert!(
        excitation
            .motion(&[f64::MAX; 4])
            .is_err_and(|e| e.to_string().contains("too large"))
    );
    let design = [0.5, -0.3, 0.2, 0.7];
    for (values, scale) in [
        (vec![], 1.0),
        (vec![f64::NAN], 1.0),
        (vec![1.0, 2.0], 1.0),
        (vec![1.0], 0.0),
        (vec![1.0], f64::INFINITY),
    ] {
        let improved = Optimality::D.improve(&excitation, &values, &[scale], None, &design, 3);
        assert!(improved.is_err(), "{values:?} {scale}");
    }
    assert!(
        Optimality::D
            .improve(&excitation, &[1.0], &[1.0], None, &zero, 3)
            .is_err()
    );
    assert!(
        Optimality::A
            .improve(&excitation, &[1.0], &[1.0], None, &design, 3)
            .is_ok()
    );
}

/// Copies of a document with one number replaced.
fn renumbered(document: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_digit() || ".-e".contains(c);
    let mut copies = Vec::new();
    let starts = document
        .char_indices()
        .filter(|&(i, c)| c.is_ascii_digit() && document[..i].ends_with([' ', '[', '-']));
    for (start, _) in starts {
        let length = document[start..].find(|c| !is_part(c)).unwrap_or(1);
        for number in ["0", "1.5", "1e-300", "1e300", "99999999999", "1e400"] {
            copies.push([&document[..start], number, &document[start + length..]].concat());
        }
    }
    copies
}

/// Documents and tables that something has damaged are refused, or give a fit whose cost is a number.
#[test]
fn damaged_fits_are_refused_or_read() {
    let (folder, table) = files_of_a_fit("damaged");
    let [document, signals] = ["fit.json", "swing.csv"].map(|name| folder.join(name));
    let mut random = Random::new(5);
    let mut damaged = |text: &str| (0..count()).map(|_| mutated(text, &mut random)).collect();
    let mut documents: Vec<String> = damaged(DOCUMENT);
    documents.extend(renumbered(DOCUMENT));
    let tables: Vec<String> = damaged(&table);
    for (file, whole, copies) in [
        (&document, DOCUMENT, documents),
        (&signals, table.as_str(), tables),
    ] {
        let mut read = 0;
        for copy in &copies {
            std::fs::write(&signals, &table).unwrap();
            std::fs::write(&document, DOCUMENT).unwrap();
            std::fs::write(file, copy).unwrap();
            let Ok(fit) = MotionFit::load(&document) else {
                continue;
            };
            read += 1;
            let values: Vec<f64> = fit.model.unknowns().iter().map(|u| u.initial()).collect();
            for experiment in fit.experiments.iter().chain(&fit.held_out) {
                let misfit = experiment.misfit(&values);
                assert!(
                    misfit.as_ref().map_or(true, |m| m.is_finite()),
                    "{misfit:?}\n{copy}"
                );
            }
        }
        let count = copies.len();
        println!("{}: {read} of {count} read", file.display());
        assert!(read > 0 && read < count, "{read} of {count}, of {whole}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn residuals_whose_squares_underflow_are_refused() {
    let fit = |scale: f64| {
        let experiments = [Small(scale)];
        let problem = Problem::new([unknown("p", 1.0)], &experiments).unwrap();
        LevenbergMarquardt::new().fit(&problem)
    };
    for scale in [1.0, 1e-100, 1e-130] {
        let estimate = fit(scale).unwrap().estimates[0].clone();
        assert_close(estimate.value, 2.5, 1e-9);
        assert_close(estimate.standard_error.unwrap(), 0.6454972243679028, 1e-9);
    }
    for scale in [1e-145, 1e-155, 1e-170, 1e-300] {
        let error = fit(scale).unwrap_err();
        assert!(matches!(error, IdentificationError::Underflow), "{error}");
        assert!(error.to_string().contains("1e-140"), "{error}");
    }
    // Nothing responds to the unknown, which is no matter of size.
    let estimate = fit(0.0).unwrap().estimates[0].clone();
    assert_eq!(estimate.status, Status::Undetermined);
}

/// `p` measured as 1, 2, 3 and 4, in a unit in which that is small.
struct Small(f64);

impl Experiment for Small {
    type Error = Infallible;

    fn residual_count(&self) -> usize {
        4
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Self::Error> {
        for (i, r) in residuals.iter_mut().enumerate() {
            *r = (p[0] - (1.0 + i as f64)) * self.0;
        }
        Ok(())
    }
}
