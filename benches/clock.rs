//! Times by the clock and of processors.

use std::time::Instant;

/// Seconds that are needed, by the clock and of processors. The second does not see what else runs, and is zero where the
/// system does not count it as Linux does.
pub fn seconds(work: impl FnOnce()) -> [f64; 2] {
    let (start, before) = (Instant::now(), processor_seconds());
    work();
    [start.elapsed().as_secs_f64(), processor_seconds() - before]
}

/// The middle one of some times.
pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Of all threads of this process.
fn processor_seconds() -> f64 {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let run = |thread: std::fs::DirEntry| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    };
    threads.flatten().filter_map(run).sum::<f64>() * 1e-9
}
