//! The constraints that a solution must satisfy.

mod demand;
mod draft;
mod providers;

use crate::Reason;

pub(crate) use self::demand::Demand;
pub(crate) use self::draft::{Draft, draft};

/// The index of a variable. A variable is a Subscription or a bundle, and is true if the solution
/// contains it.
pub(crate) type Var = usize;

/// The constraints on the variables of a solution.
#[derive(Debug, Clone, Default)]
pub(crate) struct Formula {
    /// The number of variables.
    pub(crate) vars: usize,
    pub(crate) clauses: Vec<Clause>,
    /// The indexes of the clauses of each variable.
    pub(crate) own: Vec<Vec<usize>>,
}

/// One clause of the formula. OLM calls a clause a constraint.
#[derive(Debug, Clone)]
pub(crate) struct Clause {
    pub(crate) rule: Rule,
    pub(crate) reason: Reason,
}

/// The rule of a clause. A variable is chosen if it is true.
#[derive(Debug, Clone)]
pub(crate) enum Rule {
    /// The variable must be chosen.
    Must(Var),
    /// The variable must not be chosen.
    Never(Var),
    /// If the first variable is chosen, at least one variable of the list must be chosen. The list
    /// has no duplicates, and the most preferred variable comes first.
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
    /// Adds a variable and returns its index.
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

    /// Returns the variables that the clauses require, in the order of the clauses.
    pub(crate) fn anchors(&self) -> Vec<Var> {
        let anchors = self.clauses.iter().filter_map(|clause| match clause.rule {
            Rule::Must(var) => Some(var),
            Rule::Never(_) | Rule::AnyOf(..) | Rule::AtMostOne(_) => None,
        });
        anchors.collect()
    }

    /// Iterates over the choices that a variable requires. Each choice is a list of variables, of
    /// which one must be chosen.
    pub(crate) fn choices(&self, var: Var) -> impl Iterator<Item = &[Var]> {
        let own = self.own[var].iter();
        own.filter_map(|at| match &self.clauses[*at].rule {
            Rule::AnyOf(_, choices) => Some(choices.as_slice()),
            Rule::Must(_) | Rule::Never(_) | Rule::AtMostOne(_) => None,
        })
    }
}
