//! Unique names.

use std::collections::HashMap;

/// Names that are taken, each with the number that was last put behind it.
#[derive(Debug, Default)]
pub(super) struct UniqueNames(HashMap<String, usize>);

impl UniqueNames {
    /// Takes a name; `false` if it was taken before.
    pub fn take(&mut self, name: &str) -> bool {
        self.0.insert(name.to_owned(), 1).is_none()
    }

    /// Takes the name, or the first of `name_2`, `name_3`, … that is not taken.
    pub fn unique(&mut self, name: &str) -> String {
        let Some(&last) = self.0.get(name) else {
            self.take(name);
            return name.to_owned();
        };
        let mut number = last;
        loop {
            number += 1;
            let unique = format!("{name}_{number}");
            if !self.0.contains_key(&unique) {
                self.0.insert(name.to_owned(), number);
                self.take(&unique);
                return unique;
            }
        }
    }
}
