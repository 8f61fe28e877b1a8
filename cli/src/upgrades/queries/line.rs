//! One line of questions: JSON, as the contract has it.

use portolan_proto::resolver::v1::{ListUpgradesRequest, Refusal};
use serde_json::error::Category;
use serde_json::{Map, Value};

/// No question is longer, in bytes.
pub(super) const LONGEST: usize = 64 * 1024;

/// What a question may say.
const KEYS: [&str; 5] = [
    "package",
    "installed",
    "channel",
    "catalog",
    "installedVersion",
];

/// Parses a question.
///
/// # Errors
///
/// One sentence, for the person who wrote the line.
pub(super) fn parse(line: &[u8]) -> Result<ListUpgradesRequest, String> {
    if line.len() > LONGEST {
        return Err(format!(": it is longer than {LONGEST} bytes"));
    }
    let line = line.trim_ascii_end();
    if line.is_empty() {
        return Err(": it is empty, and each line must be a question".to_owned());
    }
    serde_json::from_slice(line).map_err(|error| match serde_json::from_slice(line) {
        Ok(Value::Object(question)) => unknown_key(&question).unwrap_or_else(|| told(&error)),
        Ok(_) => {
            ": a question is a JSON object, such as {\"package\": \"a\", \"installed\": \"a.v1\"}"
                .to_owned()
        }
        Err(_) => told(&error),
    })
}

/// A refusal as a resolver would write it, had it seen the line.
pub(super) fn refusal(number: u64, message: &str) -> Refusal {
    Refusal {
        code: "INVALID_ARGUMENT".to_owned(),
        message: format!("line {number}{message}"),
        field: String::new(),
    }
}

fn unknown_key(question: &Map<String, Value>) -> Option<String> {
    // The contract takes its own spelling as well.
    let is_known = |key: &str| KEYS.contains(&key) || key == "installed_version";
    let key = question.keys().find(|key| !is_known(key))?;
    Some(format!(": no question has a key `{key}`; {}", meant(key)))
}

/// The key that was probably meant, or all of them.
fn meant(key: &str) -> String {
    let slips = |known: &&str| strsim::damerau_levenshtein(&key.to_lowercase(), known);
    let nearest = KEYS.iter().min_by_key(|known| slips(known));
    match nearest.filter(|known| slips(known) <= known.len() / 3) {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("there are {}", KEYS.join(", ")),
    }
}

/// What the parser says, without its line: it has seen only this one.
fn told(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string();
    let sentence = text.strip_suffix(&place).unwrap_or(&text);
    let column = error.column();
    match error.classify() {
        Category::Data => format!(", column {column}: {sentence}"),
        Category::Syntax | Category::Eof | Category::Io => {
            format!(", column {column}: this is no JSON: {sentence}")
        }
    }
}
