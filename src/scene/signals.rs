//! Charts of signals of a motion: inputs, outputs, positions of joints with their limits, deflections of bushings.

use super::symbols::limits;
use crate::plot::{Chart, Mark};
use crate::system::{RigidBodySystem, State};
use std::collections::BTreeMap;

/// The largest number of lines in a chart that nobody has asked for.
pub(super) const LINES: usize = 6;
/// The largest number of charts of inputs, and of outputs.
const CHARTS: usize = 6;

/// Points over time.
pub(super) fn over(times: &[f64], values: impl IntoIterator<Item = f64>) -> Vec<(f64, f64)> {
    times.iter().copied().zip(values).collect()
}

/// Charts of signals, of which `rows` has one value each at each time: those of one quantity together, which is what their
/// names have in common up to the last `/`; single ones side by side. More in one quantity than can be told apart have none.
pub(super) fn signal_charts(
    title: &str,
    names: &[String],
    times: &[f64],
    rows: &[impl AsRef<[f64]>],
) -> Vec<Chart> {
    let mut groups = Vec::<(&str, Vec<usize>)>::new();
    for (k, name) in names.iter().enumerate() {
        let quantity = name.rsplit_once('/').map_or("", |(quantity, _)| quantity);
        match groups.iter_mut().find(|(known, _)| *known == quantity) {
            Some((_, members)) => members.push(k),
            None => groups.push((quantity, vec![k])),
        }
    }
    let (several, single): (Vec<_>, Vec<_>) =
        (groups.into_iter()).partition(|(_, of)| of.len() > 1);
    let single: Vec<usize> = single.into_iter().flat_map(|(_, of)| of).collect();
    let single = single
        .chunks(LINES)
        .map(|of| (title.to_owned(), of.to_vec(), ""));
    let several = several.into_iter().filter(|(_, of)| of.len() <= 2 * LINES);
    let several = several.map(|(quantity, of)| (format!("{title}: {quantity}"), of, quantity));
    // What is zero all the time is not worth a chart.
    let acts = |k: &usize| rows.iter().any(|row| row.as_ref()[*k] != 0.0);
    let charts = single
        .chain(several)
        .filter(|(_, of, _)| of.iter().any(acts));
    let charts = charts.take(CHARTS);
    charts
        .map(|(title, members, quantity)| {
            let chart = Chart::new(title, "time [s]", "");
            members.into_iter().fold(chart, |chart, k| {
                let name = names[k].strip_prefix(quantity).unwrap_or(&names[k]);
                let values = rows.iter().map(|row| row.as_ref()[k]);
                chart.with(
                    name.trim_start_matches('/'),
                    Mark::Line,
                    over(times, values),
                )
            })
        })
        .collect()
}

/// The name of a joint, its positions, and its limits.
type Trace<'a> = (&'a str, Vec<f64>, [f64; 2]);

/// Charts of the positions of joints of one coordinate that move most, with the limits that they come near.
pub(super) fn joint_charts(
    system: &RigidBodySystem<f64>,
    states: &[State<f64>],
    frames: &[usize],
) -> Vec<Chart> {
    let times: Vec<f64> = frames.iter().map(|&k| states[k].time).collect();
    let mut units = BTreeMap::<&str, Vec<Trace>>::new();
    for joint in system.tree().joints() {
        if joint.num_positions() != 1 || joint.mimic().is_some() {
            continue;
        }
        let unit = match joint.kind() {
            crate::tree::JointKind::Prismatic { .. } => "m",
            _ => "rad",
        };
        let values = frames.iter().map(|&k| states[k].q[joint.position_start()]);
        let joint = (joint.name(), values.collect(), limits(system, joint));
        units.entry(unit).or_default().push(joint);
    }
    let chart = |(unit, mut joints): (&str, Vec<Trace>)| {
        joints.sort_by(|a, b| span(&b.1).total_cmp(&span(&a.1)));
        joints.truncate(LINES);
        let widest = joints.first().map_or(0.0, |joint| span(&joint.1));
        let title = match unit {
            "m" => "Positions of joints",
            _ => "Angles of joints",
        };
        let ends = [times[0], times[times.len() - 1]];
        let chart = Chart::new(title, "time [s]", unit);
        let chart = joints
            .into_iter()
            .fold(chart, |chart, (name, values, limits)| {
                let [low, high] = extremes(&values);
                let chart = chart.with(name, Mark::Line, over(&times, values));
                let is_near = |limit: f64| limit > low - widest && limit < high + widest;
                let near = limits.into_iter().filter(|limit| is_near(*limit));
                near.fold(chart, |chart, limit| {
                    chart.beside("", Mark::Dashes, ends.map(|t| (t, limit)).to_vec())
                })
            });
        (widest > 1e-9).then_some(chart)
    };
    units.into_iter().filter_map(chart).collect()
}

/// How far frame C of bushings is from frame A: of one bushing along each axis of A, of several the distances.
pub(super) fn deflection_chart(
    times: &[f64],
    deflections: Vec<(String, Vec<[f64; 3]>)>,
) -> Option<Chart> {
    if let [(name, p)] = &deflections[..] {
        let chart = Chart::new(format!("Deflection of {name}"), "time [s]", "m");
        let axes = ["x", "y", "z"].into_iter().enumerate();
        return Some(axes.fold(chart, |chart, (k, axis)| {
            chart.with(axis, Mark::Line, over(times, p.iter().map(|p| p[k])))
        }));
    }
    let norm = |p: &[f64; 3]| p.iter().map(|x| x * x).sum::<f64>().sqrt();
    let chart = Chart::new("Deflection of bushings", "time [s]", "m");
    let shown = deflections.iter().take(LINES);
    (!deflections.is_empty()).then(|| {
        shown.fold(chart, |chart, (name, p)| {
            chart.with(name, Mark::Line, over(times, p.iter().map(norm)))
        })
    })
}

fn extremes(values: &[f64]) -> [f64; 2] {
    let ends = [f64::INFINITY, f64::NEG_INFINITY];
    (values.iter()).fold(ends, |[low, high], &x| [low.min(x), high.max(x)])
}

fn span(values: &[f64]) -> f64 {
    let [low, high] = extremes(values);
    high - low
}
