//! The verdict about the health of an operator or catalog.

use crate::{Fact, HealthCode, Object, State};

/// The health of an operator or catalog. Contains a reason for each fact whose state is not Yes.
pub type Verdict = portolan_core_olm::Verdict<Reason>;

/// A reason why an operator or catalog is unhealthy.
pub type Reason = portolan_core_olm::Reason<HealthCode, Object>;

/// Returns the Verdict for these facts and for all facts below them.
pub fn verdict(facts: &[Fact]) -> Verdict {
    let mut reasons = Vec::new();
    facts.iter().for_each(|fact| gather(fact, &mut reasons));
    Verdict::of(reasons)
}

fn gather(fact: &Fact, reasons: &mut Vec<Reason>) {
    if fact.state != State::Yes {
        reasons.push(Reason {
            state: fact.state,
            code: fact.code,
            object: fact.observed.object.clone(),
            message: fact.message.clone(),
        });
    }
    fact.below.iter().for_each(|below| gather(below, reasons));
}
