//! A table that pandas and pyarrow wrote: `scripts/reference/pyarrow_table.py` says what is in it.

use dualbody::identification::motion::Signals;
use std::collections::BTreeMap;

fn bytes() -> Vec<u8> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/tables/stamped.parquet");
    std::fs::read(path).unwrap()
}

fn titles() -> BTreeMap<String, String> {
    let titles = [
        ("header.stamp", "time"),
        ("position", "elbow [deg]"),
        ("effort", "torque [N m]"),
        ("seq", "count"),
    ];
    titles
        .map(|(own, ours)| (own.to_owned(), ours.to_owned()))
        .into()
}

#[test]
fn columns_of_all_kinds_of_numbers_are_read() {
    let signals = Signals::from_parquet_columns(bytes(), &titles()).unwrap();
    assert_eq!(signals.len(), 50);
    assert!(!signals.is_at_rate());
    let (elbow, unit) = signals.signal("elbow").unwrap();
    assert_eq!(unit, "rad");
    let (torque, _) = signals.signal("torque").unwrap();
    let (count, _) = signals.signal("count").unwrap();
    let begins = 1_714_564_800.0; // 2024-05-01T12:00:00 in s
    for k in 0..50 {
        let x = k as f64;
        let time = begins + 0.01 * x + 1e-3 * (k % 3) as f64;
        assert!(
            (signals.time(k) - time).abs() < 1e-6,
            "{k}: {}",
            signals.time(k) - begins
        );
        let angle = (30.0 * (x / 10.0).sin()).to_radians();
        assert!(if k == 7 {
            elbow[k].is_nan()
        } else {
            (elbow[k] - angle).abs() < 1e-15
        });
        assert_eq!(torque[k], f64::from((x / 100.0) as f32));
        assert_eq!(count[k], x * x);
    }
}

#[test]
fn what_is_not_a_table_of_numbers_is_refused() {
    let error = |titles: &BTreeMap<_, _>, bytes| {
        Signals::from_parquet_columns(bytes, titles)
            .unwrap_err()
            .to_string()
    };
    let mut text = titles();
    text.insert("frame_id".to_owned(), "frame".to_owned());
    assert_eq!(
        error(&text, bytes()),
        "line 1: frame is \"base_link\", expected a number"
    );
    let mut misspelt = titles();
    misspelt.insert("positon".to_owned(), "shoulder".to_owned());
    let expected = "line 1: there is no column \"positon\", is it \"position\"?";
    assert_eq!(error(&misspelt, bytes()), expected);
    let plain = Signals::from_parquet(bytes()).unwrap_err().to_string();
    assert_eq!(plain, "line 1: there is no column \"time [s]\"");
    // Damaged anywhere, it is refused or read.
    for at in (0..bytes().len()).step_by(7) {
        let mut damaged = bytes();
        damaged[at] ^= 0x5a;
        let _ = Signals::from_parquet_columns(damaged, &titles());
        let _ = Signals::from_parquet_columns(bytes()[..at].to_vec(), &titles());
    }
}
