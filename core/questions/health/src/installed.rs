//! Judges operators that OLM v0 does not manage. Their health follows from the conditions of the
//! objects that installed them.
//!
//! ```text
//! conditions -> Conclusion: state, code, and the condition that it follows from -> Fact
//! ```
//!
//! The controller of such an object reports the state of the workloads. If a condition is missing
//! or unknown, the state is NotYet and never Yes. While the installed version works, a problem with
//! the next version is only a remark. This is the same for operators of OLM v0.

mod extension;
mod install;
mod operator;
mod plan;
#[cfg(test)]
pub(crate) mod tests;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::inventory::{InstalledOperator, Manager};

use crate::unseen::unseen;
use crate::words::{because, with_word};
use crate::{Fact, HealthCode, Item, Judged, Operator, Sight, State, verdict};

/// A kind whose objects install operators without OLM v0.
pub trait Installer: Judged + Sized {
    /// The manager that this kind stands for in an [`Operator`].
    const MANAGER: Manager;

    /// Returns the conclusions from the status of an object. If there are no conclusions, the
    /// object works.
    fn conclusions(item: &Item<Self>) -> Vec<Conclusion<'_>>;

    /// Returns the condition that is True if the operator works. Returns None if the status does
    /// not contain this condition.
    fn main_condition(item: &Item<Self>) -> Option<Said<'_>>;
}

/// A condition of any kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Said<'a> {
    r#type: &'a str,
    status: &'a str,
    reason: &'a str,
    message: &'a str,
}

/// A conclusion from the status of an object: a state and its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conclusion<'a> {
    state: State,
    code: HealthCode,
    /// The condition from which the conclusion follows. An error contains the end of a sentence
    /// about the object, if no condition leads to the conclusion.
    said: Result<Said<'a>, &'static str>,
}

/// Judges an operator by the object that installs it. `bundles` contains the bundles of the
/// inventory that this object has installed.
pub fn judge_installed<K: Installer>(
    item: &Item<K>,
    bundles: &[&InstalledOperator],
    sight: &Sight,
) -> Operator {
    let conclusions = conclusions(item);
    let mut facts = vec![own_fact(item, &conclusions, bundles)];
    let remarks = conclusions.iter().filter(|it| it.state == State::Yes);
    facts.extend(remarks.map(|it| it.fact(item)));
    facts.extend(unseen(
        &item.observed,
        &sight_of(item, sight),
        State::NotYet,
    ));
    let worst = conclusions.iter().max_by_key(|it| it.state);
    let said = worst.filter(|it| it.state != State::Yes);
    let said = said.and_then(|it| it.said.ok());
    let said = said.or_else(|| K::main_condition(item));
    let text = |of: fn(&InstalledOperator) -> &str| joined(bundles.iter().map(|it| of(it)));
    Operator {
        subject: item.observed.object.clone(),
        manager: K::MANAGER,
        policy: String::new(),
        package: text(|it| &it.package),
        csv: String::new(),
        bundle: text(|it| &it.bundle),
        version: text(|it| &it.version),
        replaces: String::new(),
        csvs: Vec::new(),
        phase: said.map_or_else(String::new, |said| {
            format!("{}={}", said.r#type, said.status)
        }),
        phase_reason: said.map_or_else(String::new, |said| said.reason.to_owned()),
        phase_message: said.map_or_else(String::new, |said| said.message.to_owned()),
        catalog: String::new(),
        channel: String::new(),
        installed: String::new(),
        verdict: verdict(&facts),
        facts,
    }
}

/// Returns the conclusions about an object. If the object is being deleted and no conclusion
/// reports a problem, adds this as a conclusion.
fn conclusions<K: Installer>(item: &Item<K>) -> Vec<Conclusion<'_>> {
    let mut conclusions = K::conclusions(item);
    let is_told = |it: &Conclusion<'_>| {
        it.state == State::No || it.code == HealthCode::ObjectDeleting && it.state != State::Yes
    };
    if item.is_deleting() && !conclusions.iter().any(is_told) {
        let deleting = Conclusion {
            state: State::NotYet,
            code: HealthCode::ObjectDeleting,
            said: Err("is being deleted"),
        };
        conclusions.insert(0, deleting);
    }
    conclusions
}

