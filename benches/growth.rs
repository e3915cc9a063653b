//! Times of a step as systems grow, one line of CSV each: `scene,n,velocities,contacts,us`, the smallest mean
//! of several batches.
//!
//! ```sh
//! cargo bench --bench growth                   # all scenes, every step from the same state
//! cargo bench --bench growth -- --forward      # each step from the last, with a warm start
//! cargo bench --bench growth -- --jacobian     # each step with its Jacobian, without the zeros between islands
//! cargo bench --bench growth -- --momentum     # robots keep their momentum, as they do by default
//! cargo bench --bench growth -- boxes 100      # one scene of one size
//! cargo bench --bench growth -- boxes 100 50   # 50 steps and nothing else, to count instructions
//! ```

use dualbody::actuator::PdServo;
use dualbody::constraint::BallConstraint;
use dualbody::contact::{ContactMaterial, ContactModel};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{
    SparseStepJacobian, State, StepDifferentiator, StepWorkspace, SystemBuilder,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, Joint, JointKind, RigidBodyTreeBuilder};
use nalgebra::Vector3;
use std::hint::black_box;
use std::time::{Duration, Instant};

#[path = "../tests/support/mod.rs"]
mod support;

use support::reference::{number, read, vector};
use support::robot_on_ground::{layout, state, system};

type Stepper = TimeSteppingRigidBodySystem<f64>;

/// Time step, side of a box in m, its mass in kg, and the overlap of boxes that touch.
const DT: f64 = 1e-3;
const SIDE: f64 = 0.1;
const MASS: f64 = 1.0;
const OVERLAP: f64 = 2e-5;

/// What grows, and the sizes.
const SCENES: [(&str, &[usize]); 12] = [
    ("quadruped", &[1]),
    ("humanoid", &[1]),
    ("quadruped-servos", &[1]),
    ("humanoid-servos", &[1]),
    ("quadruped-loop", &[1]),
    ("humanoid-loop", &[1]),
    ("quadruped-redundant", &[1]),
    ("boxes", &[1, 3, 10, 30, 100, 300, 1000]),
    ("tower", &[1, 3, 10, 30, 100]),
    ("wall", &[3, 10, 30, 100, 200]),
    ("heap", &[3, 10, 30, 100, 200]),
    ("chain", &[10, 30, 100, 300]),
];

fn main() {
    let arguments: Vec<String> = (std::env::args().skip(1))
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    let chosen = arguments.first();
    let given = |position: usize| {
        arguments
            .get(position)
            .and_then(|n| n.parse::<usize>().ok())
    };
    if let (Some(scene), Some(n), Some(steps)) = (chosen, given(1), given(2)) {
        let mut run = Run::new(scene, n);
        (0..=steps).for_each(|_| run.step());
        return;
    }
    println!("scene,n,velocities,contacts,us");
    for (scene, sizes) in SCENES {
        for &n in sizes {
            if chosen.is_some_and(|chosen| chosen != scene) || given(1).is_some_and(|m| m != n) {
                continue;
            }
            let mut run = Run::new(scene, n);
            let (velocities, contacts) = (run.start.v.len(), run.contacts());
            println!(
                "{scene},{n},{velocities},{contacts},{:.3}",
                run.time() * 1e6
            );
        }
    }
}

/// Whether the command line has an option.
fn asked(option: &str) -> bool {
    std::env::args().any(|argument| argument == option)
}

/// Steps from one state, or from one to the next and after some from the first again.
struct Run {
    system: Stepper,
    workspace: StepWorkspace<f64>,
    /// Instead of the workspace, for steps with their Jacobians.
    differentiator: Option<(Box<StepDifferentiator>, SparseStepJacobian)>,
    start: State<f64>,
    state: State<f64>,
    steps: usize,
    is_forward: bool,
    input: Vec<f64>,
}

/// Steps after which a run forward starts again.
const HORIZON: usize = 100;

