//! Parses the query of a URL or the body of a form: `name=value&name=value`.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

/// The reason why a query or a form is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Broken {
    /// A name or a value is invalid UTF-8.
    NoText,
    /// A name or a value is longer than this number of bytes.
    TooLong(usize),
    /// This name occurs twice.
    Twice(String),
}

/// Returns the values by name. Each name and each value has at most `longest` bytes.
///
/// # Errors
/// Returns an error if a field is invalid.
pub fn fields(text: &str, longest: usize) -> Result<BTreeMap<String, String>, Broken> {
    let mut given = BTreeMap::new();
    for pair in text.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, value) = (decoded(name, longest)?, decoded(value, longest)?);
        if given.insert(name.clone(), value).is_some() {
            return Err(Broken::Twice(name));
        }
    }
    Ok(given)
}

/// Decodes the name or the value of a parameter.
fn decoded(text: &str, longest: usize) -> Result<String, Broken> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || {
                    let digit = char::from(rest.next()?).to_digit(16)?;
                    u8::try_from(digit).ok()
                };
                let (high, low) = digit().zip(digit()).ok_or(Broken::NoText)?;
                high * 16 + low
            }
            byte => byte,
        });
    }
    if bytes.len() > longest {
        return Err(Broken::TooLong(longest));
    }
    String::from_utf8(bytes).map_err(|_| Broken::NoText)
}

impl Display for Broken {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoText => f.write_str("a parameter is not text"),
            Self::TooLong(longest) => write!(f, "a parameter is longer than {longest} bytes"),
            Self::Twice(name) => write!(f, "the parameter {name} is given twice"),
        }
    }
}

impl std::error::Error for Broken {}
