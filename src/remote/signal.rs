//! Signals between processes: numbers in frames of bytes.
//!
//! A frame is the count of its numbers (32 bits), then the bits of each number (64 bits), all little
//! endian: nothing is rounded, and a value arrives with the bits it was sent with. Inputs, outputs and
//! states of a system are such lists, in the order of their names.

use crate::InvalidInput;
use std::io::{Error, ErrorKind, Read, Write};

/// The longest list that a frame may announce.
const MAX_NUMBERS: u32 = 1 << 24;

/// Writes a frame.
///
/// ```
/// use dualbody::system::{read_signal, write_signal};
/// let mut pipe = Vec::new();
/// write_signal(&mut pipe, &[0.1, -0.0, f64::MIN_POSITIVE])?;
/// let received = read_signal(&mut pipe.as_slice())?;
/// assert_eq!(received[0].to_bits(), 0.1f64.to_bits());
/// assert_eq!(received.len(), 3);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Those of the writer, and [`ErrorKind::InvalidInput`] for more than 2²⁴ numbers.
pub fn write_signal(writer: &mut impl Write, values: &[f64]) -> Result<(), Error> {
    let count = match u32::try_from(values.len()) {
        Ok(count) if count <= MAX_NUMBERS => count,
        _ => {
            return Err(Error::new(
                ErrorKind::InvalidInput,
                "too many numbers for a frame",
            ));
        }
    };
    let mut bytes = Vec::with_capacity(4 + 8 * values.len());
    bytes.extend(count.to_le_bytes());
    values.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    writer.write_all(&bytes)?;
    writer.flush()
}

/// Reads a frame.
///
/// # Errors
/// Those of the reader, and [`ErrorKind::InvalidData`] for a frame that announces more than 2²⁴
/// numbers.
pub fn read_signal(reader: &mut impl Read) -> Result<Vec<f64>, Error> {
    let mut count = [0; 4];
    reader.read_exact(&mut count)?;
    let count = u32::from_le_bytes(count);
    if count > MAX_NUMBERS {
        return Err(Error::new(ErrorKind::InvalidData, "a frame is too long"));
    }
    let mut values = Vec::new();
    let mut number = [0; 8];
    for _ in 0..count {
        reader.read_exact(&mut number)?;
        values.push(f64::from_le_bytes(number));
    }
    Ok(values)
}

/// Reads a frame that must have `count` numbers.
pub(crate) fn read_sized(
    reader: &mut impl Read,
    quantity: &'static str,
    count: usize,
) -> Result<Vec<f64>, Error> {
    let values = read_signal(reader)?;
    InvalidInput::check_size(quantity, values.len(), count)
        .map_err(|e| Error::new(ErrorKind::InvalidData, e))?;
    Ok(values)
}
