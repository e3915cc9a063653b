//! Work on independent items, serially or on several threads.

/// How the experiments are evaluated.
///
/// Every experiment is reduced on its own and the results are added in the order of the experiments,
/// so that a fit has the same bits whichever is chosen.
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

impl Parallelism {
    /// Calls `work` with every item; `new_workspace` makes scratch memory that it may overwrite.
    pub(super) fn for_each<I: Send, W>(
        self,
        items: &mut [I],
        new_workspace: impl Fn() -> W + Sync + Send,
        work: impl Fn(&mut W, &mut I) + Sync + Send,
    ) {
        match self {
            Parallelism::Serial => {
                let mut workspace = new_workspace();
                for item in items {
                    work(&mut workspace, item);
                }
            }
            #[cfg(feature = "parallel")]
            Parallelism::Threads => {
                use rayon::prelude::*;
                items.par_iter_mut().for_each_init(new_workspace, work);
            }
        }
    }
}