/// Returns the fact about the object. Its most important problem is the fact itself, and other
/// problems are facts below it.
fn own_fact<K: Installer>(
    item: &Item<K>,
    conclusions: &[Conclusion<'_>],
    bundles: &[&InstalledOperator],
) -> Fact {
    let object = &item.observed.object;
    let mut troubles = conclusions.iter().filter(|it| it.state != State::Yes);
    let bundles = joined(bundles.iter().map(|it| it.bundle.as_str()));
    match troubles.next() {
        Some(trouble) => {
            let below = troubles.map(|it| it.fact(item));
            trouble.fact(item).with_below(below)
        }
        None if bundles.is_empty() => Fact::fine(&item.observed, &format!("{object} is ready.")),
        None => Fact::fine(
            &item.observed,
            &format!("{object} has installed {bundles}, which is ready."),
        ),
    }
}

/// Returns the sight of one object, from the sight of all objects of its kind.
fn sight_of<K: Judged>(item: &Item<K>, sight: &Sight) -> Sight {
    let Sight::Odd(odd) = sight else {
        return sight.clone();
    };
    let key = (item.namespace().to_owned(), item.name().to_owned());
    match odd.get(&key) {
        Some(why) => Sight::Odd([(key, why.clone())].into()),
        None => Sight::Clear,
    }
}

fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let texts: Vec<_> = texts.filter(|text| !text.is_empty()).collect();
    texts.join(", ")
}

/// Returns the conclusion that no controller has reconciled the current generation of the object.
/// Returns None if the status is current.
fn not_reconciled(generation: i64, observed: Option<i64>) -> Option<Conclusion<'static>> {
    let why = match observed {
        None => "has not been reconciled by a controller",
        Some(observed) if observed < generation => {
            "has not been reconciled in its current generation"
        }
        Some(_) => return None,
    };
    Some(Conclusion {
        state: State::NotYet,
        code: HealthCode::NotReconciled,
        said: Err(why),
    })
}

// === impl Conclusion ===

impl<'a> Conclusion<'a> {
    fn new(state: State, code: HealthCode, said: Said<'a>) -> Self {
        Self {
            state,
            code,
            said: Ok(said),
        }
    }

    fn missing() -> Self {
        Self {
            state: State::NotYet,
            code: HealthCode::ConditionUnknown,
            said: Err("does not report a Ready condition"),
        }
    }

    fn unknown(said: Said<'a>) -> Self {
        Self::new(State::NotYet, HealthCode::ConditionUnknown, said)
    }

    /// Converts the conclusion to a remark. A remark does not affect the verdict.
    fn into_remark(self) -> Self {
        Self {
            state: State::Yes,
            ..self
        }
    }

    fn fact<K: Judged>(&self, item: &Item<K>) -> Fact {
        let object = &item.observed.object;
        let message = match self.said {
            Ok(said) => {
                let claim = format!("{object} has {}={}", said.r#type, said.status);
                because(with_word(claim, said.reason), said.message)
            }
            Err(why) => format!("{object} {why}."),
        };
        Fact::judged(&item.observed, self.state, self.code, &message)
    }
}

// === impl Said ===

impl Said<'_> {
    fn is_true(self) -> bool {
        self.status == "True"
    }

    fn is_false(self) -> bool {
        self.status == "False"
    }
}

impl<'a> From<&'a Condition> for Said<'a> {
    fn from(condition: &'a Condition) -> Self {
        Self {
            r#type: &condition.type_,
            status: &condition.status,
            reason: &condition.reason,
            message: &condition.message,
        }
    }
}

impl<'a> From<&'a portolan_core_olm::Condition> for Said<'a> {
    fn from(condition: &'a portolan_core_olm::Condition) -> Self {
        Self {
            r#type: &condition.r#type,
            status: &condition.status,
            reason: &condition.reason,
            message: &condition.message,
        }
    }
}
