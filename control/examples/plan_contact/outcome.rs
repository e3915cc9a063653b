//! What is reported of a problem.

use dualbody::scene::Scene;
use dualbody::system::{Rollout, State, StepStatus, TimeSteppingRigidBodySystem};
use dualbody_control::{Annealed, ControlError, Iteration, Machine, MpcRun, Solver};
use serde_json::{Value, json};
use std::time::Duration;

/// An error of any kind.
pub type Failure = Box<dyn std::error::Error>;

/// How much is solved.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Few seeds, short runs.
    pub quick: bool,
    /// The first seed.
    pub first: usize,
    /// Number of seeds, if not as many as a problem has.
    pub count: Option<usize>,
    /// Threads that linearise.
    pub threads: usize,
}

impl Settings {
    /// The seeds, of so many.
    pub fn seeds(&self, all: usize) -> std::ops::Range<usize> {
        let all = if self.quick { 1 } else { all };
        self.first..self.first + self.count.unwrap_or(all)
    }

    /// Numbers of a seed.
    pub fn random(&self, seed: usize) -> Random {
        Random(0x9E37_79B9_7F4A_7C15u64.wrapping_mul(seed as u64 + 1) | 1)
    }
}

/// Pseudo-random numbers by xorshift (Marsaglia 2003, *Journal of Statistical Software* 8(14)).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Uniform from 0 to 1.
    pub fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// About normal, with mean 0 and variance 1.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// Weights times a factor.
pub fn weighted(factor: f64, weights: &[f64]) -> Vec<f64> {
    weights.iter().map(|w| factor * w).collect()
}

/// The figures of a problem.
#[derive(Debug)]
pub struct Outcome {
    pub name: &'static str,
    first: usize,
    seeds: usize,
    solved: usize,
    costs: Vec<f64>,
    costs_true: Vec<f64>,
    iterations: Vec<usize>,
    seconds: f64,
    /// Plans per second, and falls, of runs in a closed loop.
    rate: Option<f64>,
    falls: Option<usize>,
    /// The plan or the run of the first seed.
    pub scene: Option<Scene>,
}

impl Outcome {
    pub fn new(name: &'static str, settings: &Settings) -> Self {
        Outcome {
            name,
            first: settings.first,
            seeds: 0,
            solved: 0,
            costs: Vec::new(),
            costs_true: Vec::new(),
            iterations: Vec::new(),
            seconds: 0.0,
            rate: None,
            falls: None,
            scene: None,
        }
    }

    /// Adds the plan of a seed, which took so many iterations in all.
    pub fn add(
        &mut self,
        annealed: &Annealed,
        iterations: usize,
        seconds: f64,
        solved: bool,
        note: &str,
    ) {
        println!(
            "  seed {}: {note}; cost {:.4} planned, {:.4} replayed, {:.4} at the end; {} iterations, {:.2} ms each{}",
            self.first + self.seeds,
            annealed.cost_planned,
            annealed.cost_replayed,
            annealed.cost,
            iterations,
            1e3 * seconds / iterations.max(1) as f64,
            if solved { "" } else { " (not solved)" },
        );
        for report in &annealed.reports {
            println!(
                "    {} after {} iterations, cost {:.4}",
                report.ending, report.iterations, report.cost
            );
        }
        self.seeds += 1;
        self.solved += usize::from(solved);
        self.costs.push(annealed.cost_planned);
        self.costs_true.push(annealed.cost);
        self.iterations.push(iterations);
        self.seconds += seconds;
    }

    /// Adds a seed that could not be solved.
    pub fn add_failed(&mut self, error: &ControlError, time: Duration) {
        println!("  seed {}: {error} (not solved)", self.first + self.seeds);
        self.seeds += 1;
        self.seconds += time.as_secs_f64();
    }

    /// Adds what was solved on the machine itself.
    pub fn add_plain(&mut self, cost: f64, iterations: usize, time: Duration, solved: bool) {
        self.seeds += 1;
        self.solved += usize::from(solved);
        self.costs.push(cost);
        self.costs_true.push(cost);
        self.iterations.push(iterations);
        self.seconds += time.as_secs_f64();
    }

    /// Adds a run in a closed loop.
    pub fn add_run(&mut self, run: &MpcRun<State<f64>>, fell: bool) {
        let rate = run.rate();
        self.rate = Some(self.rate.map_or(rate, |other: f64| other.min(rate)));
        *self.falls.get_or_insert(0) += usize::from(fell);
    }

    /// Keeps the plan of the first seed and the iterations that led to it, to show them.
    pub fn keep(
        &mut self,
        solver: &Solver<Machine>,
        iterations: &[Iteration],
    ) -> Result<(), Failure> {
        if self.scene.is_none() {
            self.scene = Some(solver.scene(iterations)?);
        }
        Ok(())
    }

    /// Keeps the states of the first run, to show them.
    pub fn keep_states(
        &mut self,
        system: &TimeSteppingRigidBodySystem<f64>,
        states: &[State<f64>],
        inputs: &[Vec<f64>],
    ) -> Result<(), Failure> {
        let steps = inputs.len().min(states.len() - 1);
        if self.scene.is_none() && steps > 0 {
            let (states, inputs) = (states[..=steps].to_vec(), inputs[..steps].to_vec());
            let rollout = Rollout::new(states, inputs, vec![StepStatus::default(); steps]);
            self.scene = Some(rollout.scene(system)?);
        }
        Ok(())
    }

    /// One line.
    pub fn print(&self) {
        let loops = match (self.rate, self.falls) {
            (Some(rate), Some(falls)) => format!(", {rate:.0} plans/s, {falls} falls"),
            _ => String::new(),
        };
        println!(
            "{}: {} of {} solved, cost {:.4} (true {:.4}), {:.1} iterations, {:.2} ms each{loops}\n",
            self.name,
            self.solved,
            self.seeds,
            mean(&self.costs),
            mean(&self.costs_true),
            self.mean_iterations(),
            self.milliseconds(),
        );
    }

    /// The figures as JSON.
    pub fn json(&self) -> Value {
        json!({
            "name": self.name,
            "seeds": self.seeds,
            "solved": self.solved,
            "cost": mean(&self.costs),
            "cost_true": mean(&self.costs_true),
            "iterations": self.mean_iterations(),
            "ms_per_iteration": self.milliseconds(),
            "rate_hz": self.rate,
            "falls": self.falls,
        })
    }

    fn mean_iterations(&self) -> f64 {
        self.iterations.iter().sum::<usize>() as f64 / self.iterations.len().max(1) as f64
    }

    fn milliseconds(&self) -> f64 {
        1e3 * self.seconds / self.iterations.iter().sum::<usize>().max(1) as f64
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
