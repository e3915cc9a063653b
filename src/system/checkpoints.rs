//! Checkpointing: backward sweeps over a rollout with bounded memory.

/// A rollout that is made step by step, and whose derivatives are pulled back step by step.
pub(super) trait Reversible {
    /// What a step starts from.
    type State: Clone;
    /// What can go wrong in a step.
    type Error;

    /// Brings the state over a step.
    fn advance(&mut self, step: usize, state: &mut Self::State) -> Result<(), Self::Error>;

    /// Starts the backward sweep at the state after the last step.
    fn turn(&mut self, last: &Self::State) -> Result<(), Self::Error>;

    /// Pulls derivatives back over the step that leads from `state` to `end`.
    fn pull_back(
        &mut self,
        step: usize,
        state: &Self::State,
        end: &Self::State,
    ) -> Result<(), Self::Error>;
}

/// States that a sweep keeps; memory for the next.
#[derive(Debug, Clone)]
pub(super) struct Checkpoints<S> {
    /// At the start of every segment.
    kept: Vec<S>,
    /// Of the present segment.
    segment: Vec<S>,
    /// The one that moves, and the end of the present segment.
    moving: [Option<S>; 2],
}

impl<S> Default for Checkpoints<S> {
    fn default() -> Self {
        Checkpoints {
            kept: Vec::new(),
            segment: Vec::new(),
            moving: [None, None],
        }
    }
}

impl<S: Clone> Checkpoints<S> {
    /// Makes all steps from `initial`, then pulls back over them in reverse order.
    ///
    /// States at every `interval` steps are kept, those in between made once more, segment by segment.
    pub fn sweep<R: Reversible<State = S>>(
        &mut self,
        rollout: &mut R,
        steps: usize,
        interval: usize,
        initial: &S,
    ) -> Result<(), R::Error> {
        let interval = interval.clamp(1, steps.max(1));
        let Checkpoints {
            kept,
            segment,
            moving,
        } = self;
        let [state, end] = moving.each_mut().map(|state| match state {
            Some(state) => {
                state.clone_from(initial);
                state
            }
            None => state.insert(initial.clone()),
        });
        for step in 0..steps {
            if step % interval == 0 {
                put(kept, step / interval, state);
            }
            rollout.advance(step, state)?;
        }
        rollout.turn(state)?;
        end.clone_from(state);
        for c in (0..steps.div_ceil(interval)).rev() {
            let first = c * interval;
            let count = interval.min(steps - first);
            state.clone_from(&kept[c]);
            for k in 0..count {
                put(segment, k, state);
                if k + 1 < count {
                    rollout.advance(first + k, state)?;
                }
            }
            let mut following = &*end;
            for (k, state) in segment[..count].iter().enumerate().rev() {
                rollout.pull_back(first + k, state, following)?;
                following = state;
            }
            end.clone_from(&kept[c]);
        }
        Ok(())
    }
}

/// Writes an entry of a list that has all before it.
fn put<S: Clone>(list: &mut Vec<S>, at: usize, state: &S) {
    match list.get_mut(at) {
        Some(entry) => entry.clone_from(state),
        None => list.push(state.clone()),
    }
}
