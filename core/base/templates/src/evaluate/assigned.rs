//! Determines which variables a branch may assign, and whether it may write output. Both branches
//! of a condition are analyzed, because a Secret may determine which branch is taken.

use std::collections::BTreeSet;

use crate::tree::{Branch, Command, Node, Operand, Pipe, Term};

/// The functions that change the map in their argument.
const CHANGING: &[&str] = &["set", "unset", "merge", "mustMerge"];

#[derive(Debug, Default)]
pub(super) struct Assigned<'t> {
    names: BTreeSet<&'t str>,
    /// True if the branch may change a map. Any variable may contain this map.
    has_changed_maps: bool,
    /// True if the branch may write output.
    pub(super) has_written: bool,
    /// True if the branch may end an iteration of an enclosing loop.
    pub(super) has_left: bool,
    /// The number of nodes in the branch.
    pub(super) count: usize,
}

pub(super) fn within(branch: &Branch) -> Assigned<'_> {
    let mut assigned = Assigned::default();
    assigned.nodes(&branch.body);
    assigned.nodes(&branch.otherwise);
    assigned
}

/// Returns true if evaluating these operands may change a map.
pub(super) fn changes_maps(words: &[Operand]) -> bool {
    let mut assigned = Assigned::default();
    words.iter().for_each(|word| assigned.operand(word));
    assigned.has_changed_maps
}

/// Returns true if the `else` branch of a loop may end an iteration of the enclosing loop.
pub(super) fn leaves_without_rounds(branch: &Branch) -> bool {
    let mut assigned = Assigned::default();
    assigned.nodes(&branch.otherwise);
    assigned.has_left
}

// === impl Assigned ===

impl<'t> Assigned<'t> {
    pub(super) fn includes(&self, name: &str) -> bool {
        self.has_changed_maps || self.names.contains(name)
    }

    fn nodes(&mut self, nodes: &'t [Node]) {
        for node in nodes {
            self.count += 1;
            match node {
                Node::Action(pipe) => {
                    self.has_written |= pipe.variables.is_empty();
                    self.pipe(pipe);
                }
                Node::If(branch) | Node::With(branch) => self.branch(branch),
                Node::Range(branch) => {
                    // `break` and `continue` in the body of this loop end only its own iterations.
                    let has_left = self.has_left;
                    self.pipe(&branch.pipe);
                    self.nodes(&branch.body);
                    self.has_left = has_left;
                    self.nodes(&branch.otherwise);
                }
                Node::Template(_) => {
                    self.has_changed_maps = true;
                    self.has_written = true;
                }
                Node::Text(text) => self.has_written |= !text.is_empty(),
                Node::Break | Node::Continue => self.has_left = true,
            }
        }
    }

    fn branch(&mut self, branch: &'t Branch) {
        self.pipe(&branch.pipe);
        self.nodes(&branch.body);
        self.nodes(&branch.otherwise);
    }

    fn pipe(&mut self, pipe: &'t Pipe) {
        if pipe.is_assignment {
            self.names.extend(pipe.variables.iter().map(String::as_str));
        }
        pipe.commands
            .iter()
            .for_each(|command| self.command(command));
    }

    fn command(&mut self, command: &'t Command) {
        command.words.iter().for_each(|word| self.operand(word));
    }

    fn operand(&mut self, operand: &'t Operand) {
        match &operand.term {
            Term::Function(name) => self.has_changed_maps |= CHANGING.contains(&name.as_str()),
            Term::Pipe(pipe) => self.pipe(pipe),
            Term::Chain(base, _) => self.operand(base),
            Term::Dot
            | Term::Nil
            | Term::Variable(..)
            | Term::Field(_)
            | Term::Bool(_)
            | Term::Number(_)
            | Term::Text(..) => {}
        }
    }
}
