//! Texts of others, and lists of names, as errors show them: of bounded length.

use std::fmt;

/// A text with more letters than this is shown by its start and its end, half of them each.
const LONGEST: usize = 400;
/// Of a list so many names are shown.
const MOST: usize = 8;

/// A text as errors show it, without its middle if it is long.
pub(crate) struct Brief<T>(pub T);

impl<T: AsRef<str>> Brief<T> {
    /// The text, or its start and its end.
    fn parts(&self) -> (&str, Option<&str>) {
        let text = self.0.as_ref();
        let mut letters = text.char_indices();
        let Some((half, _)) = letters.nth(LONGEST / 2) else {
            return (text, None);
        };
        let mut from_end = text[half..].char_indices().rev();
        match from_end.nth(LONGEST / 2 - 1) {
            Some((rest, _)) if rest > 0 => (&text[..half], Some(&text[half + rest..])),
            _ => (text, None),
        }
    }
}

impl<T: AsRef<str>> fmt::Display for Brief<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts() {
            (text, None) => f.write_str(text),
            (start, Some(end)) => write!(f, "{start} … {end}"),
        }
    }
}

impl<T: AsRef<str>> fmt::Debug for Brief<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts() {
            (text, None) => write!(f, "{text:?}"),
            (start, Some(end)) => write!(f, "{start:?} … {end:?}"),
        }
    }
}

/// The first names of a list, and how many more there are.
pub(crate) struct Listed<'a>(pub &'a [String]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, name) in self.0.iter().take(MOST).enumerate() {
            let separator = if k > 0 { ", " } else { "" };
            write!(f, "{separator}{}", Brief(name))?;
        }
        match self.0.len() {
            0..=MOST => Ok(()),
            n => write!(f, " and {} more", n - MOST),
        }
    }
}

/// Has `Debug` print the sentence of errors, which is of bounded length whatever they hold: a program that ends with one
/// prints it so.
macro_rules! debug_as_sentence {
    ($($error:ty),+ $(,)?) => {
        $(impl std::fmt::Debug for $error {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        })+
    };
}
pub(crate) use debug_as_sentence;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_lose_their_middle() {
        for length in [0, 1, LONGEST - 1, LONGEST, LONGEST + 1, 10 * LONGEST] {
            let text: String = (0..length)
                .map(|k| char::from(b'a' + (k % 26) as u8))
                .collect();
            let umlauts = "ü".repeat(length);
            for text in [text, umlauts] {
                let shown = Brief(&text).to_string();
                if length <= LONGEST {
                    assert_eq!(shown, text);
                    assert_eq!(format!("{:?}", Brief(&text)), format!("{text:?}"));
                } else {
                    let (start, end) = shown.split_once(" … ").unwrap();
                    assert!(text.starts_with(start) && text.ends_with(end));
                    assert_eq!(shown.chars().count(), LONGEST + 3);
                }
            }
        }
    }

    #[test]
    fn long_lists_are_counted() {
        let names = |n: usize| (0..n).map(|k| k.to_string()).collect::<Vec<_>>();
        assert_eq!(Listed(&names(3)).to_string(), "0, 1, 2");
        assert_eq!(
            Listed(&names(10)).to_string(),
            "0, 1, 2, 3, 4, 5, 6, 7 and 2 more"
        );
    }
}
