//! A tree and a cluster in, a text out.

mod assigned;
mod command;
mod field;
mod range;

use std::fmt::Display;

use crate::fault::{DEEPEST, Fault, Limit, MOST_LEVELS};
use crate::host::{Failure, Host};
use crate::origin::Origins;
use crate::output::Output;
use crate::parse::Template;
use crate::print::{plain, printed};
use crate::tree::{Branch, Invocation, Node, Pipe};
use crate::value::{Shape, Value};

/// Why an evaluation ends early.
#[derive(Debug)]
pub(crate) enum Stop {
    Fault(Fault),
    /// An object is to be looked up first.
    Unread,
}

type Done<T> = Result<T, Stop>;

/// The way in which a list of nodes ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    On,
    Break,
    Continue,
}

struct Evaluation<'t, 'h, 'o> {
    template: &'t Template<'t>,
    host: &'h mut Host<'o>,
    out: Output,
    /// The template that is being executed.
    name: &'t str,
    /// The part that is being evaluated, and where it begins.
    place: (usize, &'t dyn Display),
    variables: Vec<(&'t str, Value)>,
    /// The Secrets that decided how often the innermost loop ran.
    left: Origins,
    depth: usize,
    /// The branches and pipelines around this place, those of invoking templates included.
    levels: usize,
}

/// The text of a template, and what of it may be shown.
///
/// # Errors
/// The first place that has no value.
pub(crate) fn evaluate<'o>(
    template: &Template<'_>,
    host: &mut Host<'o>,
) -> Result<(Vec<u8>, Vec<u8>), Stop> {
    let dot = Value::from(Shape::Empty);
    let mut evaluation = Evaluation {
        template,
        host,
        out: Output::default(),
        name: "tmpl",
        place: (0, &""),
        variables: vec![("$", dot.clone())],
        left: Origins::default(),
        depth: 0,
        levels: 0,
    };
    evaluation.walk(&dot, &template.root)?;
    Ok(evaluation.out.into_texts())
}

// === impl Evaluation ===

impl<'t> Evaluation<'t, '_, '_> {
    fn walk(&mut self, dot: &Value, nodes: &'t [Node]) -> Done<Flow> {
        self.deeper()?;
        let mut flow = Flow::On;
        for node in nodes {
            self.steps(1)?;
            match node {
                Node::Text(text) => self.write(text.as_bytes(), &Origins::default())?,
                Node::Action(pipe) => {
                    let value = self.pipe(dot, pipe)?;
                    if pipe.variables.is_empty() {
                        let bytes = printed(&value).map_err(|limit| self.cut(limit))?;
                        self.write(&bytes, &value.all_origins())?;
                    }
                }
                Node::If(branch) => flow = self.either(dot, branch, false)?,
                Node::With(branch) => flow = self.either(dot, branch, true)?,
                Node::Range(branch) => flow = self.range(dot, branch)?,
                Node::Template(invocation) => self.invoke(dot, invocation)?,
                Node::Break => flow = Flow::Break,
                Node::Continue => flow = Flow::Continue,
            }
            if flow != Flow::On {
                break;
            }
        }
        self.levels -= 1;
        Ok(flow)
    }

    fn deeper(&mut self) -> Done<()> {
        self.levels += 1;
        if self.levels > MOST_LEVELS {
            return Err(self.cut(Limit::Levels));
        }
        Ok(())
    }

    /// `if` and `with`.
    fn either(&mut self, dot: &Value, branch: &'t Branch, is_with: bool) -> Done<Flow> {
        let variables = self.variables.len();
        let value = self.pipe(dot, &branch.pipe)?;
        let before = self.enter(&value);
        self.hide(&before, branch)?;
        let flow = match (value.is_true(), is_with) {
            (true, true) => self.walk(&value, &branch.body),
            (true, false) => self.walk(dot, &branch.body),
            (false, _) => self.walk(dot, &branch.otherwise),
        }?;
        self.exit(before, branch);
        self.variables.truncate(variables);
        Ok(flow)
    }

    /// Makes what follows depend on the value; returns what it depended on before.
    fn enter(&mut self, value: &Value) -> Origins {
        let before = self.host.branch.clone();
        self.host.branch.join(&shape_origins(value));
        before
    }

    /// Shows what depends on a Secret from here on as its mark, whether or not anything is written.
    fn hide(&mut self, before: &Origins, branch: &'t Branch) -> Done<()> {
        if self.host.branch.is_empty() {
            return Ok(());
        }
        let assigned = assigned::within(branch);
        self.steps(assigned.count)?;
        if before.is_empty() && assigned.has_written {
            self.out.mark(&self.host.branch);
        }
        // That a round goes on says something about the Secret as well.
        if assigned.has_left && self.left.is_empty() {
            self.left = self.host.branch.clone();
        }
        self.write(b"", &Origins::default())
    }

