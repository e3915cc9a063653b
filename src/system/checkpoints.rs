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

/// Makes all steps from `initial`, then pulls back over them in reverse order.
///
/// States at every `interval` steps (the root of their number by default) are kept, those in between
/// made once more, segment by segment.
pub(super) fn sweep<R: Reversible>(
    rollout: &mut R,
    steps: usize,
    interval: Option<usize>,
    initial: &R::State,
) -> Result<(), R::Error> {
    let root = (steps as f64).sqrt().ceil() as usize;
    let interval = interval.unwrap_or(root).clamp(1, steps.max(1));
    let mut checkpoints = Vec::with_capacity(steps / interval + 1);
    let mut state = initial.clone();
    for step in 0..steps {
        if step % interval == 0 {
            checkpoints.push(state.clone());
        }
        rollout.advance(step, &mut state)?;
    }
    rollout.turn(&state)?;
    let mut end = state.clone();
    let mut segment: Vec<R::State> = Vec::with_capacity(interval);
    for (c, checkpoint) in checkpoints.iter().enumerate().rev() {
        let range = c * interval..steps.min((c + 1) * interval);
        segment.clear();
        state.clone_from(checkpoint);
        for step in range.clone() {
            segment.push(state.clone());
            if step + 1 < range.end {
                rollout.advance(step, &mut state)?;
            }
        }
        let mut following = &end;
        for (step, state) in range.zip(&segment).rev() {
            rollout.pull_back(step, state, following)?;
            following = state;
        }
        end.clone_from(checkpoint);
    }
    Ok(())
}
