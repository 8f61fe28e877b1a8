//! Parses a range into [`Spans`], one token after the other.
//!
//! ```text
//!   >= 1.2.0  <2.0.0 || 2.1.x          blanks divide the text into words, but for those behind an
//!   └──────┘  └────┘ └┘ └───┘          operator; a comparator is one word, so is a `||`
//! ```

use super::flaw::Warning;
use super::wildcard::{self, Wildcard};
use super::{Flaw, FlawAt, Spans};
use crate::Version;
use crate::invalid_text::excerpt;
use crate::version::{no_leading_v, parse_version};

/// The maximum length of a range in bytes. The longest range in public catalogs has 34 characters.
const LONGEST: usize = 1024;

/// The characters of operators, in this language and in other range languages.
const MARKS: [char; 6] = ['<', '>', '=', '!', '~', '^'];

/// A comparison operator, which comes before a version in a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Above,
    AtLeast,
    Below,
    AtMost,
}

pub(super) fn range(text: &str) -> Result<(Spans, Vec<Warning>), FlawAt<Flaw>> {
    if text.len() > LONGEST {
        let flaw = Flaw::TooLong {
            length: text.len(),
            longest: LONGEST,
        };
        return Err(FlawAt::new(0, flaw));
    }
    if text.chars().all(|c| c.is_ascii_whitespace()) {
        return Err(FlawAt::new(0, Flaw::Empty));
    }
    let mut words = Tokens {
        text,
        at: 0,
        warnings: Vec::new(),
    };
    if text.contains(is_control) {
        let is_refused = text.split(' ').any(is_spoilt);
        words.warnings.push(Warning::ControlBlank { is_refused });
    }
    let mut spans = words.alternative()?;
    while words.next_is_or() {
        words.take("||".len());
        spans = spans.union(words.alternative()?);
    }
    Ok((spans, words.warnings))
}

fn is_control(c: char) -> bool {
    c.is_ascii_whitespace() && c != ' '
}

/// Returns true if OLM rejects this token because it contains a tab or line break. OLM accepts only
/// spaces as separators.
fn is_spoilt(word: &str) -> bool {
    let digit = word.find(|c: char| c.is_ascii_digit());
    let (operator, version) = word.split_at(digit.unwrap_or(word.len()));
    version.contains(is_control) || operator.trim().contains(is_control)
}

/// The text to parse, and the current position in it.
struct Tokens<'t> {
    text: &'t str,
    at: usize,
    warnings: Vec<Warning>,
}

impl<'t> Tokens<'t> {
    /// Parses one or more comparators, up to the next `||` or the end of the text.
    fn alternative(&mut self) -> Result<Spans, FlawAt<Flaw>> {
        self.skip_blanks();
        if self.word().is_empty() || self.next_is_or() {
            return Err(FlawAt::new(self.at, Flaw::NoAlternative));
        }
        let mut spans = self.comparator()?;
        self.skip_blanks();
        while !self.word().is_empty() && !self.next_is_or() {
            spans = spans.intersection(&self.comparator()?);
            self.skip_blanks();
        }
        Ok(spans)
    }

    fn comparator(&mut self) -> Result<Spans, FlawAt<Flaw>> {
        let start = self.at;
        let operator = self.operator()?;
        let (at, word) = (self.at, self.word());
        if word.starts_with(MARKS) {
            let end = at + word.len() - word.trim_start_matches(MARKS).len();
            return Err(FlawAt::new(start, unknown_operator(&self.text[start..end])));
        }
        if word.is_empty() || self.next_is_or() {
            return Err(FlawAt::new(
                start,
                Flaw::NoVersion {
                    operator: operator.as_str(),
                },
            ));
        }
        self.take(word.len());
        let (spans, warning) =
            operand(operator, word, &self.text[start..self.at]).map_err(|flaw| flaw.shift(at))?;
        self.warnings.extend(warning);
        Ok(spans)
    }

