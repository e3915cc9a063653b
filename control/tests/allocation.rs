//! After the first solution, solving again allocates nothing.

use dualbody::prelude::*;
use dualbody_control::{
    InputResidual, Machine, Mpc, Problem, Solver, SolverOptions, StateResidual,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

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

/// A ball above the floor, with a force on each coordinate.
fn machine() -> dualbody::Result<TimeSteppingRigidBodySystem<f64>> {
    let rubber = ContactMaterial::new(1e3, 0.2, 0.5)?;
    let system = SystemBuilder::new()
        .floor("floor", rubber)
        .free_body("ball", Shape::new_sphere(0.1)?, 1.0, rubber)
        .compliant(0.01)?;
    Ok(system.with_generalized_forces()?)
}

/// It is to come to lie elsewhere.
fn problem() -> Result<Problem<Machine>, Box<dyn std::error::Error>> {
    let system = machine()?;
    let mut start = system.initial_state();
    system.set_body_position(&mut start, "ball", vector![0.0, 0.0, 0.15])?;
    let mut goal = start.clone();
    system.set_body_position(&mut goal, "ball", vector![0.3, 0.0, 0.12])?;
    Ok(Problem::new(Machine::new(&system)?, 20, start)?
        .running_cost(
            "input",
            InputResidual::of_size(6),
            vec![1.0, 1.0, 1.0, 1e-2, 1e-2, 1e-2],
        )?
        .terminal_cost("end", StateResidual::new(goal), vec![10.0; 12])?
        .input_limits(vec![-5.0; 6], vec![5.0; 6])?)
}

#[test]
fn solving_again_allocates_nothing() -> Result<(), Box<dyn std::error::Error>> {
    let problem = problem()?;
    let start = problem.initial().clone();
    let mut options = SolverOptions::default();
    options.max_iterations = 6;
    let mut solver = Solver::new(problem, options)?;
    let inputs = vec![vec![0.5, 0.0, 0.0, 0.0, 0.0, -1.0]; 20];
    let solve = |solver: &mut Solver<Machine>| -> Result<usize, Box<dyn std::error::Error>> {
        solver.set_inputs(&inputs)?;
        let before = ALLOCATIONS.with(Cell::get);
        solver.shift(0.01)?;
        solver.set_initial(&start);
        let report = solver.solve()?;
        assert!(report.iterations > 1);
        Ok(ALLOCATIONS.with(Cell::get) - before)
    };
    let counts: Vec<usize> = (0..4)
        .map(|_| solve(&mut solver))
        .collect::<Result<_, _>>()?;
    println!("{counts:?}");
    assert_eq!(counts[3], 0);
    Ok(())
}

#[test]
fn planning_ahead_and_acting_allocate_nothing() -> Result<(), Box<dyn std::error::Error>> {
    let problem = problem()?;
    let start = problem.initial().clone();
    let mut options = SolverOptions::default();
    options.max_iterations = 2;
    let mut mpc = Mpc::new(Solver::new(problem, options)?);
    let mut counts = Vec::new();
    for k in 0..20 {
        let before = ALLOCATIONS.with(Cell::get);
        let time = 0.005 * f64::from(k);
        mpc.plan_ahead(time, &start, 0.005)?;
        mpc.act(time + 0.005, &start)?;
        counts.push(ALLOCATIONS.with(Cell::get) - before);
    }
    println!("{counts:?}");
    // Contacts that no plan had before take memory once.
    assert_eq!(counts[10..], [0; 10]);
    Ok(())
}
