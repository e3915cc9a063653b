//! Many rollouts at once: the bits of single ones for any number of threads, derivatives, and failures.

use super::adjoint::{Mixed, pushes, thrown, walker};
use crate::support::derivatives_of_steps::entries;
use crate::support::scenes::cube;
use dualbody::actuator::{FirstOrderLag, GeneralizedForce};
use dualbody::math::RigidTransform;
use dualbody::sensor::Imu;
use dualbody::system::{
    Adjoint, Batch, BatchCovectors, BatchDirections, BatchError, BatchGradients, BatchJacobians,
    BatchPlan, BatchRollouts, Kept, State, StepDifferentiator, StepJacobian, SystemError,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::BodyIndex;
use dualbody::{InvalidInput, Parameters};
use nalgebra::DMatrix;

type Machine = TimeSteppingRigidBodySystem<f64>;

const MEMBERS: usize = 5;
const STEPS: usize = 30;

/// A machine, the state that its members start near, its inputs, and parameters.
struct Case {
    machine: Machine,
    start: State<f64>,
    parameters: Vec<&'static str>,
}

/// A walker, all of whose derivatives are by hand; and a cube with a lag and an inertial sensor.
fn cases() -> [Case; 2] {
    let walker = walker();
    let tree = cube(2e-3).tree().clone();
    let imu = Imu::new("imu", &tree, BodyIndex::new(1), &RigidTransform::identity()).unwrap();
    let push = FirstOrderLag::new("lag", 0.1, GeneralizedForce::new("push", 3)).unwrap();
    let sensing = (cube(2e-3).with_actuators([push]).unwrap())
        .with_sensors([imu])
        .unwrap();
    let mut start = sensing.initial_state();
    start.q[6] = 0.06;
    start.v[3] = 0.5;
    start.v[1] = 0.3;
    [
        Case {
            start: thrown(&walker),
            machine: walker,
            parameters: vec!["body/body/mass", "body/shape/friction", "gravity/z"],
        },
        Case {
            machine: sensing,
            start,
            parameters: vec!["body/body/mass", "lag/time_constant", "time_step"],
        },
    ]
}

impl Case {
    fn starts(&self) -> DMatrix<f64> {
        let start = entries(&self.start);
        let first_v = self.start.q.len();
        DMatrix::from_fn(start.len(), MEMBERS, |i, member| {
            let change = if i < first_v {
                0.0
            } else {
                0.02 * member as f64
            };
            start[i] + change
        })
    }

    fn inputs(&self) -> DMatrix<f64> {
        pushes(self.machine.num_inputs(), STEPS * MEMBERS)
    }

    fn values(&self) -> DMatrix<f64> {
        DMatrix::from_fn(self.parameters.len(), MEMBERS, |k, member| {
            let value: f64 = self.machine.parameter(self.parameters[k]).unwrap();
            value * (1.0 + 0.01 * (member as f64 - 2.0) * (k + 1) as f64)
        })
    }

    /// The machine of a member.
    fn machine(&self, values: &DMatrix<f64>, member: usize) -> Machine {
        let mut machine = self.machine.clone();
        for (name, &value) in self.parameters.iter().zip(values.column(member).iter()) {
            machine.set_parameter(name, value).unwrap();
        }
        machine
    }

    fn state(&self, starts: &DMatrix<f64>, member: usize) -> State<f64> {
        let mut state = self.start.clone();
        let all = (state.q.iter_mut().chain(&mut state.v))
            .chain(state.actuators.iter_mut().chain(&mut state.sensors));
        all.zip(starts.column(member).iter())
            .for_each(|(x, &entry)| *x = entry);
        state
    }
}

fn part(matrix: &DMatrix<f64>, columns: usize, member: usize) -> DMatrix<f64> {
    matrix.columns(columns * member, columns).into_owned()
}

/// Weights without a pattern.
fn weights(rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |i, k| {
        (0.3 + 1.7 * i as f64 + 0.9 * k as f64).sin()
    })
}

