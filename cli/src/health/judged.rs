//! The properties that operators and catalogs have in common: a verdict with its reasons and facts.

use portolan_proto::basis::v1::{ObjectRef, Reason};
use portolan_proto::health::v1::operator::Manager;
use portolan_proto::health::v1::verdict::State;
use portolan_proto::health::v1::{Catalog, Fact, Operator, Verdict};

use crate::print::Span;
use crate::print::words::{NONE, located};

/// An operator or a catalog, with its verdict.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judged<'a> {
    pub(super) namespace: &'a str,
    pub(super) name: &'a str,
    pub(super) state: State,
    pub(super) reasons: &'a [Reason],
    pub(super) facts: &'a [Fact],
}

// === impl Judged ===

impl<'a> Judged<'a> {
    fn of(subject: Option<&'a ObjectRef>, verdict: Option<&'a Verdict>, facts: &'a [Fact]) -> Self {
        Self {
            namespace: subject.map_or("", |subject| &subject.namespace),
            name: subject.map_or(NONE, |subject| &subject.name),
            state: verdict.map_or(State::Unspecified, Verdict::state),
            reasons: verdict.map_or(&[], |verdict| &verdict.reasons),
            facts,
        }
    }

    /// Returns the name of the operator or catalog, with its namespace.
    pub(super) fn title(self) -> String {
        located(self.namespace, self.name)
    }

    /// Returns the code of the first reason of the verdict.
    pub(super) fn code(self) -> &'a str {
        self.reasons.first().map_or(NONE, |reason| &reason.code)
    }

    /// Returns the message of the first reason of the verdict.
    pub(super) fn message(self) -> &'a str {
        self.reasons.first().map_or(NONE, |reason| &reason.message)
    }
}

impl<'a> From<&'a Operator> for Judged<'a> {
    fn from(operator: &'a Operator) -> Self {
        let Operator {
            subject,
            verdict,
            facts,
            ..
        } = operator;
        Self::of(subject.as_ref(), verdict.as_ref(), facts)
    }
}

impl<'a> From<&'a Catalog> for Judged<'a> {
    fn from(catalog: &'a Catalog) -> Self {
        let Catalog {
            subject,
            verdict,
            facts,
            ..
        } = catalog;
        Self::of(subject.as_ref(), verdict.as_ref(), facts)
    }
}

/// Returns the installer of an operator as one word. A response of an older server without this
/// field means OLM v0.
pub(super) fn manager(operator: &Operator) -> &'static str {
    match operator.manager() {
        Manager::Unspecified | Manager::Olm => "OLM",
        Manager::Operator => "Operator",
        Manager::ClusterExtension => "ClusterExtension",
        Manager::Install => "Install",
        Manager::InstallPlan => "InstallPlan",
    }
}

/// Returns the installed bundle of an operator. For OLM v0, this is the name of the
/// ClusterServiceVersion.
pub(super) fn bundle(operator: &Operator) -> &str {
    match operator.csv.as_str() {
        "" => &operator.bundle,
        csv => csv,
    }
}

/// Returns the state of a verdict as one word.
pub(super) fn state(state: State) -> Span {
    match state {
        State::Yes => Span::good("Yes"),
        State::No => Span::error("No"),
        State::NotYet => Span::warning("NotYet"),
        State::Unspecified => Span::warning("unknown"),
    }
}
