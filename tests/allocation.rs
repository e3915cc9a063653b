//! Once a workspace exists, computing allocates nothing.

mod support;

use dualbody::actuator::{FirstOrderLag, GeneralizedForce};
use dualbody::constraint::{
    AnyConstraint, GearConstraint, JointLimitConstraint, MotionProfile, PrescribedMotion,
};
use dualbody::contact::ContactModelBuilder;
use dualbody::force::bushing::{BushingConstants, BushingOrientation};
use dualbody::force::{
    AerodynamicDrag, AnyForce, BodyPoint, ConservativeBushing, ForceContext, ForceElement,
    ForceError, Forces, LinearBushingRollPitchYaw, LinearSpringDamper,
};
use dualbody::integrator::{ExplicitRungeKutta, ImplicitRungeKutta};
use dualbody::math::SpatialInertia;
use dualbody::math::{RigidTransform, SpatialAcceleration, SpatialForce, SpatialVelocity};
use dualbody::sensor::Imu;
use dualbody::solver::ImplicitStribeckSolver;
use dualbody::solver::implicit_stribeck::ImplicitStribeckSolverError;
use dualbody::system::{
    Batch, BatchCovectors, BatchDirections, BatchGradients, BatchJacobians, BatchPlan,
    BatchRollouts, IntegrationMethod, RigidBodyFlow, RigidBodySystem, RolloutObjective, Scheme,
    State, Step, StepDifferentiator, StepGradient, StepJacobian, SystemError,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder, TreeError};
use dualbody::{DefaultScalar, Scalar};
use nalgebra::{DMatrix, Vector3};
use num_dual::{Dual64, DualSVec64};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::four_bar::{closed, four_bar};
use support::random_contact::{EVERYDAY, Random, problem};
use support::random_tree::{Style, constants, random_state, random_tree};
use support::scenes::{cube, free_body};

/// The system's allocator, counting for each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(f: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    f();
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1, 2, 3]))), 1);
}

/// A damper, a bushing of either kind, a spring and the air, on the cube.
fn elements() -> Vec<AnyForce<f64>> {
    let (world, cube) = (BodyIndex::WORLD, BodyIndex::new(1));
    let one = Vector3::repeat(1.0);
    let constants = BushingConstants::weld(one, one, one, one).unwrap();
    let bushing = LinearBushingRollPitchYaw::new("bushing", world, cube, constants);
    let orientation = BushingOrientation::RotationVector;
    let conservative = ConservativeBushing::new("mount", world, cube, orientation, constants);
    vec![
        AnyForce::new(Damper),
        AnyForce::new(bushing.unwrap()),
        AnyForce::new(conservative.unwrap()),
        AnyForce::new(LinearSpringDamper {
            name: "spring".into(),
            first: BodyPoint::origin(world),
            second: BodyPoint::origin(cube),
            stiffness: 1.0,
            damping: 1.0,
            free_length: 0.1,
            softening: 1e-3,
        }),
        AnyForce::new(AerodynamicDrag {
            name: "drag".into(),
            point: BodyPoint::origin(cube),
            density: 1.2,
            drag_area: 0.01,
        }),
    ]
}

/// With an input for each velocity coordinate.
fn driven_cube() -> TimeSteppingRigidBodySystem<f64> {
    cube(1e-3).with_generalized_forces().unwrap()
}

/// Steps with contact and with force elements, after the first of each scalar.
#[test]
fn steps_with_forces_allocate_nothing() {
    fn check<T: DefaultScalar>() {
        let system = driven_cube().with_forces(elements()).unwrap().cast::<T>();
        let start = free_body([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0523], [0.0; 3], [0.5; 3]);
        let start = start.cast::<T>();
        let mut workspace = system.workspace().unwrap();
        let tau = [T::zero(); 6];
        let mut step = || {
            let step = system.step(&mut workspace, &start, &tau).unwrap();
            assert!(step.status().nearest_kinks.iter().next().is_some());
        };
        step();
        assert_eq!(allocations(step), 0);
    }
    check::<f64>();
    check::<Dual64>();
}