#[test]
fn members_are_single_machines() {
    for case in cases() {
        let (starts, inputs, values) = (case.starts(), case.inputs(), case.values());
        let plan = BatchPlan {
            inputs: Some(&inputs),
            parameters: Some(&values),
            ..BatchPlan::new(&starts, STEPS)
        };
        let (mut ends, mut rollouts) = (DMatrix::zeros(0, 0), BatchRollouts::default());
        let mut gradients = BatchGradients::default();
        let first = inputs.columns_with_step(0, MEMBERS, STEPS - 1).into_owned();
        let step = BatchPlan {
            inputs: Some(&first),
            steps: 1,
            ..plan
        };
        let mut jacobians = BatchJacobians::default();
        for threads in 1..=3 {
            let batch = Batch::new(&case.machine, &case.parameters).unwrap();
            let mut batch = batch.with_threads(threads).unwrap();
            assert_eq!(batch.threads(), threads);
            for _ in 0..2 {
                batch.ends(&plan, &mut ends).unwrap();
                batch.rollouts(&plan, &mut rollouts).unwrap();
                batch
                    .gradients(&plan, |_| Mixed(STEPS), &mut gradients)
                    .unwrap();
                batch.step_jacobians(&step, &mut jacobians).unwrap();
                for member in 0..MEMBERS {
                    let machine = case.machine(&values, member);
                    let start = case.state(&starts, member);
                    let own = part(&inputs, STEPS, member);
                    let mut workspace = machine.workspace().unwrap();
                    workspace.keep(Kept {
                        outputs: true,
                        ..Kept::default()
                    });
                    let rollout = machine.rollout_with(&mut workspace, &start, STEPS, |k, _, u| {
                        u.copy_from_slice(own.column(k).as_slice());
                    });
                    let rollout = rollout.completed().unwrap();
                    for (k, state) in rollout.states.iter().enumerate() {
                        let column = (STEPS + 1) * member + k;
                        assert_eq!(rollouts.states.column(column), entries(state));
                    }
                    for (k, output) in rollout.outputs.iter().enumerate() {
                        assert_eq!(rollouts.outputs.column(STEPS * member + k), *output);
                    }
                    assert_eq!(ends.column(member), entries(rollout.last()));

                    let mut adjoint = Adjoint::new(&machine, &case.parameters).unwrap();
                    let gradient = adjoint.gradient(&Mixed(STEPS), &start, &own).unwrap();
                    assert_eq!(gradients.values[member], gradient.value);
                    assert_eq!(gradients.starts.column(member), gradient.initial_state);
                    assert_eq!(part(&gradients.inputs, STEPS, member), gradient.inputs);
                    assert_eq!(gradients.parameters.column(member), gradient.parameters);

                    let mut differentiator =
                        StepDifferentiator::new(&machine, &case.parameters).unwrap();
                    let mut jacobian = StepJacobian::default();
                    let input = first.column(member);
                    (differentiator.jacobian(&start, input.as_slice(), &mut jacobian)).unwrap();
                    for (all, one) in [
                        (&jacobians.state, &jacobian.state),
                        (&jacobians.input, &jacobian.input),
                        (&jacobians.parameters, &jacobian.parameters),
                    ] {
                        assert_eq!(part(all, one.ncols(), member), *one);
                    }
                    assert_eq!(jacobians.ends.column(member), entries(&rollout.states[1]));
                }
            }
        }
    }
}

