//! Every answer that a fit has had.

use crate::ClusterError;
use crate::file::{
    FRAME, FileKind, HEADER, Record, content_length, decode, encode, frame, next_record,
};
use dualbody::identification::{ExecutionError, Executor, Items};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The name of a problem, an encoded question, and its encoded answer.
type Stored = (String, Vec<u8>, Vec<u8>);

/// The questions of fits and their answers, in order, as a file that only grows.
///
/// An optimiser decides by the answers alone. Started again with a journal it asks the same questions,
/// gets the same answers without any evaluation, and so comes to where it was, to the bit: the last
/// record is the checkpoint. A record has a length and a checksum; one that was cut off while it was
/// written is dropped when the journal is opened.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// Of the file up to the last whole record.
    length: u64,
    records: usize,
    /// The record that is read next, and its place.
    next: usize,
    at: u64,
    problem: String,
    /// Whether the next answer is to be checked.
    check: bool,
}

/// Tries to lock a file, for a second: a process that is being started holds the locks of the one that starts it
/// for a moment. A file system without locks has to do without.
fn is_locked_by_another(file: &File) -> bool {
    for _ in 0..100 {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(10)),
            _ => return false,
        }
    }
    true
}

impl Journal {
    /// Opens a journal, or begins one. It is locked until this is dropped; where it is locked already, this waits
    /// for a second.
    ///
    /// # Errors
    /// [`ClusterError::File`]; [`ClusterError::InUse`]; [`ClusterError::Malformed`] for another kind of file or another version;
    /// [`ClusterError::Damaged`] for a record that is whole but has changed.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, ClusterError> {
        let path = path.into();
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(ClusterError::file(&path))?;
        }
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let file = options.open(&path).map_err(ClusterError::file(&path))?;
        if is_locked_by_another(&file) {
            return Err(ClusterError::InUse { path });
        }
        let mut journal = Journal {
            path,
            file,
            length: 0,
            records: 0,
            next: 0,
            at: HEADER as u64,
            problem: String::new(),
            check: false,
        };
        let bytes = journal.read()?;
        // A header that was cut off is begun again.
        if FileKind::Journal.header().starts_with(&bytes) && bytes.len() < HEADER {
            journal.write(&FileKind::Journal.header())?;
            return Ok(journal);
        }
        let total = bytes.len();
        let records = FileKind::Journal.check(&journal.path, bytes)?;
        let mut rest = &records[..];
        loop {
            match next_record(rest) {
                Record::Whole(_, after) => {
                    (rest, journal.records) = (after, journal.records + 1);
                }
                Record::Damaged => {
                    return Err(ClusterError::Damaged {
                        path: journal.path,
                        record: journal.records,
                    });
                }
                Record::CutOff => break,
            }
        }
        journal.length = (total - rest.len()) as u64;
        Ok(journal)
    }

    /// Number of answers.
    pub fn len(&self) -> usize {
        self.records
    }

    /// Whether there are no answers.
    pub fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Names the problem of the records that are read and written next: which data, which options, best with a
    /// checksum. A record of another name is refused; without a name a journal knows a fit by its
    /// questions.
    pub fn name_problem(&mut self, problem: impl Into<String>) {
        self.problem = problem.into();
    }

    /// Has the next question asked again even if its answer is here, and the answer refused if it is not
    /// the same to the bit. Before a fit this finds data that are no longer those of the journal, for
    /// the price of one question.
    pub fn check_next(&mut self) {
        self.check = true;
    }

    /// Adds the answer to a question, on the disk when this returns. A fit that reads the journal finds it
    /// when it comes to that question.
    ///
    /// # Errors
    /// [`ClusterError::File`], for example when the disk is full; the journal then ends with the record
    /// before.
    pub fn append<Q: Serialize, P: Serialize>(
        &mut self,
        question: &Q,
        answer: &P,
    ) -> Result<(), ClusterError> {
        let content = encode(&(&self.problem, encode(question)?, encode(answer)?))?;
        self.write(&frame(&content))?;
        self.records += 1;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), ClusterError> {
        let end = self.length;
        let written = (self.file.seek(SeekFrom::Start(end)))
            .and_then(|_| self.file.write_all(bytes))
            .and_then(|()| self.file.set_len(end + bytes.len() as u64))
            .and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // What cannot be cut off here is dropped when the journal is opened.
            let _ = self.file.set_len(end);
            return Err(ClusterError::file(&self.path)(error));
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    fn read(&mut self) -> Result<Vec<u8>, ClusterError> {
        let mut bytes = Vec::new();
        (self.file.seek(SeekFrom::Start(0)))
            .and_then(|_| self.file.read_to_end(&mut bytes))
            .map_err(ClusterError::file(&self.path))?;
        Ok(bytes)
    }

    /// The next record; `None` at the end.
    fn next(&mut self) -> Result<Option<Stored>, ClusterError> {
        if self.next >= self.records {
            return Ok(None);
        }
        let read = |file: &mut File, at: u64, size: usize| {
            let mut bytes = vec![0; size];
            file.seek(SeekFrom::Start(at))?;
            file.read_exact(&mut bytes)?;
            Ok(bytes)
        };
        let whole = read(&mut self.file, self.at, FRAME)
            .and_then(|frame| read(&mut self.file, self.at, FRAME + content_length(&frame)))
            .map_err(ClusterError::file(&self.path))?;
        let Record::Whole(content, _) = next_record(&whole) else {
            return Err(ClusterError::Damaged {
                path: self.path.clone(),
                record: self.next,
            });
        };
        let stored = decode(&self.path, content)?;
        (self.at, self.next) = (self.at + whole.len() as u64, self.next + 1);
        Ok(Some(stored))
    }
}

/// An executor that first takes its answers from a journal, then from another executor, and keeps
/// these.
///
/// One journal may serve several fits that follow each other, in the same order every time.
#[derive(Debug)]
pub struct Journaled<'j, E> {
    /// Where answers are kept.
    pub journal: &'j mut Journal,
    /// Who answers what the journal does not.
    pub executor: E,
}

impl<I, E> Executor<I> for Journaled<'_, E>
where
    I: Items<Question: Serialize, Part: Serialize + DeserializeOwned>,
    E: Executor<I>,
{
    fn evaluate(
        &mut self,
        items: &I,
        question: &I::Question,
        range: Range<usize>,
    ) -> Result<I::Part, ExecutionError> {
        let check = std::mem::take(&mut self.journal.check);
        if let Some((problem, asked, answer)) = self.journal.next()? {
            let (path, record) = (self.journal.path.clone(), self.journal.next - 1);
            if problem != self.journal.problem {
                return Err(Box::new(ClusterError::OtherProblem {
                    path,
                    record,
                    found: problem,
                    expected: self.journal.problem.clone(),
                }));
            }
            if asked != encode(question)? {
                return Err(Box::new(ClusterError::OtherQuestion { path, record }));
            }
            if check && answer != encode(&self.executor.evaluate(items, question, range)?)? {
                return Err(Box::new(ClusterError::OtherAnswer { path, record }));
            }
            return Ok(decode(&path, &answer)?);
        }
        let answer = self.executor.evaluate(items, question, range)?;
        self.journal.append(question, &answer)?;
        (self.journal.next, self.journal.at) = (self.journal.records, self.journal.length);
        Ok(answer)
    }
}