/// Derivatives of steps, after the first.
#[test]
fn derivatives_of_steps_allocate_nothing() {
    let system = driven_cube().with_forces([Damper]).unwrap();
    let start = free_body([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0523], [0.0; 3], [0.5; 3]);
    let names = ["body/body/mass", "body/shape/friction"];
    let mut differentiator = StepDifferentiator::new(&system, &names).unwrap();
    let (mut jacobian, mut gradient) = (StepJacobian::default(), StepGradient::default());
    let (tau, covector) = ([0.0; 6], [1.0; 13]);
    let mut tangent = StepJacobian::default();
    let mut differentiate = || {
        differentiator
            .tangent_jacobian(&start, &tau, &mut tangent)
            .unwrap();
        differentiator
            .jacobian(&start, &tau, &mut jacobian)
            .unwrap();
        differentiator
            .pull_back(&start, &tau, &covector, &mut gradient)
            .unwrap();
    };
    differentiate();
    assert_eq!(allocations(differentiate), 0);
}

/// The height at the end of so many steps; it watches the thread that evaluates it.
struct Watched(usize);

/// The number of the present call, and the largest number of allocations of a thread between what it has watched of it.
static CALL: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// A call, and the allocations of this thread before it.
    static SINCE: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

fn watch() {
    let (call, now) = (CALL.load(Ordering::SeqCst), ALLOCATIONS.with(Cell::get));
    SINCE.with(|since| match since.get() {
        (of, before) if of == call => _ = MOST.fetch_max(now - before, Ordering::SeqCst),
        _ => since.set((call, now)),
    });
}

impl RolloutObjective for Watched {
    fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, _: &[T]) -> T {
        watch();
        if step == self.0 {
            state.q[6]
        } else {
            T::zero()
        }
    }
}

/// Batches, after the first calls; where members have parameters of their own, only these allocate.
#[test]
fn batches_allocate_nothing() {
    let system = driven_cube().with_forces([Damper]).unwrap();
    let starts = DMatrix::from_fn(13, 40, |i, member| match i {
        0 => 1.0,
        6 => 0.0523,
        10 => 0.1 * member as f64,
        _ => 0.0,
    });
    let inputs = DMatrix::from_element(6, 30 * 40, 0.1);
    let own = DMatrix::from_fn(1, 40, |_, member| 1.0 + 0.01 * member as f64);
    let names = ["body/body/mass", "body/shape/friction"];
    let mut batch = Batch::new(&system, &names[..1]).unwrap();
    let (mut ends, mut rollouts) = (DMatrix::zeros(0, 0), BatchRollouts::default());
    let (mut gradients, mut jacobians) = (BatchGradients::default(), BatchJacobians::default());
    let (mut derivatives, mut back) = (BatchRollouts::default(), BatchGradients::default());
    let directions = BatchDirections {
        starts: Some(&starts),
        ..BatchDirections::new(1)
    };
    let of_states = DMatrix::from_element(13, 31 * 40, 1.0);
    let covectors = BatchCovectors {
        states: Some(&of_states),
        outputs: None,
    };
    let mut work = |steps: usize, parameters| {
        let inputs = inputs.columns(0, steps * 40).into_owned();
        let of_states = of_states.columns(0, (steps + 1) * 40).into_owned();
        let covectors = BatchCovectors {
            states: Some(&of_states),
            ..covectors
        };
        let plan = BatchPlan {
            inputs: Some(&inputs),
            parameters,
            ..BatchPlan::new(&starts, steps)
        };
        let step = BatchPlan {
            inputs: None,
            steps: 1,
            ..plan
        };
        allocations(|| {
            batch.ends(&plan, &mut ends).unwrap();
            batch.rollouts(&plan, &mut rollouts).unwrap();
            batch.step_jacobians(&step, &mut jacobians).unwrap();
            batch
                .push_forward(&plan, &directions, &mut derivatives)
                .unwrap();
            batch.pull_back(&plan, &covectors, &mut back).unwrap();
            batch
                .gradients(&plan, |_| Watched(steps), &mut gradients)
                .unwrap();
        })
    };
    work(30, None);
    assert_eq!(work(30, None), 0);
    assert_eq!(work(20, None), 0);
    work(30, Some(&own));
    let of_parameters = work(30, Some(&own));
    assert_eq!(work(20, Some(&own)), of_parameters);

    let batch = Batch::new(&system, &names).unwrap();
    let mut batch = batch.with_threads(2).unwrap();
    let plan = BatchPlan {
        inputs: Some(&inputs),
        ..BatchPlan::new(&starts, 30)
    };
    for _ in 0..5 {
        batch
            .gradients(&plan, |_| Watched(30), &mut gradients)
            .unwrap();
    }
    CALL.fetch_add(1, Ordering::SeqCst);
    MOST.store(0, Ordering::SeqCst);
    let by_caller = allocations(|| {
        batch
            .gradients(&plan, |_| Watched(30), &mut gradients)
            .unwrap();
    });
    assert_eq!(MOST.load(Ordering::SeqCst), 0);
    // What the other thread is told, and a block of the queue between threads from time to time.
    assert!(by_caller <= 2, "{by_caller}");
}

