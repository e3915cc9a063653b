//! Threads, and the memory that each works with.

use super::error::BatchError;
use super::members::Work;
use crate::system::error::RolloutFailure;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The stack of a thread in bytes: where all is optimised as one, frames that hold memory of steps take more than the two
/// megabytes that are usual.
#[cfg(feature = "parallel")]
const STACK: usize = 16 << 20;

/// Those who work on members.
#[derive(Debug)]
pub(super) struct Crew<W> {
    /// Memory that nobody works with at the moment.
    idle: Mutex<Vec<W>>,
    failures: Vec<Option<RolloutFailure>>,
    /// Those beside the calling thread.
    #[cfg(feature = "parallel")]
    pool: Option<rayon::ThreadPool>,
}

impl<W> Default for Crew<W> {
    fn default() -> Self {
        Crew {
            idle: Mutex::default(),
            failures: Vec::new(),
            #[cfg(feature = "parallel")]
            pool: None,
        }
    }
}

impl<W: Default + Send> Crew<W> {
    /// One of so many threads; 0 for as many as the machine has.
    #[cfg(feature = "parallel")]
    pub fn of_threads(threads: usize) -> Result<Self, BatchError> {
        const MOST: usize = 1024;
        let not_started = |reason: String| BatchError::Threads { threads, reason };
        if threads > MOST {
            return Err(not_started(format!("expected at most {MOST}")));
        }
        let all = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            _ => threads,
        };
        let builder = rayon::ThreadPoolBuilder::new().num_threads(all - 1);
        let pool = (all > 1).then(|| builder.stack_size(STACK).build());
        Ok(Crew {
            pool: (pool.transpose()).map_err(|error| not_started(error.to_string()))?,
            ..Crew::default()
        })
    }

    pub fn threads(&self) -> usize {
        #[cfg(feature = "parallel")]
        return 1 + (self.pool.as_ref()).map_or(0, rayon::ThreadPool::current_num_threads);
        #[cfg(not(feature = "parallel"))]
        1
    }

    /// Drops all memory.
    pub fn forget(&mut self) {
        self.idle = Mutex::default();
    }

    /// Works on all members; the error says what went wrong with each.
    pub fn run<const K: usize>(
        &mut self,
        members: usize,
        results: [&mut [f64]; K],
        visit: impl Fn(&mut W, usize, [&mut [f64]; K]) -> Result<(), RolloutFailure> + Sync,
    ) -> Result<(), BatchError> {
        let mut failures = std::mem::take(&mut self.failures);
        failures.clear();
        failures.resize(members, None);
        self.work(
            Work::new(results, &mut failures),
            |worker, member, results| visit(worker, member, results).err(),
        );
        let done = BatchError::of(&mut failures);
        self.failures = failures;
        done
    }

    /// Finds what `find` says of every member, with memory of a thread. Whichever thread is free takes the next member; the
    /// calling one starts at once, while others still wake up.
    pub fn work<F: Send, const K: usize>(
        &self,
        work: Work<'_, F, K>,
        find: impl Fn(&mut W, usize, [&mut [f64]; K]) -> Option<F> + Sync,
    ) {
        let work = Mutex::new(work);
        let take_part = || {
            let kept = self.lock().pop();
            let mut worker = kept.unwrap_or_default();
            let next = || work.lock().unwrap_or_else(PoisonError::into_inner).next();
            while let Some(member) = next() {
                member.alone(|member, results| find(&mut worker, member, results));
            }
            self.lock().push(worker);
        };
        #[cfg(feature = "parallel")]
        if let Some(pool) = &self.pool {
            return pool.in_place_scope(|scope| {
                (0..pool.current_num_threads()).for_each(|_| scope.spawn(|_| take_part()));
                take_part();
            });
        }
        take_part();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<W>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
