//! Numbers with the digits that mean something.

/// Four significant digits.
pub(super) fn figure(x: f64) -> String {
    let text = match x.abs() {
        0.0 => "0".to_owned(),
        1e-3..1e5 => {
            let decimals = (3.0 - x.abs().log10().floor()).max(0.0) as usize;
            format!("{x:.decimals$}")
        }
        _ => format!("{x:.3e}"),
    };
    text.replace('-', "−")
}

/// A number with two digits of its standard error.
pub(super) fn rounded(x: f64, error: f64) -> String {
    if !(error > 0.0 && error.is_finite() && x.is_finite()) {
        return figure(x);
    }
    // Power of ten of the last digit.
    let last = error.log10().floor() as i32 - 1;
    let text = match (last, x.abs()) {
        (-6..=0, ..1e7) => format!("{x:.*}", last.unsigned_abs() as usize),
        (1..=3, ..1e7) => {
            let unit = 10f64.powi(last);
            format!("{:.0}", (x / unit).round() * unit)
        }
        (_, size) => {
            let first = size.max(error).log10().floor() as i32;
            format!("{x:.*e}", (first - last).clamp(0, 16) as usize)
        }
    };
    text.replace('-', "−")
}
