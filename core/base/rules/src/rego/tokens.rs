//! Computes the cost of parsing a text from its tokens, before the engine parses the text.
//!
//! The lexer of the engine reads the tokens once. So strings, raw strings and comments end at the
//! same position as in the parser of the engine. There are three limits:
//!
//! - **Depth.** A chain such as `1 + 1 + 1` becomes a tree that is as deep as the chain is long,
//!   and all functions that process the tree are recursive. Each open bracket counts as one level.
//!   In an expression that is not complete yet, each operator, dot, index and call also counts as
//!   one level. An operator may become the parent of everything before it in the expression. So the
//!   depth of closed brackets in the expression also counts, as in `[[x] + 1] + 1`. The count is
//!   never smaller than the depth of the tree.
//! - **Reads.** The text after `{` or `[` may be a comprehension, a list, a set, an object or a
//!   body. The parser tries these alternatives one after the other. At each level, it reads the
//!   first item up to three times, and every later item up to twice. So a token counts once for
//!   each time that the parser may read it.
//! - **Exponents.** For a number such as `0e999`, the parser computes the whole power of ten. So
//!   the exponent of a number is added to the length of its text, and large exponents are rejected.

use regorus::Source;
use regorus::unstable::{Lexer, Token, TokenKind};

use crate::rego::RuleFault;
use crate::rego::rule::FILE;

/// The maximum depth of an expression.
const DEEPEST: usize = 128;
/// The maximum number of tokens that the parser reads. A token that is read several times counts
/// several times.
const MOST_READS: u64 = 64_000;
/// The maximum number of imports. The engine compares each import with all imports before it.
const MOST_IMPORTS: usize = 64;
/// The maximum exponent of a number.
const LARGEST_EXPONENT: u32 = 999;
/// The number of imports in the lines that are added before the rule.
const HEAD: usize = 1;
/// The number of bytes that take as much time to read as one token.
const BYTES: u32 = 16;

/// The maximum number of times that the parser reads the first item in braces or square brackets,
/// or the body of a rule.
const FIRST: u64 = 3;
/// The maximum number of times that the parser reads each later item.
const LATER: u64 = 2;

/// The state inside an open bracket, or outside all brackets.
struct Level {
    /// The maximum number of times that the parser reads a token, because of the outer levels only.
    around: u64,
    /// The maximum number of times that the parser reads a token of the current item.
    times: u64,
    /// The number of operators, dots, indexes and calls in the current expression.
    links: usize,
    /// The depth of the deepest closed bracket in the current expression.
    closed: usize,
    /// The depth of the deepest earlier expression on this level.
    ended: usize,
}

struct Scan {
    /// The innermost level.
    level: Level,
    /// The outer levels.
    around: Vec<Level>,
    /// The sum of `links` of all levels.
    links: usize,
    reads: u64,
    imports: usize,
    /// The largest exponent of a number so far.
    exponent: u32,
    /// True if the last token may be the end of an expression.
    is_after_operand: bool,
    /// The byte at which the last token ends.
    end: u32,
}

/// Checks that the engine can parse a module quickly.
///
/// # Errors
/// Returns the first position at which the module exceeds a limit.
pub(crate) fn check(module: &str) -> Result<(), RuleFault> {
    let Ok(source) = Source::from_contents(FILE.to_owned(), module.to_owned()) else {
        return Ok(());
    };
    let mut lexer = Lexer::new(&source);
    let mut scan = Scan::new();
    // The parser stops at the same position as the lexer, and reports the error.
    while let Ok(token) = lexer.next_token() {
        if token.0 == TokenKind::Eof {
            break;
        }
        scan.read(&token);
        if let Some(message) = scan.excess() {
            return Err(RuleFault::at(
                token.1.line.into(),
                token.1.col.into(),
                message,
            ));
        }
    }
    Ok(())
}

// === impl Scan ===

impl Scan {
    fn new() -> Self {
        Self {
            level: Level::within(1, FIRST),
            around: Vec::new(),
            links: 0,
            reads: 0,
            imports: 0,
            exponent: 0,
            is_after_operand: false,
            end: 0,
        }
    }

    /// Returns the depth of the tree at the current token.
    fn depth(&self) -> usize {
        self.around.len() + self.links + self.level.closed
    }

