//! The other end: a process that computes elements of a machine.

use super::block::{Block, GOODBYE, announcement, greeting, unknown};
use super::error::RemoteError;
use std::io::{BufReader, Read, Write};

/// What a machine sends an element in another process.
#[derive(Debug, Clone, Copy)]
pub struct RemoteRequest<'a> {
    /// The time in s.
    pub time: f64,
    /// Whether time does not go on from the last request: the first of all, or that of another rollout, before which an
    /// element with a memory forgets.
    pub begins: bool,
    /// The numbers, in the order of their names.
    pub values: &'a [f64],
}

/// An element of a machine, as the process that computes it sees it.
pub trait RemoteElement {
    /// The name by which the machine calls it.
    fn name(&self) -> &str;

    /// Names of what the machine sends.
    fn receives(&self) -> Vec<String>;

    /// Names of what the machine expects.
    fn sends(&self) -> Vec<String>;

    /// Writes the answer to a request, which is NaN beforehand.
    ///
    /// # Errors
    /// Whatever keeps the element from answering; its text is the error of the machine's step.
    fn respond(
        &mut self,
        request: RemoteRequest<'_>,
        answer: &mut [f64],
    ) -> Result<(), Box<dyn std::error::Error>>;
}

/// Answers for elements, in steps of `step` seconds, until the machine hangs up.
///
/// # Errors
/// [`RemoteError`] for a stream that cannot be read or written, or holds something else than requests. A refusal is no
/// error here.
pub fn serve(
    from: impl Read,
    mut to: impl Write,
    step: f64,
    elements: &mut [&mut dyn RemoteElement],
) -> Result<(), RemoteError> {
    let mut from = BufReader::new(from);
    // The elements of the machine, by their places here.
    let mut announced = Vec::new();
    loop {
        let answer = match Block::read(&mut from) {
            Ok(Block::Text(text)) if text == GOODBYE => return Ok(()),
            Ok(Block::Text(text)) => agree(text, step, elements, &mut announced),
            Ok(Block::Numbers(request)) => answer(&request, elements, &announced)?,
            Ok(Block::Refusal(_)) => return Err(unknown("a machine does not refuse")),
            Err(RemoteError::Closed) => return Ok(()),
            Err(error) => return Err(error),
        };
        answer.write(&mut to)?;
    }
}

fn agree(
    text: String,
    step: f64,
    elements: &[&mut dyn RemoteElement],
    announced: &mut Vec<usize>,
) -> Block {
    let mut lines = text.lines();
    if lines.next() != Some("element") {
        let own = greeting(step);
        return match text == own {
            true => Block::Text(text),
            false => Block::Refusal(format!("{own:?} is expected, not {text:?}")),
        };
    }
    let name = lines.next().unwrap_or_default();
    let Some(place) = elements.iter().position(|element| element.name() == name) else {
        let known: Vec<_> = elements.iter().map(|element| element.name()).collect();
        return Block::Refusal(format!("there is no element {name:?} among {known:?}"));
    };
    let element = &elements[place];
    let own = announcement(name, &element.receives(), &element.sends());
    if own == text {
        announced.push(place);
        return Block::Text(text);
    }
    let mut pairs = own.lines().zip(text.lines());
    let (own, other) = (pairs.find(|(own, other)| own != other)).unwrap_or(("", "fewer names"));
    Block::Refusal(format!(
        "the element {name:?} knows {own:?} where the machine says {other:?}"
    ))
}

fn answer(
    request: &[f64],
    elements: &mut [&mut dyn RemoteElement],
    announced: &[usize],
) -> Result<Block, RemoteError> {
    let [number, element, time, begins, values @ ..] = request else {
        return Err(unknown("a request is too short"));
    };
    let is_place = (0.0..announced.len() as f64).contains(element) && element.fract() == 0.0;
    let place = is_place.then(|| announced[*element as usize]);
    let element = place.and_then(|place| elements.get_mut(place));
    let element = element.ok_or_else(|| unknown("the element was not announced"))?;
    let (found, expected) = (values.len(), element.receives().len());
    if found != expected {
        let words = format!("{found} numbers were sent, where {expected} were announced");
        return Ok(Block::Refusal(words));
    }
    let request = RemoteRequest {
        time: *time,
        begins: *begins != 0.0,
        values,
    };
    let mut answer = vec![f64::NAN; element.sends().len() + 1];
    answer[0] = *number;
    Ok(match element.respond(request, &mut answer[1..]) {
        Ok(()) => Block::Numbers(answer),
        Err(error) => Block::Refusal(error.to_string()),
    })
}
