//! Derivative directions in chunks of dual numbers.

use crate::autodiff::CHUNK;
use crate::system::damping::Dual;
use crate::system::state::State;

/// The variables of a chunk, from the number of the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::system) enum Directions {
    State(usize),
    Input(usize),
    Parameters(usize),
}

impl Directions {
    /// All chunks, one of the state at least; or those of parameters only.
    pub fn all(
        [state, input, parameters]: [usize; 3],
        of_states_too: bool,
    ) -> impl Iterator<Item = Directions> {
        let chunks = |size: usize| (0..size).step_by(CHUNK);
        let [state, input] = match of_states_too {
            true => [state.max(1), input],
            false => [0; 2],
        };
        (chunks(state).map(Directions::State))
            .chain(chunks(input).map(Directions::Input))
            .chain(chunks(parameters).map(Directions::Parameters))
    }
}
/// Writes state and input as constants, or with the entries of the chunk as variables.
pub(in crate::system) fn seed(
    state: &State<f64>,
    input: &[f64],
    (to_state, to_input): (&mut State<Dual>, &mut [Dual]),
    directions: Directions,
) {
    let seeded = |i: usize, value: f64, first: Option<usize>| match first {
        Some(first) if (first..first + CHUNK).contains(&i) => {
            Dual::from_re(value).derivative(i - first)
        }
        _ => Dual::from_re(value),
    };
    let (of_state, of_input) = match directions {
        Directions::State(first) => (Some(first), None),
        Directions::Input(first) => (None, Some(first)),
        Directions::Parameters(_) => (None, None),
    };
    to_state.time = Dual::from_re(state.time);
    for (i, (target, value)) in to_state.entries_mut().zip(state.entries()).enumerate() {
        *target = seeded(i, value, of_state);
    }
    for (i, (target, &value)) in to_input.iter_mut().zip(input).enumerate() {
        *target = seeded(i, value, of_input);
    }
}
