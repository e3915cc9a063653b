//! Motions to their end, and states where they start, in any scalar.

use crate::inputs::Inputs;
use dualbody::system::{RolloutFailure, State, TimeSteppingRigidBodySystem};
use dualbody::{Error, Scalar};

/// The last state, and the outputs of the last step. The inputs are those of `inputs`, with what is `added` to all of them.
pub fn end<T: Scalar>(
    system: &TimeSteppingRigidBodySystem<T>,
    start: &State<T>,
    inputs: &Inputs,
    added: &[T],
    steps: usize,
) -> Result<(State<T>, Vec<T>), Error> {
    let mut workspace = system.workspace()?;
    let mut state = start.clone();
    let mut input = vec![T::zero(); system.num_inputs()];
    let mut output = vec![T::zero(); system.num_outputs()];
    for step in 0..steps {
        let time = state.time.re();
        inputs.write(time, &mut input);
        input
            .iter_mut()
            .zip(added)
            .for_each(|(u, &added)| *u += added);
        let made = system.step(&mut workspace, &state, &input);
        let made = made.map_err(|source| RolloutFailure {
            step,
            time,
            source: Box::new(source),
        })?;
        output.copy_from_slice(made.output().as_slice());
        let next = made.state().clone();
        state = next;
    }
    Ok((state, output))
}

/// The state that a displacement leads to.
pub fn displaced<T: Scalar>(
    system: &TimeSteppingRigidBodySystem<T>,
    from: &State<T>,
    displacement: &[T],
) -> Result<State<T>, Error> {
    let mut to = from.clone();
    from.displace(system.tree(), displacement, &mut to)?;
    Ok(to)
}
