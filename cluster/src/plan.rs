//! How long a fit takes on how many machines.

/// Part of the pieces of a rank that [`Division`](crate::Division) makes of an equal share.
const FINEST: f64 = 32.0;
/// What a rank keeps of its share after it has taken a piece.
const KEPT: f64 = 2.0 / 3.0;

/// Machines and the network between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// Ranks, at least 1.
    pub ranks: usize,
    /// Cores that work for a rank, on threads; below 1 where ranks share a core.
    pub cores: f64,
    /// Time of the smallest message on its way, s.
    pub latency: f64,
    /// Time that a rank itself spends on a small message, s.
    pub message: f64,
    /// Bytes per second of large ones.
    pub bandwidth: f64,
}

/// A fit, as far as time is concerned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Workload {
    /// Number of experiments.
    pub experiments: usize,
    /// How often all of them are asked.
    pub questions: usize,
    /// Mean time of an experiment for a question on one core, s.
    pub experiment: f64,
    /// Mean time of the optimiser for a question, s.
    pub optimiser: f64,
    /// Time to join two answers, s.
    pub join: f64,
    /// Size of an encoded question.
    pub question_bytes: usize,
    /// Size of an encoded answer.
    pub answer_bytes: usize,
}

/// Predicted times of a fit, in s.
///
/// With N experiments on R ranks of c cores each, experiments of t seconds, latency α, bandwidth β and
/// `L = ⌈log₂ R⌉` the time of a question is
///
/// | | |
/// |---|---|
/// | broadcast | `2 L α + L q/β` for the size and the q bytes of the question |
/// | work | `N t/(R c)`, and for the ranks that are not done at the same time `t max(1, N/(32 R c))` |
/// | hand-out | `2 μ R p`, with p pieces for each rank, each asked for and given by rank 0 in μ seconds, beside the work: what exceeds it counts |
/// | gather | `L (α + a n/β + n j)`, with `n = 2 log₂ N` answers of a bytes at most in a message, j seconds to join |
///
/// and the optimiser's own time, which nobody shares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// Evaluating experiments.
    pub work: f64,
    /// Waiting for the last rank.
    pub wait: f64,
    /// Messages, and joining answers.
    pub communication: f64,
    /// The optimiser itself.
    pub optimiser: f64,
}

impl Plan {
    /// Of a fit on some machines.
    pub fn new(machine: &Machine, workload: &Workload) -> Self {
        let (ranks, n) = (machine.ranks as f64, workload.experiments as f64);
        let levels = ranks.log2().ceil();
        let cores = ranks * machine.cores;
        let share = (n / ranks / FINEST).max(1.0);
        let work = n * workload.experiment / cores;
        let wait = match machine.ranks {
            1 => 0.0,
            _ => workload.experiment * (n / cores / FINEST).max(1.0),
        };
        let broadcast =
            levels * (2.0 * machine.latency + workload.question_bytes as f64 / machine.bandwidth);
        // Pieces shrink to the finest, and the rest goes in these.
        let shrinking = (n / ranks / share).max(1.0).ln() / -KEPT.ln();
        let pieces = 2.0 + shrinking + 4.0;
        let hand_out = 2.0 * machine.message * (ranks - 1.0) * pieces;
        let answers = 2.0 * n.log2().max(1.0);
        let gather = levels
            * (machine.latency
                + answers * workload.answer_bytes as f64 / machine.bandwidth
                + answers * workload.join);
        let questions = workload.questions as f64;
        Plan {
            work: questions * work,
            wait: questions * wait,
            communication: questions * (broadcast + (hand_out - work).max(0.0) + gather),
            optimiser: questions * workload.optimiser,
        }
    }

    /// The whole fit.
    pub fn total(&self) -> f64 {
        self.work + self.wait + self.communication + self.optimiser
    }
}