/// Steps of a plant with actuators and sensors, and of integrators, after the first.
#[test]
fn plants_and_flows_allocate_nothing() {
    let tree = cube(1e-3).tree().clone();
    let imu = Imu::new("imu", &tree, BodyIndex::new(1), &RigidTransform::identity()).unwrap();
    let push = FirstOrderLag::new("lag", 0.1, GeneralizedForce::new("push", 3)).unwrap();
    let stepper = (cube(1e-3).with_actuators([push.clone()]).unwrap())
        .with_sensors([imu])
        .unwrap();
    let mut workspace = stepper.workspace().unwrap();
    let mut state = stepper.initial_state();
    state.q[6] = 0.0523;
    let mut step = || {
        stepper.step(&mut workspace, &state, &[0.3]).unwrap();
    };
    step();
    assert_eq!(allocations(step), 0);

    let mut differentiator = StepDifferentiator::new(&stepper, &[]).unwrap();
    let mut outputs = StepJacobian::default();
    let mut differentiate = || {
        differentiator
            .tangent_output_jacobian(&state, &[0.3], &mut outputs)
            .unwrap();
    };
    differentiate();
    assert_eq!(allocations(differentiate), 0);

    let system = RigidBodySystem::new(tree, cube(1e-3).contact().clone())
        .unwrap()
        .with_actuators([push])
        .unwrap();
    let mut flow = RigidBodyFlow::new(&system).unwrap();
    let mut x = Vec::new();
    let mut start = system.initial_state();
    start.q[6] = 0.0523;
    flow.write_state(&start, &mut x);
    let mut explicit = ExplicitRungeKutta::classical();
    let mut implicit = ImplicitRungeKutta::radau_3();
    let mut step = || explicit.step(&mut flow, 0.0, 1e-4, &mut x).unwrap();
    step();
    assert_eq!(allocations(step), 0);
    let mut step = || implicit.step(&mut flow, 0.0, 1e-4, &mut x).unwrap();
    step();
    assert_eq!(allocations(step), 0);
}

/// The force −v on body 1.
#[derive(Debug, Clone)]
struct Damper;

impl<T: Scalar> ForceElement<T> for Damper {
    type Cast<U: DefaultScalar> = Damper;
    fn cast<U: DefaultScalar>(&self) -> Damper {
        Damper
    }
    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let body = BodyIndex::new(1);
        let velocity = context.body_velocity(body)?;
        forces.add_on_body(
            body,
            &SpatialForce::new(-velocity.angular, -velocity.linear),
        )
    }
}

