//! Who evaluates what, and for how long.

use dualbody_cluster::{Costs, Division};
use std::time::Duration;

/// Simulates ranks that take pieces until nothing is left, with a time for each item, and returns when
/// each one ended and how often each item was evaluated.
fn run(mut division: Division, speeds: &[f64], costs: &[f64]) -> (Vec<f64>, Vec<usize>) {
    let mut clocks = vec![0.0f64; speeds.len()];
    let mut evaluated = vec![0; costs.len()];
    let mut at_work: Vec<usize> = (0..speeds.len()).collect();
    while !at_work.is_empty() {
        at_work.sort_by(|&a, &b| clocks[a].total_cmp(&clocks[b]));
        let rank = at_work[0];
        match division.next(rank) {
            None => {
                at_work.remove(0);
            }
            Some(piece) => {
                for item in piece {
                    clocks[rank] += costs[item] / speeds[rank];
                    evaluated[item] += 1;
                }
            }
        }
    }
    (clocks, evaluated)
}

#[test]
fn every_item_is_evaluated_once_and_ranks_end_together() {
    for (items, speeds) in [
        (1, vec![1.0, 1.0]),
        (24, vec![1.0; 4]),
        (1000, vec![1.0, 1.0, 0.1, 2.0]),
        (5000, vec![1.0; 37]),
    ] {
        // One in ten items costs ten times as much; nobody knows.
        let costs: Vec<f64> = (0..items)
            .map(|i| if i < items / 10 { 10.0 } else { 1.0 })
            .collect();
        let unknown = Costs::new(items);
        let (clocks, evaluated) = run(
            Division::new(&unknown, 0..items, speeds.len()),
            &speeds,
            &costs,
        );
        assert!(evaluated.iter().all(|&n| n == 1), "{items} items");
        let ideal = costs.iter().sum::<f64>() / speeds.iter().sum::<f64>();
        let last = clocks.iter().copied().fold(0.0, f64::max);
        // Nobody can wait for more than the last piece of the slowest.
        let slowest = speeds.iter().copied().fold(f64::INFINITY, f64::min);
        let piece = (items / speeds.len() / 4).max(1) as f64;
        assert!(last <= ideal + 10.0 * piece / slowest, "{last} {ideal}");
        if items == 5000 {
            assert!(last < 1.3 * ideal, "{last} {ideal}");
        }
    }
}

#[test]
fn measured_costs_divide_the_items() {
    let mut costs = Costs::new(100);
    // The first ten take 9 s together, the others 9 s.
    costs.update(&[
        (0..10, Duration::from_secs(9)),
        (10..100, Duration::from_secs(9)),
    ]);
    assert!((costs.of(0..100) - 18.0).abs() < 1e-12);
    assert!((costs.of(5..20) - 5.5).abs() < 1e-12);
    assert_eq!(costs.split(0..100, 9.0), 10);
    assert_eq!(costs.split(0..100, 4.5), 5);
    assert_eq!(costs.split(0..100, 1e9), 100);
    let mut division = Division::new(&costs, 0..100, 2);
    assert_eq!(division.next(0).map(|piece| piece.start), Some(0));
    assert_eq!(division.next(1).map(|piece| piece.start), Some(10));
}

#[test]
fn costs_of_many_items_take_little_memory() {
    let mut costs = Costs::new(1_000_000);
    assert!(format!("{costs:?}").len() < 10_000);
    costs.update(&[
        (0..500_000, Duration::from_secs(3)),
        (500_000..1_000_000, Duration::from_secs(1)),
    ]);
    let half = costs.split(0..1_000_000, 2.0);
    assert!(half.abs_diff(333_333) < 1000, "{half}");
}
