//! Threads that work on machines.

use crate::error::{Failure, Outcome};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The stack of a thread in bytes: where all is optimised as one, frames that hold memory of steps take more than the two
/// megabytes that are usual.
const STACK: usize = 16 << 20;

/// A pool of so many threads; 0 for as many as the machine has.
pub fn pool(threads: usize) -> Outcome<ThreadPool> {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    let pool = builder.stack_size(STACK).build();
    pool.map_err(|error| Failure::argument(format!("threads: {error}")))
}

/// Makes the pool that the library takes by itself.
pub fn prepare_shared_pool() {
    // It fails where the pool is there already.
    let _ = ThreadPoolBuilder::new().stack_size(STACK).build_global();
}