#[test]
fn dynamics_allocate_nothing() {
    for (seed, style) in [(1, Style::General), (2, Style::Mimic), (3, Style::Free)] {
        let tree = random_tree(seed, 10, style);
        check::<f64>(&tree, seed);
        check::<Dual64>(&tree, seed);
        check::<DualSVec64<8>>(&tree, seed);
    }
}

fn check<T: Scalar>(tree: &RigidBodyTree<f64>, seed: u64) {
    let (q, v) = random_state(tree, seed);
    let tree = tree.cast::<T>();
    let (q, v) = (constants::<T>(&q), constants::<T>(&v));
    let (n, bodies) = (tree.num_velocities(), tree.num_bodies());
    let mut ws = tree.workspace();
    let (mut out, mut qdot) = (v.clone(), q.clone());
    let mut m = DMatrix::zeros(n, n);
    let (mut j6, mut j3) = (DMatrix::zeros(6, n), DMatrix::zeros(3, n));
    let forces = vec![SpatialForce::zero(); bodies];
    let mut velocities = vec![SpatialVelocity::zero(); bodies];
    let mut accelerations = vec![SpatialAcceleration::zero(); bodies];
    let (body, point) = (BodyIndex::new(bodies - 1), Vector3::zeros());
    let mut inverse = tree.new_inverse_dynamics_derivatives();
    let mut forward = tree.new_forward_dynamics_derivatives();
    let mut compute = || -> Result<(), TreeError> {
        tree.set_positions(&mut ws, &q)?;
        tree.set_state(&mut ws, &q, &v)?;
        tree.body_pose(&ws, body)?;
        tree.point_velocity(&ws, body, &point)?;
        tree.body_velocities(&ws, &v, &mut velocities)?;
        tree.body_accelerations(&mut ws, &v, &mut accelerations)?;
        tree.point_jacobian(&ws, body, &point, &mut j3)?;
        tree.spatial_jacobian(&ws, body, &point, &mut j6)?;
        tree.relative_spatial_jacobian(&ws, body, &point, BodyIndex::new(1), body, &mut j6)?;
        tree.bias_acceleration(&ws, body, &point)?;
        tree.mass_matrix(&mut ws, &mut m)?;
        tree.multiply_mass_matrix(&mut ws, &v, &mut out)?;
        tree.solve_mass_matrix(&mut ws, &mut out)?;
        tree.inverse_dynamics(&mut ws, &v, Some(&forces), &mut out)?;
        tree.forward_dynamics(&mut ws, &v, Some(&forces), &mut out)?;
        let external = Some(&forces[..]);
        tree.inverse_dynamics_derivatives(&mut ws, &v, external, &mut inverse)?;
        tree.forward_dynamics_derivatives(&mut ws, &v, external, &mut forward)?;
        tree.bias_forces(&mut ws, &mut out)?;
        tree.gravity_forces(&mut ws, &mut out)?;
        tree.joint_damping_forces(&ws, &mut out)?;
        tree.generalized_forces(&mut ws, &forces, &mut out)?;
        tree.kinetic_energy(&ws)?;
        tree.potential_energy(&ws)?;
        tree.momentum_about_center_of_mass(&ws)?;
        tree.map_velocity_to_qdot(&q, &v, &mut qdot)?;
        tree.map_qdot_to_velocity(&q, &qdot, &mut out)?;
        tree.integrate(&q, &v, T::from(0.01), &mut qdot)?;
        tree.integrate_exponential(&q, &v, T::from(0.01), &mut qdot)?;
        tree.difference(&q, &qdot, &mut out)
    };
    let mut result = Ok(());
    assert_eq!(allocations(|| result = compute()), 0);
    assert_eq!(result, Ok(()));
}

