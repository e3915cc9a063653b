//! Readers of machines, states, tables and signals on files that something has damaged: an error or what
//! the file says, no panic, no hang, no memory beyond that of the file.
//!
//! `DUALBODY_MUTATIONS` says how many of each file; `--release` for many.

use crate::support::mutation::{count, in_time, mutated};
use crate::support::random_contact::Random;
use dualbody::system::{read_signal, write_signal};

#[path = "../../../examples/identify_bushing/data.rs"]
#[allow(dead_code)]
mod releases;
#[path = "../../../examples/identify_contact/tosses.rs"]
#[allow(dead_code)]
mod tosses;

/// What the examples call their errors.
mod support {
    pub type Failure = Box<dyn std::error::Error>;
}

/// Reads damaged copies of a text; some are refused, and some are read.
fn attack(what: &str, text: &str, seed: u64, read: impl Fn(&str) -> bool) {
    attack_by(mutated, what, text, seed, read);
}

fn attack_by(
    mutated: impl Fn(&str, &mut Random) -> String,
    what: &str,
    text: &str,
    seed: u64,
    read: impl Fn(&str) -> bool,
) {
    assert!(read(text), "{what} as it is");
    let mut random = Random::new(seed);
    let mut understood = 0;
    for i in 0..count() {
        let damaged = mutated(text, &mut random);
        let one = format!("{what}, mutation {i}");
        understood += usize::from(in_time(&one, || read(&damaged)).0);
    }
    let count = count();
    println!("{what}: {understood} of {count} read");
    assert!(understood > 0 && understood < count, "{what}: {understood}");
}

mod json {
    use super::{super::json, attack_by};
    use crate::support::mutation;
    use crate::support::random_contact::Random;
    use dualbody::system::{RigidBodySystem, State, TimeSteppingRigidBodySystem};
    use serde_json::{Value, json};

    /// The text with other bytes, or with other values in places of some.
    fn mutated(text: &str, random: &mut Random) -> String {
        if random.index(2) == 0 {
            return mutation::mutated(text, random);
        }
        let mut value: Value = serde_json::from_str(text).unwrap();
        let leaves = count(&value);
        for _ in 0..=random.index(3) {
            let other = match random.index(12) {
                0 => Value::Null,
                1 => json!("inf"),
                2 => json!(u64::MAX),
                3 => json!(true),
                4 => json!([]),
                5 => json!({}),
                6 => json!(random.index(100_000)),
                7 => json!(0.0),
                8 => json!(-random.logarithmic(1e-3, 1e3)),
                _ => json!(random.logarithmic(1e-12, 1e12)),
            };
            json::replace_leaf(&mut value, &mut random.index(leaves), &other);
        }
        value.to_string()
    }

    fn count(value: &Value) -> usize {
        match value {
            Value::Object(map) => map.values().map(count).sum(),
            Value::Array(list) => list.iter().map(count).sum(),
            _ => 1,
        }
    }

    /// Whether everything in a text is in another: numbers, words, and the members of objects, of which the
    /// other may have more, and zeros in place of what is missing.
    fn is_part(part: &Value, whole: &Value, place: &str) -> Result<(), String> {
        match (part, whole) {
            (Value::Object(a), Value::Object(b)) => a.iter().try_for_each(|(key, a)| {
                let place = format!("{place}/{key}");
                match b.get(key) {
                    Some(b) => is_part(a, b, &place),
                    // What is left out means nothing.
                    None if a.is_null() => Ok(()),
                    None => Err(format!("{place} is gone")),
                }
            }),
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => (a.iter().zip(b))
                .enumerate()
                .try_for_each(|(i, (a, b))| is_part(a, b, &format!("{place}/{i}"))),
            (Value::Number(a), Value::Number(b)) => {
                let (x, y) = (a.as_f64().unwrap(), b.as_f64().unwrap());
                let close = (x - y).abs() <= 1e-9 * x.abs().max(y.abs()).max(1e-3);
                let same = close.then_some(());
                same.ok_or(format!("{place}: {a} has become {b}"))
            }
            _ if part == whole => Ok(()),
            _ => Err(format!("{place}: {part} has become {whole}")),
        }
    }

