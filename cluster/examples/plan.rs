//! How long would a fit of many tosses take on many machines?
//!
//! Measures a fit of tosses here and prints the times that follow for other numbers of tosses and
//! machines. Under `mpirun` the fit is measured on the ranks there are, too, beside its prediction.

#[path = "../../examples/identify_contact/cube.rs"]
#[allow(dead_code, reason = "this example does not use all of it")]
mod cube;
#[path = "../../examples/identify_contact/options.rs"]
#[allow(dead_code, reason = "this example does not use all of it")]
mod options;
#[path = "../../examples/identify_contact/segment.rs"]
mod segment;
#[path = "../../examples/support/mod.rs"]
mod support;
#[path = "../../examples/identify_contact/tosses.rs"]
#[allow(dead_code, reason = "this example does not use all of it")]
mod tosses;

use dualbody::identification::{
    Answer, Evaluator, ExecutionError, Executor, Experiment, Items, LevenbergMarquardt,
    Parallelism, Part, Problem, Question,
};
use dualbody_cluster::{Machine, Plan, Workload};
use options::Options;
use segment::Segment;
use std::ops::{ControlFlow, Range};
use std::time::Instant;
use support::Failure;
use support::arguments::Arguments;

const USAGE: &str = "\
Predict the time of a fit on many machines from a fit of a few tosses here.

usage: [mpirun -n N] plan [--tosses N] [--cores N] [--latency s] [--message s]
            [--bandwidth bytes/s] [options]

  --tosses N       trajectories of the fit that is planned (default 100000)
  --cores N        cores of a machine there (default 32)
  --latency T      time of a small message there, s (default 5e-6)
  --message T      time that a rank spends on one, s (default 1e-6)
  --bandwidth B    bytes per second there (default 1e9)
  --steps N        steps of the fit that is measured (default 5)";

/// Measures what passes through it.
struct Measured<E> {
    executor: E,
    questions: usize,
    seconds: f64,
    question_bytes: usize,
    answer: Answer,
    answer_bytes: usize,
}

impl<I, E> Executor<I> for Measured<E>
where
    I: Items<Question = Question, Part = Answer>,
    E: Executor<I>,
{
    fn evaluate(
        &mut self,
        items: &I,
        question: &Question,
        range: Range<usize>,
    ) -> Result<Answer, ExecutionError> {
        let began = Instant::now();
        let answer = self.executor.evaluate(items, question, range)?;
        self.seconds += began.elapsed().as_secs_f64();
        self.questions += 1;
        self.question_bytes = self
            .question_bytes
            .max(postcard::to_stdvec(question)?.len());
        let bytes = postcard::to_stdvec(&answer)?.len();
        if bytes > self.answer_bytes {
            (self.answer, self.answer_bytes) = (answer.clone(), bytes);
        }
        Ok(answer)
    }
}