    fn excess(&self) -> Option<String> {
        if self.depth() > DEEPEST {
            return Some(format!(
                "has an expression with more than {DEEPEST} nested operators and brackets; move a \
                 part of it into another rule"
            ));
        }
        if self.exponent > LARGEST_EXPONENT {
            return Some(format!(
                "has a number with an exponent above {LARGEST_EXPONENT}; use a smaller exponent"
            ));
        }
        if self.reads > MOST_READS {
            return Some(
                "has too much text within nested brackets; move a part of it into another rule"
                    .to_owned(),
            );
        }
        (self.imports > MOST_IMPORTS + HEAD)
            .then(|| format!("has more than {MOST_IMPORTS} imports"))
    }

    fn read(&mut self, token: &Token) {
        let Token(kind, span) = token;
        let exponent = exponent(token);
        self.exponent = self.exponent.max(exponent);
        let length = span.end.saturating_sub(self.end);
        let length = length.saturating_add(exponent) / BYTES;
        let reads = self.level.times.saturating_mul(1 + u64::from(length));
        self.reads = self.reads.saturating_add(reads);
        let is_adjacent = span.start == self.end;
        self.end = span.end;
        match (kind, span.text()) {
            (TokenKind::Symbol, symbol) => self.symbol(symbol, is_adjacent),
            (TokenKind::Ident, "in") => self.links(),
            (TokenKind::Ident, "set(") => self.opens(1),
            (TokenKind::Ident, word) => {
                self.imports += usize::from(word == "import" && self.around.is_empty());
                self.is_operand();
            }
            // `1 -1` is a difference, although the lexer reads `-1` as a number.
            (TokenKind::Number, number) if number.starts_with('-') => {
                self.links();
                self.is_after_operand = true;
            }
            (TokenKind::Number | TokenKind::String | TokenKind::RawString | TokenKind::Eof, _) => {
                self.is_operand();
            }
        }
    }

    fn symbol(&mut self, symbol: &str, is_adjacent: bool) {
        match symbol {
            "{" => {
                self.links_operand(false);
                self.opens(FIRST);
            }
            "[" => {
                self.links_operand(is_adjacent);
                self.opens(FIRST);
            }
            "(" => {
                self.links_operand(true);
                self.opens(1);
            }
            "}" | "]" | ")" => self.closes(),
            "," => {
                self.ends_expression();
                self.level.is_past_first();
            }
            ";" | ":" => self.ends_expression(),
            _ => self.links(),
        }
    }

    /// Handles an operand. Two operands in a row belong to two different expressions.
    fn is_operand(&mut self) {
        if self.is_after_operand {
            self.ends_expression();
        }
        self.is_after_operand = true;
    }

    /// Handles an opening bracket. After an operand, a parenthesis begins a call, and an adjacent
    /// square bracket begins an index. Otherwise, another expression begins.
    fn links_operand(&mut self, is_adjacent: bool) {
        if self.is_after_operand && is_adjacent {
            self.links();
        } else if self.is_after_operand {
            self.ends_expression();
        }
    }

    fn links(&mut self) {
        self.level.links += 1;
        self.links += 1;
        self.is_after_operand = false;
    }

    fn ends_expression(&mut self) {
        self.links -= self.level.links;
        self.level.ends_expression();
        self.is_after_operand = false;
    }

    fn opens(&mut self, first: u64) {
        let inner = Level::within(self.level.times, first);
        self.around.push(std::mem::replace(&mut self.level, inner));
        self.is_after_operand = false;
    }

    fn closes(&mut self) {
        self.ends_expression();
        if let Some(outer) = self.around.pop() {
            let closed = std::mem::replace(&mut self.level, outer);
            self.level.closed = self.level.closed.max(closed.ended + 1);
        }
        self.is_after_operand = true;
    }
}

// === impl Level ===

impl Level {
    /// Creates the level inside a bracket. `first` is the maximum number of times that the parser
    /// reads its first item. In parentheses, it is 1.
    fn within(around: u64, first: u64) -> Self {
        Self {
            around,
            times: around * first,
            links: 0,
            closed: 0,
            ended: 0,
        }
    }

    fn ends_expression(&mut self) {
        self.ended = self.ended.max(self.links + self.closed);
        self.links = 0;
        self.closed = 0;
    }

    fn is_past_first(&mut self) {
        self.times = self.times.min(self.around * LATER);
    }
}

/// Returns the exponent of a number without its sign. Returns zero for other tokens.
fn exponent(Token(kind, span): &Token) -> u32 {
    match (kind, span.text().split_once(['e', 'E'])) {
        (TokenKind::Number, Some((_, exponent))) => {
            let digits = exponent.trim_start_matches(['+', '-']);
            // The lexer accepts only digits here, so a parse error means that the exponent is too
            // large.
            digits.parse().unwrap_or(u32::MAX)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
