//! The machine's end of the streams to another process.

use super::block::{Block, GOODBYE, announcement, greeting, unknown};
use super::error::RemoteError;
use crate::Scalar;
use std::collections::HashMap;
use std::io::{BufReader, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fmt, thread};

/// Two streams to a process that computes elements of a machine, see the [module](super). Its clones are the same streams.
///
/// Two threads write and read, so that neither a process that does not answer nor one that does not listen can hold a step
/// up. They end when the last clone is dropped, which the other side is told.
///
/// Rollouts follow each other on a channel: one starts wherever time does not go on by a step, and the other side is told to
/// forget. What was asked since the start is answered as before, so that Jacobians and adjoints can come back to it; the memory
/// for that grows with the number of steps. Rollouts that go on in turns need channels of their own.
#[derive(Clone)]
pub struct RemoteChannel(Arc<Mutex<Session>>);

struct Session {
    step: f64,
    patience: Duration,
    to: Sender<Block>,
    from: Receiver<Result<Block, RemoteError>>,
    elements: Vec<Known>,
    /// How many requests have been made.
    requests: u32,
    /// Why the channel does not go on.
    failure: Option<RemoteError>,
}

/// An element at both ends, with what it was asked in a rollout.
struct Known {
    expected: usize,
    /// The times of the first and of the last request.
    times: Option<[f64; 2]>,
    /// Answers by the bits of time and values.
    answers: HashMap<Vec<u64>, Vec<f64>>,
}

impl Known {
    /// Whether a request at a time is the first of a rollout: that of the last one, or another than those of its steps.
    fn begins(&self, time: f64, step: f64) -> bool {
        let Some([first, last]) = self.times else {
            return true;
        };
        let round_off = 1e-9 * step + 4.0 * f64::EPSILON * time.abs();
        time <= first || (time - last - step).abs() > round_off
    }
}

impl fmt::Debug for RemoteChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let session = self.session();
        f.debug_struct("RemoteChannel")
            .field("step", &session.step)
            .field("elements", &session.elements.len())
            .field("failure", &session.failure)
            .finish_non_exhaustive()
    }
}

impl RemoteChannel {
    /// Connects to a process that [serves](super::serve), for a machine with steps of `step` seconds; an answer has to come
    /// within `patience`.
    ///
    /// # Errors
    /// [`RemoteError`], when the process does not answer or works with another step.
    pub fn connect(
        from: impl Read + Send + 'static,
        to: impl Write + Send + 'static,
        step: f64,
        patience: Duration,
    ) -> Result<Self, RemoteError> {
        let mut session = Session {
            step,
            patience,
            to: writing(to),
            from: reading(from),
            elements: Vec::new(),
            requests: 0,
            failure: None,
        };
        session.agree(greeting(step))?;
        Ok(RemoteChannel(Arc::new(Mutex::new(session))))
    }

    /// Announces an element; returns its number.
    pub(crate) fn announce(
        &self,
        name: &str,
        sent: &[String],
        expected: &[String],
    ) -> Result<usize, RemoteError> {
        let mut session = self.session();
        session.agree(announcement(name, sent, expected))?;
        session.elements.push(Known {
            expected: expected.len(),
            times: None,
            answers: HashMap::new(),
        });
        Ok(session.elements.len() - 1)
    }

    /// Sends the real parts of numbers of an element at a time in s, and writes what comes back.
    pub(crate) fn exchange<'v, T: Scalar>(
        &self,
        element: usize,
        (time, values): (T, impl Iterator<Item = &'v T>),
        out: &mut [T],
    ) -> Result<(), RemoteError> {
        let time = time.re();
        let values: Vec<f64> = values.map(|x| x.re()).collect();
        let mut receive = |answer: &[f64]| {
            for (out, &x) in out.iter_mut().zip(answer) {
                *out = T::from(x);
            }
        };
        let mut session = self.session();
        let step = session.step;
        let known = session.elements.get_mut(element);
        let known = known.ok_or_else(|| unknown("the element was not announced"))?;
        let bits: Vec<u64> = [time].iter().chain(&values).map(|x| x.to_bits()).collect();
        let is_at_start = known
            .times
            .is_some_and(|[first, last]| time == first && last > first);
        if let Some(answer) = known.answers.get(&bits).filter(|_| !is_at_start) {
            receive(answer);
            return Ok(());
        }
        let begins = known.begins(time, step);
        let answer = session.ask(element, (time, begins), &values)?;
        let known = &mut session.elements[element];
        match &mut known.times {
            Some([_, last]) if !begins => *last = time,
            times => {
                *times = Some([time; 2]);
                known.answers.clear();
            }
        }
        receive(&answer);
        known.answers.insert(bits, answer);
        Ok(())
    }

