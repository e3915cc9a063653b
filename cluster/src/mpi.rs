//! Ranks of MPI.
//!
//! Rank 0 runs the optimiser. For every question it broadcasts what is asked, hands out pieces
//! ([`Division`]) to all ranks, itself among them, and at the end the parts come together along a
//! binomial tree of ranks: rank `r` takes those of `r + 1`, `r + 2`, `r + 4`, … and passes all on. Which
//! parts join is decided by the items, not by the ranks, so the bits are those of one thread.
//!
//! No rank holds more than the parts of `log₂` of the number of its items, its residuals up to a
//! limit, and 1024 costs.

mod meeting;

use crate::file::{decode, encode};
use crate::{ClusterError, Costs, Division, Journal, Journaled};
use dualbody::identification::{
    Evaluator, ExecutionError, Executor, Experiment, Fit, IdentificationError, Items, Iteration,
    LevenbergMarquardt, Parallelism, Parts, Problem,
};
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Root, Source};
use mpi::{Tag, Threading};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// A rank asks for a piece.
const ASK: Tag = 1;
/// Rank 0 gives it one: first item and the one after the last, equal if there is none.
const PIECE: Tag = 2;
/// Parts and times on their way to rank 0.
const PARTS: Tag = 3;
/// Between two looks of rank 0 at what has come in.
const PAUSE: Duration = Duration::from_micros(50);
/// What rank 0 leaves to a rank that left alone to say why, before its own end lets `mpirun` end all.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The processes that `mpirun` has started.
pub struct Ranks {
    /// `None` only while this is dropped.
    universe: Option<Universe>,
    parallelism: Parallelism,
    /// Whether rank 0 knows that not all ranks do the same.
    parted: Cell<bool>,
}

impl std::fmt::Debug for Ranks {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "rank {} of {}", self.rank(), self.size())
    }
}

/// A rank that panics ends all: the others would wait for it for ever. One that leaves alone ends without
/// MPI's finalisation, which would wait for the others.
impl Drop for Ranks {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.world().abort(101);
        }
        if !self.leave() {
            if self.is_root() {
                std::thread::sleep(LAST_WORDS);
            }
            std::mem::forget(self.universe.take());
        }
    }
}

/// What rank 0 broadcasts.
#[derive(Serialize, Deserialize)]
enum Message {
    /// To evaluate a range of items; the encoded question.
    Evaluate(Vec<u8>, Range<usize>),
    /// To stop serving; the encoded result.
    End(Vec<u8>),
}

type Times = Vec<(Range<usize>, Duration)>;

/// Evaluates pieces; their parts, and how long each took.
struct Worker<'w, I: Items> {
    parallelism: Parallelism,
    items: &'w I,
    question: &'w I::Question,
    parts: Parts<I::Part>,
    times: Times,
}

impl<I: Items> Worker<'_, I> {
    fn evaluate(&mut self, piece: Range<usize>) {
        let (parts, began) = (&mut self.parts, Instant::now());
        (self.parallelism).extend(parts, self.items, self.question, piece.clone());
        self.times.push((piece, began.elapsed()));
    }
}

impl Ranks {
    /// Initialises MPI, once in a process. Each rank evaluates its pieces as `parallelism` says: serially
    /// with a rank for every core, on threads with a rank for every machine.
    ///
    /// Rank 0 leads all others. A rank on which something else fails, say because a file is not there,
    /// drops this and ends with its error; `mpirun` then ends the job (`srun` with
    /// `--kill-on-bad-exit`).
    ///
    /// # Errors
    /// [`ClusterError::Execution`] if MPI is initialised already, or does not allow that a process has
    /// other threads.
    pub fn start(parallelism: Parallelism) -> Result<Self, ClusterError> {
        let fail = |what: &str| ClusterError::Execution(what.into());
        match mpi::initialize_with_threading(Threading::Funneled) {
            Some((universe, threading)) if threading >= Threading::Funneled => Ok(Ranks {
                universe: Some(universe),
                parallelism,
                parted: Cell::new(false),
            }),
            Some(_) => Err(fail(
                "this MPI does not allow threads beside the one that uses it",
            )),
            None => Err(fail("MPI is initialised already")),
        }
    }

    fn world(&self) -> SimpleCommunicator {
        SimpleCommunicator::world()
    }