/// Forwards and backwards, of states and outputs, and by differences.
#[test]
fn products_with_jacobians_agree() {
    for case in cases() {
        let (starts, inputs, values) = (case.starts(), case.inputs(), case.values());
        let plan = BatchPlan {
            time: 0.3,
            inputs: Some(&inputs),
            parameters: Some(&values),
            ..BatchPlan::new(&starts, STEPS)
        };
        let mut batch = Batch::new(&case.machine, &case.parameters).unwrap();
        let (nx, nu, ny) = (starts.nrows(), inputs.nrows(), case.machine.num_outputs());
        let np = case.parameters.len();
        const COUNT: usize = 11; // more than fit in one chunk
        let (dx, du) = (
            weights(nx, COUNT * MEMBERS),
            weights(nu, STEPS * COUNT * MEMBERS),
        );
        let dp = weights(np, COUNT * MEMBERS) * 1e-2;
        let directions = BatchDirections {
            starts: Some(&dx),
            inputs: Some(&du),
            parameters: Some(&dp),
            ..BatchDirections::new(COUNT)
        };
        let mut forward = BatchRollouts::default();
        batch
            .push_forward(&plan, &directions, &mut forward)
            .unwrap();
        let of_states = weights(nx, (STEPS + 1) * MEMBERS);
        let of_outputs = weights(ny, STEPS * MEMBERS);
        let covectors = BatchCovectors {
            states: Some(&of_states),
            outputs: Some(&of_outputs),
        };
        let mut back = BatchGradients::default();
        batch.pull_back(&plan, &covectors, &mut back).unwrap();
        let mut rollouts = BatchRollouts::default();
        batch.rollouts(&plan, &mut rollouts).unwrap();
        for member in 0..MEMBERS {
            let states = part(&of_states, STEPS + 1, member);
            let outputs = part(&of_outputs, STEPS, member);
            let value = states.dot(&part(&rollouts.states, STEPS + 1, member))
                + outputs.dot(&part(&rollouts.outputs, STEPS, member));
            assert!((back.values[member] - value).abs() < 1e-10 * value.abs().max(1.0));
            for direction in 0..COUNT {
                let lane = COUNT * member + direction;
                let forward = states.dot(&part(&forward.states, STEPS + 1, lane))
                    + outputs.dot(&part(&forward.outputs, STEPS, lane));
                let back = back.starts.column(member).dot(&dx.column(lane))
                    + part(&back.inputs, STEPS, member).dot(&part(&du, STEPS, lane))
                    + back.parameters.column(member).dot(&dp.column(lane));
                assert!(
                    (forward - back).abs() < 1e-9 * forward.abs().max(1.0),
                    "member {member}, direction {direction}: {forward} and {back}"
                );
            }
        }
        // By parameters, against differences.
        let h = 1e-6;
        for k in 0..np {
            let moved = |sign: f64, batch: &mut Batch| {
                let mut values = values.clone();
                values.row_mut(k).add_scalar_mut(sign * h * 0.1);
                let plan = BatchPlan {
                    parameters: Some(&values),
                    ..plan
                };
                let mut found = BatchRollouts::default();
                batch.rollouts(&plan, &mut found).unwrap();
                found
            };
            let [above, below] = [1.0, -1.0].map(|sign| moved(sign, &mut batch));
            let unit = DMatrix::from_fn(np, 1, |i, _| f64::from(u8::from(i == k)));
            let directions = BatchDirections {
                parameters: Some(&unit),
                ..BatchDirections::new(1)
            };
            let mut exact = BatchRollouts::default();
            batch.push_forward(&plan, &directions, &mut exact).unwrap();
            let difference = (above.states - below.states) / (0.2 * h);
            let error = (&difference - &exact.states).amax() / exact.states.amax().max(1e-3);
            assert!(error < 1e-4, "{}: {error:e}", case.parameters[k]);
        }
    }
}

#[test]
fn what_holds_for_all_members() {
    let [case, _] = cases();
    let (starts, inputs) = (case.starts(), pushes(7, STEPS));
    let repeated = DMatrix::from_fn(7, STEPS * MEMBERS, |i, k| inputs[(i, k % STEPS)]);
    let mut batch = Batch::new(&case.machine, &["gravity/z"]).unwrap();
    let gravity = DMatrix::from_element(1, 1, -3.0);
    let gravities = DMatrix::from_element(1, MEMBERS, -3.0);
    let ends = |batch: &mut Batch, inputs, parameters| {
        let mut ends = DMatrix::zeros(0, 0);
        let plan = BatchPlan {
            inputs,
            parameters,
            ..BatchPlan::new(&starts, STEPS)
        };
        batch.ends(&plan, &mut ends).unwrap();
        ends
    };
    let shared = ends(&mut batch, Some(&inputs), Some(&gravity));
    assert_eq!(shared, ends(&mut batch, Some(&repeated), Some(&gravities)));
    // Parameters of one call are not those of the next.
    let own = ends(&mut batch, None, None);
    assert_ne!(shared, own);
    assert_eq!(
        own,
        ends(&mut Batch::new(&case.machine, &[]).unwrap(), None, None)
    );
    // Parameters that are only set.
    batch.select(&[], &["gravity/z"]).unwrap();
    assert_eq!(shared, ends(&mut batch, Some(&inputs), Some(&gravity)));
}

