//! Reads queries from a file or a pipe. Each line is one query as JSON, in the format of the gRPC
//! API.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::thread;

use portolan_core_names::text::cite;
use portolan_proto::resolver::v1::{ListUpgradesRequest, Refusal};
use serde_json::error::Category;
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use crate::failure::Failure;

/// An open file with queries.
pub(super) struct Input {
    name: String,
    lines: Box<dyn BufRead + Send>,
}

/// A line of the input.
#[derive(Debug)]
pub(super) enum InputLine {
    Question(ListUpgradesRequest),
    /// The error for a line that is not a valid query.
    Refused(Refusal),
}

/// The maximum length of a line in bytes.
const LONGEST: usize = 64 * 1024;

/// The keys that a query can have.
const KEYS: [&str; 5] = [
    "package",
    "installed",
    "channel",
    "catalog",
    "installedVersion",
];

// === impl Input ===

impl Input {
    pub(super) fn open(file: &str) -> Result<Self, Failure> {
        let (name, lines): (_, Box<dyn BufRead + Send>) = match file {
            "-" => ("standard input", Box::new(BufReader::new(io::stdin()))),
            file => match open(file) {
                Ok(lines) => (file, Box::new(BufReader::new(lines))),
                Err(error) => return Err(Failure::refused_to(act(file), &error)),
            },
        };
        Ok(Self {
            name: name.to_owned(),
            lines,
        })
    }

    /// Reads all lines in a separate thread. The thread waits while the receiver is busy. No code
    /// waits for the end of the thread, because the thread may still wait for a line when the
    /// program ends.
    pub(super) fn read(mut self) -> io::Result<mpsc::Receiver<Result<InputLine, Failure>>> {
        let (told, lines) = mpsc::channel(1);
        let thread = thread::Builder::new().name("queries".to_owned());
        thread.spawn(move || {
            for number in 1.. {
                let Some(line) = self.next_bytes().transpose() else {
                    return;
                };
                let line = match line {
                    Ok(bytes) => Ok(parse(&bytes).map_or_else(
                        |message| InputLine::Refused(refusal(number, &message)),
                        InputLine::Question,
                    )),
                    Err(error) => Err(Failure::failed_to(act(&self.name), &error)),
                };
                let is_last = line.is_err();
                if told.blocking_send(line).is_err() || is_last {
                    return;
                }
            }
        })?;
        Ok(lines)
    }

    /// Returns the next line. A line that exceeds the maximum length is truncated.
    fn next_bytes(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        let most = LONGEST as u64 + 1;
        (&mut self.lines).take(most).read_until(b'\n', &mut bytes)?;
        if bytes.len() > LONGEST && !bytes.ends_with(b"\n") {
            self.lines.skip_until(b'\n')?;
        }
        Ok((!bytes.is_empty()).then_some(bytes))
    }
}

/// Opens a file. The operating system can also open a folder, but a read from a folder fails.
fn open(file: &str) -> io::Result<File> {
    let file = File::open(file)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(file)
}

fn act(name: &str) -> String {
    format!("cannot read {name} (--queries)")
}

/// Parses a query.
///
/// # Errors
///
/// Returns one sentence for the author of the line.
fn parse(line: &[u8]) -> Result<ListUpgradesRequest, String> {
    if line.len() > LONGEST {
        return Err(format!(": the query is longer than {LONGEST} bytes"));
    }
    let line = line.trim_ascii_end();
    if line.is_empty() {
        return Err(": the line is empty, but each line must be a query".to_owned());
    }
    serde_json::from_slice(line).map_err(|error| match serde_json::from_slice(line) {
        Ok(Value::Object(question)) => {
            unknown_key(&question).unwrap_or_else(|| describe_error(&error))
        }
        Ok(_) => {
            ": a query is a JSON object, such as {\"package\": \"a\", \"installed\": \"a.v1\"}"
                .to_owned()
        }
        Err(_) => describe_error(&error),
    })
}

/// Returns the error for a line, in the same form as an error of the resolver.
fn refusal(number: u64, message: &str) -> Refusal {
    Refusal {
        code: "INVALID_ARGUMENT".to_owned(),
        message: format!("line {number}{message}"),
        field: String::new(),
    }
}

fn unknown_key(question: &Map<String, Value>) -> Option<String> {
    // The JSON parser also accepts field names in snake case.
    let is_known = |key: &str| KEYS.contains(&key) || key == "installed_version";
    let key = question.keys().find(|key| !is_known(key))?;
    Some(format!(
        ": unknown field `{}`; {}",
        cite(key),
        suggest_key(key)
    ))
}

/// Returns a suggestion: the most similar key, or else all keys.
fn suggest_key(key: &str) -> String {
    let slips = |known: &&str| strsim::damerau_levenshtein(&key.to_lowercase(), known);
    let nearest = KEYS.iter().min_by_key(|known| slips(known));
    match nearest.filter(|known| slips(known) <= known.len() / 3) {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("use one of {}", KEYS.join(", ")),
    }
}

/// Returns the message of the JSON parser without its line number. The parser gets only one line,
/// so its number is always 1.
fn describe_error(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string();
    let sentence = cite(text.strip_suffix(&place).unwrap_or(&text));
    let column = error.column();
    match error.classify() {
        Category::Data => format!(", column {column}: {sentence}"),
        Category::Syntax | Category::Eof | Category::Io => {
            format!(", column {column}: invalid JSON: {sentence}")
        }
    }
}
