//! Recordings whose tables have times of their own, and inputs that reach the machine otherwise than they were recorded.

use crate::motion::{arm, measured_arm};
use dualbody::autodiff::{JacobianChecker, check_jacobian};
use dualbody::identification::motion::{
    Adjusts, Channel, Hold, Measured, MotionExperiment, MotionModel, Signals, Start,
    StateDeviations,
};
use dualbody::identification::{
    Experiment, LevenbergMarquardt, Noise, Problem, SegmentedTrajectory, Unknown,
};
use dualbody::system::State;
use std::sync::Arc;

const STEP: f64 = 1e-3;
pub const DEVIATIONS: StateDeviations = StateDeviations {
    position: 0.1,
    velocity: 1.0,
    actuators: 1.0,
    sensors: 1.0,
};

fn start() -> State<f64> {
    let mut state = arm().initial_state();
    (state.q[0], state.q[1]) = (0.4, -0.7);
    state
}

/// A torque over time, as it reaches the machine.
type Torque<'t> = &'t dyn Fn(f64, usize) -> f64;

/// The angles of the arm at some times from 0, straight between steps, with the means of the torques over the steps.
fn angles(torque: Torque, times: &[f64]) -> Vec<[f64; 2]> {
    let machine = arm();
    let (mut workspace, mut state) = (machine.workspace().unwrap(), start());
    let mut history = Vec::new();
    let steps = (times.last().unwrap() / STEP) as usize + 2;
    for step in 0..steps {
        history.push([state.q[0], state.q[1]]);
        let mean = |k: usize| {
            let part = |i: usize| STEP * (step as f64 + (i as f64 + 0.5) / 1000.0);
            (0..1000).map(|i| torque(part(i), k)).sum::<f64>() / 1000.0
        };
        let next = machine.step(&mut workspace, &state, &[mean(0), mean(1)]);
        state = next.unwrap().state().clone();
    }
    let at = |time: &f64| {
        let step = (time / STEP + 1e-9).floor();
        let way = time / STEP - step;
        let (a, b) = (history[step as usize], history[step as usize + 1]);
        std::array::from_fn(|k| a[k] + (b[k] - a[k]) * way)
    };
    times.iter().map(at).collect()
}

/// The shoulder and the elbow.
fn model() -> MotionModel {
    let joints = ["shoulder", "elbow"];
    joints
        .into_iter()
        .fold(MotionModel::new(arm()), |model, joint| {
            let channel = Channel::new(joint, Measured::JointPosition(joint.into()), [1e-3]);
            model.measure(&channel.unwrap()).unwrap()
        })
}

fn signals(times: &[f64], names: &[&str], unit: &str, of: impl Fn(usize, usize) -> f64) -> Signals {
    let signals = Signals::at(times).unwrap();
    names
        .iter()
        .enumerate()
        .fold(signals, |signals, (k, name)| {
            let values: Vec<f64> = (0..times.len()).map(|i| of(i, k)).collect();
            signals.with(*name, unit, values).unwrap()
        })
}

const TORQUES: [&str; 2] = ["joint/shoulder/force", "joint/elbow/force"];

fn command(time: f64, k: usize) -> f64 {
    0.8 * ((7.0 + 4.0 * k as f64) * time + 0.3).sin()
}

/// Times at about a rate, which scatter by a part of the interval.
fn scattered(count: usize, interval: f64, part: f64) -> Vec<f64> {
    let scatter = |i: usize| part * (12.9898 * (i * i) as f64).sin();
    let time = |i: usize| {
        if i == 0 {
            0.0
        } else {
            interval * (i as f64 + scatter(i))
        }
    };
    (0..count).map(time).collect()
}

fn residuals(experiment: &MotionExperiment, values: &[f64]) -> Vec<f64> {
    let mut residuals = vec![f64::NAN; Experiment::residual_count(experiment)];
    experiment.residuals(values, &mut residuals).unwrap();
    residuals
}

fn recording(model: MotionModel, tables: &[Signals], start: Start) -> MotionExperiment {
    MotionExperiment::new(Arc::new(model), "swing", tables, start, DEVIATIONS).unwrap()
}

