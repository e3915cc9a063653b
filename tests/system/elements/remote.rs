//! Sensors and actuators that another process computes: the bits of one process, and every way to fail.

use dualbody::actuator::{RemoteActuator, TorqueSource};
use dualbody::contact::ContactModel;
use dualbody::force::ForceError;
use dualbody::io::json::ElementTypes;
use dualbody::prelude::*;
use dualbody::remote::{RemoteChannel, RemoteElement, RemoteError, RemoteRequest, serve};
use dualbody::sensor::{Encoder, FullState, RemoteSensor, SensorError};
use dualbody::system::{Adjoint, RolloutObjective, StepJacobian, SystemError};
use dualbody::tree::{BodyIndex, JointKind};
use std::io::{PipeReader, PipeWriter, Read, Write, pipe};
use std::thread::{self, JoinHandle};
use std::time::Duration;

const DT: f64 = 0.01;
const PATIENCE: Duration = Duration::from_secs(20);

fn arm() -> RigidBodySystem<f64> {
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::point_mass(0.8, Vector3::new(0.0, 0.0, -0.5));
    let arm = tree.add_body("arm", inertia).unwrap();
    let hinge = JointKind::Continuous { axis: Vector3::y() };
    let here = RigidTransform::identity();
    tree.add_joint("hinge", hinge, BodyIndex::WORLD, here, arm)
        .unwrap();
    RigidBodySystem::new(tree.finish().unwrap(), ContactModel::none()).unwrap()
}

fn motor(system: &RigidBodySystem<f64>) -> TorqueSource<f64> {
    let hinge = system.tree().joint_by_name("hinge").unwrap();
    TorqueSource::new("motor", system.tree(), hinge, 1.0, Some(8.0)).unwrap()
}

/// Integrates the error of the angle; counts how often time begins.
#[derive(Default)]
struct Controller {
    integral: f64,
    beginnings: usize,
    requests: usize,
}

impl RemoteElement for Controller {
    fn name(&self) -> &str {
        "controller"
    }
    fn receives(&self) -> Vec<String> {
        vec!["q/0".into(), "v/0".into()]
    }
    fn sends(&self) -> Vec<String> {
        vec!["motor/torque".into()]
    }
    fn respond(
        &mut self,
        request: RemoteRequest<'_>,
        answer: &mut [f64],
    ) -> std::result::Result<(), Box<dyn std::error::Error>> {
        if request.begins {
            self.integral = 0.0;
            self.beginnings += 1;
        }
        self.requests += 1;
        let &[q, v] = request.values else {
            return Err("two numbers are needed".into());
        };
        if q > 100.0 {
            return Err("the angle is out of reach".into());
        }
        self.integral += (1.0 - q) * DT;
        answer[0] = 12.0 * (1.0 - q) + 14.0 * self.integral - 2.5 * v;
        if q > 50.0 {
            answer[0] = f64::NAN;
        }
        Ok(())
    }
}

/// The sine of an angle.
struct Sine;

impl RemoteElement for Sine {
    fn name(&self) -> &str {
        "sine"
    }
    fn receives(&self) -> Vec<String> {
        vec!["state/q/0".into(), "state/v/0".into()]
    }
    fn sends(&self) -> Vec<String> {
        vec!["of_angle".into()]
    }
    fn respond(
        &mut self,
        request: RemoteRequest<'_>,
        answer: &mut [f64],
    ) -> std::result::Result<(), Box<dyn std::error::Error>> {
        answer[0] = request.values[0].sin();
        Ok(())
    }
}

type Served = JoinHandle<std::result::Result<Controller, RemoteError>>;

/// A channel to a thread that serves both elements, and what that has come to.
fn connected() -> (RemoteChannel, Served) {
    let (from, answers) = pipe().unwrap();
    let (requests, to) = pipe().unwrap();
    let served = thread::spawn(move || {
        let mut controller = Controller::default();
        serve(requests, answers, DT, &mut [&mut Sine, &mut controller])?;
        Ok(controller)
    });
    let channel = RemoteChannel::connect(from, to, DT, PATIENCE).unwrap();
    (channel, served)
}

