//! Names of which no two are the same.

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
        let mut numbered = (last + 1..).map(|number| (number, format!("{name}_{number}")));
        let free = numbered.find(|(_, unique)| !self.0.contains_key(unique));
        let (number, unique) = free.unwrap_or_else(|| (last, name.to_owned()));
        self.0.insert(name.to_owned(), number);
        self.take(&unique);
        unique
    }
}
