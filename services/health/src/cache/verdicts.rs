//! The verdicts on operators.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_health::Operator;

use crate::snapshot::{Residents, place};

/// The judged operators of each namespace that has operators. If a verdict does not change, its
/// memory is shared.
#[derive(Debug, Default)]
pub(super) struct Verdicts {
    all: BTreeMap<Arc<str>, Residents>,
}

// === impl Verdicts ===

impl Verdicts {
    pub(super) fn all(&self) -> &BTreeMap<Arc<str>, Residents> {
        &self.all
    }

    pub(super) fn namespaces(&self) -> BTreeSet<Arc<str>> {
        self.all.keys().cloned().collect()
    }

    /// Stores the operators of a namespace. Returns true if an operator has changed.
    pub(super) fn put(&mut self, namespace: &Arc<str>, operators: Vec<Operator>) -> bool {
        let before = self.all.get(namespace).cloned().unwrap_or_default();
        let now = operators
            .into_iter()
            .map(|operator| kept(&before, operator));
        let mut now: Vec<_> = now.collect();
        now.sort_by(|a, b| place(&a.subject).cmp(&place(&b.subject)));
        let mut both = now.iter().zip(&*before);
        if now.len() == before.len() && both.all(|(now, before)| Arc::ptr_eq(now, before)) {
            return false;
        }
        if now.is_empty() {
            self.all.remove(namespace)
        } else {
            self.all.insert(namespace.clone(), now.into())
        };
        true
    }
}

/// Returns the previous operator if it is equal to the new operator.
fn kept(before: &[Arc<Operator>], operator: Operator) -> Arc<Operator> {
    let found = before.binary_search_by(|was| place(&was.subject).cmp(&place(&operator.subject)));
    let was = found.ok().map(|position| &before[position]);
    match was {
        Some(was) if **was == operator => was.clone(),
        was => {
            log_change(was, &operator);
            Arc::new(operator)
        }
    }
}

/// Logs a changed verdict on an operator for the administrators of this process.
fn log_change(was: Option<&Arc<Operator>>, is: &Operator) {
    let Operator {
        subject, verdict, ..
    } = is;
    let state = verdict.state;
    let why = verdict.reasons.first();
    let code = why.map(|why| why.code.as_str());
    let reason = why.map(|why| why.message.as_str());
    match was.map(|was| was.verdict.state) {
        Some(before) if before != state => {
            let (from, to) = (before, state);
            tracing::info!(operator = %subject, ?from, ?to, code, reason, "the verdict of an \
                operator has changed");
        }
        Some(_) | None => {
            tracing::debug!(operator = %subject, ?state, code, reason, "an operator was checked");
        }
    }
}