    /// This rank.
    pub fn rank(&self) -> usize {
        self.world().rank() as usize
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.world().size() as usize
    }

    /// Whether this is rank 0.
    pub fn is_root(&self) -> bool {
        self.rank() == 0
    }

    /// Waits for all ranks.
    ///
    /// # Errors
    /// [`ClusterError::Execution`] on rank 0 if a rank has left.
    pub fn barrier(&self) -> Result<(), ClusterError> {
        self.meet(0)?;
        self.world().barrier();
        Ok(())
    }

    /// Fits on all ranks, which call this with the same problem, and returns the same on all.
    ///
    /// Start, journal and callback are those of rank 0, which may stop the fit. The first answer that is
    /// in the journal is [checked](Journal::check_next).
    ///
    /// # Errors
    /// As [`LevenbergMarquardt::fit_on`], and as the journal. Other ranks have the sentence of rank 0's
    /// error as [`IdentificationError::Execution`].
    pub fn fit<X: Experiment>(
        &self,
        optimiser: &LevenbergMarquardt,
        problem: &Problem<X>,
        start: &[f64],
        journal: Option<&mut Journal>,
        progress: impl FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<Fit, IdentificationError> {
        self.run(&Evaluator::new(problem), |executor| match journal {
            Some(journal) => {
                journal.check_next();
                let executor = Journaled { journal, executor };
                optimiser.fit_on(problem, start, executor, progress)
            }
            None => optimiser.fit_on(problem, start, executor, progress),
        })
    }

    /// Runs `root` on rank 0 with all ranks as its executor, and returns its result on all.
    ///
    /// # Errors
    /// As `root`; the other ranks have the sentence of its error. On rank 0 also if a rank has left, or
    /// has another number of items.
    pub fn run<I, T, E>(
        &self,
        items: &I,
        root: impl FnOnce(&mut OnRanks<'_>) -> Result<T, E>,
    ) -> Result<T, E>
    where
        I: Items<Question: DeserializeOwned, Part: Serialize + DeserializeOwned>,
        T: Serialize + DeserializeOwned,
        E: std::fmt::Display + From<ExecutionError>,
    {
        self.meet(items.count())?;
        if !self.is_root() {
            return self.serve(items);
        }
        let result = root(&mut OnRanks {
            ranks: self,
            costs: Costs::new(items.count()),
        });
        let told = result.as_ref().map_err(E::to_string);
        let end = encode(&told).and_then(|told| encode(&Message::End(told)));
        self.broadcast(end.map_err(ExecutionError::from)?);
        result
    }

    /// Evaluates what rank 0 asks until it ends.
    fn serve<I, T, E>(&self, items: &I) -> Result<T, E>
    where
        I: Items<Question: DeserializeOwned, Part: Serialize + DeserializeOwned>,
        T: DeserializeOwned,
        E: From<ExecutionError>,
    {
        loop {
            match decode_message(&self.broadcast(Vec::new()))? {
                Message::End(result) => {
                    let result: Result<T, String> = decode_message(&result)?;
                    return result.map_err(|sentence| E::from(sentence.into()));
                }
                Message::Evaluate(question, _) => {
                    let question = decode_message(&question)?;
                    let (parts, times) = self.work(items, &question);
                    self.gather(parts, times)?;
                }
            }
        }
    }

    /// The bytes of rank 0.
    fn broadcast(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        let world = self.world();
        let root = world.process_at_rank(0);
        let mut size = bytes.len() as u64;
        root.broadcast_into(&mut size);
        bytes.resize(size as usize, 0);
        root.broadcast_into(&mut bytes[..]);
        bytes
    }

    fn worker<'w, I: Items>(&self, items: &'w I, question: &'w I::Question) -> Worker<'w, I> {
        Worker {
            parallelism: self.parallelism,
            items,
            question,
            parts: Parts::default(),
            times: Vec::new(),
        }
    }

    /// Evaluates pieces until there are none. The next is asked for before one is begun.
    fn work<I: Items>(&self, items: &I, question: &I::Question) -> (Parts<I::Part>, Times) {
        let world = self.world();
        let root = world.process_at_rank(0);
        let mut worker = self.worker(items, question);
        let ask = || root.send_with_tag(&[0u64; 0][..], ASK);
        ask();
        loop {
            let (bounds, _) = root.receive_vec_with_tag::<u64>(PIECE);
            let piece = bounds[0] as usize..bounds[1] as usize;
            if piece.is_empty() {
                return (worker.parts, worker.times);
            }
            ask();
            worker.evaluate(piece);
        }
    }

    /// Hands out pieces to the other ranks and to a thread of this one, which asks as early as they do.
    fn lead<I: Items>(
        &self,
        items: &I,
        question: &I::Question,
        mut division: Division,
    ) -> (Parts<I::Part>, Times) {
        let world = self.world();
        let mut waiting = self.size() - 1;
        let mut worker = self.worker(items, question);
        std::thread::scope(|scope| {
            let (ask, asked) = mpsc::channel();
            let (give, given) = mpsc::channel::<Option<Range<usize>>>();
            let worker = scope.spawn(move || {
                let _ = ask.send(());
                while let Ok(Some(piece)) = given.recv() {
                    let _ = ask.send(());
                    worker.evaluate(piece);
                }
                (worker.parts, worker.times)
            });
            let mut working = true;
            while waiting > 0 || working {
                let mut idle = true;
                match asked.try_recv() {
                    Ok(()) => {
                        let piece = division.next(0);
                        working = piece.is_some();
                        let _ = give.send(piece);
                        idle = false;
                    }
                    Err(mpsc::TryRecvError::Disconnected) => working = false,
                    Err(mpsc::TryRecvError::Empty) => {}
                }
                while let Some(status) = world.any_process().immediate_probe_with_tag(ASK) {
                    let rank = world.process_at_rank(status.source_rank());
                    rank.receive_vec_with_tag::<u64>(ASK);
                    let piece = division.next(status.source_rank() as usize);
                    waiting -= usize::from(piece.is_none());
                    let piece = piece.unwrap_or(0..0);
                    rank.send_with_tag(&[piece.start as u64, piece.end as u64][..], PIECE);
                    idle = false;
                }
                if idle {
                    std::thread::sleep(PAUSE);
                }
            }
            match worker.join() {
                Ok(found) => found,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }

    /// Brings parts and times of all ranks to rank 0.
    fn gather<P>(
        &self,
        mut parts: Parts<P>,
        mut times: Times,
    ) -> Result<(Parts<P>, Times), ExecutionError>
    where
        P: dualbody::identification::Part + Serialize + DeserializeOwned,
    {
        let world = self.world();
        let (rank, size) = (self.rank(), self.size());
        let mut step = 1;
        while step < size && rank & step == 0 {
            if rank + step < size {
                let (bytes, _) =
                    (world.process_at_rank((rank + step) as i32)).receive_vec_with_tag::<u8>(PARTS);
                let (more, measured): (Parts<P>, Times) = decode_message(&bytes)?;
                parts.merge(more);
                times.extend(measured);
            }
            step *= 2;
        }
        if rank == 0 {
            return Ok((parts, times));
        }
        let to = world.process_at_rank((rank - step) as i32);
        to.send_with_tag(&encode(&(parts, times))?[..], PARTS);
        Ok((Parts::default(), Vec::new()))
    }
}

fn decode_message<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ExecutionError> {
    Ok(decode(Path::new("message of another rank"), bytes)?)
}

/// All ranks, as the executor of rank 0.
#[derive(Debug)]
pub struct OnRanks<'r> {
    ranks: &'r Ranks,
    costs: Costs,
}

impl<I> Executor<I> for OnRanks<'_>
where
    I: Items<Question: Serialize, Part: Serialize + DeserializeOwned>,
{
    fn evaluate(
        &mut self,
        items: &I,
        question: &I::Question,
        range: Range<usize>,
    ) -> Result<I::Part, ExecutionError> {
        let message = Message::Evaluate(encode(question)?, range.clone());
        self.ranks.broadcast(encode(&message)?);
        let division = Division::new(&self.costs, range.clone(), self.ranks.size());
        let (parts, times) = self.ranks.lead(items, question, division);
        let (parts, times) = self.ranks.gather(parts, times)?;
        self.costs.update(&times);
        (parts.whole(range)).ok_or_else(|| "a rank has lost a part of the items".into())
    }
}
