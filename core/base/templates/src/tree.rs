//! The tree of a parsed template. Errors print each node in its original form.

use std::fmt;

/// A node of a template: an action between `{{` and `}}`, or the text between actions.
#[derive(Debug)]
pub(crate) enum Node {
    Text(String),
    Action(Pipe),
    If(Branch),
    With(Branch),
    Range(Branch),
    Template(Invocation),
    Break,
    Continue,
}

/// An `if`, `with` or `range`: a condition and two branches.
#[derive(Debug)]
pub(crate) struct Branch {
    pub(crate) pipe: Pipe,
    pub(crate) body: Vec<Node>,
    pub(crate) otherwise: Vec<Node>,
}

/// The action `{{template "name" pipe}}`.
#[derive(Debug)]
pub(crate) struct Invocation {
    pub(crate) at: usize,
    pub(crate) name: String,
    pub(crate) pipe: Option<Pipe>,
}

/// A pipeline of commands. The value of each command is the last argument of the next command.
#[derive(Debug)]
pub(crate) struct Pipe {
    /// The position of the first byte of the pipeline in the template.
    pub(crate) at: usize,
    pub(crate) variables: Vec<String>,
    /// True for an assignment to existing variables with `=`. False for a declaration with `:=`.
    pub(crate) is_assignment: bool,
    pub(crate) commands: Vec<Command>,
}

/// An operand, or a function with its arguments.
#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) words: Vec<Operand>,
}

#[derive(Debug)]
pub(crate) struct Operand {
    pub(crate) at: usize,
    pub(crate) term: Term,
}

#[derive(Debug)]
pub(crate) enum Term {
    Function(String),
    Dot,
    Nil,
    Variable(String, Vec<String>),
    Field(Vec<String>),
    Bool(bool),
    Number(Number),
    /// A text literal: its original form and its value.
    Text(String, Vec<u8>),
    Pipe(Pipe),
    /// The fields of an operand in parentheses, such as `(lookup …).data`.
    Chain(Box<Operand>, Vec<String>),
}

/// A number literal, as a value of each type into which it fits.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Number {
    pub(crate) text: String,
    pub(crate) whole: Option<i64>,
    pub(crate) float: Option<f64>,
}

/// Returns true if the nodes are only blank text. Then the template can be defined again.
pub(crate) fn is_blank(nodes: &[Node]) -> bool {
    nodes
        .iter()
        .all(|node| matches!(node, Node::Text(text) if text.trim().is_empty()))
}

// === impl Invocation ===

impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{{template {:?}", self.name)?;
        if let Some(pipe) = &self.pipe {
            write!(f, " {pipe}")?;
        }
        f.write_str("}}")
    }
}

// === impl Pipe ===

impl fmt::Display for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.variables.is_empty() {
            let sign = if self.is_assignment { "=" } else { ":=" };
            write!(f, "{} {sign} ", self.variables.join(", "))?;
        }
        for (index, command) in self.commands.iter().enumerate() {
            let between = if index == 0 { "" } else { " | " };
            write!(f, "{between}{command}")?;
        }
        Ok(())
    }
}

// === impl Command ===

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, word) in self.words.iter().enumerate() {
            let between = if index == 0 { "" } else { " " };
            write!(f, "{between}{}", Inner(word))?;
        }
        Ok(())
    }
}

// === impl Operand ===

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.term {
            Term::Function(name) => f.write_str(name),
            Term::Dot => f.write_str("."),
            Term::Nil => f.write_str("nil"),
            Term::Variable(name, fields) => {
                f.write_str(name)?;
                fields.iter().try_for_each(|field| write!(f, ".{field}"))
            }
            Term::Field(fields) => fields.iter().try_for_each(|field| write!(f, ".{field}")),
            Term::Bool(is) => write!(f, "{is}"),
            Term::Number(number) => f.write_str(&number.text),
            Term::Text(written, _) => f.write_str(written),
            Term::Pipe(pipe) => write!(f, "{pipe}"),
            Term::Chain(base, fields) => {
                write!(f, "{}", Inner(base))?;
                fields.iter().try_for_each(|field| write!(f, ".{field}"))
            }
        }
    }
}

/// An operand inside another operand. If it is a pipeline, it is printed in parentheses.
struct Inner<'a>(&'a Operand);

// === impl Inner ===

impl fmt::Display for Inner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Term::Pipe(pipe) = &self.0.term {
            write!(f, "({pipe})")
        } else {
            write!(f, "{}", self.0)
        }
    }
}
