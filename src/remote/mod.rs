//! Parts of a machine that another process computes.
//!
//! A [`RemoteSensor`](crate::sensor::RemoteSensor) and a [`RemoteActuator`](crate::actuator::RemoteActuator) are elements of
//! a machine like any other. What they send and receive goes over a [`RemoteChannel`], which several elements may share:
//! two streams of any kind, as the pipes of a child process or a socket. At the other end [`serve`] answers with a
//! [`RemoteElement`] for each of them. Numbers arrive with the bits that they were sent with, so that a rollout has the
//! bits of one in a single process.
//!
//! ```text
//! connect    step of the machine in s                       →   the same step, or a refusal
//! element    its name, names of what it sends and expects   →   the same names, or a refusal
//! exchange   number, element, time, whether it begins, y    →   the number, as many others as announced; or a failure
//! goodbye                                                   →   nothing, the streams end
//! ```
//!
//! A refusal or a failure carries a text, which becomes the error of the element. So does an answer that does not come
//! [in time](RemoteError::TimedOut). After an error nobody knows what the streams hold: the channel goes on failing.
//!
//! An element asks only what it has not asked since a rollout began: whoever evaluates a machine again at a state, in another
//! scalar, in more directions or on the way back of an adjoint, has the answer of the first time. What comes from another process
//! has no derivatives; it counts as constant.

mod block;
mod channel;
mod error;
mod serve;
mod signal;

pub use channel::RemoteChannel;
pub use error::RemoteError;
pub use serve::{RemoteElement, RemoteRequest, serve};
pub(crate) use signal::read_sized;
pub use signal::{read_signal, write_signal};
