//! Inputs between their samples, by the hold of the device that applied them.

/// What a device makes of an input between two samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Hold {
    /// It keeps each sample until the next (zero-order hold).
    #[default]
    ZeroOrder,
    /// It goes straight from each sample to the next (first-order hold).
    FirstOrder,
    /// As [`Self::ZeroOrder`], of samples that are written only when the input changes: any time may pass between two.
    OnChange,
}

impl Hold {
    /// The means of an input over `count` steps, the first of which begins at 0. `times` grow, in steps; before the first
    /// sample and after the last the input is that sample.
    pub(super) fn means(self, times: &[f64], values: &[f64], count: usize) -> Vec<f64> {
        let Some(last) = times.len().checked_sub(1) else {
            return vec![f64::NAN; count];
        };
        let mut next = 0;
        let mut mean = |step: usize| {
            let (mut from, end) = (step as f64, step as f64 + 1.0);
            let mut sum = 0.0;
            loop {
                while next <= last && times[next] <= from {
                    next += 1;
                }
                let to = times.get(next).map_or(end, |t| t.min(end));
                let [before, after] = [next.saturating_sub(1), next.min(last)];
                let (a, b) = (values[before], values[after]);
                let value = match self {
                    Hold::FirstOrder if before < after => {
                        let middle = 0.5 * (from + to);
                        let part = (middle - times[before]) / (times[after] - times[before]);
                        a + (b - a) * part
                    }
                    _ => a,
                };
                sum += value * (to - from);
                if to >= end {
                    return sum;
                }
                from = to;
            }
        };
        (0..count).map(&mut mean).collect()
    }
}
