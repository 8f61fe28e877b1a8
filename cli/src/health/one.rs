//! Renders one operator or one catalog as text: its state, and a tree of its facts.

use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::health::v1::operator::Manager;
use portolan_proto::health::v1::verdict::State;
use portolan_proto::health::v1::{Catalog, Fact, Operator};

use super::judged::{self, Judged};
use super::table::{outcome, packages};
use crate::print::words::or_none;
use crate::print::{Branch, Detail, Page, Span};

/// The number of healthy facts below one fact that are shown. Further healthy facts are only
/// counted.
const AT_A_GLANCE: usize = 3;

pub(super) fn render_operator(operator: &Operator, detail: Detail) -> Page {
    let judged = Judged::from(operator);
    let mut page = Page::default();
    if is_of_another(operator) {
        page.facts([
            ("Operator:", title(operator.subject.as_ref(), judged)),
            ("Package:", or_none(&operator.package).into()),
            ("Bundle:", or_none(&operator.bundle).into()),
            ("Version:", or_none(&operator.version).into()),
            ("State:", phase(operator).into()),
            ("Health:", judged::state(judged.state)),
        ]);
        return tree(page, judged, detail);
    }
    page.facts([
        ("Operator:", title(operator.subject.as_ref(), judged)),
        ("Policy:", operator.policy.clone().into()),
        ("Package:", or_none(&operator.package).into()),
        ("CSV:", csv(operator).into()),
        ("Phase:", phase(operator).into()),
        ("Catalog:", or_none(&operator.catalog).into()),
        ("Health:", judged::state(judged.state)),
    ]);
    tree(page, judged, detail)
}

/// Returns true if OLM v0 does not manage the operator.
fn is_of_another(operator: &Operator) -> bool {
    !matches!(operator.manager(), Manager::Unspecified | Manager::Olm)
}

pub(super) fn render_catalog(catalog: &Catalog, detail: Detail) -> Page {
    let judged = Judged::from(catalog);
    let probe = catalog.probe.clone().unwrap_or_default();
    let asked = outcome(probe.outcome());
    let asked = match probe.since.as_str() {
        "" => asked.to_owned(),
        since => format!("{asked} since {since}"),
    };
    let mut page = Page::default();
    page.facts([
        ("Catalog:", title(catalog.subject.as_ref(), judged)),
        ("Connection:", or_none(&catalog.connection_state).into()),
        ("Address:", or_none(&probe.address).into()),
        ("Probe:", asked.into()),
        ("Answered:", or_none(&probe.answered).into()),
        ("Packages:", packages(&probe).into()),
        ("Health:", judged::state(judged.state)),
    ]);
    tree(page, judged, detail)
}

fn title(subject: Option<&ObjectRef>, judged: Judged<'_>) -> Span {
    let kind = subject.map_or("", |subject| &subject.kind);
    format!("{kind} {}", judged.title()).into()
}

/// Returns the newest ClusterServiceVersion, and the ClusterServiceVersion that it replaces.
fn csv(operator: &Operator) -> String {
    let Operator {
        csv,
        version,
        replaces,
        ..
    } = operator;
    let mut text = or_none(csv).to_owned();
    if !version.is_empty() {
        text += &format!(", version {version}");
    }
    if !replaces.is_empty() {
        text += &format!(", replaces {replaces}");
    }
    text
}

/// Returns the phase of the ClusterServiceVersion, with the message of OLM.
fn phase(operator: &Operator) -> String {
    let Operator {
        phase,
        phase_reason,
        phase_message,
        ..
    } = operator;
    let said = [phase, phase_reason, phase_message];
    let said = said.iter().filter(|word| !word.is_empty());
    let said: Vec<_> = said.map(|word| word.as_str()).collect();
    or_none(&said.join(": ")).to_owned()
}

fn tree(mut page: Page, judged: Judged<'_>, detail: Detail) -> Page {
    page.section(judged.title());
    page.tree(&branches(judged.facts, detail));
    page
}

fn branches(facts: &[Fact], detail: Detail) -> Vec<Branch> {
    let fine = facts.iter().filter(|fact| is_fine(fact)).count();
    let mut spared = match detail {
        // If only one fact were omitted, the line about the omission would need the same space.
        Detail::Usual if fine > AT_A_GLANCE + 1 => fine - AT_A_GLANCE,
        Detail::Usual | Detail::Whole => 0,
    };
    let left_out = spared;
    let mut branches = Vec::new();
    // Omits the last healthy facts, even if unhealthy facts follow them.
    for fact in facts.iter().rev() {
        if spared > 0 && is_fine(fact) {
            spared -= 1;
        } else {
            branches.push(branch(fact, detail));
        }
    }
    branches.reverse();
    if left_out > 0 {
        let line = format!("... and {left_out} more healthy facts (-o wide shows all)");
        branches.push(Branch::leaf([line.into()]));
    }
    branches
}

/// Returns true if the fact and all facts below it are healthy, and none of them is a remark.
fn is_fine(fact: &Fact) -> bool {
    fact.state() == State::Yes && !fact.remark && fact.facts.iter().all(is_fine)
}

fn branch(fact: &Fact, detail: Detail) -> Branch {
    let mut line = vec![judged::state(fact.state())];
    // The code is useful only for unhealthy facts and remarks. For other facts the message is
    // enough.
    if fact.state() != State::Yes || fact.remark {
        line.push(format!("{}:", fact.code).into());
    }
    line.push(Span::plain(&fact.message));
    if !fact.detail.is_empty() {
        line.push(format!("({})", fact.detail).into());
    }
    Branch {
        line,
        below: branches(&fact.facts, detail),
    }
}

#[cfg(test)]
mod tests;
