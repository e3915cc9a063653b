//! MJCF: numbers in text.

/// A number as C writes it: decimal, hexadecimal (`0x1.8p3` is 12), `inf` or `nan`. None if it is none of these or too
/// large.
pub(super) fn number(word: &str) -> Option<f64> {
    let value = word.parse().ok().or_else(|| hexadecimal(word))?;
    let is_too_large = f64::is_infinite(value) && word.contains(|c: char| c.is_ascii_digit());
    (!is_too_large).then_some(value)
}

/// Of at most sixteen digits.
fn hexadecimal(word: &str) -> Option<f64> {
    let (sign, rest) = match word.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, word.strip_prefix('+').unwrap_or(word)),
    };
    let digits = rest.strip_prefix("0x").or(rest.strip_prefix("0X"))?;
    let (digits, power) = digits.split_once(['p', 'P']).unwrap_or((digits, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = [whole, fraction].concat();
    let is_digits = digits.chars().all(|c| c.is_ascii_hexdigit());
    let value = u64::from_str_radix(&digits, 16)
        .ok()
        .filter(|_| is_digits)?;
    let power: i16 = power.parse().ok()?;
    let power = i32::from(power) - 4 * i32::try_from(fraction.len()).ok()?;
    // In two factors, since one may be too large or too small where the number is not.
    let factors = [power / 2, power - power / 2].map(|power| 2.0_f64.powi(power));
    let size = value as f64 * factors[0] * factors[1];
    Some(if value == 0 { 0.0 } else { sign * size })
}
