//! The lines of a file or a pipe.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::thread;

use portolan_proto::resolver::v1::{ListUpgradesRequest, Refusal};
use thiserror::Error;
use tokio::sync::mpsc;

use super::line;

/// An open file of questions.
pub(super) struct Input {
    name: String,
    lines: Box<dyn BufRead + Send>,
}

/// What a line is.
#[derive(Debug)]
pub(super) enum Line {
    Question(ListUpgradesRequest),
    /// Why it is no question.
    Refused(Refusal),
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

    /// Reads to the end in a thread of its own, as fast as the lines are taken. It is not joined:
    /// at the end of the program it may still wait for a line.
    pub(super) fn read(mut self) -> io::Result<mpsc::Receiver<Result<Line, ReadQueries>>> {
        let (told, lines) = mpsc::channel(1);
        let thread = thread::Builder::new().name("queries".to_owned());
        thread.spawn(move || {
            for number in 1.. {
                let Some(line) = self.next_bytes().transpose() else {
                    return;
                };
                let line = line.map(|bytes| match line::parse(&bytes) {
                    Ok(question) => Line::Question(question),
                    Err(message) => Line::Refused(line::refusal(number, &message)),
                });
                let name = &self.name;
                let line = line.map_err(|source| ReadQueries {
                    name: name.clone(),
                    source,
                });
                let is_last = line.is_err();
                if told.blocking_send(line).is_err() || is_last {
                    return;
                }
            }
        })?;
        Ok(lines)
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