impl Run {
    fn new(scene: &str, n: usize) -> Self {
        let (system, start) = match scene {
            "quadruped" => with_forces(robot("quadruped")),
            "humanoid" => with_forces(robot("humanoid")),
            "quadruped-servos" => with_servos(robot("quadruped")),
            "humanoid-servos" => with_servos(robot("humanoid")),
            "quadruped-loop" => with_loop(robot("quadruped"), 1),
            "humanoid-loop" => with_loop(robot("humanoid"), 1),
            "quadruped-redundant" => with_loop(robot("quadruped"), 2),
            "boxes" => boxes(n, |i, _| [0.15 * i as f64, 0.0, SIDE / 2.0 - OVERLAP]),
            "tower" => boxes(n, |i, _| [0.0, 0.0, (SIDE - OVERLAP) * (i as f64 + 0.5)]),
            "wall" => boxes(n, wall),
            "heap" => heap(n),
            "chain" => chain(n),
            _ => panic!("no scene {scene}"),
        };
        let mut workspace = system.workspace().expect("valid parameters");
        let is_forward = asked("--forward");
        workspace.set_warm_start(is_forward);
        let differentiator = asked("--jacobian").then(|| {
            let differentiator = StepDifferentiator::new(&system, &[]).expect("valid parameters");
            (Box::new(differentiator), SparseStepJacobian::default())
        });
        Run {
            workspace,
            differentiator,
            state: start.clone(),
            steps: 0,
            is_forward,
            input: vec![0.0; system.num_inputs()],
            system,
            start,
        }
    }

    fn contacts(&mut self) -> usize {
        let mut step = (self.system)
            .step(&mut self.workspace, &self.start, &self.input)
            .expect("a step");
        let contacts = step.contacts().expect("contacts").iter();
        contacts.filter(|c| c.force.norm() > 0.0).count()
    }

    fn step(&mut self) {
        let state = black_box(&self.state);
        if let Some((differentiator, jacobian)) = &mut self.differentiator {
            let next = differentiator.sparse_jacobian(state, &self.input, jacobian);
            black_box(next.expect("a step").v[0]);
            return;
        }
        let step = self.system.step(&mut self.workspace, state, &self.input);
        let step = step.expect("a step");
        if self.is_forward {
            self.state.clone_from(step.state());
            self.steps += 1;
            if self.steps.is_multiple_of(HORIZON) {
                self.state.clone_from(&self.start);
            }
        } else {
            black_box(step.state().v[0]);
        }
    }

    /// Smallest mean time in s of batches of steps.
    fn time(&mut self) -> f64 {
        const BATCH: Duration = Duration::from_millis(20);
        let start = Instant::now();
        (0..HORIZON).for_each(|_| self.step());
        let once = start.elapsed() / HORIZON as u32;
        let horizons =
            (BATCH.as_secs_f64() / once.as_secs_f64() / HORIZON as f64).max(1.0) as usize;
        let steps = (horizons * HORIZON) as u32;
        let batches = if once > Duration::from_millis(100) {
            3
        } else {
            15
        };
        let mut best = f64::INFINITY;
        for _ in 0..batches {
            let start = Instant::now();
            (0..steps).for_each(|_| self.step());
            best = best.min(start.elapsed().as_secs_f64() / f64::from(steps));
        }
        best
    }
}

/// A robot that stands with all its feet on the ground, from a case of `steps_*.json`.
fn robot(name: &str) -> (Stepper, State<f64>) {
    let case = if name == "quadruped" { 4 } else { 0 };
    let reference = read(&format!("steps_{name}.json")).expect("reference cases");
    let case = &reference["cases"][case];
    let mut system = system(&reference, number(&case["dt"]));
    if asked("--momentum") {
        let mut options = *system.options();
        options.keep_momentum = true;
        system = system.with_options(options).expect("options");
    }
    let x = [vector(&case["q"]), vector(&case["v"])].concat();
    let start = state(&layout(system.tree(), name), &x);
    (system, start)
}

fn with_forces((system, start): (Stepper, State<f64>)) -> (Stepper, State<f64>) {
    (system.with_generalized_forces().expect("inputs"), start)
}

/// A servo at every joint, with targets at zero.
fn with_servos((system, start): (Stepper, State<f64>)) -> (Stepper, State<f64>) {
    let tree = system.tree();
    let driven = tree.joints().filter(|joint| joint.num_velocities() == 1);
    let servo = |joint: &Joint<f64>| {
        let name = format!("{}/servo", joint.name());
        PdServo::new(name, tree, joint.index(), [20.0, 0.5], None).expect("a servo")
    };
    let servos: Vec<_> = driven.map(servo).collect();
    (system.with_actuators(servos).expect("inputs"), start)
}

