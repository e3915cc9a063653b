//! Where parallel work is done: in this thread or in several.

/// Where items of work that do not depend on each other are done, in this process.
///
/// Results are joined in the order of the items, so that they have the same bits whichever is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Parallelism {
    /// One after the other, in the calling thread.
    Serial,
    /// On the threads of the current rayon pool.
    #[cfg(feature = "parallel")]
    Threads,
}

impl Default for Parallelism {
    /// `Threads` with the feature `parallel`, otherwise `Serial`.
    fn default() -> Self {
        #[cfg(feature = "parallel")]
        return Parallelism::Threads;
        #[cfg(not(feature = "parallel"))]
        Parallelism::Serial
    }
}
