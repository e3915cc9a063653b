//! Derivative directions in chunks of dual numbers.

use crate::autodiff::CHUNK;
use crate::system::damping::Dual;
use crate::system::jacobian::StepAt;
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

    /// The number of the system whose parameters vary in them: of that with constant parameters, then of those with each
    /// chunk of parameters as variables.
    pub fn system(self) -> usize {
        match self {
            Directions::Parameters(first) => 1 + first / CHUNK,
            _ => 0,
        }
    }

    /// The kind, by its position among state, input and parameters, and the number of the first variable.
    pub fn place(self) -> (usize, usize) {
        match self {
            Directions::State(first) => (0, first),
            Directions::Input(first) => (1, first),
            Directions::Parameters(first) => (2, first),
        }
    }
}

/// Writes state and input as constants, or with the entries of the chunk, or the time, as variables.
pub(in crate::system) fn seed(
    step: StepAt<'_>,
    (to_state, to_input): (&mut State<Dual>, &mut [Dual]),
    directions: Directions,
    is_of_time: bool,
) {
    let (kind, first) = directions.place();
    let seeded = |of: usize, i: usize, value: f64| match kind == of {
        true if (first..first + CHUNK).contains(&i) => Dual::from_re(value).derivative(i - first),
        _ => Dual::from_re(value),
    };
    to_state.time = Dual::from_re(step.state.time);
    if is_of_time {
        to_state.time = to_state.time.derivative(0);
    }
    for (i, (target, value)) in to_state.entries_mut().zip(step.state.entries()).enumerate() {
        *target = seeded(0, i, value);
    }
    for (i, (target, &value)) in to_input.iter_mut().zip(step.input).enumerate() {
        *target = seeded(1, i, value);
    }
}
