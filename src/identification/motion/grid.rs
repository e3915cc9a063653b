//! The samples of a recording on the steps of its machine.

use super::columns::{Column, Columns};
use super::hold::Hold;
use super::signals::{JITTER, Places, Signals, usual_interval};
use crate::InvalidInput;

/// The interval of the samples may be off a number of steps by this part of it,
const GRID_TOLERANCE: f64 = 1e-6;
/// or by so much that the last sample is off its step by what the first and the last may be off the rate.
const DRIFT: f64 = 2.0 * JITTER;
/// Times that are not at a constant rate are on a step if only this part of it is between.
const ROUND_OFF: f64 = 1e-6;
/// Largest number of steps from row to row.
const MAX_STEPS: f64 = 1e5;
/// Largest number of steps of a recording.
const MAX_LENGTH: f64 = 1e7;
/// Samples that are nearer than this part of the usual interval may fall into one row.
pub(super) const NEAR: f64 = 0.5;

/// The samples of a recording in rows, from one to the next of which the machine makes a number of steps.
///
/// A sample belongs to the row at its time or else to the next, and remembers how much earlier it was taken.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    /// Time of the first row, in s.
    pub start: f64,
    /// Number of rows.
    pub rows: usize,
    /// Steps from row to row.
    pub steps: usize,
    /// Time from row to row, in s.
    pub interval: f64,
    /// Means over the steps, step by step.
    pub inputs: Vec<f64>,
    /// Row by row.
    pub measured: Vec<f64>,
    /// Where the signals of each channel begin in a row of `measured`.
    pub columns: Vec<usize>,
    /// What the rows have of each channel, row by row.
    samples: Vec<Option<Sample>>,
    /// Of the tables of the channels.
    places: Vec<Places>,
}

/// A sample of a channel in a row.
#[derive(Debug, Clone, Copy)]
struct Sample {
    /// Its number in its table.
    number: usize,
    /// Its time less that of the row, in s; not positive.
    offset: f64,
}

/// The part of a recording that is simulated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    /// In s.
    pub start: f64,
    /// In s.
    pub end: f64,
}

