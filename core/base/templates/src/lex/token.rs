//! The tokens of a template.

use crate::quote::quoted;

/// A token of a template.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind,
    /// The position of the first byte of the token.
    pub(crate) at: usize,
    /// The line of the token. The first line is 1.
    pub(crate) line: u32,
    pub(crate) text: &'a str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An error, which is always the last token. Contains the message.
    Error(String),
    End,
    Comment,
    Text,
    Open,
    Close,
    Space,
    Assign,
    Declare,
    Pipe,
    LeftParen,
    RightParen,
    Bool,
    Char,
    Number,
    Complex,
    String,
    RawString,
    Dot,
    Field,
    Variable,
    Identifier,
    Keyword,
    /// Any other character, such as a comma.
    Sign,
}

// === impl Token ===

impl Token<'_> {
    /// Returns the form of the token in error messages.
    pub(crate) fn named(&self) -> String {
        if let Kind::Error(message) = &self.kind {
            return message.clone();
        }
        let cut: String = self.text.chars().take(10).collect();
        let more = if self.text.len() > 10 { "..." } else { "" };
        if self.kind == Kind::End {
            "EOF".to_owned()
        } else if matches!(self.kind, Kind::Keyword | Kind::Dot) {
            format!("<{}>", self.text)
        } else {
            quoted(cut.as_bytes()) + more
        }
    }
}
