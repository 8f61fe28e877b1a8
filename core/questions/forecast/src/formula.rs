//! The constraints of a solution.

mod demand;
mod draft;
mod providers;

use crate::Reason;

pub(crate) use self::demand::Demand;
pub(crate) use self::draft::{Draft, draft};

/// A Subscription or a bundle that a solution may contain.
pub(crate) type Var = usize;

/// The constraints.
#[derive(Debug, Clone, Default)]
pub(crate) struct Formula {
    /// The number of variables.
    pub(crate) vars: usize,
    pub(crate) clauses: Vec<Clause>,
    /// For each variable, the indexes of its clauses.
    pub(crate) own: Vec<Vec<usize>>,
}

/// One clause, which OLM calls a constraint.
#[derive(Debug, Clone)]
pub(crate) struct Clause {
    pub(crate) rule: Rule,
    pub(crate) reason: Reason,
}

/// The rule of a clause.
#[derive(Debug, Clone)]
pub(crate) enum Rule {
    /// The variable must be chosen.
    Must(Var),
    /// The variable must not be chosen.
    Never(Var),
    /// If the variable is chosen, one of the other variables must be chosen. Sorted by preference,
    /// without duplicates.
    AnyOf(Var, Vec<Var>),
    /// At most one of the variables may be chosen.
    AtMostOne(Vec<Var>),
}

// === impl Rule ===

impl Rule {
    /// Returns the number of variables in the rule.
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
    /// Adds a variable.
    pub(crate) fn var(&mut self) -> Var {
        self.vars += 1;
        self.own.push(Vec::new());
        self.vars - 1
    }

    /// Adds a clause and returns its index.
    pub(crate) fn add(&mut self, rule: Rule, reason: Reason) -> usize {
        let at = self.clauses.len();
        if let Rule::Must(var) | Rule::Never(var) | Rule::AnyOf(var, _) = &rule {
            self.own[*var].push(at);
        }
        self.clauses.push(Clause { rule, reason });
        at
    }

    /// Returns the variables that must be chosen, in order.
    pub(crate) fn anchors(&self) -> Vec<Var> {
        let anchors = self.clauses.iter().filter_map(|clause| match clause.rule {
            Rule::Must(var) => Some(var),
            Rule::Never(_) | Rule::AnyOf(..) | Rule::AtMostOne(_) => None,
        });
        anchors.collect()
    }

    /// Iterates over the lists of choices that a variable requires, in order.
    pub(crate) fn choices(&self, var: Var) -> impl Iterator<Item = &[Var]> {
        let own = self.own[var].iter();
        own.filter_map(|at| match &self.clauses[*at].rule {
            Rule::AnyOf(_, choices) => Some(choices.as_slice()),
            Rule::Must(_) | Rule::Never(_) | Rule::AtMostOne(_) => None,
        })
    }
}
