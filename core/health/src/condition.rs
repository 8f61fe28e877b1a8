//! Conditions, those of OLM and of Kubernetes, and those that operators have of themselves.

use portolan_core_names::text::cite;

use crate::case::Case;
use crate::csv::NOT_UPGRADEABLE;
use crate::words::{because, with_word};
use crate::{Code, Csv, Fact, Observed};

/// What a controller says of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Condition {
    /// What it is about, such as `Available`.
    pub kind: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// Why, in a word.
    pub reason: String,
    /// Why, for people.
    pub message: String,
    /// The generation that it was said of; 0 if it is not said.
    pub generation: i64,
}

/// What an operator says of itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OperatorCondition {
    /// Which object. It has the name of the ClusterServiceVersion.
    pub observed: Observed,
    /// The newest wish that there is.
    pub generation: i64,
    /// What the administrator says instead of the operator.
    pub overrides: Vec<Condition>,
    /// What the operator says, as OLM took it over.
    pub conditions: Vec<Condition>,
}

// === impl Condition ===

impl Condition {
    /// Whether it is said to be so.
    pub(crate) fn is_true(&self) -> bool {
        self.status == "True"
    }

    /// Whether it is said not to be so.
    pub(crate) fn is_false(&self) -> bool {
        self.status == "False"
    }

    /// What is said, or the word for it where there is no sentence.
    pub(crate) fn words(&self) -> &str {
        match self.message.trim() {
            "" => &self.reason,
            message => message,
        }
    }
}

/// What is said about something. Kubernetes has one condition of a kind; of several it is the first
/// in order, which says False before True.
pub(crate) fn about<'a>(conditions: &'a [Condition], kind: &str) -> Option<&'a Condition> {
    conditions
        .iter()
        .filter(|condition| condition.kind == kind)
        .min()
}

/// The condition by which an operator says whether it may be upgraded.
const UPGRADEABLE: &str = "Upgradeable";

// === impl OperatorCondition ===

impl OperatorCondition {
    /// What it says that is worth reading. Nothing of it makes the operator unwell: what its words
    /// mean is known to nobody else.
    fn remarks(&self, is_waited_for: bool) -> Vec<Fact> {
        let mut remarks: Vec<Fact> = self
            .upgradeable()
            .into_iter()
            .filter(|_| !is_waited_for)
            .collect();
        let mut said: Vec<(&Condition, bool)> =
            self.overrides.iter().map(|said| (said, true)).collect();
        let own = self
            .conditions
            .iter()
            .filter(|said| !self.overrides(&said.kind));
        said.extend(own.map(|said| (said, false)));
        said.sort();
        let others = said
            .into_iter()
            .filter(|(said, _)| said.kind != UPGRADEABLE);
        remarks.extend(others.map(|(said, is_override)| self.says(said, is_override)));
        remarks
    }

    fn overrides(&self, kind: &str) -> bool {
        about(&self.overrides, kind).is_some()
    }

    /// Why OLM would not upgrade the operator. What the administrator says wins.
    fn upgradeable(&self) -> Option<Fact> {
        let object = &self.observed.object;
        let remark =
            |message: &str| Some(Fact::remark(&self.observed, Code::NotUpgradeable, message));
        if let Some(said) = about(&self.overrides, UPGRADEABLE) {
            let claim = format!(
                "The administrator says in {object} that the operator is not to be upgraded"
            );
            let message = because(with_word(claim, &said.reason), &said.message);
            return remark(&message).filter(|_| said.is_false());
        }
        let said = about(&self.conditions, UPGRADEABLE)?;
        if said.is_false() {
            let claim = format!("The operator says in {object} that it is not to be upgraded");
            return remark(&because(with_word(claim, &said.reason), &said.message));
        }
        let is_stale = said.generation > 0 && said.generation < self.generation;
        let message = format!(
            "What the operator says in {object} of being upgraded is outdated, and OLM does not upgrade it for that."
        );
        remark(&message).filter(|_| is_stale)
    }

    fn says(&self, said: &Condition, is_override: bool) -> Fact {
        let who = if is_override {
            "The administrator says"
        } else {
            "The operator says"
        };
        let claim = format!(
            "{who} in {}: {} is {}",
            self.observed.object,
            cite(&said.kind),
            cite(&said.status)
        );
        let message = format!("{}.", with_word(claim, &said.reason));
        Fact::remark(&self.observed, Code::OperatorSays, &message).with_detail(&cite(&said.message))
    }
}

/// What an operator says of itself.
pub(crate) fn judge(csv: &Csv, case: &Case<'_>) -> Vec<Fact> {
    let successor = case.chain.successor_of(csv);
    let is_waited_for = successor.is_some_and(|next| next.reason == NOT_UPGRADEABLE);
    let own = case.ground.conditions.find(csv.name()).object();
    own.map_or_else(Vec::new, |own| own.remarks(is_waited_for))
}

#[cfg(test)]
pub(crate) mod tests;
