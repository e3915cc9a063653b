//! Many rollouts of one machine at once, and their derivatives.
//!
//! Numbers of all members are in one matrix, in which those of a member follow each other: a column for each member or, of
//! what changes from step to step, a column for each step of each member, one member after the other. With n members, N
//! steps, nx entries of a state `[q; v; a; s]`, nu inputs and ny outputs, inputs are (nu × N·n), and member m has the columns
//! from `m·N` on.

mod error;
mod gradients;
mod jacobians;
mod machine;
mod members;
mod plan;
mod rollouts;
mod tangents;
mod threads;

pub use error::{BatchError, MemberFailure};
pub use gradients::{BatchCovectors, BatchGradients};
pub use jacobians::BatchJacobians;
pub use plan::BatchPlan;
pub use rollouts::BatchRollouts;
pub use tangents::BatchDirections;

use super::error::SystemError;
use super::time_stepping::TimeSteppingRigidBodySystem;
use crate::parameter::Parameters;
use machine::{Described, Worker};
use members::Work;
use threads::Crew;

/// Copies of a machine that are worked on together, on one thread or several.
///
/// Results have the same bits for any number of threads, those of single rollouts. Every thread has a workspace that is kept
/// from call to call, and results are written into memory of the caller: once all has been as large, nothing is allocated but
/// where members change values of parameters.
///
/// ```
/// use dualbody::nalgebra::DMatrix;
/// use dualbody::prelude::*;
/// use dualbody::system::{Batch, BatchGradients, BatchPlan, RolloutObjective, State};
///
/// /// How far the box has come, in m.
/// struct Way(usize);
/// impl RolloutObjective for Way {
///     fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, _: &[T]) -> T {
///         if step == self.0 { state.q[4] } else { T::zero() }
///     }
/// }
///
/// let rubber = ContactMaterial::new(1e5, 0.5, 0.3)?;
/// let system = SystemBuilder::new()
///     .floor("floor", rubber)
///     .free_body("box", Shape::new_box(Vector3::repeat(0.1))?, 1.0, rubber)
///     .pair_material("box", "floor", rubber)
///     .compliant(1e-3)?;
/// let start = system.initial_state();
/// // Two boxes, of speeds of 1 and 1.2 m/s, on floors of different friction.
/// let mut starts = DMatrix::zeros(13, 2);
/// for (mut x, speed) in starts.column_iter_mut().zip([1.0, 1.2]) {
///     x.rows_mut(0, 7).copy_from(&start.q);
///     x[6] = 0.05;
///     x[10] = speed;
/// }
/// let friction = DMatrix::from_row_slice(1, 2, &[0.3, 0.4]);
///
/// let mut batch = Batch::new(&system, &["box|floor/friction"])?;
/// let plan = BatchPlan { parameters: Some(&friction), ..BatchPlan::new(&starts, 400) };
/// let mut found = BatchGradients::default();
/// batch.gradients(&plan, |_| Way(400), &mut found)?;
/// // Both slide v²/(2 μ g), and less far where there is more friction.
/// for (member, (speed, friction)) in [(1.0, 0.3), (1.2, 0.4)].into_iter().enumerate() {
///     let way = speed * speed / (2.0 * friction * 9.81);
///     assert!((found.values[member] / way - 1.0).abs() < 0.02);
///     assert!((found.parameters[(0, member)] / (-way / friction) - 1.0).abs() < 0.02);
/// }
/// # Ok::<(), dualbody::Error>(())
/// ```
#[derive(Debug)]
pub struct Batch {
    described: Described,
    crew: Crew<Worker>,
    /// In place of what is not given.
    zeros: Vec<f64>,
}

impl Batch {
    /// Of a system, whose parameters of these names every member may set, and by which derivatives are taken. It works in the
    /// calling thread.
    ///
    /// The system is copied: later changes of its parameters are not seen.
    ///
    /// # Errors
    /// As [`Self::select`].
    pub fn new(
        system: &TimeSteppingRigidBodySystem<f64>,
        parameters: &[&str],
    ) -> Result<Self, SystemError> {
        let mut batch = Batch {
            described: Described::new(system),
            crew: Crew::default(),
            zeros: Vec::new(),
        };
        batch.select(parameters, &[])?;
        Ok(batch)
    }

    /// Chooses the parameters that members may set. Derivatives are taken with respect to those in `by`, not with respect to
    /// those in `others`.
    ///
    /// # Errors
    /// [`SystemError::Parameter`] for an unknown name, [`SystemError::DuplicateName`] for one that is given twice; the choice
    /// is then as before.
    pub fn select(&mut self, by: &[&str], others: &[&str]) -> Result<(), SystemError> {
        let names: Vec<&str> = by.iter().chain(others).copied().collect();
        if self.described.is_chosen(&names, by.len()) {
            return Ok(());
        }
        let indices = self.described.system.parameter_indices(&names)?;
        for (k, index) in indices.iter().enumerate() {
            if indices[..k].contains(index) {
                return Err(SystemError::DuplicateName {
                    what: "parameters of the batch",
                    name: names[k].to_owned(),
                });
            }
        }
        if self.described.select(&names, indices, by.len()) {
            self.crew.forget();
        }
        Ok(())
    }

    /// Works on so many threads, the calling one and others of its own; 0 for as many as the machine has.
    ///
    /// # Errors
    /// [`BatchError::Threads`] when they cannot be started, or are more than 1024.
    #[cfg(feature = "parallel")]
    pub fn with_threads(mut self, threads: usize) -> Result<Self, BatchError> {
        self.crew = Crew::of_threads(threads)?;
        Ok(self)
    }

    /// What `find` makes of the numbers of so many members, in their order, on the threads of the batch: for what a batch does
    /// not do itself.
    pub fn map<R: Send>(&self, members: usize, find: impl Fn(usize) -> R + Sync) -> Vec<R> {
        let mut found: Vec<Option<R>> = (0..members).map(|_| None).collect();
        let work = Work::new([], &mut found);
        (self.crew).work(work, |_, member, []| Some(find(member)));
        found.into_iter().flatten().collect()
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.crew.threads()
    }

    /// The system.
    pub fn system(&self) -> &TimeSteppingRigidBodySystem<f64> {
        &self.described.system
    }
}