/// Ball joints between the last bodies of two branches, where they are; of two, one row depends on the others.
fn with_loop(robot: (Stepper, State<f64>), balls: usize) -> (Stepper, State<f64>) {
    let (system, start) = with_forces(robot);
    let tree = system.tree();
    let mut kinematics = tree.workspace();
    (tree.set_positions(&mut kinematics, start.q.as_slice())).expect("a state");
    let is_last = |body: &BodyIndex| tree.joints().all(|joint| joint.parent() != *body);
    let indices = tree.bodies().skip(2).map(|body| body.index());
    let ends: Vec<BodyIndex> = indices.filter(is_last).collect();
    let [a, b] = [ends[0], ends[1]];
    let [of_a, of_b] = [a, b].map(|body| tree.body_pose(&kinematics, body).expect("a body"));
    let ball = |i: usize| {
        let on_a = Vector3::new(0.03, 0.05, 0.02) * i as f64;
        let on_b = of_b.inverse_transform_point(&of_a.transform_point(&on_a));
        BallConstraint::new(format!("loop {i}"), (a, on_a), (b, on_b)).expect("a loop")
    };
    let loops = (0..balls).map(ball);
    (system.with_constraints(loops).expect("a loop"), start)
}

/// Boxes at rest with their centres at `position(i, n)`.
fn boxes(n: usize, position: impl Fn(usize, usize) -> [f64; 3]) -> (Stepper, State<f64>) {
    let material = ContactMaterial::new(1e5, 0.5, 0.5).expect("a material");
    let mut builder = SystemBuilder::new().floor("floor", material);
    for i in 0..n {
        let shape = Shape::new_box(Vector3::repeat(SIDE)).expect("a box");
        builder = builder.free_body(format!("box{i}"), shape, MASS, material);
    }
    let system = builder.compliant(DT).expect("a system");
    let system = system.with_generalized_forces().expect("inputs");
    let mut start = system.initial_state();
    for i in 0..n {
        start
            .q
            .rows_mut(7 * i + 4, 3)
            .copy_from_slice(&position(i, n));
    }
    (system, start)
}

/// Rows of a wall that is about as high as wide, every other one shifted by half a box.
fn wall(i: usize, n: usize) -> [f64; 3] {
    let width = (n as f64).sqrt().ceil() as usize;
    let (row, column) = (i / width, i % width);
    let shift = 0.5 * (row % 2) as f64;
    let z = (SIDE - OVERLAP) * (row as f64 + 0.5);
    [1.02 * SIDE * (column as f64 + shift), 0.0, z]
}

/// Boxes that have fallen on each other from a grid with seeded turns, two seconds before.
fn heap(n: usize) -> (Stepper, State<f64>) {
    const STEPS: usize = 2000;
    let (system, mut start) = boxes(n, |i, n| {
        let width = (n as f64 / 3.0).cbrt().ceil() as usize;
        let (layer, place) = (i / (width * width), i % (width * width));
        let [x, y] = [place % width, place / width].map(|k| 0.13 * k as f64);
        [x, y, 0.1 + 0.18 * layer as f64]
    });
    let mut seed = 1u64;
    for i in 0..n {
        let quaternion = [(); 4].map(|()| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        });
        let norm = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
        (start.q.rows_mut(7 * i, 4)).copy_from_slice(&quaternion.map(|x| x / norm));
    }
    let mut workspace = system.workspace().expect("valid parameters");
    let input = vec![0.0; start.v.len()];
    for _ in 0..STEPS {
        let step = system.step(&mut workspace, &start, &input).expect("a step");
        start.clone_from(step.state());
    }
    (system, start)
}

/// Links that hang on each other by revolute joints with alternating axes, and swing.
fn chain(n: usize) -> (Stepper, State<f64>) {
    let mut builder = RigidBodyTreeBuilder::new();
    let mut inboard = BodyIndex::WORLD;
    for i in 0..n {
        let inertia = SpatialInertia::solid_sphere(0.1, 0.02);
        let body = builder
            .add_body(format!("link{i}"), inertia)
            .expect("a link");
        let axis = Vector3::ith(i % 2, 1.0);
        let pose = RigidTransform::from_translation(Vector3::new(0.0, 0.0, -0.1));
        let kind = JointKind::Revolute { axis };
        let name = format!("joint{i}");
        builder
            .add_joint(&name, kind, inboard, pose, body)
            .expect("a joint");
        inboard = body;
    }
    let tree = builder.finish().expect("a tree");
    let system = Stepper::new(tree, ContactModel::none(), DT).expect("a system");
    let system = system.with_generalized_forces().expect("inputs");
    let mut start = system.initial_state();
    for i in 0..n {
        start.q[i] = 0.3 * (i as f64).sin();
        start.v[i] = (i as f64).cos();
    }
    (system, start)
}
