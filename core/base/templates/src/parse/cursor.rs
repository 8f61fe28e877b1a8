//! Reads the tokens one after the other, and creates error messages.

use super::Parser;
use crate::fault::TemplateFault;
use crate::lex::{Kind, Token};

impl<'a> Parser<'a> {
    pub(super) fn peek(&mut self) -> Token<'a> {
        let last = self.tokens.len() - 1;
        self.seen = self.seen.max(self.next.min(last));
        self.tokens[self.next.min(last)].clone()
    }

    pub(super) fn take(&mut self) -> Token<'a> {
        let token = self.peek();
        self.next += 1;
        token
    }

    /// Returns the next token that is not blank.
    pub(super) fn take_word(&mut self) -> Token<'a> {
        loop {
            let token = self.take();
            if token.kind != Kind::Space {
                return token;
            }
        }
    }

    pub(super) fn peek_word(&mut self) -> Token<'a> {
        while self.peek().kind == Kind::Space {
            self.next += 1;
        }
        self.peek()
    }

    pub(super) fn expect(&mut self, kind: &Kind, context: &str) -> Result<(), TemplateFault> {
        let token = self.take_word();
        if token.kind == *kind {
            return Ok(());
        }
        self.unexpected(&token, context)
    }

    pub(super) fn unexpected<T>(
        &self,
        token: &Token<'_>,
        context: &str,
    ) -> Result<T, TemplateFault> {
        let Kind::Error(message) = &token.kind else {
            return self.fail(format!("unexpected {} in {context}", token.named()));
        };
        let started = self.action_line.filter(|line| *line != token.line);
        let action = match started {
            None => String::new(),
            Some(line) if message.ends_with(" action") => format!(" started at tmpl:{line}"),
            Some(line) => format!(" in action started at tmpl:{line}"),
        };
        self.fail(format!("{message}{action}"))
    }

    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result<T, TemplateFault> {
        Err(TemplateFault::parsing(self.tokens[self.seen].line, message))
    }
}
