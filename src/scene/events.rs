//! Events of a motion: contacts made and broken, and other kinks.

use crate::contact::ContactResult;
use std::collections::{BTreeMap, BTreeSet};

/// Something that changes at a time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Event {
    /// In s.
    pub time: f64,
    pub text: String,
    /// What kind of change it is, for colour: `contact`, `friction` or `element`.
    pub kind: &'static str,
}

/// What a pair of geometries does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Contact {
    Sticks,
    Slips,
}

/// Watches the steps of a rollout for kinks that it passes.
#[derive(Debug, Default)]
pub(super) struct Watch {
    pub events: Vec<Event>,
    /// The pairs that exert forces.
    contacts: BTreeMap<usize, Contact>,
    /// Distances from the kinks of elements at the last two steps, of those that are called the same in their order.
    distances: BTreeMap<(String, &'static str, usize), [f64; 2]>,
    /// How many kinks of a name this step has had.
    counts: BTreeMap<(String, &'static str), usize>,
    /// The inequalities that act.
    acting: BTreeSet<String>,
}

impl Watch {
    /// Takes what the contacts of a step that starts at `time` do; `names` are those of the two
    /// geometries of a pair, and slip is faster than `tolerance` in m/s. The first step changes nothing.
    pub fn contacts(
        &mut self,
        time: f64,
        contacts: &[ContactResult<f64>],
        tolerance: f64,
        names: impl Fn(usize) -> [String; 2],
        is_first: bool,
    ) {
        let mut now = BTreeMap::new();
        for contact in contacts.iter().filter(|c| c.force.z > 0.0) {
            let slips = contact.slip_speed() > tolerance;
            let doing = now.entry(contact.contact.pair).or_insert(Contact::Sticks);
            if slips {
                *doing = Contact::Slips;
            }
        }
        let before = std::mem::replace(&mut self.contacts, now);
        if is_first {
            return;
        }
        let mut add = |kind, pair, what: &str| {
            let [a, b] = names(pair);
            let text = format!("{a} {what} {b}");
            self.events.push(Event { time, text, kind });
        };
        for (&pair, &doing) in &self.contacts {
            match (before.get(&pair), doing) {
                (None, _) => add("contact", pair, "touches"),
                (Some(Contact::Sticks), Contact::Slips) => add("friction", pair, "slips on"),
                (Some(Contact::Slips), Contact::Sticks) => add("friction", pair, "sticks to"),
                _ => {}
            }
        }
        for &pair in before.keys().filter(|p| !self.contacts.contains_key(p)) {
            add("contact", pair, "leaves");
        }
    }

    /// Takes the names of the inequalities that act in a step that starts at `time`.
    /// The first step changes nothing.
    pub fn inequalities(&mut self, time: f64, acting: BTreeSet<String>, is_first: bool) {
        let before = std::mem::replace(&mut self.acting, acting);
        if is_first {
            return;
        }
        for name in self.acting.symmetric_difference(&before) {
            let what = match self.acting.contains(name) {
                true => "acts",
                false => "releases",
            };
            let text = format!("{name} {what}");
            let kind = "element";
            self.events.push(Event { time, text, kind });
        }
    }

    /// Begins the distances of a step.
    pub fn begin_distances(&mut self) {
        self.counts.clear();
    }

    /// Takes the distance of an element from a kink at the step that starts at `time`, after one that
    /// started at `before`.
    ///
    /// A distance has no sign. Of the ways to give it one (no passage in the last two steps, one in the
    /// first or the second of them), that is taken which makes the quantity the smoothest function of
    /// time, with the smallest second difference.
    pub fn distance(&mut self, before: f64, element: &str, change: &'static str, distance: f64) {
        let count = (self.counts)
            .entry((element.to_owned(), change))
            .or_default();
        let last = (self.distances).entry((element.to_owned(), change, *count));
        *count += 1;
        let last = last.or_insert([f64::NAN; 2]);
        let [first, middle] = std::mem::replace(last, [last[1], distance]);
        let turned = (distance - 2.0 * middle + first).abs();
        let passed_before = (-distance + 2.0 * middle + first).abs();
        let passed = (-distance - 2.0 * middle + first).abs();
        if passed < turned && passed < passed_before {
            let text = format!("{element}: {change}");
            let kind = "element";
            self.events.push(Event {
                time: before,
                text,
                kind,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_told_from_a_turn() {
        let events = |x: &dyn Fn(f64) -> f64| {
            let mut watch = Watch::default();
            for k in 0..100 {
                let t = 0.01 * f64::from(k);
                watch.begin_distances();
                watch.distance(t - 0.01, "stop", "upper stop", x(t).abs());
            }
            watch.events.iter().map(|e| e.time).collect::<Vec<_>>()
        };
        assert!(events(&|t| (t - 0.503) * (t - 0.503) + 0.001).is_empty());
        let passages = events(&|t| t - 0.503);
        assert_eq!(passages.len(), 1, "{passages:?}");
        assert!((passages[0] - 0.5).abs() < 1e-9);
        assert_eq!(events(&|t| (6.0 * t).sin() + 0.5).len(), 1);
    }

    #[test]
    fn kinks_of_one_name_are_told_apart() {
        let mut watch = Watch::default();
        for k in 0..100 {
            let t = 0.01 * f64::from(k);
            watch.begin_distances();
            for distance in [1.0 + t, (t - 0.503).abs(), 2.0 - t] {
                watch.distance(t - 0.01, "lidar", "grazing", distance);
            }
        }
        assert_eq!(watch.events.len(), 1, "{:?}", watch.events);
    }
}