#[test]
fn complementarity_problems_allocate_nothing() {
    use dualbody::solver::lcp::{LcpError, LcpSolver, LinearComplementarityProblem};
    use support::random_lcp::{friction, semidefinite};
    use support::random_tree::Random;

    fn check<T: Scalar>() {
        let random = &mut Random::new(3);
        let mut problems: Vec<_> = (1..12).map(|n| semidefinite(random, n, n, true)).collect();
        problems.push(friction(random, 4, 10, 2));
        let mut solver = LcpSolver::<T>::default();
        let problems: Vec<_> = (problems.iter())
            .map(|p| (p.matrix.map(T::from), p.vector.map(T::from), p.free))
            .collect();
        let mut solve_all = || -> Result<(), LcpError> {
            for (matrix, vector, free) in &problems {
                let vector = vector.as_slice();
                solver.solve(LinearComplementarityProblem::mixed(matrix, vector, *free)?)?;
            }
            Ok(())
        };
        solve_all().unwrap();
        let mut result = Ok(());
        assert_eq!(allocations(|| result = solve_all()), 0);
        assert_eq!(result, Ok(()));
    }
    check::<f64>();
    check::<Dual64>();
    check::<DualSVec64<8>>();
}

#[test]
fn contact_solves_allocate_nothing_after_the_first() {
    for bodies in [1, 3, 10] {
        let mut random = Random::new(bodies as u64);
        check_solves::<f64>(&mut random, bodies);
        check_solves::<DualSVec64<8>>(&mut random, bodies);
    }
}

fn check_solves<T: Scalar>(random: &mut Random, bodies: usize) {
    let real = problem(random, bodies, &EVERYDAY);
    let data = real.cast::<T>();
    let mut solver = ImplicitStribeckSolver::new(data.parameters()).unwrap();
    let mut adjoint_of = vec![0.0; real.v0.len()];
    adjoint_of[0] = 1.0;
    let mut compute = || -> Result<(), ImplicitStribeckSolverError> {
        solver.solve(data.two_way(), data.dt, &data.v0)?;
        let mut linearization = solver.solve_with_derivatives(data.two_way(), data.dt, &data.v0)?;
        linearization.gradient()?;
        linearization.adjoint(&adjoint_of)?;
        Ok(())
    };
    assert_eq!(compute(), Ok(()));
    let mut result = Ok(());
    assert_eq!(allocations(|| result = compute()), 0, "{bodies} bodies");
    assert_eq!(result, Ok(()));
}

#[test]
fn steps_allocate_nothing_after_the_first() {
    check_steps::<f64>();
    check_steps::<Dual64>();
    check_steps::<DualSVec64<8>>();
}

/// A cube on one of its faces, so that the first step has as many contacts as any, is thrown along the
/// ground and tumbles.
fn check_steps<T: DefaultScalar>() {
    const STEPS: usize = 100;
    let system = driven_cube().cast::<T>();
    let (turn, position) = ([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0523]);
    let start = free_body(turn, position, [0.0, 20.0, 3.0], [2.0, 0.5, 0.0]);
    let mut state = start.cast::<T>();
    let mut workspace = system.workspace().unwrap();
    let (tau, mut touching) = ([T::zero(); 6], [false; 9]);
    let mut step = |state: &mut State<T>| -> Result<(), SystemError> {
        let mut step = system.step(&mut workspace, state, &tau)?;
        touching[step.contacts()?.len()] = true;
        state.clone_from(step.state());
        Ok(())
    };
    assert_eq!(step(&mut state), Ok(()));
    let mut result = Ok(());
    let count = allocations(|| result = (0..STEPS).try_for_each(|_| step(&mut state)));
    assert_eq!(result, Ok(()));
    assert_eq!(count, 0);
    assert_eq!(touching[..3], [true; 3], "it does not tumble");
}

const SCHEMES: [Scheme; 3] = [
    Scheme::Compliant,
    Scheme::Rigid,
    Scheme::Continuous {
        method: IntegrationMethod::RungeKutta4,
        substeps: 1,
    },
];

