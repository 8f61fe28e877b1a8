//! The text of a rule as a complete module.

use crate::rego::RuleFault;

/// The package of rules.
pub(crate) const PACKAGE: &str = "data.portolan.policy";
/// The head before the text.
const HEAD: &str = "package portolan.policy\nimport rego.v1\n";
/// The number of lines in the head.
pub(crate) const HEAD_LINES: u64 = 2;

/// The part of the syntax to which a byte of a text belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Code,
    /// A text that is quoted by this byte.
    Quoted(u8),
    Comment,
}

/// The maximum depth of nested brackets, which bounds the recursion of the parser.
const DEEPEST: usize = 24;
/// The maximum number of braces or square brackets among them. These are ambiguous, so the engine
/// tries several alternatives at each level.
const DEEPEST_BRACES: usize = 10;

/// Returns the complete module. Rego permits a semicolon only within a rule. A semicolon between
/// two rules is replaced by a space, so that several rules fit on one line. Positions do not
/// change.
///
/// # Errors
/// Returns an error if brackets are nested too deeply, or the text contains a NUL.
pub(crate) fn module(text: &str) -> Result<String, RuleFault> {
    let mut bytes = text.as_bytes().to_vec();
    let (mut part, mut open, mut is_escaped) = (Part::Code, Vec::new(), false);
    let (mut line, mut column) = (1, 0);
    for byte in &mut bytes {
        (line, column) = if *byte == b'\n' {
            (line + 1, 0)
        } else {
            (line, column + 1)
        };
        part = next(part, *byte, is_escaped);
        is_escaped = part == Part::Quoted(b'"') && *byte == b'\\' && !is_escaped;
        if part == Part::Code {
            match *byte {
                bracket @ (b'{' | b'[' | b'(') => open.push(bracket),
                b'}' | b']' | b')' => drop(open.pop()),
                b';' if open.is_empty() => *byte = b' ',
                _ => {}
            }
        }
        if let Some(message) = ends_text(*byte).or_else(|| too_deep(&open)) {
            return Err(RuleFault {
                line,
                column,
                message,
            });
        }
    }
    // Each ASCII byte has been replaced by another ASCII byte.
    Ok(format!("{HEAD}{}\n", String::from_utf8_lossy(&bytes)))
}

/// Returns the fault of a NUL character. The engine ignores the text after it, but a reader would
/// see more rules.
fn ends_text(byte: u8) -> Option<String> {
    (byte == 0).then(|| "contains a NUL character".to_owned())
}

/// Returns the fault of brackets that are nested too deeply.
fn too_deep(open: &[u8]) -> Option<String> {
    let braces = open.iter().filter(|bracket| **bracket != b'(').count();
    if open.len() > DEEPEST {
        Some(format!("has more than {DEEPEST} nested brackets"))
    } else if braces > DEEPEST_BRACES {
        Some(format!(
            "has more than {DEEPEST_BRACES} nested braces and square brackets"
        ))
    } else {
        None
    }
}

fn next(part: Part, byte: u8, is_escaped: bool) -> Part {
    match (part, byte) {
        (Part::Code, quote @ (b'"' | b'`')) => Part::Quoted(quote),
        (Part::Code, b'#') => Part::Comment,
        (Part::Comment, b'\n') => Part::Code,
        (Part::Quoted(quote), byte) if byte == quote && !is_escaped => Part::Code,
        (part, _) => part,
    }
}