fn machine(channel: &RemoteChannel) -> TimeSteppingRigidBodySystem<f64> {
    let system = arm();
    let tree = system.tree();
    let driver = RemoteActuator::new("controller", channel, tree, motor(&system)).unwrap();
    let sine = RemoteSensor::new("sine", channel, FullState::new(tree), &["of_angle"]).unwrap();
    let system = system.with_actuators([driver]).unwrap();
    let system = system.with_sensors([sine]).unwrap();
    assert_eq!(system.output_names(), ["sine/of_angle"]);
    assert_eq!(system.num_inputs(), 0);
    TimeSteppingRigidBodySystem::compliant(system, DT).unwrap()
}

#[test]
fn rollouts_have_the_bits_of_one_process() {
    let (channel, served) = connected();
    let remote = machine(&channel);
    drop(channel);
    let run = || {
        let mut workspace = remote.workspace().unwrap();
        let mut states = vec![remote.initial_state()];
        for k in 0..200 {
            let step = remote.step(&mut workspace, &states[k], &[]).unwrap();
            let angle = states[k].q[0];
            assert_eq!(step.output()[0].to_bits(), angle.sin().to_bits());
            let next = step.state().clone();
            states.push(next);
        }
        states
    };
    let (first, again) = (run(), run());
    assert_eq!(first, again);

    let system = arm();
    let motor = motor(&system);
    let system = system.with_actuators([motor]).unwrap();
    let local = TimeSteppingRigidBodySystem::compliant(system, DT).unwrap();
    let mut controller = Controller::default();
    let mut held = 0.0;
    let mut workspace = local.workspace().unwrap();
    let rollout = local.rollout_with(&mut workspace, &local.initial_state(), 200, |_, at, u| {
        u[0] = held;
        let values = [at.q[0], at.v[0]];
        let request = RemoteRequest {
            time: at.time,
            begins: at.time == 0.0,
            values: &values,
        };
        let mut answer = [0.0];
        controller.respond(request, &mut answer).unwrap();
        held = answer[0];
    });
    for (a, b) in first.iter().zip(&rollout.states) {
        assert_eq!((&a.q, &a.v), (&b.q, &b.v));
    }
    assert!((first[200].q[0] - 1.0).abs() < 0.05);

    // The same steps once more, with derivatives: nobody is asked again, and the command is a constant.
    let mut differentiator = StepDifferentiator::new(&remote, &["arm/mass"]).unwrap();
    let mut jacobian = StepJacobian::default();
    (differentiator.jacobian(&again[199], &[], &mut jacobian)).unwrap();
    let held = again[199].actuators[0];
    let (m, l) = (0.8, 0.5);
    assert!((jacobian.state[(1, 2)] - DT / (m * l * l)).abs() < 1e-12);
    let by_mass = -DT * held / (m * m * l * l);
    assert!((jacobian.parameters[(1, 0)] - by_mass).abs() < 1e-9);
    assert!(jacobian.state.row(2).iter().all(|&x| x == 0.0));
    drop((remote, differentiator));
    let controller = served.join().unwrap().unwrap();
    assert_eq!((controller.beginnings, controller.requests), (2, 400));
}