/// A shoulder at 100 Hz, an elbow at about 30 Hz with times that scatter and a gap, torques at 250 Hz.
#[test]
fn each_table_has_a_rate_of_its_own() {
    let fast: Vec<f64> = (0..100).map(|i| 0.01 * i as f64).collect();
    let mut slow = scattered(30, 0.033, 0.1);
    slow.drain(12..15);
    let commanded: Vec<f64> = (0..=250).map(|i| 4e-3 * i as f64).collect();
    let torque = |time: f64, k: usize| command(4e-3 * (time / 4e-3 + 1e-9).floor(), k);
    let (shoulder, elbow) = (angles(&torque, &fast), angles(&torque, &slow));
    let tables = [
        signals(&fast, &["shoulder"], "rad", |i, _| shoulder[i][0]),
        signals(&slow, &["elbow"], "rad", |i, _| elbow[i][1]),
        signals(&commanded, &TORQUES, "N m", |i, k| command(commanded[i], k)),
    ];
    let run = recording(model(), &tables, Start::Known(start()));
    let all = residuals(&run, &[]);
    assert_eq!(all.len(), 127);
    assert!(all.iter().all(|r| r.abs() < 1e-8), "{all:?}");
    let by_channel = run.channel_residuals(&all).unwrap();
    assert_eq!([by_channel[0].count, by_channel[1].count], [100, 27]);
    let compared = run.comparisons(&all).unwrap();
    for (found, time) in compared[1].times.iter().zip(&slow) {
        assert!((found - time).abs() < 1e-12, "{found} {time}");
    }

    // From the start that was measured, with guesses of the states at the rows.
    let run = recording(model(), &tables, Start::Measured);
    let coordinates = vec![0.0; run.state_deviations().len()];
    let rows: Vec<usize> = (1..95).filter(|row| !(35..55).contains(row)).collect(); // not in the gap
    let at: Vec<f64> = rows.iter().map(|&row| 0.01 * row as f64).collect();
    let off = rows.iter().zip(angles(&torque, &at)).map(|(&row, truth)| {
        let guess = run.state(row, &coordinates).unwrap();
        [(guess.q[0] - truth[0]).abs(), (guess.q[1] - truth[1]).abs()]
    });
    let [shoulder, elbow] = off.fold([0.0f64; 2], |a, b| [a[0].max(b[0]), a[1].max(b[1])]);
    assert!(shoulder < 1e-12 && elbow < 0.02, "{shoulder} {elbow}");
}

/// One table at a constant rate has the same residuals, whichever way its times are given.
#[test]
fn times_that_are_at_a_rate_are_at_that_rate() {
    let times: Vec<f64> = (0..40).map(|i| 0.01 * i as f64).collect();
    let swing = angles(&command, &times);
    let other = Signals::new(0.0, 0.01).unwrap();
    let own = signals(&times, &["shoulder", "elbow"], "rad", |i, k| swing[i][k]);
    let own = (0..2).fold(own, |own, k| {
        let values: Vec<f64> = times.iter().map(|t| command(*t, k)).collect();
        own.with(TORQUES[k], "N m", values).unwrap()
    });
    let other = own.names().fold(other, |other, name| {
        let (values, unit) = own.signal(name).unwrap();
        other.with(name, unit, values).unwrap()
    });
    assert!(own.is_at_rate());
    let [own, other] = [own, other]
        .map(|signals| residuals(&recording(model(), &[signals], Start::Known(start())), &[]));
    assert_eq!(own, other);
}

/// Torques that are commanded at 20 Hz, and what the machine gets by the hold of its drives.
#[test]
fn inputs_are_held_as_the_device_holds_them() {
    let times: Vec<f64> = (0..80).map(|i| 0.01 * i as f64).collect();
    let commanded = scattered(18, 0.05, 0.2);
    let before = |time: f64| commanded.partition_point(|t| *t <= time) - 1;
    let kept = |time: f64, k: usize| command(commanded[before(time)], k);
    let straight = |time: f64, k: usize| {
        let [a, b] = [0, 1].map(|next| commanded[before(time) + next]);
        let (from, to) = (command(a, k), command(b, k));
        from + (to - from) * (time - a) / (b - a)
    };
    let ways: [(Hold, Torque); 2] = [(Hold::ZeroOrder, &kept), (Hold::FirstOrder, &straight)];
    for (hold, torque) in ways {
        let swing = angles(torque, &times);
        let tables = [
            signals(&times, &["shoulder", "elbow"], "rad", |i, k| swing[i][k]),
            signals(&commanded, &TORQUES, "N m", |i, k| command(commanded[i], k)),
        ];
        for (other, _) in ways {
            let model = TORQUES
                .iter()
                .fold(model(), |m, name| m.hold(name, other).unwrap());
            let all = residuals(&recording(model, &tables, Start::Known(start())), &[]);
            let largest = all.iter().fold(0.0, |a: f64, r| a.max(r.abs()));
            // The means of the test are sums of 1000 samples.
            assert_eq!(
                largest < 0.02,
                hold == other,
                "{hold:?} {other:?}: {largest}"
            );
            assert!(
                hold == other || largest > 1.0,
                "{hold:?} {other:?}: {largest}"
            );
        }
    }
    assert!(model().hold("joint/wrist/force", Hold::FirstOrder).is_err());
}

