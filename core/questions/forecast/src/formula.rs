//! The formula that must hold of a solution.

mod demand;
mod draft;
mod providers;

use crate::Reason;

pub(crate) use self::demand::Demand;
pub(crate) use self::draft::{Draft, draft};

/// Something that a solution has or does not have: a Subscription or a bundle.
pub(crate) type Var = usize;

/// Everything that must hold.
#[derive(Debug, Clone, Default)]
pub(crate) struct Formula {
    /// The number of variables.
    pub(crate) vars: usize,
    pub(crate) clauses: Vec<Clause>,
    /// The clauses of each variable, by position.
    pub(crate) own: Vec<Vec<usize>>,
}

/// One thing that must hold, which OLM calls a constraint.
#[derive(Debug, Clone)]
pub(crate) struct Clause {
    pub(crate) rule: Rule,
    pub(crate) reason: Reason,
}

/// The rule that a clause asks for.
#[derive(Debug, Clone)]
pub(crate) enum Rule {
    /// It must be chosen.
    Must(Var),
    /// It must not be chosen.
    Never(Var),
    /// With the one comes one of the others, the first the most preferred. None stands twice.
    AnyOf(Var, Vec<Var>),
    /// At most one of them is there.
    AtMostOne(Vec<Var>),
}

// === impl Rule ===

impl Rule {
    /// The number of variables that it speaks of.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Must(_) | Self::Never(_) => 1,
            Self::AnyOf(_, vars) => vars.len() + 1,
            Self::AtMostOne(vars) => vars.len(),
        }
    }
}

// === impl Formula ===

impl Formula {
    /// One more variable.
    pub(crate) fn var(&mut self) -> Var {
        self.vars += 1;
        self.own.push(Vec::new());
        self.vars - 1
    }

    /// One more clause; its position.
    pub(crate) fn add(&mut self, rule: Rule, reason: Reason) -> usize {
        let at = self.clauses.len();
        if let Rule::Must(var) | Rule::Never(var) | Rule::AnyOf(var, _) = &rule {
            self.own[*var].push(at);
        }
        self.clauses.push(Clause { rule, reason });
        at
    }

    /// Returns the variables that must be there, in order.
    pub(crate) fn anchors(&self) -> Vec<Var> {
        let anchors = self.clauses.iter().filter_map(|clause| match clause.rule {
            Rule::Must(var) => Some(var),
            Rule::Never(_) | Rule::AnyOf(..) | Rule::AtMostOne(_) => None,
        });
        anchors.collect()
    }

    /// The lists that something is chosen from when a variable is there, in order.
    pub(crate) fn choices(&self, var: Var) -> impl Iterator<Item = &[Var]> {
        let own = self.own[var].iter();
        own.filter_map(|at| match &self.clauses[*at].rule {
            Rule::AnyOf(_, choices) => Some(choices.as_slice()),
            Rule::Must(_) | Rule::Never(_) | Rule::AtMostOne(_) => None,
        })
    }
}
