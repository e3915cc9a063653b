//! Command lines of flags and options.

use super::output;
use std::path::{Path, PathBuf};

/// The arguments that have not been taken yet. Its errors end with what the program expects.
pub struct Arguments {
    usage: String,
    rest: Vec<String>,
    /// Where the program will write.
    folder: Option<PathBuf>,
    files: Vec<PathBuf>,
}

impl Arguments {
    /// The arguments of this process, without its name. With `--help` it prints `usage` and ends.
    pub fn of_process(usage: &str) -> Self {
        let arguments = Self::new(usage, std::env::args().skip(1));
        if arguments.rest.iter().any(|a| a == "--help" || a == "-h") {
            println!("{usage}");
            std::process::exit(0);
        }
        arguments
    }

    /// These arguments, of a program that is used so.
    pub fn new(usage: &str, arguments: impl IntoIterator<Item = String>) -> Self {
        Arguments {
            usage: usage.to_owned(),
            rest: arguments.into_iter().collect(),
            folder: None,
            files: Vec::new(),
        }
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
        if (self.rest.get(at + 1)).is_none_or(|value| value.starts_with("--")) {
            return Err(self.expected(&format!("{name} needs a value")));
        }
        let value = self.rest.remove(at + 1);
        self.rest.remove(at);
        match value.parse() {
            Ok(parsed) => Ok(Some(parsed)),
            Err(error) => Err(self.expected(&format!("{name} {value}: {error}"))),
        }
    }

    /// Takes an option that names a file which the program writes.
    ///
    /// # Errors
    /// As [`Arguments::option`].
    pub fn output_file(&mut self, name: &str) -> Result<Option<PathBuf>, String> {
        let file: Option<PathBuf> = self.option(name)?;
        self.files.extend(file.clone());
        Ok(file)
    }

    /// Takes `--out DIR`, the folder for files that the example writes (default `out`), which
    /// [`Arguments::finish`] makes.
    ///
    /// # Errors
    /// As [`Arguments::option`].
    pub fn output_folder(&mut self) -> Result<PathBuf, String> {
        let folder: PathBuf = self.option("--out")?.unwrap_or_else(|| "out".into());
        self.folder = Some(folder.clone());
        Ok(folder)
    }

    /// Takes the first argument that is no flag or option; options must have been taken before.
    pub fn positional(&mut self) -> Option<String> {
        let at = self.rest.iter().position(|a| !a.starts_with("--"))?;
        Some(self.rest.remove(at))
    }

    /// Ends the command line: makes the output folder, and tries whether it and the folders of the output
    /// files can be written to, before there is work to lose.
    ///
    /// # Errors
    /// When an argument is left that nothing has taken, and as the file system says.
    pub fn finish(self) -> Result<(), String> {
        if let Some(unknown) = self.rest.first() {
            return Err(self.expected(&format!("unknown argument {unknown}")));
        }
        let folders = self.files.iter().map(|file| {
            let parent = file.parent().unwrap_or(Path::new(""));
            (file, parent)
        });
        for (file, folder) in folders {
            if file.is_dir() || file.file_name().is_none() {
                return Err(format!("{}: not the name of a file", file.display()));
            }
            output::try_folder(folder).map_err(|error| format!("{}: {error}", file.display()))?;
        }
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        std::fs::create_dir_all(folder)
            .and_then(|()| output::try_folder(folder))
            .map_err(|error| format!("{}: {error}", folder.display()))
    }

    fn expected(&self, problem: &str) -> String {
        format!("{problem}\n\n{}", self.usage)
    }
}