impl Span {
    /// From the first row of a table of channels to the last.
    pub fn of_channels(columns: &Columns) -> Self {
        let tables = || rate_tables(columns);
        Span {
            start: tables().map(|t| t.time(0)).fold(f64::INFINITY, f64::min),
            end: tables().map(last_time).fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// The tables that have samples of channels, or all if there are no channels.
fn rate_tables<'c, 's: 'c>(columns: &'c Columns<'s>) -> impl Iterator<Item = &'s Signals> + 'c {
    let measured = columns.measured.iter().flatten();
    let inputs = columns
        .inputs
        .iter()
        .filter(|_| columns.measured.is_empty());
    measured.chain(inputs).map(|column| column.table)
}

fn last_time(table: &Signals) -> f64 {
    table.time(table.len().saturating_sub(1))
}

/// The samples of a channel of which anything was recorded.
fn present(channel: &[Column]) -> impl Iterator<Item = usize> {
    let count = channel.first().map_or(0, |column| column.values.len());
    (0..count).filter(|&i| channel.iter().any(|column| !column.values[i].is_nan()))
}

/// Steps from row to row: of the interval of the fastest table of channels, if that is a whole number of them, or else as many
/// as fit into it; where there is no constant rate, into the shortest interval of a channel that is not nearly none.
fn steps_of(columns: &Columns, time_step: f64) -> Result<usize, InvalidInput> {
    let at_rate = rate_tables(columns).filter(|table| table.is_at_rate());
    let at_rate = at_rate.map(|table| (table.len(), table.interval()));
    let inputs = columns
        .inputs
        .chunks(1)
        .filter(|_| columns.measured.is_empty());
    let channels = columns.measured.iter().map(Vec::as_slice).chain(inputs);
    let scattered = channels.filter(|channel| channel.iter().any(|c| !c.table.is_at_rate()));
    let shortest = scattered.map(|channel| {
        let times: Vec<f64> = present(channel).map(|i| channel[0].table.time(i)).collect();
        let usual = usual_interval(&times).unwrap_or(f64::INFINITY);
        let intervals = times.windows(2).map(|t| t[1] - t[0]);
        let apart = intervals.filter(|h| *h >= NEAR * usual);
        (times.len(), apart.fold(usual, f64::min))
    });
    let least = at_rate.chain(shortest).map(|(count, interval)| {
        let ratio = interval / time_step;
        let tolerance = GRID_TOLERANCE.max(DRIFT / count.saturating_sub(1).max(1) as f64);
        let is_whole = (ratio - ratio.round()).abs() <= tolerance * ratio;
        (
            ratio,
            if is_whole {
                ratio.round()
            } else {
                ratio.floor()
            },
        )
    });
    let least = least.min_by(|a, b| a.1.total_cmp(&b.1));
    let (ratio, steps) = least.unwrap_or((1.0, 1.0));
    let name = "interval of the signals in time steps";
    InvalidInput::check_range(name, &[ratio], "a number from 1 to 10⁵", |_| {
        (1.0..=MAX_STEPS).contains(&steps)
    })?;
    Ok(steps as usize)
}

/// A place on a grid of whole numbers, that may be off it by a tolerance.
fn on_grid(at: f64, tolerance: f64) -> f64 {
    match (at - at.round()).abs() <= tolerance {
        true => at.round(),
        false => at,
    }
}

impl Grid {
    /// The samples within a span.
    pub fn new(
        columns: &Columns,
        holds: &[Hold],
        span: Span,
        time_step: f64,
    ) -> Result<Self, InvalidInput> {
        let steps = steps_of(columns, time_step)?;
        let interval = steps as f64 * time_step;
        let rows = on_grid((span.end - span.start) / interval, DRIFT).ceil() + 1.0;
        InvalidInput::check_range("number of samples", &[rows], "at least 2", |n| n >= 2.0)?;
        let length = [rows * steps as f64];
        InvalidInput::check_range("steps of a recording", &length, "at most 10⁷", |n| {
            n <= MAX_LENGTH
        })?;
        let rows = rows as usize;

        let mut starts = Vec::with_capacity(columns.measured.len());
        let mut width = 0;
        for channel in &columns.measured {
            starts.push(width);
            width += channel.len();
        }
        let channels = columns.measured.len();
        let mut measured = vec![f64::NAN; rows * width];
        let mut samples = vec![None; rows * channels];
        for (c, channel) in columns.measured.iter().enumerate() {
            let Some(table) = channel.first().map(|column| column.table) else {
                continue;
            };
            let tolerance = if table.is_at_rate() { DRIFT } else { ROUND_OFF };
            for number in present(channel) {
                let at = on_grid((table.time(number) - span.start) / interval, tolerance);
                let row = at.ceil();
                if at < 0.0 || row >= rows as f64 {
                    continue;
                }
                let offset = (at - row) * interval;
                let row = row as usize;
                samples[row * channels + c] = Some(Sample { number, offset });
                let of_channel = &mut measured[row * width + starts[c]..];
                for (value, column) in of_channel.iter_mut().zip(channel) {
                    *value = column.values[number];
                }
            }
        }

        let count = (rows - 1) * steps + 1;
        let fed = columns.inputs.iter().zip(holds).map(|(column, hold)| {
            let tolerance = match column.table.is_at_rate() {
                true => (DRIFT * column.table.interval() / time_step).min(NEAR * NEAR),
                false => ROUND_OFF,
            };
            let in_steps = |&time: &f64| on_grid((time - span.start) / time_step, tolerance);
            let times: Vec<f64> = column.times().iter().map(in_steps).collect();
            let values: Vec<f64> = column.present().map(|i| column.values[i]).collect();
            hold.means(&times, &values, count)
        });
        let fed: Vec<Vec<f64>> = fed.collect();
        let inputs = (0..count).flat_map(|step| fed.iter().map(move |means| means[step]));
        let inputs = inputs.collect();
        let is_only = |table: &Signals| rate_tables(columns).all(|t| std::ptr::eq(t, table));
        let places = columns.measured.iter().filter_map(|channel| {
            let table = channel.first()?.table;
            Some(match is_only(table) {
                true => table.places().within(),
                false => table.places().clone(),
            })
        });
        Ok(Grid {
            start: span.start,
            rows,
            steps,
            interval,
            inputs,
            measured,
            columns: starts,
            samples,
            places: places.collect(),
        })
    }

    /// The time of a row, in s.
    pub fn time(&self, row: usize) -> f64 {
        self.start + self.interval * row as f64
    }

    /// How much earlier than a row a channel was sampled, in s; not positive.
    pub fn offset(&self, row: usize, channel: usize) -> f64 {
        self.sample(row, channel)
            .map_or(0.0, |sample| sample.offset)
    }

    /// The number of a sample of a channel in its table.
    pub fn number(&self, row: usize, channel: usize) -> usize {
        self.sample(row, channel)
            .map_or(row, |sample| sample.number)
    }

    /// Where a sample of a channel was read.
    pub fn place(&self, row: usize, channel: usize) -> String {
        match (self.places.get(channel), self.sample(row, channel)) {
            (Some(places), Some(sample)) => places.of(sample.number),
            _ => format!("sample {row}"),
        }
    }

    /// Where a sample of any channel was read.
    pub fn place_of_row(&self, row: usize) -> String {
        let channels = 0..self.columns.len();
        let channel = channels.clone().find(|&c| self.sample(row, c).is_some());
        self.place(row, channel.unwrap_or(0))
    }

    fn sample(&self, row: usize, channel: usize) -> Option<Sample> {
        let index = row * self.columns.len() + channel;
        self.samples.get(index).copied().flatten()
    }
}
