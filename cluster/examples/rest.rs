//! Where does a tossed cube come to rest? Many throws with random starts, and the gradient of the
//! expected distance, three ways.
//!
//! - The mean of the derivatives of the throws. It leaves out that a throw whose cube falls over another
//!   edge ends elsewhere: where the distance jumps it is not the derivative of the mean.
//! - Differences of the mean with the same draws on both sides, with their standard error.
//! - For what the release is distributed about, the mean of distance times `∂ ln p/∂μ = (x − μ)/σ²` (the
//!   score; Glynn 1990, *Communications of the ACM* 33(10), 75–84), which needs no derivative of the throw.

#[path = "../../examples/identify_contact/cube.rs"]
#[allow(dead_code, reason = "this example does not use all of it")]
mod cube;
#[path = "../../examples/support/mod.rs"]
mod support;
#[path = "../../examples/identify_contact/tosses.rs"]
#[allow(dead_code, reason = "this example does not use all of it")]
mod tosses;

use cube::{Cube, Extras};
use dualbody::DefaultScalar;
use dualbody::autodiff::{JacobianWorkspace, jacobian_into};
use dualbody::identification::{Executor, Parallelism};
use dualbody::system::State;
use dualbody_cluster::{ClusterError, Row, Shard, Summary, Sweep, TableWriter, read_table};
use nalgebra::{DVector, Quaternion};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::path::PathBuf;
use support::Failure;
use support::arguments::Arguments;

const USAGE: &str = "\
Throw a cube many times, and say where it comes to rest and what the mean distance depends on.

usage: [mpirun -n N] rest [options]
       rest collect TABLE...

  --throws N     number of throws (default 1000)
  --seed N       of the random numbers (default 1)
  --shard I/N    throw share I of N only
  --to FILE      the table of all throws (default out/rest.csv)
  --serial       on one thread; otherwise on all (with mpirun: one for each rank)";

const COLUMNS: [&str; 9] = [
    "x",
    "y",
    "distance",
    "d/d speed",
    "d/d lift",
    "d/d friction",
    "difference speed",
    "difference friction",
    "score speed",
];
/// Mean and standard deviation of the speed forward and up at the release, m/s.
const SPEED: [f64; 2] = [1.0, 0.15];
const LIFT: [f64; 2] = [0.5, 0.15];
/// Standard deviation of the angular velocity, rad/s.
const SPIN: f64 = 4.0;
const HEIGHT: f64 = 0.3;
/// Stiffness in N/m, dissipation in s/m, friction.
const CONTACT: [f64; 3] = [2e4, 0.5, 0.3];
/// Speed below which the cube rests, m/s and rad/s, and most steps of a throw.
const RESTS: f64 = 1e-3;
const MOST_STEPS: usize = 1500;
const TIME_STEP: f64 = 0.004;
/// Half the way of a difference, in m/s and for friction.
const WAY: [f64; 2] = [0.02, 0.01];

/// A release: orientation, angular velocity, deviations of the velocity from its mean.
struct Release {
    orientation: Quaternion<f64>,
    spin: [f64; 3],
    deviation: [f64; 2],
}

impl Release {
    fn draw(random: &mut ChaCha8Rng) -> Self {
        let mut normal = || -> f64 { StandardNormal.sample(random) };
        let mut four = || [normal(), normal(), normal(), normal()];
        let ([w, i, j, k], [x, y, z, _], [speed, lift, ..]) = (four(), four(), four());
        Release {
            orientation: Quaternion::new(w, i, j, k).normalize(),
            spin: [x, y, z].map(|w| SPIN * w),
            deviation: [SPEED[1] * speed, LIFT[1] * lift],
        }
    }

    /// Where the cube comes to rest, in m from below the release, for mean speed, mean lift and friction.
    fn rest<T: DefaultScalar>(&self, cube: &Cube, x: &[T]) -> Result<[T; 2], Failure> {
        let contact = [T::from(CONTACT[0]), T::from(CONTACT[1]), x[2]];
        let system = cube.trial(&contact)?.system;
        let q = self.orientation;
        let pose = [q.w, q.i, q.j, q.k, 0.0, 0.0, HEIGHT].map(T::from);
        let velocity = [
            x[0] + self.deviation[0],
            T::zero(),
            x[1] + self.deviation[1],
        ];
        let v: Vec<T> = self.spin.map(T::from).into_iter().chain(velocity).collect();
        let mut state = State::new(DVector::from_row_slice(&pose), DVector::from_vec(v));
        let mut workspace = system.workspace()?;
        for _ in 0..MOST_STEPS {
            state.clone_from(system.step(&mut workspace, &state, &[])?.state());
            if state.v.iter().all(|v| v.re().abs() < RESTS) && state.q[6].re() < 0.1 {
                return Ok([state.q[4], state.q[5]]);
            }
        }
        Err("the cube does not come to rest".into())
    }
}