    /// Checks the length of a step of the machine, in s.
    pub(crate) fn check_step(&self, found: f64) -> Result<(), RemoteError> {
        let expected = self.session().step;
        match found == expected {
            true => Ok(()),
            false => Err(RemoteError::Step { found, expected }),
        }
    }

    fn session(&self) -> MutexGuard<'_, Session> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// Sends a text, which comes back if the other side agrees.
    fn agree(&mut self, text: String) -> Result<(), RemoteError> {
        match self.send(Block::Text(text.clone()))? {
            Block::Text(answer) if answer == text => Ok(()),
            Block::Refusal(reason) => Err(RemoteError::Refused { reason }),
            _ => Err(self.fail(unknown(NO_ANSWER))),
        }
    }

    fn ask(
        &mut self,
        element: usize,
        (time, begins): (f64, bool),
        values: &[f64],
    ) -> Result<Vec<f64>, RemoteError> {
        let expected = self.elements[element].expected;
        self.requests = self.requests.wrapping_add(1);
        let number = f64::from(self.requests);
        let mut request = vec![number, element as f64, time, f64::from(u8::from(begins))];
        request.extend(values);
        let answer = match self.send(Block::Numbers(request))? {
            Block::Numbers(answer) => answer,
            Block::Refusal(reason) => return Err(self.fail(RemoteError::Refused { reason })),
            Block::Text(_) => return Err(self.fail(unknown(NO_ANSWER))),
        };
        let Some((_, answer)) = answer.split_first().filter(|(of, _)| **of == number) else {
            return Err(self.fail(unknown(NO_ANSWER)));
        };
        if answer.len() != expected {
            let found = answer.len();
            return Err(self.fail(RemoteError::Size { found, expected }));
        }
        match answer.iter().position(|x| !x.is_finite()) {
            None => Ok(answer.to_vec()),
            Some(entry) => {
                let value = answer[entry];
                Err(self.fail(RemoteError::NotFinite { entry, value }))
            }
        }
    }

    fn send(&mut self, block: Block) -> Result<Block, RemoteError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        // If writing has ended, so has reading, and it says why.
        let _ = self.to.send(block);
        let answer = match self.from.recv_timeout(self.patience) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => Err(RemoteError::TimedOut {
                seconds: self.patience.as_secs_f64(),
            }),
            Err(RecvTimeoutError::Disconnected) => Err(RemoteError::Closed),
        };
        answer.map_err(|error| self.fail(error))
    }

    fn fail(&mut self, error: RemoteError) -> RemoteError {
        self.failure = Some(error.clone());
        error
    }
}

const NO_ANSWER: &str = "a block is no answer to the last request";

impl Drop for Session {
    fn drop(&mut self) {
        // A socket stays open at this end as long as it is read from.
        let _ = self.to.send(Block::Text(GOODBYE.to_owned()));
    }
}

/// Writes blocks until nobody sends any more.
fn writing(mut to: impl Write + Send + 'static) -> Sender<Block> {
    let (sender, blocks) = channel::<Block>();
    thread::spawn(move || {
        for block in blocks {
            if block.write(&mut to).is_err() {
                break; // whoever waits for the answer finds the stream closed, or loses patience
            }
        }
    });
    sender
}

/// Reads blocks until the stream ends, or nobody listens.
fn reading(from: impl Read + Send + 'static) -> Receiver<Result<Block, RemoteError>> {
    let (blocks, receiver) = sync_channel(1);
    thread::spawn(move || {
        let mut from = BufReader::new(from);
        loop {
            let block = Block::read(&mut from);
            let is_last = block.is_err();
            if blocks.send(block).is_err() || is_last {
                break;
            }
        }
    });
    receiver
}
