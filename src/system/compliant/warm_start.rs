//! Warm start: velocities from which the search for those at the end of a compliant step starts.

/// What is known before a step of the velocities at its end.
#[derive(Debug, Clone, Copy, Default)]
enum Known {
    #[default]
    Nothing,
    /// What the last step made of those at its start.
    LastStep,
    /// What is expected.
    Expected,
}

/// What a guess of these velocities is good for.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum Guess {
    /// There is none: the search starts from the velocities at the start of the step.
    #[default]
    None,
    /// The contact solver starts from it, if it is better.
    Contact,
    /// Forces are linearised about it as well.
    Forces,
}

/// A guess of the velocities at the end of a step; a workspace.
#[derive(Debug, Clone)]
pub(in crate::system) struct WarmStart {
    /// Whether steps start from the last velocity increment.
    pub is_on: bool,
    /// Velocities at the end of the last step.
    pub end_v: Vec<f64>,
    known: Known,
    guess: Guess,
    v: Vec<f64>,
}

impl WarmStart {
    /// Cold starts of systems with `nv` velocities.
    pub fn off(nv: usize) -> Self {
        WarmStart {
            is_on: false,
            end_v: vec![0.0; nv],
            known: Known::Nothing,
            guess: Guess::None,
            v: Vec::new(),
        }
    }

    /// Notes what the velocities at the end of the next step are expected to be.
    pub fn expect(&mut self, v: &[f64]) {
        self.v.clear();
        self.v.extend_from_slice(v);
        self.known = Known::Expected;
    }

    /// Notes that a step has been solved.
    pub fn know_last_step(&mut self) {
        self.known = Known::LastStep;
    }

    /// Guesses the velocities at the end of a step from `v` as expected, or by adding the last velocity increment, from
    /// `last_v` to `solution`, where the step continues or repeats the last one.
    pub fn begin(
        &mut self,
        v: impl Iterator<Item = f64> + Clone,
        last_v: &[f64],
        solution: &[f64],
    ) {
        self.guess = match std::mem::take(&mut self.known) {
            Known::Expected => Guess::Forces,
            Known::LastStep if self.is_on => self.extrapolate(v, last_v, solution),
            _ => Guess::None,
        };
    }

    fn extrapolate(
        &mut self,
        v: impl Iterator<Item = f64> + Clone,
        last_v: &[f64],
        solution: &[f64],
    ) -> Guess {
        let starts_at = |other: &[f64]| v.clone().eq(other.iter().copied());
        let repeats = starts_at(last_v);
        if !repeats && !starts_at(&self.end_v) {
            return Guess::None;
        }
        self.v.clear();
        self.v.extend_from_slice(solution);
        if !repeats {
            for (guess, v) in self.v.iter_mut().zip(last_v) {
                *guess += *guess - v;
            }
        }
        Guess::Contact
    }

    /// Takes better velocities for the guess.
    pub fn improve(&mut self, v: &[f64]) {
        self.v.clear();
        self.v.extend_from_slice(v);
        if self.guess == Guess::None {
            self.guess = Guess::Contact;
        }
    }

    /// Where the contact solver starts.
    pub fn of_contact(&self) -> Option<&[f64]> {
        (self.guess != Guess::None).then_some(&self.v)
    }

    /// Whether the step goes on from the last one, or from an earlier search of its own.
    pub fn goes_on(&self) -> bool {
        self.guess == Guess::Contact
    }

    /// About which velocities forces are linearised first.
    pub fn of_forces(&self) -> Option<&[f64]> {
        (self.guess == Guess::Forces).then_some(&self.v)
    }
}