const GAIN: f64 = 1.15;
const BIAS: f64 = 0.07; // N m
const LATE: f64 = 7.4e-3; // s

fn adjusted() -> MotionModel {
    let input = || TORQUES[0].to_owned();
    let of = |name: &str, initial: f64| Unknown::new(name, "SI", initial).unwrap();
    let (channel, entry, experiment) = (input(), 0, None);
    let gain = Adjusts::Gain {
        channel,
        entry,
        experiment: experiment.clone(),
    };
    let bias = Adjusts::Bias {
        channel: input(),
        entry,
        experiment: experiment.clone(),
    };
    let delay = Adjusts::Delay {
        channels: TORQUES.map(str::to_owned).to_vec(),
        experiment,
    };
    let late = of("delay", 0.0)
        .scale(1e-3)
        .unwrap()
        .bounds(0.0, 0.05)
        .unwrap();
    let model = model().estimate(of("gain", 1.0), &gain).unwrap();
    let model = model
        .estimate(of("bias", 0.0).scale(0.1).unwrap(), &bias)
        .unwrap();
    model.estimate(late, &delay).unwrap()
}

/// A drive that gives more than it is told, and late.
#[test]
fn delay_gain_and_bias_of_inputs_are_found() {
    let times: Vec<f64> = (0..150).map(|i| 0.01 * i as f64).collect();
    let commanded: Vec<f64> = (0..=750).map(|i| 2e-3 * i as f64).collect();
    let kept = |time: f64, k: usize| command(2e-3 * (time / 2e-3 + 1e-9).floor().max(0.0), k);
    let torque = |time: f64, k: usize| match k {
        0 => GAIN * kept(time - LATE, 0) + BIAS,
        _ => kept(time - LATE, 1),
    };
    let swing = angles(&torque, &times);
    let tables = [
        signals(&times, &["shoulder", "elbow"], "rad", |i, k| swing[i][k]),
        signals(&commanded, &TORQUES, "N m", |i, k| command(commanded[i], k)),
    ];
    let run = recording(adjusted(), &tables, Start::Known(start()));
    let checker = JacobianChecker::default();
    let check = check_jacobian(&checker, &Residuals(&run), &[1.1, 0.05, 6.3e-3]).unwrap();
    assert!(check.agrees(), "{check}");
    let runs = [run];
    let model = adjusted();
    let problem = Problem::new(model.unknowns(), &runs).unwrap();
    let fit = LevenbergMarquardt::new()
        .noise(Noise::Unit)
        .fit(&problem)
        .unwrap();
    for (found, truth) in fit.estimates.iter().zip([GAIN, BIAS, LATE]) {
        let error = found.standard_error.unwrap();
        assert!((found.value - truth).abs() < 0.1 * error, "{fit}");
    }
}

struct Residuals<'r>(&'r MotionExperiment);

impl dualbody::autodiff::VectorFunction for Residuals<'_> {
    type Error = dualbody::identification::motion::MotionError;

    fn eval<T: dualbody::DefaultScalar>(
        &self,
        x: &[T],
    ) -> Result<nalgebra::DVector<T>, Self::Error> {
        let mut rows = vec![T::zero(); Experiment::residual_count(self.0)];
        self.0.residuals(x, &mut rows)?;
        Ok(rows.into())
    }
}

#[test]
fn what_inputs_do_not_have_is_refused() {
    let of = |name: &str| Unknown::new(name, "1", 1.0).unwrap();
    let gain = |channel: &str, entry| Adjusts::Gain {
        channel: channel.into(),
        entry,
        experiment: None,
    };
    let error = model().estimate(of("g"), &gain(TORQUES[0], 1)).unwrap_err();
    let expected = "unknown \"g\": there is no entry 1, input \"joint/shoulder/force\" has 1";
    assert_eq!(error.to_string(), expected);
    let error = adjusted()
        .estimate(of("g"), &gain(TORQUES[0], 0))
        .unwrap_err();
    assert!(
        error.to_string().ends_with("another unknown sets the same"),
        "{error}"
    );
    let delay = |channels: Vec<String>| Adjusts::Delay {
        channels,
        experiment: None,
    };
    let twice = delay(vec![TORQUES[0].into(), TORQUES[0].into()]);
    assert!(model().estimate(of("d"), &twice).is_err());
    // All channels, without the inputs.
    assert!(measured_arm().estimate(of("d"), &delay(vec![])).is_ok());
    let mounting = Adjusts::Mounting {
        channel: TORQUES[0].into(),
        axis: 0,
    };
    assert!(model().estimate(of("m"), &mounting).is_err());
}
