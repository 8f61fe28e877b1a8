//! Files become documents, documents become a catalog.

mod assembly;
mod split;

use crate::document::Document;
use crate::fault::{Fault, Trouble};
use crate::model::Catalog;

use self::assembly::Assembly;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One or several YAML documents.
    Yaml,
    /// One or several JSON values, with or without line breaks between them.
    Json,
}

/// Reads the files of a catalog, one after the other, in any order.
#[derive(Debug, Default)]
pub struct Reader {
    assembly: Assembly,
}

// === impl Format ===

impl Format {
    /// The format that a file name tells; None for a file that is no part of a catalog.
    pub fn of(file: &str) -> Option<Self> {
        match file.rsplit_once('.')?.1 {
            "yaml" | "yml" => Some(Self::Yaml),
            "json" | "jsonl" => Some(Self::Json),
            _ => None,
        }
    }
}

// === impl Reader ===

impl Reader {
    /// Takes one file over. `file` is the name that faults give it.
    pub fn read(&mut self, file: &str, format: Format, bytes: &[u8]) {
        match format {
            Format::Yaml => self.read_yaml(file, bytes),
            Format::Json => self.read_json(file, bytes),
        }
    }

    /// The catalog of all files that were read.
    pub fn finish(self) -> Catalog {
        self.assembly.finish()
    }

    fn read_yaml(&mut self, file: &str, bytes: &[u8]) {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let line = lines(&bytes[..error.valid_up_to()]);
                return self.syntax(file, line, "the file is not UTF-8".to_owned());
            }
        };
        for (first_line, document) in split::documents(text) {
            match serde_saphyr::from_str::<Document>(document) {
                Ok(parsed) => self.assembly.take(file, first_line, parsed),
                Err(error) => {
                    let line = error
                        .location()
                        .map_or(0, |place| place.line().saturating_sub(1));
                    self.syntax(file, first_line + line, sentence(&error));
                }
            }
        }
    }

    fn read_json(&mut self, file: &str, bytes: &[u8]) {
        let mut documents = serde_json::Deserializer::from_slice(bytes).into_iter::<Document>();
        loop {
            let rest = &bytes[documents.byte_offset()..];
            let blank = rest
                .iter()
                .take_while(|byte| byte.is_ascii_whitespace())
                .count();
            let line = lines(&bytes[..documents.byte_offset() + blank]);
            match documents.next() {
                None => return,
                Some(Ok(parsed)) => self.assembly.take(file, line, parsed),
                // Where a value of JSON ends badly, nobody knows where the next one begins.
                Some(Err(error)) => {
                    return self.syntax(file, error.line() as u64, error.to_string());
                }
            }
        }
    }

    fn syntax(&mut self, file: &str, line: u64, message: String) {
        self.assembly.faults.push(Fault {
            file: file.to_owned(),
            line,
            package: None,
            trouble: Trouble::Syntax(message),
        });
    }
}

/// The number of the line that follows `bytes`, counted from 1.
fn lines(bytes: &[u8]) -> u64 {
    1 + bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// The first line of what the YAML reader says; the rest draws the place, which a fault has.
fn sentence(error: &serde_saphyr::Error) -> String {
    let text = error.without_snippet().to_string();
    text.lines().next().unwrap_or("not YAML").to_owned()
}
