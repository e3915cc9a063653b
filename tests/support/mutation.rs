//! Texts that something has damaged.

use super::random_contact::Random;
use std::time::{Duration, Instant};

/// Far above what the largest file takes, for machines that do something else as well.
const LIMIT: Duration = Duration::from_secs(20);

/// Words that readers treat in a way of their own.
const WORDS: &[&str] = &[
    "",
    "0",
    "-1",
    "1e308",
    "1e-308",
    "-1e400",
    "nan",
    "inf",
    "0 0 0",
    "0 0 0 0",
    "1 2",
    "<",
    "/>",
    "\"",
    "&amp;",
    "&#0;",
    "&",
    "<!--",
    "<![CDATA[",
    "\u{0}",
    "\u{2028}",
    "ä",
    "world",
    "name",
    "../../etc",
    "true",
    "null",
    "[]",
    "{}",
    "99999999999",
];

/// How many of each file: `DUALBODY_MUTATIONS`, or a number that a test can afford.
pub fn count() -> usize {
    std::env::var("DUALBODY_MUTATIONS").map_or(60, |n| n.parse().expect("a number"))
}

/// What a reader makes of something damaged, which must not take long, and how long it took.
pub fn in_time<R>(what: &str, read: impl FnOnce() -> R) -> (R, Duration) {
    let start = Instant::now();
    let result = read();
    let taken = start.elapsed();
    assert!(taken < LIMIT, "{what}: {taken:?}");
    (result, taken)
}

/// The text with one to four changes.
pub fn mutated(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.index(4) {
        if bytes.is_empty() {
            break;
        }
        let (a, b) = (random.index(bytes.len()), random.index(bytes.len()));
        let near = |from: usize, length: usize| from..(from + 1 + length).min(bytes.len());
        let word = WORDS[random.index(WORDS.len())].as_bytes();
        match random.index(10) {
            0 => bytes[a] = (random.index(96) + 32) as u8,
            1 => bytes[a] = random.index(256) as u8,
            2 => drop(bytes.drain(near(a, random.index(40)))),
            3 => bytes.truncate(a),
            4 => drop(bytes.splice(near(a, random.index(12)), word.iter().copied())),
            5 => {
                let copy = bytes[near(a, random.index(400))].to_vec();
                drop(bytes.splice(b..b, copy));
            }
            _ => {
                // What stands in quotes, replaced.
                let quote = |from: usize| {
                    let rest = bytes[from..].iter();
                    rest.clone().position(|&x| x == b'"').map(|k| from + k)
                };
                if let Some(start) = quote(a)
                    && let Some(end) = quote(start + 1)
                {
                    drop(bytes.splice(start + 1..end, word.iter().copied()));
                }
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
