//! Threads that the library takes by itself.

use rayon::ThreadPoolBuilder;

/// The stack of a thread in bytes: where all is optimised as one, frames that hold memory of steps take more than the two
/// megabytes that are usual.
const STACK: usize = 16 << 20;

/// Makes their pool.
pub fn prepare_shared_pool() {
    // It fails where the pool is there already.
    let _ = ThreadPoolBuilder::new().stack_size(STACK).build_global();
}
