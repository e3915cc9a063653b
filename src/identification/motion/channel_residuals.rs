//! The residuals of a recording, channel by channel.

use super::error::MotionError;
use super::experiment::MotionExperiment;
use crate::InvalidInput;
use crate::identification::Autocorrelation;
use crate::identification::robust_cost::median_deviation;

/// A residual beyond so many times what its channel scatters by is an outlier: chance makes 6 of 10⁷ normal ones that large.
const OUTLYING: f64 = 5.0;
/// Residuals that scatter by less are round-off.
const LEAST_SCATTER: f64 = 1e-3;

/// The residuals of one channel of a recording.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ChannelResiduals {
    /// Name of the channel.
    pub channel: String,
    /// Number of residuals.
    pub count: usize,
    /// Their root mean square, in deviations of the channel, outliers included.
    pub root_mean_square: f64,
    /// What they scatter by without outliers, 1.4826 times the median of their magnitudes: 1 where the deviations and the
    /// model are right.
    pub scatter: f64,
    /// Whether they are independent of each other, of the entry where that is least likely; `None` for fewer than 8.
    pub autocorrelation: Option<Autocorrelation>,
    /// Those that are larger than five times the scatter, in order.
    pub outliers: Vec<Outlier>,
}

/// A sample that is far from the fit.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outlier {
    /// The entry of the residual of its channel.
    pub entry: usize,
    /// Number of the sample in its table, from 0.
    pub sample: usize,
    /// Its time, in s.
    pub time: f64,
    /// Its line in the table that it was read from, `line 14`, or else its number, `sample 12`; behind the file, if there are
    /// several.
    pub place: String,
    /// The residual, in deviations of the channel.
    pub residual: f64,
}

impl MotionExperiment {
    /// Residuals of what was measured, in the order of [`Experiment`](crate::identification::Experiment), by channels;
    /// [`MultipleShootingFit::residuals`](crate::identification::MultipleShootingFit::residuals) has them.
    ///
    /// # Errors
    /// [`MotionError::Invalid`] for another number of residuals.
    pub fn channel_residuals(
        &self,
        residuals: &[f64],
    ) -> Result<Vec<ChannelResiduals>, MotionError> {
        let by_entry = self.by_entry(residuals)?;
        let channels = self.model.channels().iter().zip(&by_entry);
        Ok(channels
            .enumerate()
            .map(|(c, (channel, entries))| {
                let all = || entries.iter().flatten().map(|(_, r)| *r);
                let scatter = median_deviation(all().map(f64::abs).collect()).unwrap_or(0.0);
                let limit = OUTLYING * scatter.max(LEAST_SCATTER);
                let mut outliers: Vec<_> = (entries.iter().enumerate())
                    .flat_map(|(entry, series)| series.iter().map(move |&(row, r)| (row, entry, r)))
                    .filter(|(.., r)| r.abs() > limit)
                    .map(|(row, entry, residual)| Outlier {
                        entry,
                        sample: self.grid.number(row, c),
                        time: self.sample_time(row, c),
                        place: self.grid.place(row, c),
                        residual,
                    })
                    .collect();
                outliers.sort_by_key(|outlier| (outlier.sample, outlier.entry));
                let count = all().count();
                let squares: f64 = all().map(|r| r * r).sum();
                ChannelResiduals {
                    channel: channel.name.clone(),
                    count,
                    root_mean_square: (squares / count.max(1) as f64).sqrt(),
                    scatter,
                    autocorrelation: (entries.iter())
                        .filter_map(|series| {
                            let series: Vec<f64> = series.iter().map(|(_, r)| *r).collect();
                            Autocorrelation::of(&series)
                        })
                        .max_by(|a, b| a.deviate.total_cmp(&b.deviate)),
                    outliers,
                }
            })
            .collect())
    }

    /// The residuals of each entry of each channel, with their rows.
    #[allow(clippy::type_complexity)]
    pub(super) fn by_entry(
        &self,
        residuals: &[f64],
    ) -> Result<Vec<Vec<Vec<(usize, f64)>>>, MotionError> {
        let channels = self.model.channels();
        let mut by_entry: Vec<Vec<_>> = (channels.iter())
            .map(|channel| vec![Vec::new(); channel.deviations.len()])
            .collect();
        let measured = (0..self.grid.rows).flat_map(|row| {
            channels.iter().enumerate().flat_map(move |(c, channel)| {
                let entries = 0..channel.deviations.len();
                let is_measured = move |&i: &usize| channel.is_measured(self.signals(row, c), i);
                entries.filter(is_measured).map(move |i| (row, c, i))
            })
        });
        let mut count = 0;
        for ((row, c, entry), r) in measured.zip(residuals) {
            by_entry[c][entry].push((row, *r));
            count += 1;
        }
        let expected = crate::identification::Experiment::residual_count(self);
        InvalidInput::check_size("residuals", residuals.len(), expected.max(count))?;
        Ok(by_entry)
    }
}
