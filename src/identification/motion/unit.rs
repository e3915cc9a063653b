//! Units of signals.

use std::f64::consts::{PI, TAU};

/// Symbols of SI with their exponents.
type Powers = &'static [(&'static str, i32)];

/// A symbol that is read, what it is in SI, how much of it, and whether it takes prefixes.
const SYMBOLS: [(&str, Powers, f64, bool); 20] = [
    ("1", &[], 1.0, false),
    ("m", &[("m", 1)], 1.0, true),
    ("kg", &[("kg", 1)], 1.0, false),
    ("g", &[("kg", 1)], 1e-3, true),
    ("s", &[("s", 1)], 1.0, true),
    ("min", &[("s", 1)], 60.0, false),
    ("A", &[("A", 1)], 1.0, true),
    ("K", &[("K", 1)], 1.0, true),
    ("N", &[("N", 1)], 1.0, true),
    ("Nm", &[("N", 1), ("m", 1)], 1.0, true),
    ("Pa", &[("Pa", 1)], 1.0, true),
    ("J", &[("J", 1)], 1.0, true),
    ("W", &[("W", 1)], 1.0, true),
    ("V", &[("V", 1)], 1.0, true),
    ("Hz", &[("Hz", 1)], 1.0, true),
    ("rad", &[("rad", 1)], 1.0, true),
    ("deg", &[("rad", 1)], PI / 180.0, false),
    ("°", &[("rad", 1)], PI / 180.0, false),
    ("rev", &[("rad", 1)], TAU, false),
    ("rpm", &[("rad", 1), ("s", -1)], PI / 30.0, false),
];

const PREFIXES: [(&str, f64); 10] = [
    ("G", 1e9),
    ("M", 1e6),
    ("k", 1e3),
    ("d", 1e-1),
    ("c", 1e-2),
    ("m", 1e-3),
    ("u", 1e-6),
    ("µ", 1e-6),
    ("μ", 1e-6),
    ("n", 1e-9),
];

/// Signs of exponents and their digits, as they are written high.
const HIGH: [(char, char); 11] = [
    ('⁻', '-'),
    ('⁰', '0'),
    ('¹', '1'),
    ('²', '2'),
    ('³', '3'),
    ('⁴', '4'),
    ('⁵', '5'),
    ('⁶', '6'),
    ('⁷', '7'),
    ('⁸', '8'),
    ('⁹', '9'),
];

/// A unit in SI: its symbols with exponents, and how much of that it is; `None` for symbols that are not known.
///
/// Symbols are separated by spaces, `·` or `*`; those behind a `/` divide. Exponents are `²`, `^2` or `2`.
fn parse(unit: &str) -> Option<(Vec<(&'static str, i32)>, f64)> {
    let mut symbols: Vec<(&str, i32)> = Vec::new();
    let mut scale = 1.0;
    for (k, part) in unit.split('/').enumerate() {
        let sign = if k == 0 { 1 } else { -1 };
        let words = part.split(['·', '⋅', '*', ' ']).filter(|w| !w.is_empty());
        let mut count = 0;
        for word in words {
            count += 1;
            let (name, exponent) = power(word)?;
            let (si, factor) = symbol(name)?;
            let exponent = sign * exponent;
            scale *= f64::powi(factor, exponent);
            for &(name, power) in si {
                match symbols.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, sum)) => *sum += power * exponent,
                    None => symbols.push((name, power * exponent)),
                }
            }
        }
        if count == 0 {
            return None;
        }
    }
    symbols.retain(|(_, exponent)| *exponent != 0);
    Some((symbols, scale))
}

