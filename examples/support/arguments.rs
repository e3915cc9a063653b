//! Command lines of flags and options.

use std::path::PathBuf;

/// The arguments that have not been taken yet.
pub struct Arguments {
    rest: Vec<String>,
}

impl Arguments {
    /// The arguments of this process, without its name. With `--help` it prints `usage` and ends.
    pub fn of_process(usage: &str) -> Self {
        let rest: Vec<String> = std::env::args().skip(1).collect();
        if rest.iter().any(|a| a == "--help" || a == "-h") {
            println!("{usage}");
            std::process::exit(0);
        }
        Arguments { rest }
    }

    /// Takes a flag such as `--quick`; whether it was there.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.rest.len();
        self.rest.retain(|a| a != name);
        self.rest.len() < before
    }

    /// Takes an option and its value, `--name value`.
    ///
    /// # Errors
    /// When the value is missing or is not what `V` parses.
    pub fn option<V: std::str::FromStr>(&mut self, name: &str) -> Result<Option<V>, String>
    where
        V::Err: std::fmt::Display,
    {
        let Some(at) = self.rest.iter().position(|a| a == name) else {
            return Ok(None);
        };
        if at + 1 >= self.rest.len() {
            return Err(format!("{name} needs a value"));
        }
        let value = self.rest.remove(at + 1);
        self.rest.remove(at);
        match value.parse() {
            Ok(parsed) => Ok(Some(parsed)),
            Err(error) => Err(format!("{name} {value}: {error}")),
        }
    }

    /// Takes `--out DIR`, the folder for files that the example writes (default `out`), and makes it.
    ///
    /// # Errors
    /// As [`Arguments::option`], and as the file system says.
    pub fn output_folder(&mut self) -> Result<PathBuf, String> {
        let folder: PathBuf = self.option("--out")?.unwrap_or_else(|| "out".into());
        match std::fs::create_dir_all(&folder) {
            Ok(()) => Ok(folder),
            Err(error) => Err(format!("{}: {error}", folder.display())),
        }
    }

    /// Takes the first argument that is no flag or option; options must have been taken before.
    pub fn positional(&mut self) -> Option<String> {
        let at = self.rest.iter().position(|a| !a.starts_with("--"))?;
        Some(self.rest.remove(at))
    }

    /// Ends the command line.
    ///
    /// # Errors
    /// When an argument is left that nothing has taken.
    pub fn finish(self) -> Result<(), String> {
        match self.rest.first() {
            None => Ok(()),
            Some(unknown) => Err(format!("unknown argument {unknown}, see --help")),
        }
    }
}