#[test]
fn members_that_fail() {
    let [case, _] = cases();
    let (mut starts, inputs) = (case.starts(), case.inputs());
    let mut values = DMatrix::from_element(1, MEMBERS, 2.0);
    let batch = Batch::new(&case.machine, &["body/body/mass"]).unwrap();
    let mut batch = batch.with_threads(2).unwrap();
    let (mut whole, mut found) = (BatchRollouts::default(), BatchRollouts::default());
    let (mut gradients, mut others) = (BatchGradients::default(), BatchGradients::default());
    let plan = BatchPlan {
        inputs: Some(&inputs),
        ..BatchPlan::new(&starts, STEPS)
    };
    let plan = BatchPlan {
        parameters: Some(&values),
        ..plan
    };
    batch.rollouts(&plan, &mut whole).unwrap();
    batch
        .gradients(&plan, |_| Mixed(STEPS), &mut gradients)
        .unwrap();
    starts[(7, 1)] = f64::NAN;
    values[3] = -1.0;
    let mut broken = inputs.clone();
    broken[(2, STEPS * 4 + 11)] = f64::INFINITY;
    let plan = BatchPlan {
        inputs: Some(&broken),
        parameters: Some(&values),
        ..BatchPlan::new(&starts, STEPS)
    };
    let check = |result: Result<(), BatchError>| {
        let error = result.unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("member 1: step 0 at t = 0 s: "), "{text}");
        assert!(
            text.contains("NaN") && text.ends_with("(and 2 more members fail)"),
            "{text}"
        );
        let BatchError::Members { failures } = error else {
            panic!("{error}");
        };
        let places = failures
            .iter()
            .map(|failure| (failure.member, failure.source.step));
        assert_eq!(places.collect::<Vec<_>>(), [(1, 0), (3, 0), (4, 11)]);
        assert!(matches!(
            *failures[1].source.source,
            SystemError::Parameter(_)
        ));
        assert!(failures[1].to_string().contains("body/body/mass = -1 kg"));
        assert!(failures[2].to_string().contains("inputs[2] = inf"));
    };
    check(batch.rollouts(&plan, &mut found));
    check(batch.gradients(&plan, |_| Mixed(STEPS), &mut others));
    for member in [0, 2] {
        assert_eq!(
            part(&found.states, STEPS + 1, member),
            part(&whole.states, STEPS + 1, member)
        );
        assert_eq!(others.values[member], gradients.values[member]);
        assert_eq!(
            others.starts.column(member),
            gradients.starts.column(member)
        );
        assert_eq!(
            part(&others.inputs, STEPS, member),
            part(&gradients.inputs, STEPS, member)
        );
        assert_eq!(others.parameters[member], gradients.parameters[member]);
    }
    for member in [1, 3, 4] {
        assert_eq!(others.values[member], 0.0);
        assert_eq!(part(&others.inputs, STEPS, member).amax(), 0.0);
    }
    // What was before a failure is kept.
    let before = (STEPS + 1) * 4..(STEPS + 1) * 4 + 12;
    for column in before.clone() {
        assert_eq!(found.states.column(column), whole.states.column(column));
    }
    assert_eq!(found.states.column(before.end).amax(), 0.0);
    // The next call is as if nothing had been.
    let starts = case.starts();
    let values = DMatrix::from_element(1, MEMBERS, 2.0);
    let plan = BatchPlan {
        inputs: Some(&inputs),
        parameters: Some(&values),
        ..BatchPlan::new(&starts, STEPS)
    };
    batch
        .gradients(&plan, |_| Mixed(STEPS), &mut others)
        .unwrap();
    assert_eq!(others, gradients);
}

#[test]
fn empty_batches_and_no_steps() {
    let [case, _] = cases();
    let mut batch = Batch::new(&case.machine, &["body/body/mass"]).unwrap();
    let none = DMatrix::zeros(15, 0);
    let (mut ends, mut rollouts) = (DMatrix::zeros(3, 3), BatchRollouts::default());
    let (mut gradients, mut jacobians) = (BatchGradients::default(), BatchJacobians::default());
    let plan = BatchPlan::new(&none, 4);
    batch.ends(&plan, &mut ends).unwrap();
    batch.rollouts(&plan, &mut rollouts).unwrap();
    batch
        .gradients(&plan, |_| Mixed(4), &mut gradients)
        .unwrap();
    batch
        .step_jacobians(&BatchPlan::new(&none, 1), &mut jacobians)
        .unwrap();
    assert_eq!([ends.shape(), rollouts.states.shape()], [(15, 0); 2]);
    assert_eq!(
        [gradients.inputs.shape(), gradients.parameters.shape()],
        [(7, 0), (1, 0)]
    );
    let starts = case.starts();
    let plan = BatchPlan::new(&starts, 0);
    batch.ends(&plan, &mut ends).unwrap();
    assert_eq!(ends, starts);
    batch.rollouts(&plan, &mut rollouts).unwrap();
    assert_eq!(rollouts.states, starts);
    batch
        .gradients(&plan, |_| Mixed(0), &mut gradients)
        .unwrap();
    assert!(gradients.starts.amax() > 0.0 && gradients.inputs.is_empty());
    let mut derivatives = BatchRollouts::default();
    (batch.push_forward(&plan, &BatchDirections::new(0), &mut derivatives)).unwrap();
    assert!(derivatives.states.is_empty());
}

