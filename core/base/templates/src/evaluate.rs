//! Evaluates the tree of a template with the objects of a cluster. The result is a text.

mod assigned;
mod command;
mod field;
mod range;
mod stop;

use std::fmt::Display;

use crate::fault::{DEEPEST, Limit, MOST_LEVELS, TemplateFault};
use crate::host::Host;
use crate::origin::Origins;
use crate::output::{Output, Texts};
use crate::parse::Template;
use crate::print::printed;
use crate::tree::{Branch, Invocation, Node, Pipe};
use crate::value::{Shape, Value};
use stop::Around;

/// The reason why the evaluation of a template stops early.
#[derive(Debug)]
pub(crate) enum Stop {
    Fault(TemplateFault),
    /// A step that depends on a Secret failed. The kind, position and message of the failure could
    /// reveal a part of the Secret, so they are not reported.
    Hidden,
    /// An object that the template looks up has not been read yet.
    Unread,
}

type Done<T> = Result<T, Stop>;

/// The reason why the evaluation of a list of nodes ended.
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
    /// The name of the template that is being evaluated.
    name: &'t str,
    /// The node that is being evaluated, and its position.
    place: (usize, &'t dyn Display),
    variables: Vec<(&'t str, Value)>,
    /// The Secrets that determined the number of iterations of the innermost loop.
    left: Origins,
    depth: usize,
    /// The nesting depth of branches and pipelines at the current position, including those of the
    /// calling templates.
    levels: usize,
}

/// Evaluates a template. Returns its text, and the text for display.
///
/// If a step that depends on a Secret fails, the evaluation does not stop at once. Otherwise the
/// position of the failure and the later lookups could reveal a part of the Secret. The evaluation
/// continues with a replacement that depends on the same Secret, and fails at the end.
///
/// # Errors
/// Returns the first failure that does not depend on the content of a Secret, with its position.
/// Other failures have no position.
pub(crate) fn evaluate<'o>(template: &Template<'_>, host: &mut Host<'o>) -> Result<Texts, Stop> {
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
    let Evaluation { out, host, .. } = evaluation;
    if host.has_failed || out.is_overfull() {
        return Err(Stop::Hidden);
    }
    Ok(out.into_texts(&host.known))
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
                Node::Action(pipe) => self.action(dot, pipe)?,
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

    fn action(&mut self, dot: &Value, pipe: &'t Pipe) -> Done<()> {
        let value = self.pipe(dot, pipe)?;
        if !pipe.variables.is_empty() {
            return Ok(());
        }
        let origins = value.all_origins();
        self.host.note(&origins);
        match printed(&value) {
            Ok(bytes) => self.write(&bytes, &origins),
            Err(_) if !origins.is_empty() => self.hidden(&origins).map(drop),
            Err(limit) => Err(self.cut(limit)),
        }
    }

    fn deeper(&mut self) -> Done<()> {
        self.levels += 1;
        if self.levels > MOST_LEVELS {
            return Err(self.cut(Limit::Levels));
        }
        Ok(())
    }

    /// Evaluates an `if` or a `with`.
    fn either(&mut self, dot: &Value, branch: &'t Branch, is_with: bool) -> Done<Flow> {
        let variables = self.variables.len();
        let value = self.pipe(dot, &branch.pipe)?;
        let (before, around) = self.begin(&value, branch)?;
        let flow = match (value.is_true(), is_with) {
            (true, true) => self.walk(&value, &branch.body),
            (true, false) => self.walk(dot, &branch.body),
            (false, _) => self.walk(dot, &branch.otherwise),
        };
        let flow = self.contained(&before, around, flow, Flow::On)?;
        self.exit(before, branch);
        self.variables.truncate(variables);
        Ok(flow)
    }

    fn begin(&mut self, value: &Value, branch: &'t Branch) -> Done<(Origins, Around)> {
        let before = self.enter(value);
        self.hide(&before, branch)?;
        Ok((before, self.around()))
    }

    /// Enters a branch: all steps inside it depend on the Secrets that determine its condition.
    /// Returns the Secrets on which the steps before it depend.
    fn enter(&mut self, value: &Value) -> Origins {
        let before = self.host.branch.clone();
        let origins = shape_origins(value);
        self.host.note(&origins);
        self.host.branch.join(&origins.chosen());
        before
    }

    /// Writes a mark for a branch that depends on a Secret, even if the branch that is taken writes
    /// nothing.
    fn hide(&mut self, before: &Origins, branch: &'t Branch) -> Done<()> {
        if self.host.branch.is_empty() {
            return Ok(());
        }
        let assigned = assigned::within(branch);
        self.steps(assigned.count)?;
        if before.is_empty() && assigned.has_written {
            self.out.mark(&self.host.branch);
        }
        // The number of iterations could also reveal a part of the Secret.
        if assigned.has_left && self.left.is_empty() {
            self.left = self.host.branch.clone();
        }
        Ok(())
    }

    /// Leaves a branch. All variables that the branch may assign now depend on its condition. If
    /// the branch may end the iteration of a loop, the remaining steps of the iteration also depend
    /// on the condition.
    fn exit(&mut self, before: Origins, branch: &'t Branch) {
        let origins = std::mem::replace(&mut self.host.branch, before);
        self.host.branch.join(&self.left);
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
        let walked = self.walk(&dot, body);
        self.variables = variables;
        self.name = outer;
        walked?;
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

    /// Writes output. If a Secret determines whether this position is reached, the mark was already
    /// written.
    fn write(&mut self, bytes: &[u8], origins: &Origins) -> Done<()> {
        if self.host.branch.is_empty() {
            return self
                .out
                .write(bytes, origins)
                .map_err(|limit| self.cut(limit));
        }
        self.out.write_hidden(bytes);
        if self.out.is_overfull() {
            return Err(Stop::Hidden);
        }
        Ok(())
    }

    fn steps(&mut self, count: usize) -> Done<()> {
        self.host.steps(count).map_err(|limit| self.cut(limit))
    }
}

/// Returns the Secrets that determine the length of a value, and whether the value is true.
fn shape_origins(value: &Value) -> Origins {
    let mut origins = value.origins.clone();
    if let Shape::Map(map) = &value.shape {
        origins.join(&map.borrow().origins);
    }
    origins
}
