//! Parses the content of an action: variables, commands and operands.

use super::Parser;
use crate::fault::TemplateFault;
use crate::lex::{Kind, Token};
use crate::number;
use crate::quote::unquoted;
use crate::tree::{Command, Operand, Pipe, Term};

const MOST_VARIABLES: usize = 500;

impl Parser<'_> {
    pub(super) fn pipe(&mut self, context: &str, end: &Kind) -> Result<Pipe, TemplateFault> {
        let mut pipe = Pipe {
            at: self.peek_word().at,
            variables: Vec::new(),
            is_assignment: false,
            commands: Vec::new(),
        };
        self.variables_of(&mut pipe, context)?;
        loop {
            let token = self.peek_word();
            if token.kind == *end {
                self.take_word();
                break;
            }
            if !begins_operand(&token) {
                self.take_word();
                return self.unexpected(&token, context);
            }
            let command = self.command()?;
            pipe.commands.push(command);
        }
        if pipe.commands.is_empty() {
            return self.fail(format!("missing value for {context}"));
        }
        let constant = pipe.commands.iter().skip(1).position(is_constant);
        match constant {
            None => Ok(pipe),
            Some(at) => self.fail(format!(
                "non executable command in pipeline stage {}",
                at + 2
            )),
        }
    }

    /// Parses the variables at the start of a pipeline: `$x :=` or `$x =`, or `$i, $x :=` in a
    /// loop.
    fn variables_of(&mut self, pipe: &mut Pipe, context: &str) -> Result<(), TemplateFault> {
        loop {
            let before = self.next;
            let variable = self.peek_word();
            if variable.kind != Kind::Variable {
                return Ok(());
            }
            self.take_word();
            let sign = self.peek_word();
            if sign.kind == Kind::Assign || sign.kind == Kind::Declare {
                self.take_word();
                pipe.is_assignment = sign.kind == Kind::Assign;
                return self.declare(pipe, &variable);
            }
            if sign.text != "," {
                self.next = before;
                return Ok(());
            }
            self.take_word();
            self.declare(pipe, &variable)?;
            if context != "range" || pipe.variables.len() > 1 {
                return self.fail(format!("too many declarations in {context}"));
            }
            let follows = self.peek_word().kind;
            if !matches!(follows, Kind::Variable | Kind::Close | Kind::RightParen) {
                return self.fail("range can only initialize variables");
            }
        }
    }

    /// Declares a variable. The number of variables is limited, because each use searches all of
    /// them.
    fn declare(&mut self, pipe: &mut Pipe, variable: &Token<'_>) -> Result<(), TemplateFault> {
        pipe.variables.push(variable.text.to_owned());
        self.variables.push(variable.text.to_owned());
        if self.variables.len() > MOST_VARIABLES {
            return self.fail(format!(
                "it has more than {MOST_VARIABLES} variables at once"
            ));
        }
        Ok(())
    }

    fn command(&mut self) -> Result<Command, TemplateFault> {
        let mut words = Vec::new();
        loop {
            self.peek_word();
            words.extend(self.operand()?);
            let token = self.peek();
            if matches!(token.kind, Kind::Close | Kind::RightParen) {
                break;
            }
            self.take();
            if token.kind == Kind::Pipe {
                break;
            }
            if token.kind != Kind::Space {
                return self.unexpected(&token, "operand");
            }
        }
        if words.is_empty() {
            return self.fail("empty command");
        }
        Ok(Command { words })
    }

    fn operand(&mut self) -> Result<Option<Operand>, TemplateFault> {
        let Some(mut operand) = self.term()? else {
            return Ok(None);
        };
        let at = self.peek().at;
        let mut fields = Vec::new();
        while self.peek().kind == Kind::Field {
            fields.push(self.take().text[1..].to_owned());
        }
        if fields.is_empty() {
            return Ok(Some(operand));
        }
        match &mut operand.term {
            Term::Field(first) | Term::Variable(_, first) => {
                first.append(&mut fields);
                operand.at = at;
            }
            Term::Bool(_) | Term::Text(..) | Term::Number(_) | Term::Nil | Term::Dot => {
                return self.fail(format!("unexpected . after term {:?}", operand.to_string()));
            }
            Term::Function(_) | Term::Pipe(_) | Term::Chain(..) => {
                let base = Box::new(operand);
                operand = Operand {
                    at,
                    term: Term::Chain(base, fields),
                };
            }
        }
        Ok(Some(operand))
    }

    fn term(&mut self) -> Result<Option<Operand>, TemplateFault> {
        let token = self.peek_word();
        if !begins_operand(&token) {
            return Ok(None);
        }
        self.take_word();
        if token.kind == Kind::LeftParen {
            self.deeper()?;
            let pipe = self.pipe("parenthesized pipeline", &Kind::RightParen)?;
            self.depth -= 1;
            let (at, term) = (pipe.at, Term::Pipe(pipe));
            return Ok(Some(Operand { at, term }));
        }
        let term = match self.word(&token) {
            Ok(term) => term,
            Err(message) => return self.fail(message),
        };
        Ok(Some(Operand { at: token.at, term }))
    }

    /// Returns the term for a token that is a whole operand.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "what begins an operand and is nothing else is a text"
    )]
    fn word(&self, token: &Token<'_>) -> Result<Term, String> {
        let text = token.text;
        Ok(match token.kind {
            Kind::Identifier if !(self.is_function)(text) => {
                return Err(format!("function {text:?} not defined"));
            }
            Kind::Variable if !self.variables.iter().any(|known| known == text) => {
                return Err(format!("undefined variable {text:?}"));
            }
            Kind::Identifier => Term::Function(text.to_owned()),
            Kind::Variable => Term::Variable(text.to_owned(), Vec::new()),
            Kind::Dot => Term::Dot,
            Kind::Keyword => Term::Nil,
            Kind::Field => Term::Field(vec![text[1..].to_owned()]),
            Kind::Bool => Term::Bool(text == "true"),
            Kind::Char => Term::Number(number::constant(text, true)?),
            Kind::Number => Term::Number(number::constant(text, false)?),
            Kind::Complex => return Err("complex numbers are not known here".to_owned()),
            _ => {
                let meant = unquoted(text).ok_or("invalid syntax")?;
                Term::Text(text.to_owned(), meant)
            }
        })
    }
}

fn begins_operand(token: &Token<'_>) -> bool {
    match token.kind {
        Kind::Bool
        | Kind::Char
        | Kind::Complex
        | Kind::Dot
        | Kind::Field
        | Kind::Identifier
        | Kind::Number
        | Kind::RawString
        | Kind::String
        | Kind::Variable
        | Kind::LeftParen => true,
        Kind::Keyword => token.text == "nil",
        Kind::Error(_)
        | Kind::End
        | Kind::Comment
        | Kind::Text
        | Kind::Open
        | Kind::Close
        | Kind::Space
        | Kind::Assign
        | Kind::Declare
        | Kind::Pipe
        | Kind::RightParen
        | Kind::Sign => false,
    }
}

fn is_constant(command: &Command) -> bool {
    let first = command.words.first().map(|word| &word.term);
    matches!(
        first,
        Some(Term::Bool(_) | Term::Dot | Term::Nil | Term::Number(_) | Term::Text(..))
    )
}