#[test]
fn what_cannot_be_a_batch() {
    let [case, _] = cases();
    let starts = case.starts();
    let mut batch = Batch::new(&case.machine, &["body/body/mass"]).unwrap();
    let (mut ends, mut gradients) = (DMatrix::zeros(0, 0), BatchGradients::default());
    let plan = BatchPlan::new(&starts, STEPS);
    let [tall, wide] = [DMatrix::zeros(8, STEPS), DMatrix::zeros(7, STEPS + 1)];
    let [short, values] = [DMatrix::zeros(14, MEMBERS), DMatrix::zeros(1, 3)];
    for (plan, quantity, numbers) in [
        (
            BatchPlan {
                starts: &short,
                ..plan
            },
            "rows of the initial states",
            [14, 15],
        ),
        (
            BatchPlan {
                inputs: Some(&tall),
                ..plan
            },
            "rows of the inputs",
            [8, 7],
        ),
        (
            BatchPlan {
                inputs: Some(&wide),
                ..plan
            },
            "columns of the inputs",
            [31, 150],
        ),
        (
            BatchPlan {
                parameters: Some(&values),
                ..plan
            },
            "columns of the parameters",
            [3, 5],
        ),
        (
            BatchPlan {
                seeds: Some(&[1, 2]),
                ..plan
            },
            "seeds",
            [2, 5],
        ),
    ] {
        let [actual, expected] = numbers;
        let error = InvalidInput::Dimension {
            quantity,
            expected,
            actual,
        };
        assert_eq!(
            batch.ends(&plan, &mut ends),
            Err(BatchError::Invalid(error))
        );
    }
    let covectors = BatchCovectors {
        states: Some(&wide),
        outputs: None,
    };
    let error = batch
        .pull_back(&plan, &covectors, &mut gradients)
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("rows of the covectors of states has size 7"),
        "{error}"
    );
    let mut jacobians = BatchJacobians::default();
    assert!(batch.step_jacobians(&plan, &mut jacobians).is_err());
    let endless = BatchPlan {
        steps: usize::MAX,
        ..plan
    };
    let mut rollouts = BatchRollouts::default();
    let error = batch.rollouts(&endless, &mut rollouts).unwrap_err();
    assert!(error.to_string().contains("less than 2^34"), "{error}");
    // Directions and covectors that are not finite are failures of their members.
    let mut of_states = DMatrix::zeros(15, (STEPS + 1) * MEMBERS);
    of_states[(3, (STEPS + 1) * 2 + 5)] = f64::NAN;
    let covectors = BatchCovectors {
        states: Some(&of_states),
        outputs: None,
    };
    let error = batch
        .pull_back(&plan, &covectors, &mut gradients)
        .unwrap_err();
    assert!(error.to_string().starts_with("member 2: "), "{error}");
    let mut along = DMatrix::zeros(15, MEMBERS);
    along[(2, 4)] = f64::INFINITY;
    let directions = BatchDirections {
        starts: Some(&along),
        ..BatchDirections::new(1)
    };
    let error = batch
        .push_forward(&plan, &directions, &mut rollouts)
        .unwrap_err();
    let text = "member 4: step 0 at t = 0 s: directions of states[2] = inf is not finite";
    assert_eq!(error.to_string(), text);

    let unknown = Batch::new(&case.machine, &["body/body/mess"]);
    assert!(matches!(unknown, Err(SystemError::Parameter(_))));
    let twice = Batch::new(&case.machine, &["gravity/z", "gravity/z"]);
    assert!(matches!(twice, Err(SystemError::DuplicateName { .. })));
    let batch = Batch::new(&case.machine, &[]).unwrap();
    assert!(matches!(
        batch.with_threads(5000),
        Err(BatchError::Threads { .. })
    ));
}