/// Fits, and says what the fit was made of and how long it took.
fn measure<'a, X: Experiment>(
    optimiser: &LevenbergMarquardt,
    problem: &'a Problem<'a, X>,
    executor: impl Executor<Evaluator<'a, X>>,
) -> Result<(Workload, f64), Failure> {
    let mut measured = Measured {
        executor,
        questions: 0,
        seconds: 0.0,
        question_bytes: 0,
        answer: Answer::default(),
        answer_bytes: 0,
    };
    let start = problem.initial_values();
    let began = Instant::now();
    optimiser.fit_on(
        problem,
        &start,
        &mut measured,
        |_| ControlFlow::Continue(()),
    )?;
    let total = began.elapsed().as_secs_f64();
    let joins = 1000;
    let began = Instant::now();
    let mut sum = Answer::default();
    (0..joins).for_each(|_| sum.absorb(measured.answer.clone()));
    let (n, questions) = (problem.experiments().len(), measured.questions);
    let workload = Workload {
        experiments: n,
        questions,
        experiment: measured.seconds / (questions * n) as f64,
        optimiser: (total - measured.seconds) / questions as f64,
        join: began.elapsed().as_secs_f64() / f64::from(joins),
        question_bytes: measured.question_bytes,
        answer_bytes: measured.answer_bytes,
    };
    Ok((workload, total))
}

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process(&format!("{USAGE}\n\n{}", options::OPTIONS));
    let tosses: usize = arguments.option("--tosses")?.unwrap_or(100_000);
    let cores: f64 = arguments.option("--cores")?.unwrap_or(32.0);
    let latency: f64 = arguments.option("--latency")?.unwrap_or(5e-6);
    let message: f64 = arguments.option("--message")?.unwrap_or(1e-6);
    let bandwidth: f64 = arguments.option("--bandwidth")?.unwrap_or(1e9);
    let steps: usize = arguments.option("--steps")?.unwrap_or(5);
    let options = Options::take(&mut arguments)?;
    arguments.finish()?;

    let data = options.load()?;
    let cube = options.cube(&data)?;
    let segments: Vec<Segment> = (data.fitted.iter())
        .map(|toss| Segment {
            cube: &cube,
            start: toss.samples[0],
            samples: &toss.samples,
        })
        .collect();
    let problem = Problem::new(cube.unknowns.clone(), &segments)?;
    let optimiser = LevenbergMarquardt::new()
        .max_iterations(steps)
        .keep_residuals(false);

    #[cfg(feature = "mpi")]
    let ranks = dualbody_cluster::mpi::Ranks::start(Parallelism::Serial)?;
    #[cfg(feature = "mpi")]
    if !ranks.is_root() {
        // Measured alone first, so that the others do not take cores from it.
        ranks.barrier()?;
        ranks.fit(&optimiser, &problem, &[], None, |_| {
            ControlFlow::Continue(())
        })?;
        return Ok(());
    }
    let (serial, seconds) = measure(&optimiser, &problem, Parallelism::Serial)?;
    println!(
        "{} tosses, {} questions to all of them, {seconds:.2} s on one thread:\n  \
         experiment {:.3e} s, optimiser {:.1e} s a question, join {:.1e} s, question {} B, answer {} B",
        serial.experiments,
        serial.questions,
        serial.experiment,
        serial.optimiser,
        serial.join,
        serial.question_bytes,
        serial.answer_bytes,
    );
    let here = std::thread::available_parallelism()?.get();
    let (_, threads) = measure(&optimiser, &problem, Parallelism::Threads)?;
    println!(
        "on {here} threads: {threads:.2} s, {:.2} times as fast",
        seconds / threads
    );
    #[cfg(feature = "mpi")]
    {
        ranks.barrier()?;
        let began = Instant::now();
        let start = problem.initial_values();
        ranks.fit(&optimiser, &problem, &start, None, |_| {
            ControlFlow::Continue(())
        })?;
        let measured = began.elapsed().as_secs_f64();
        let machine = Machine {
            ranks: ranks.size(),
            cores: (here as f64 / ranks.size() as f64).min(1.0),
            latency: 50e-6,
            message: 50e-6,
            bandwidth: 1e9,
        };
        let predicted = Plan::new(&machine, &serial).total();
        println!(
            "on {} ranks: {measured:.2} s, predicted {predicted:.2} s, ratio {:.2}; {:.2} times as fast",
            ranks.size(),
            measured / predicted,
            seconds / measured,
        );
    }

    let workload = Workload {
        experiments: tosses,
        ..serial
    };
    println!(
        "\n{tosses} tosses, as many questions; machines of {cores} cores, a rank on each;\n\
         messages {latency:.1e} s on their way and {message:.1e} s at a rank, {bandwidth:.1e} B/s. Times in s:\n\
         {:>8} {:>12} {:>12} {:>12} {:>12} {:>12} {:>9}",
        "machines", "work", "wait", "messages", "optimiser", "total", "speed-up"
    );
    let of = |ranks: usize| {
        let machine = Machine {
            ranks,
            cores,
            latency,
            message,
            bandwidth,
        };
        Plan::new(&machine, &workload)
    };
    for ranks in [1, 10, 100, 1000] {
        let plan = of(ranks);
        println!(
            "{ranks:>8} {:>12.4} {:>12.4} {:>12.4} {:>12.4} {:>12.4} {:>9.1}",
            plan.work,
            plan.wait,
            plan.communication,
            plan.optimiser,
            plan.total(),
            of(1).total() / plan.total(),
        );
    }
    Ok(())
}
