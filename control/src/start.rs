//! The first state of a trajectory, of which a part may be free.
//!
//! With the state x₀ of a trajectory, the initial state x̄ of the problem, and limits `l ≤ x ⊖ x̄ ≤ h`, zeros where x̄ is given,
//!
//! ```text
//! d = x₀ ⊖ x̄,      g₀ = clamp(d, l, h) − d
//! δx₀ = argmin ½ δᵀV δ + vᵀδ,      l ≤ d + δ ≤ h
//! x̂₀ = x̄ ⊕ (clamp((x₀ ⊕ α δx₀) ⊖ x̄, l, h) − (1 − α) g₀)
//! ```
//!
//! where V and v are those of the value function. Members of an ensemble start alike: d is the mean of theirs, and δx₀ the same. Turns of a floating body add up to first order in d; limits hold.

use crate::ControlError;
use crate::bounds::Bounds;
use crate::dynamics::Dynamics;

/// A first state: the one of the problem, and what may differ from it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start<'a, S> {
    pub initial: &'a S,
    pub bounds: &'a Bounds,
    /// Number of members that start alike.
    pub parts: usize,
}

impl<S> Start<'_, S> {
    /// Writes g₀ of a state, and the limits of δx₀.
    pub fn gap<D: Dynamics<State = S>>(
        &self,
        dynamics: &D,
        state: &S,
        gap: &mut [f64],
        [lower, upper]: [&mut [f64]; 2],
    ) -> Result<(), ControlError> {
        dynamics.difference(self.initial, state, gap)?;
        for (i, gap) in gap.iter_mut().enumerate() {
            let d = *gap;
            *gap = self.bounds.clamp(i, d) - d;
            lower[i] = self.bounds.lower[i] - d;
            upper[i] = self.bounds.upper[i] - d;
        }
        Ok(())
    }

    /// Brings a state within the limits, but for a part of a gap.
    pub fn clamp<D: Dynamics<State = S>>(
        &self,
        dynamics: &D,
        state: &mut S,
        (part, gap): (f64, &[f64]),
        displacement: &mut [f64],
    ) -> Result<(), ControlError> {
        self.write_mean(dynamics, state, displacement)?;
        for (i, d) in displacement.iter_mut().enumerate() {
            *d = self.bounds.clamp(i, *d);
            if part != 0.0 {
                *d -= part * gap[i];
            }
        }
        dynamics.displace(self.initial, displacement, state)
    }

    /// Lets members start where their mean is.
    pub fn align<D: Dynamics<State = S>>(
        &self,
        dynamics: &D,
        state: &mut S,
        displacement: &mut [f64],
    ) -> Result<(), ControlError> {
        self.write_mean(dynamics, state, displacement)?;
        dynamics.displace(self.initial, displacement, state)
    }

    /// Writes the mean displacement of the members, for each of them.
    fn write_mean<D: Dynamics<State = S>>(
        &self,
        dynamics: &D,
        state: &S,
        displacement: &mut [f64],
    ) -> Result<(), ControlError> {
        dynamics.difference(self.initial, state, displacement)?;
        let size = displacement.len() / self.parts;
        for i in 0..size {
            let alike = (i..displacement.len()).step_by(size);
            let sum: f64 = alike.clone().map(|j| displacement[j]).sum();
            alike.for_each(|j| displacement[j] = sum / self.parts as f64);
        }
        Ok(())
    }
}