fn throw(cube: &Cube, random: &mut ChaCha8Rng) -> Result<Vec<f64>, String> {
    let release = Release::draw(random);
    let at = [SPEED[0], LIFT[0], CONTACT[2]];
    let distance = |x: [f64; 3]| -> Result<f64, String> {
        let [x, y] = release.rest(cube, &x).map_err(|error| error.to_string())?;
        Ok(x.hypot(y))
    };
    let [mut rest, mut jacobian] = [vec![0.0; 2], vec![0.0; 6]];
    jacobian_into(
        |x, y| {
            let rest = release.rest(cube, x);
            rest.map(|rest| y.copy_from_slice(&rest))
                .map_err(|e| Wrapped(e.to_string()))
        },
        &at,
        &mut JacobianWorkspace::default(),
        &mut rest,
        &mut jacobian,
    )
    .map_err(|error: Wrapped| error.0)?;
    let [x, y] = [rest[0], rest[1]];
    let length = x.hypot(y);
    let slope = |k: usize| (x * jacobian[2 * k] + y * jacobian[2 * k + 1]) / length;
    let difference = |k: usize, way: f64| {
        let ends = [way, -way].map(|way| {
            let mut moved = at;
            moved[k] += way;
            distance(moved)
        });
        let [ahead, behind] = ends;
        Ok::<_, String>((ahead? - behind?) / (2.0 * way))
    };
    // Any constant may be taken off the distance: the mean of the score is zero.
    let score = (length - 0.5) * release.deviation[0] / SPEED[1].powi(2);
    Ok(vec![
        x,
        y,
        length,
        slope(0),
        slope(1),
        slope(2),
        difference(0, WAY[0])?,
        difference(2, WAY[1])?,
        score,
    ])
}

/// An error of a throw.
struct Wrapped(String);

impl From<dualbody::InvalidInput> for Wrapped {
    fn from(error: dualbody::InvalidInput) -> Self {
        Wrapped(error.to_string())
    }
}

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process(USAGE);
    let quick = arguments.flag("--quick");
    let throws: usize = (arguments.option("--throws")?).unwrap_or(if quick { 40 } else { 1000 });
    let seed: u64 = arguments.option("--seed")?.unwrap_or(1);
    let shard: Option<Shard> = arguments.option("--shard")?;
    let to: PathBuf = arguments
        .option("--to")?
        .unwrap_or_else(|| "out/rest.csv".into());
    let serial = arguments.flag("--serial");
    if let Some(word) = arguments.positional() {
        if word != "collect" {
            return Err(format!("{word}: not collect, see --help").into());
        }
        return collect(arguments);
    }
    arguments.finish()?;
    let parallelism = match serial || std::env::var_os("OMPI_COMM_WORLD_SIZE").is_some() {
        true => Parallelism::Serial,
        false => Parallelism::Threads,
    };
    let cube = Cube::new(TIME_STEP, 1, Extras::default())?;
    let sweep = Sweep::new(throws, seed, |_, random| throw(&cube, random));
    let range = shard.map_or(0..throws, |shard| shard.range(throws));
    let run = |executor: &mut dyn Executor<_>| -> Result<(), ClusterError> {
        let mut table = TableWriter::new(&to, &COLUMNS)?;
        let mut statistics = Statistics::default();
        sweep.run(&mut { executor }, range.clone(), |rows| {
            table.write(&rows)?;
            statistics.add(rows);
            eprintln!("{} throws", statistics.count());
            Ok(())
        })?;
        table.finish()?;
        statistics.print();
        println!("Table: {}", to.display());
        Ok(())
    };
    #[cfg(feature = "mpi")]
    {
        let ranks = dualbody_cluster::mpi::Ranks::start(parallelism)?;
        Ok(ranks.run(&sweep, |executor| run(executor))?)
    }
    #[cfg(not(feature = "mpi"))]
    Ok(run(&mut { parallelism })?)
}

/// Statistics of the tables of all shards.
fn collect(mut arguments: Arguments) -> Result<(), Failure> {
    let mut statistics = Statistics::default();
    while let Some(path) = arguments.positional() {
        let (columns, rows) = read_table(path.as_ref())?;
        if columns != COLUMNS {
            return Err(format!("{path}: the columns are {}", columns.join(", ")).into());
        }
        if rows.first().map(|row| row.draw) != Some(statistics.count()) {
            return Err(
                format!("{path}: throw {} is missing or doubled", statistics.count()).into(),
            );
        }
        statistics.add(rows);
    }
    arguments.finish()?;
    statistics.print();
    Ok(())
}

/// Columns of the throws that came to rest.
#[derive(Default)]
struct Statistics {
    columns: [Vec<f64>; 9],
    failed: Vec<(usize, String)>,
}

impl Statistics {
    fn count(&self) -> usize {
        self.columns[0].len() + self.failed.len()
    }

    fn add(&mut self, rows: Vec<Row>) {
        for row in rows {
            match row.outcome {
                Ok(numbers) => (self.columns.iter_mut().zip(numbers)).for_each(|(c, x)| c.push(x)),
                Err(error) => self.failed.push((row.draw, error)),
            }
        }
    }

    fn print(&self) {
        println!("{} throws, {} left out", self.count(), self.failed.len());
        for (draw, error) in self.failed.iter().take(3) {
            println!("  throw {draw}: {error}");
        }
        println!(
            "{:22} {:>12} {:>12} {:>12} {:>12} {:>12}",
            "", "mean", "std. error", "5 %", "median", "95 %"
        );
        for (name, column) in COLUMNS.iter().zip(&self.columns) {
            if let Some(s) = Summary::of(column) {
                let [low, median, high] = s.quantiles;
                println!(
                    "{name:22} {:>12.5} {:>12.5} {low:>12.5} {median:>12.5} {high:>12.5}",
                    s.mean, s.standard_error
                );
            }
        }
    }
}
