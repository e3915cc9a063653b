//! The machine's end of the streams to another process.

use super::block::{Block, announcement, greeting, unknown};
use super::error::RemoteError;
use std::fmt;
use std::io::{BufReader, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Two streams to a process that computes elements of a machine, see the [module](super). Its clones are the same streams.
///
/// Two threads write and read, so that neither a process that does not answer nor one that does not listen can hold a step
/// up. They end when the last clone is dropped and the other side has hung up.
#[derive(Clone)]
pub struct RemoteChannel(Arc<Mutex<Session>>);

struct Session {
    step: f64,
    patience: Duration,
    to: Sender<Block>,
    from: Receiver<Result<Block, RemoteError>>,
    elements: Vec<Known>,
    /// Why the channel does not go on.
    failure: Option<RemoteError>,
}

/// An element at both ends, with what it was asked last.
struct Known {
    expected: usize,
    request: Vec<f64>,
    answer: Vec<f64>,
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
            request: Vec::new(),
            answer: Vec::new(),
        });
        Ok(session.elements.len() - 1)
    }

    /// Sends numbers of an element at a time in s, and passes on what comes back.
    pub(crate) fn exchange<T>(
        &self,
        element: usize,
        (time, values): (f64, impl Iterator<Item = f64>),
        receive: impl FnOnce(&[f64]) -> T,
    ) -> Result<T, RemoteError> {
        let mut session = self.session();
        let known = session.elements.get(element);
        let known = known.ok_or_else(|| unknown("the element was not announced"))?;
        let last = known.request.get(1).copied();
        let begins = last.is_none_or(|last| time <= last);
        let mut request = vec![element as f64, time, f64::from(u8::from(begins))];
        request.extend(values);
        // The same again, whether it was a beginning or not.
        let is_same = known.request.len() == request.len()
            && (known.request.iter().zip(&request).enumerate())
                .all(|(i, (a, b))| i == 2 || a.to_bits() == b.to_bits());
        if !is_same {
            let answer = session.ask(request.clone(), element)?;
            let known = &mut session.elements[element];
            (known.request, known.answer) = (request, answer);
        }
        Ok(receive(&session.elements[element].answer))
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
            _ => Err(self.fail(unknown("an answer is not one to the question"))),
        }
    }

    fn ask(&mut self, request: Vec<f64>, element: usize) -> Result<Vec<f64>, RemoteError> {
        let expected = self.elements[element].expected;
        match self.send(Block::Numbers(request))? {
            Block::Numbers(answer) if answer.len() == expected => {
                match answer.iter().position(|x| !x.is_finite()) {
                    None => Ok(answer),
                    Some(entry) => {
                        let value = answer[entry];
                        Err(self.fail(RemoteError::NotFinite { entry, value }))
                    }
                }
            }
            Block::Numbers(answer) => {
                let found = answer.len();
                Err(self.fail(RemoteError::Size { found, expected }))
            }
            Block::Refusal(reason) => Err(self.fail(RemoteError::Refused { reason })),
            Block::Text(_) => Err(self.fail(unknown("an answer is not one to the question"))),
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
    let (blocks, receiver) = channel();
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