    /// Parses an operator. Skips blanks after `>`, `<` and `=`, as in `> = 1.2.3`. Rejects a `!`
    /// before a blank, because OLM ignores such a `!` and would match the opposite versions.
    fn operator(&mut self) -> Result<Operator, FlawAt<Flaw>> {
        let start = self.at;
        let operator = if self.take_mark('!') {
            if !self.take_mark('=') && self.rest().starts_with(|c: char| c.is_ascii_whitespace()) {
                return Err(FlawAt::new(start, unknown_operator("!")));
            }
            Operator::NotEqual
        } else if self.take_mark('>') {
            self.skip_blanks();
            if self.take_mark('=') {
                Operator::AtLeast
            } else {
                Operator::Above
            }
        } else if self.take_mark('<') {
            self.skip_blanks();
            if self.take_mark('=') {
                Operator::AtMost
            } else {
                Operator::Below
            }
        } else {
            if self.take_mark('=') {
                self.skip_blanks();
                self.take_mark('=');
            }
            Operator::Equal
        };
        if self.at > start {
            self.skip_blanks();
        }
        Ok(operator)
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Returns the text from the current position to the next blank.
    fn word(&self) -> &'t str {
        self.rest()
            .split(|c: char| c.is_ascii_whitespace())
            .next()
            .unwrap_or_default()
    }

    fn next_is_or(&self) -> bool {
        self.word() == "||"
    }

    fn take(&mut self, length: usize) {
        self.at += length;
    }

    fn take_mark(&mut self, mark: char) -> bool {
        let taken = self.rest().starts_with(mark);
        self.at += usize::from(taken);
        taken
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.take(
            rest.len()
                - rest
                    .trim_start_matches(|c: char| c.is_ascii_whitespace())
                    .len(),
        );
    }
}

impl Operator {
    fn spans(self, version: Version) -> Spans {
        match self {
            Self::Equal => Spans::only(version),
            Self::NotEqual => Spans::except(version),
            Self::Above => Spans::above(&version),
            Self::AtLeast => Spans::at_least(version),
            Self::Below => Spans::below(version),
            Self::AtMost => Spans::at_most(&version),
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Above => ">",
            Self::AtLeast => ">=",
            Self::Below => "<",
            Self::AtMost => "<=",
        }
    }
}

/// Parses the version or wildcard in `word`. Returns the versions that match the comparator, and a
/// warning if its meaning is unexpected. `written` is the whole comparator.
fn operand(
    operator: Operator,
    word: &str,
    written: &str,
) -> Result<(Spans, Option<Warning>), FlawAt<Flaw>> {
    foreign_joint(word)?;
    no_leading_v(word).map_err(|flaw| flaw.map(Flaw::Version))?;
    if let Some(wildcard) = Wildcard::parse(word)? {
        return Ok((
            wildcard.spans(operator),
            wildcard.warning(operator, written),
        ));
    }
    let version = parse_version(word).map_err(|flaw| flaw.map(Flaw::Version))?;
    let warning = wildcard::seen_in(word, operator).then(|| Warning::LetterX {
        written: excerpt(written),
        is_refused: wildcard::is_refused(word, operator),
    });
    Ok((operator.spans(version), warning))
}

fn unknown_operator(written: &str) -> Flaw {
    let instead = match written {
        "!" => "OLM ignores it if it is alone; write \"!=\"",
        "=>" => "write \">=\"",
        "=<" => "write \"<=\"",
        "<>" => "write \"!=\"",
        "~" | "^" | "~>" => "write both ends, as in \">=1.2.0 <2.0.0\"",
        _ => "the operators are = != > >= < <=",
    };
    Flaw::Operator {
        written: excerpt(written),
        instead,
    }
}

/// Rejects the syntax of other range languages for combining versions, and missing blanks.
fn foreign_joint(word: &str) -> Result<(), FlawAt<Flaw>> {
    if word == "-" {
        let instead = "write both ends, as in \">=1.2.0 <=1.3.0\"";
        return Err(FlawAt::new(
            0,
            Flaw::Joint {
                written: "-".into(),
                instead,
            },
        ));
    }
    let Some(at) = word.find(|c| c == ',' || c == '|' || MARKS.contains(&c)) else {
        return Ok(());
    };
    let rest = &word[at..];
    let (length, instead) = if rest.starts_with("||") {
        (2, "put a space on both sides of it")
    } else if rest.starts_with('|') {
        (1, "put a space on both sides of \"||\"")
    } else if rest.starts_with(',') {
        (1, "write a blank")
    } else {
        (
            rest.len() - rest.trim_start_matches(MARKS).len(),
            "put a space before it",
        )
    };
    Err(FlawAt::new(
        at,
        Flaw::Joint {
            written: rest[..length].into(),
            instead,
        },
    ))
}