    /// Also what a branch would have assigned tells which one was taken.
    fn exit(&mut self, before: Origins, branch: &'t Branch) {
        let origins = std::mem::replace(&mut self.host.branch, before);
        self.taint(&origins, branch);
    }

    fn taint(&mut self, origins: &Origins, branch: &'t Branch) {
        if origins.is_empty() {
            return;
        }
        let assigned = assigned::within(branch);
        for (name, value) in &mut self.variables {
            if assigned.includes(name) {
                value.origins.join(origins);
            }
        }
    }

    fn invoke(&mut self, dot: &Value, invocation: &'t Invocation) -> Done<()> {
        self.place = (invocation.at, invocation);
        let Some((name, body)) = self.template.defined.get_key_value(&invocation.name) else {
            return self.fail(format!("template {:?} not defined", invocation.name));
        };
        if self.depth == DEEPEST {
            return Err(self.cut(Limit::Depth));
        }
        self.depth += 1;
        let dot = match &invocation.pipe {
            Some(pipe) => self.pipe(dot, pipe)?,
            None => Shape::Missing.into(),
        };
        let outer = std::mem::replace(&mut self.name, name);
        let variables = std::mem::replace(&mut self.variables, vec![("$", dot.clone())]);
        self.walk(&dot, body)?;
        self.variables = variables;
        self.name = outer;
        self.depth -= 1;
        Ok(())
    }

    fn pipe(&mut self, dot: &Value, pipe: &'t Pipe) -> Done<Value> {
        self.deeper()?;
        self.place = (pipe.at, pipe);
        let mut value = None;
        for command in &pipe.commands {
            value = Some(self.command(dot, command, value)?.unboxed());
        }
        self.levels -= 1;
        let value = value.unwrap_or(Shape::Missing.into());
        for variable in &pipe.variables {
            if pipe.is_assignment {
                self.assign(variable, value.clone())?;
            } else {
                let value = value.clone().depending_on(&self.host.branch);
                self.variables.push((variable, value));
            }
        }
        Ok(value)
    }

    fn assign(&mut self, variable: &'t str, value: Value) -> Done<()> {
        let value = value.depending_on(&self.host.branch);
        let known = self
            .variables
            .iter_mut()
            .rev()
            .find(|(name, _)| *name == variable);
        match known {
            Some((_, known)) => *known = value,
            None => return self.fail(format!("undefined variable: {variable}")),
        }
        Ok(())
    }

    /// Writes the bytes. Where a Secret decides whether this place is reached, its mark stands
    /// there already.
    fn write(&mut self, bytes: &[u8], origins: &Origins) -> Done<()> {
        let written = if self.host.branch.is_empty() {
            self.out.write(bytes, origins)
        } else {
            self.out.write_hidden(bytes)
        };
        written.map_err(|limit| self.cut(limit))
    }

    fn steps(&mut self, count: usize) -> Done<()> {
        self.host.steps(count).map_err(|limit| self.cut(limit))
    }

    /// A value in a message.
    fn said(&self, value: &Value) -> String {
        let origins = value.all_origins();
        if !origins.is_empty() {
            return origins.to_string();
        }
        let text = plain(value).unwrap_or_default();
        String::from_utf8_lossy(&text).into_owned()
    }

    fn cut(&self, limit: Limit) -> Stop {
        self.fault(limit.to_string())
    }

    fn fail<T>(&self, message: impl Into<String>) -> Done<T> {
        Err(self.fault(message.into()))
    }

    fn failed(&self, name: &str, failure: Failure, origins: &Origins) -> Stop {
        match failure {
            Failure::Unread => Stop::Unread,
            Failure::Cut(limit) => self.cut(limit),
            Failure::Said(_) if !origins.is_empty() => {
                self.fault(format!("error calling {name}: {origins}"))
            }
            Failure::Said(message) => self.fault(format!("error calling {name}: {message}")),
        }
    }

    fn fault(&self, message: String) -> Stop {
        let (at, part) = self.place;
        let before = &self.template.text[..at];
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        Stop::Fault(Fault {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: Some(before.len() - before.rfind('\n').map_or(0, |end| end + 1)),
            executing: Some((self.name.to_owned(), part.to_string())),
            message,
        })
    }
}

/// Returns the origins that decide how long a value is, and whether it is true.
fn shape_origins(value: &Value) -> Origins {
    let mut origins = value.origins.clone();
    if let Shape::Map(map) = &value.shape {
        origins.join(&map.borrow().origins);
    }
    origins
}