/// The allocations of steps on a way that has been gone once.
fn allocations_of_steps<T: DefaultScalar>(
    system: &RigidBodySystem<f64>,
    start: &State<f64>,
    scheme: Scheme,
    mut check: impl FnMut(&mut Step<'_, T>),
) -> usize {
    let system = system.clone();
    let stepper = TimeSteppingRigidBodySystem::with_scheme(system, 1e-3, scheme).unwrap();
    let (stepper, start) = (stepper.cast::<T>(), start.cast::<T>());
    let mut workspace = stepper.workspace().unwrap();
    let mut state = start.clone();
    let input = vec![T::from(0.1); stepper.system().num_inputs()];
    let mut run = || {
        state.clone_from(&start);
        for _ in 0..20 {
            let mut step = stepper.step(&mut workspace, &state, &input).unwrap();
            check(&mut step);
            state.clone_from(step.state());
        }
    };
    run();
    allocations(run)
}

/// Machines with closed loops, of which one follows from the other, and a foot on the ground.
#[test]
fn steps_of_closed_loops_allocate_nothing() {
    fn check<T: DefaultScalar>(scheme: Scheme, loops: usize) {
        let (_, lowest) = closed(&four_bar(-1.0, 1e4, 1), 2.0);
        let machine = four_bar(lowest + 1e-4, 1e4, loops);
        let (start, _) = closed(&machine, 2.0);
        let on_ground = |step: &mut Step<'_, T>| assert_eq!(step.contacts().unwrap().len(), 1);
        let count = allocations_of_steps(&machine, &start, scheme, on_ground);
        assert_eq!(count, 0, "{scheme:?}, {loops} loops");
    }
    for scheme in SCHEMES {
        for loops in [1, 2] {
            check::<f64>(scheme, loops);
            check::<Dual64>(scheme, loops);
        }
    }
}

/// Wheels on a gear, of which one comes to its stop, and one that is moved as told.
#[test]
fn steps_of_gears_and_stops_allocate_nothing() {
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let [first, second, third] = ["first", "second", "third"].map(|name| {
        let inertia = SpatialInertia::principal(1.0, Vector3::repeat(1e-2));
        let body = builder.add_body(name, inertia).unwrap();
        let axle = JointKind::Revolute { axis: Vector3::z() };
        let pose = RigidTransform::identity();
        (builder.add_joint(name, axle, BodyIndex::WORLD, pose, body)).unwrap()
    });
    let tree = builder.finish().unwrap();
    let profile = MotionProfile::Harmonic {
        mean: 0.0,
        amplitude: 0.1,
        angular_frequency: 3.0,
        phase: 0.0,
    };
    let gear = GearConstraint::new("gear", &tree, first, second, 2.0).unwrap();
    let stop = JointLimitConstraint::new("stop", &tree, first, Some(-1.0), Some(0.01)).unwrap();
    let told = PrescribedMotion::new("told", &tree, third, profile).unwrap();
    let contact = ContactModelBuilder::new().finish(&tree).unwrap();
    let system = (RigidBodySystem::new(tree, contact).unwrap())
        .with_generalized_forces()
        .unwrap()
        .with_constraints([
            AnyConstraint::new(gear),
            AnyConstraint::new(stop),
            AnyConstraint::new(told),
        ])
        .unwrap();
    let mut start = system.initial_state();
    start.v.copy_from_slice(&[1.0, 0.5, 0.3]);
    for scheme in SCHEMES {
        let mut stopped = false;
        let mut look = |speed: f64| stopped |= speed.abs() < 1e-3;
        let count = allocations_of_steps::<f64>(&system, &start, scheme, |step| {
            look(step.state().v[0]);
        });
        assert_eq!(count, 0, "{scheme:?}");
        let count = allocations_of_steps::<Dual64>(&system, &start, scheme, |_| ());
        assert_eq!(count, 0, "{scheme:?}");
        assert!(stopped || matches!(scheme, Scheme::Continuous { .. }));
    }
}