/// The gradient does not depend on how much of the way is gone again, though the controller remembers.
#[test]
fn adjoints_come_back_to_the_answers_of_the_rollout() {
    #[derive(Debug)]
    struct Last(usize);
    impl RolloutObjective for Last {
        fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, _: &[T]) -> T {
            match step == self.0 {
                true => state.q[0] * state.q[0],
                false => T::zero(),
            }
        }
    }
    let (channel, _served) = connected();
    let machine = machine(&channel);
    let inputs = nalgebra::DMatrix::zeros(0, 60);
    let gradients: Vec<f64> = [60, 1, 7]
        .map(|interval| {
            let adjoint = Adjoint::new(&machine, &["arm/mass"]).unwrap();
            let mut adjoint = adjoint.with_checkpoint_interval(interval).unwrap();
            let start = machine.initial_state();
            let gradient = adjoint.gradient(&Last(60), &start, &inputs).unwrap();
            gradient.parameters[0]
        })
        .to_vec();
    assert!(gradients[0].abs() > 1e-6);
    assert_eq!(gradients[0], gradients[1]);
    assert_eq!(gradients[0], gradients[2]);
}

/// Over a socket, which stays open at this end as long as it is read from.
#[cfg(unix)]
#[test]
fn the_other_side_is_told_when_nobody_asks_any_more() {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
    let served = thread::spawn(move || {
        let answers = theirs.try_clone().unwrap();
        let mut controller = Controller::default();
        serve(theirs, answers, DT, &mut [&mut Sine, &mut controller])
    });
    let from = ours.try_clone().unwrap();
    let channel = RemoteChannel::connect(from, ours, DT, PATIENCE).unwrap();
    let remote = machine(&channel);
    remote.rollout(&remote.initial_state(), 3).unwrap();
    drop((channel, remote));
    assert_eq!(served.join().unwrap(), Ok(()));
}

#[test]
fn what_the_sides_do_not_agree_on_is_refused_by_name() {
    let (channel, _served) = connected();
    let system = arm();
    let tree = system.tree();
    let full = || FullState::new(tree);
    let refused = |result: std::result::Result<RemoteSensor<f64>, SensorError>, words: &[&str]| {
        let error = result.unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    };
    let new = |name: &str, outputs: &[&str]| RemoteSensor::new(name, &channel, full(), outputs);
    refused(new("cosine", &["of_angle"]), &["\"cosine\"", "\"sine\""]);
    refused(new("sine", &["of_angl"]), &["of_angle", "of_angl\""]);
    refused(new("sine", &["of_angle", "more"]), &["expects 2"]);
    let hinge = tree.joint_by_name("hinge").unwrap();
    let encoder = Encoder::new("encoder", tree, hinge, 0.1).unwrap();
    let other = RemoteSensor::new("sine", &channel, encoder, &["of_angle"]);
    refused(other, &["\"sine\"", "sends"]);
    // Nothing is lost by a refusal.
    let machine = machine(&channel);
    let mut workspace = machine.workspace().unwrap();
    (machine.step(&mut workspace, &machine.initial_state(), &[])).unwrap();

    // Another step than the one that was agreed on, at the start and later.
    let system = machine.system().clone();
    let slower = TimeSteppingRigidBodySystem::compliant(system, 2.0 * DT).unwrap();
    let error = slower.rollout(&slower.initial_state(), 1).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("a step of 0.02 s, where 0.01 s was agreed on"),
        "{error}"
    );
    let (from, answers) = pipe().unwrap();
    let (requests, to) = pipe().unwrap();
    thread::spawn(move || serve(requests, answers, DT, &mut []));
    let result = RemoteChannel::connect(from, to, 2.0 * DT, PATIENCE);
    assert!(matches!(result, Err(RemoteError::Refused { .. })));

    // What is beyond this process cannot be written into a file.
    let error = machine.system().to_json_with(&ElementTypes::default());
    assert!(error.unwrap_err().to_string().contains("not registered"));
}

/// What a step says from an angle.
fn step_from(machine: &TimeSteppingRigidBodySystem<f64>, angle: f64) -> Result<()> {
    let mut state = machine.initial_state();
    state.q[0] = angle;
    (machine.step(&mut machine.workspace()?, &state, &[]))?;
    Ok(())
}

