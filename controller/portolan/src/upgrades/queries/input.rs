//! The lines of a file or a pipe.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::thread;

use portolan_proto::resolver::v1::{BatchListUpgradesRequest, Refusal};
use thiserror::Error;
use tokio::sync::mpsc;

use super::line;

/// An open file of questions.
pub(super) struct Input {
    name: String,
    lines: Box<dyn BufRead + Send>,
}

/// What is to be printed for a line.
#[derive(Debug)]
pub(super) enum Line {
    /// The answer to the next question that was asked.
    Question,
    /// Why the line is no question.
    Refused(Refusal),
    /// It and all lines behind it cannot be read.
    Unread(ReadQueries),
}

/// Questions that cannot be read.
#[derive(Debug, Error)]
#[error("read {name} (--queries)")]
pub(super) struct ReadQueries {
    name: String,
    source: io::Error,
}

// === impl Input ===

impl Input {
    pub(super) fn open(file: &str) -> Result<Self, ReadQueries> {
        if file == "-" {
            return Ok(Self {
                name: "standard input".to_owned(),
                lines: Box::new(BufReader::new(io::stdin())),
            });
        }
        let name = file.to_owned();
        match open(file) {
            Ok(file) => Ok(Self {
                name,
                lines: Box::new(BufReader::new(file)),
            }),
            Err(source) => Err(ReadQueries { name, source }),
        }
    }

    /// Reads to the end in a thread of its own, as fast as both queues are emptied. It is not
    /// joined: at the end of the program it may still wait for a line.
    pub(super) fn read(
        mut self,
        questions: mpsc::Sender<BatchListUpgradesRequest>,
        told: mpsc::Sender<Line>,
    ) -> io::Result<()> {
        let thread = thread::Builder::new().name("queries".to_owned());
        let spawned = thread.spawn(move || {
            let mut number = 0;
            while let Some(line) = self.next(&mut number, &questions) {
                let is_last = matches!(line, Line::Unread(_));
                if told.blocking_send(line).is_err() || is_last {
                    return;
                }
            }
        });
        spawned.map(drop)
    }

    /// Reads the next line and asks what it asks; none at the end.
    fn next(
        &mut self,
        number: &mut u64,
        questions: &mpsc::Sender<BatchListUpgradesRequest>,
    ) -> Option<Line> {
        *number += 1;
        match self.next_bytes().transpose()? {
            Ok(bytes) => match line::parse(&bytes) {
                Ok(question) => {
                    let question = Some(question);
                    // Where nobody takes questions any more, the missing answer says so.
                    let _ = questions.blocking_send(BatchListUpgradesRequest { question });
                    Some(Line::Question)
                }
                Err(message) => Some(Line::Refused(line::refusal(*number, &message))),
            },
            Err(source) => {
                let name = self.name.clone();
                Some(Line::Unread(ReadQueries { name, source }))
            }
        }
    }

    /// The next line; of one that is too long only so much that it shows.
    fn next_bytes(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        let most = line::LONGEST as u64 + 1;
        (&mut self.lines).take(most).read_until(b'\n', &mut bytes)?;
        if bytes.len() > line::LONGEST && !bytes.ends_with(b"\n") {
            self.lines.skip_until(b'\n')?;
        }
        Ok((!bytes.is_empty()).then_some(bytes))
    }
}

/// A folder opens as well, and would fail at its first line only.
fn open(file: &str) -> io::Result<File> {
    let file = File::open(file)?;
    match file.metadata()?.is_dir() {
        true => Err(io::ErrorKind::IsADirectory.into()),
        false => Ok(file),
    }
}