/// A symbol and its exponent.
fn power(word: &str) -> Option<(&str, i32)> {
    if word == "1" {
        return Some((word, 1));
    }
    let is_high = |c: char| HIGH.iter().any(|(high, _)| *high == c);
    let is_part = |c: char| c.is_ascii_digit() || "^-".contains(c) || is_high(c);
    let name = word.trim_end_matches(is_part);
    let digits: String = (word[name.len()..].trim_start_matches('^').chars())
        .map(|c| HIGH.iter().find(|(high, _)| *high == c).map_or(c, |h| h.1))
        .collect();
    let exponent = match digits.as_str() {
        "" if name.len() < word.len() => None,
        "" => Some(1),
        digits => digits.parse().ok(),
    };
    // Larger ones are no units.
    let exponent = exponent.filter(|e: &i32| e.abs() <= 9)?;
    Some((name, exponent))
}

fn symbol(name: &str) -> Option<(Powers, f64)> {
    let whole = SYMBOLS.iter().find(|(symbol, ..)| *symbol == name);
    if let Some((_, si, factor, _)) = whole {
        return Some((si, *factor));
    }
    PREFIXES.iter().find_map(|(prefix, multiple)| {
        let rest = name.strip_prefix(prefix)?;
        let mut with_prefix = SYMBOLS.iter().filter(|(.., takes_prefix)| *takes_prefix);
        let (_, si, factor, _) = with_prefix.find(|(symbol, ..)| *symbol == rest)?;
        Some((*si, multiple * factor))
    })
}

/// A unit in SI, as this crate writes it (`N m`, `m/s²`), and how much of that it is: `mN m` is 10⁻³ `N m`. `None` for
/// one that is not known.
pub(super) fn in_si(unit: &str) -> Option<(String, f64)> {
    let (symbols, scale) = parse(unit)?;
    let written = |sign: i32| {
        let side = symbols.iter().filter(|(_, e)| e.signum() == sign);
        let words = side.map(|(name, e)| format!("{name}{}", high(e.abs())));
        words.collect::<Vec<_>>().join(" ")
    };
    let (above, below) = (written(1), written(-1));
    let unit = match (above.is_empty(), below.is_empty()) {
        (true, true) => "1".to_owned(),
        (false, true) => above,
        (true, false) => format!("1/{below}"),
        (false, false) => format!("{above}/{below}"),
    };
    Some((unit, scale))
}

/// An exponent as it is written: none for 1.
fn high(exponent: i32) -> String {
    let digit = |c: char| HIGH.iter().find(|(_, low)| *low == c).map_or(c, |h| h.0);
    match exponent {
        1 => String::new(),
        other => other.to_string().chars().map(digit).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::in_si;
    use std::f64::consts::PI;

    #[test]
    fn units_are_brought_to_si() {
        for (unit, si, factor) in [
            ("mN m", "N m", 1e-3),
            ("mNm", "N m", 1e-3),
            ("N·mm", "N m", 1e-3),
            ("kN", "N", 1e3),
            ("g", "kg", 1e-3),
            ("mg", "kg", 1e-6),
            ("mrad", "rad", 1e-3),
            ("deg/s", "rad/s", PI / 180.0),
            ("°/s^2", "rad/s²", PI / 180.0),
            ("rpm", "rad/s", PI / 30.0),
            ("m/s/s", "m/s²", 1.0),
            ("mm/s2", "m/s²", 1e-3),
            ("g cm²", "kg m²", 1e-7),
            ("N m s/rad", "N m s/rad", 1.0),
            ("1/s", "1/s", 1.0),
            ("s⁻¹", "1/s", 1.0),
            ("mm/m", "1", 1e-3),
            ("1", "1", 1.0),
            ("µm", "m", 1e-6),
        ] {
            let (found, scale) = in_si(unit).unwrap();
            assert_eq!(found, si, "{unit}");
            assert!((scale / factor - 1.0).abs() < 1e-14, "{unit}: {scale}");
        }
        for unit in ["SI", "counts", "", "/s", "N//m", "m^", "kkg", "m^99", "2"] {
            assert_eq!(in_si(unit), None, "{unit}");
        }
    }
}