#[test]
fn failures_of_the_other_process_are_those_of_the_step() {
    for (angle, words) in [
        (120.0, "the angle is out of reach"),
        (60.0, "entry 0 of the answer is NaN"),
    ] {
        let (channel, _served) = connected();
        let machine = machine(&channel);
        step_from(&machine, 0.3).unwrap();
        let error = step_from(&machine, angle).unwrap_err().to_string();
        assert!(
            error.contains("\"controller\"") && error.contains(words),
            "{error}"
        );
        let after = step_from(&machine, 0.4).unwrap_err().to_string();
        assert!(after.contains(words), "{after}");
    }
}

/// A process that answers what the test has it answer.
fn answered(
    bytes: impl FnOnce(PipeReader, PipeWriter) + Send + 'static,
) -> Result<RemoteChannel, RemoteError> {
    let (from, answers) = pipe().unwrap();
    let (requests, to) = pipe().unwrap();
    thread::spawn(move || bytes(requests, answers));
    RemoteChannel::connect(from, to, DT, Duration::from_millis(300))
}

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

#[test]
fn silence_hanging_up_and_garbage_are_errors() {
    let silent = answered(|requests, answers| {
        thread::sleep(Duration::from_secs(2));
        drop((requests, answers));
    });
    let Err(RemoteError::TimedOut { seconds }) = silent else {
        panic!("{silent:?}");
    };
    assert_eq!(seconds, 0.3);
    let gone = answered(|requests, answers| drop((requests, answers)));
    assert!(matches!(gone, Err(RemoteError::Closed)), "{gone:?}");
    for garbage in [
        b"no block at all".to_vec(),
        [b"T".as_slice(), &u32::MAX.to_le_bytes()].concat(),
        [b"T".as_slice(), &2u32.to_le_bytes(), &[0xff, 0xfe]].concat(),
        [b"N".as_slice(), &u32::MAX.to_le_bytes()].concat(),
    ] {
        let result = answered(move |_requests, mut answers| {
            answers.write_all(&garbage).unwrap();
            thread::sleep(Duration::from_secs(2));
        });
        assert!(
            matches!(result, Err(RemoteError::Stream { .. })),
            "{result:?}"
        );
    }
    // Who listens to nothing holds nothing up: more than a pipe holds waits to be written.
    let (channel, _served) = {
        let (from, answers) = pipe().unwrap();
        let (mut requests, to) = pipe().unwrap();
        let served = thread::spawn(move || {
            // The greeting goes back, then nothing is read any more.
            let mut block = [0; 5];
            requests.read_exact(&mut block).unwrap();
            let size = u32::from_le_bytes(block[1..].try_into().unwrap());
            let mut text = vec![0; size as usize];
            requests.read_exact(&mut text).unwrap();
            let mut answers = answers;
            answers.write_all(&[&block[..], &text].concat()).unwrap();
            thread::sleep(Duration::from_secs(2));
        });
        let patience = Duration::from_millis(300);
        (
            RemoteChannel::connect(from, to, DT, patience).unwrap(),
            served,
        )
    };
    let names: Vec<String> = (0..20_000).map(|i| format!("output {i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let system = arm();
    let full = FullState::new(system.tree());
    let sensor = RemoteSensor::<f64>::new("many", &channel, full, &names);
    assert!(matches!(
        sensor,
        Err(SensorError::Remote {
            source: RemoteError::TimedOut { .. },
            ..
        })
    ));
    // After that the channel is of no use, and says why.
    let driver = RemoteActuator::new("controller", &channel, system.tree(), motor(&system));
    let Err(ForceError::Remote { source, .. }) = driver else {
        panic!("it goes on");
    };
    assert!(matches!(source, RemoteError::TimedOut { .. }));
    let error = SystemError::from(ForceError::Remote {
        name: "controller".into(),
        source,
    });
    assert!(
        error.to_string().contains("no answer after 0.3 s"),
        "{error}"
    );
}