    /// Makes a step, if there is one.
    fn exercise(machine: &TimeSteppingRigidBodySystem<f64>) {
        let Ok(mut workspace) = machine.workspace() else {
            return;
        };
        let state = machine.initial_state();
        let input = vec![0.1; machine.num_inputs()];
        if let Ok(step) = machine.step(&mut workspace, &state, &input) {
            let State { q, v, .. } = step.state();
            assert!(q.iter().chain(v).all(|x| x.is_finite()));
        }
    }

    fn read_stepped(text: &str) -> bool {
        let Ok(machine) = TimeSteppingRigidBodySystem::from_json(text) else {
            return false;
        };
        let (given, written) = (text, machine.to_json().unwrap());
        let [given, again]: [Value; 2] =
            [given, &written].map(|text| serde_json::from_str(text).unwrap());
        is_part(&given, &again, "").unwrap_or_else(|what| panic!("{what}\n{text}"));
        exercise(&machine);
        true
    }

    #[test]
    fn damaged_machines_are_refused_or_read() {
        let text = json::everything().to_json().unwrap();
        attack_by(
            mutated,
            "machine with every element",
            &text,
            6,
            read_stepped,
        );
    }

    #[test]
    fn damaged_robots_are_refused_or_read() {
        let text = json::quadruped().to_json().unwrap();
        attack_by(mutated, "quadruped", &text, 7, |text| {
            let Ok(machine) = RigidBodySystem::from_json(text) else {
                return false;
            };
            exercise(&TimeSteppingRigidBodySystem::compliant(machine, 1e-3).unwrap());
            true
        });
    }

    #[test]
    fn damaged_states_of_machines_are_refused_or_read() {
        let machine = json::everything();
        let text = machine.state_to_json(&machine.initial_state()).unwrap();
        attack_by(mutated, "state", &text, 8, |text| {
            let Ok(state) = machine.state_from_json(text) else {
                return false;
            };
            assert_eq!(state.q.len(), machine.initial_state().q.len());
            let written = machine.state_to_json(&state).unwrap();
            assert_eq!(machine.state_from_json(&written).unwrap(), state);
            true
        });
    }
}

#[test]
fn damaged_tables_are_refused_or_read() {
    let first = |text: &str, lines| text.lines().take(lines).collect::<Vec<_>>().join("\n");
    let text = first(
        include_str!("../../../examples/data/mujoco_tosses.csv"),
        300,
    );
    attack("tosses", &text, 9, |text| {
        let Ok(tosses) = tosses::parse("damaged.csv", text) else {
            return false;
        };
        assert!(tosses.iter().all(|toss| toss.samples.len() > 1));
        let samples = tosses.iter().flat_map(|toss| &toss.samples);
        for sample in samples {
            assert!(sample.time.is_finite() && sample.position.iter().all(|x| x.is_finite()));
            assert!((sample.orientation.norm() - 1.0).abs() < 1e-9);
        }
        true
    });
    let text = first(
        include_str!("../../../examples/data/drake_bushing.csv"),
        300,
    );
    attack("releases", &text, 10, |text| {
        let Ok(releases) = releases::parse(text) else {
            return false;
        };
        releases.iter().all(|release| !release.samples.is_empty())
    });
}

#[test]
fn damaged_signals_are_refused_or_what_they_say() {
    let mut random = Random::new(12);
    let (mut whole, mut understood) = (Vec::new(), 0);
    for values in [&[0.1, -0.0, f64::MIN_POSITIVE][..], &[], &[7.0; 40]] {
        write_signal(&mut whole, values).unwrap();
    }
    for _ in 0..count() {
        let mut bytes = whole.clone();
        for _ in 0..=random.index(3) {
            let at = random.index(bytes.len());
            bytes[at] = random.index(256) as u8;
        }
        bytes.truncate(bytes.len() - random.index(2) * random.index(bytes.len()));
        let (mut rest, mut written) = (bytes.as_slice(), Vec::new());
        while let Ok(values) = in_time("signal", || read_signal(&mut rest)).0 {
            write_signal(&mut written, &values).unwrap();
            understood += 1;
        }
        assert_eq!(written, bytes[..written.len()]);
    }
    assert!(understood > count(), "{understood}");
}
