//! Judges the conditions that operators report about themselves.

use portolan_core_names::text::cite;
use portolan_core_olm::{Condition, OperatorCondition};

use crate::case::Case;
use crate::csv::NOT_UPGRADEABLE;
use crate::words::{because, with_word};
use crate::{Csv, Fact, HealthCode, Item};

/// The type of the condition in which an operator allows or forbids its upgrade.
const UPGRADEABLE: &str = OperatorCondition::UPGRADEABLE;

impl Item<OperatorCondition> {
    /// Returns remarks about conditions that users should read. Remarks do not affect the health of
    /// the operator, because each operator defines what its conditions mean.
    fn remarks(&self, is_waited_for: bool) -> Vec<Fact> {
        let mut remarks: Vec<Fact> = self
            .upgradeable()
            .into_iter()
            .filter(|_| !is_waited_for)
            .collect();
        let overrides = self.spec.overrides.iter().map(|said| (said, true));
        let mut said: Vec<(&Condition, bool)> = overrides.collect();
        let own = self.status.conditions.iter();
        let own = own.filter(|said| !self.overrides(&said.r#type));
        said.extend(own.map(|said| (said, false)));
        said.sort();
        let others = said
            .into_iter()
            .filter(|(said, _)| said.r#type != UPGRADEABLE);
        remarks.extend(others.map(|(said, is_override)| self.claim_fact(said, is_override)));
        remarks
    }

    fn overrides(&self, kind: &str) -> bool {
        Condition::about(&self.spec.overrides, kind).is_some()
    }

    /// Returns a remark if a condition prevents OLM from upgrading the operator. Returns None
    /// otherwise. A condition that an administrator sets overrides the operator's condition.
    fn upgradeable(&self) -> Option<Fact> {
        let object = &self.observed.object;
        let remark = |message: &str| {
            Some(Fact::remark(
                &self.observed,
                HealthCode::NotUpgradeable,
                message,
            ))
        };
        if let Some(said) = Condition::about(&self.spec.overrides, UPGRADEABLE) {
            let claim =
                format!("An administrator has blocked upgrades of the operator in {object}");
            let message = because(with_word(claim, &said.reason), &said.message);
            return remark(&message).filter(|_| said.is_false());
        }
        let said = Condition::about(&self.status.conditions, UPGRADEABLE)?;
        if said.is_false() {
            let claim = format!("The operator blocks its own upgrade in {object}");
            return remark(&because(with_word(claim, &said.reason), &said.message));
        }
        let told_of = said.observed_generation.unwrap_or_default();
        let is_stale = told_of > 0 && told_of < self.generation();
        let message = format!(
            "The Upgradeable condition in {object} is outdated, so OLM does not upgrade the \
             operator."
        );
        remark(&message).filter(|_| is_stale)
    }

    fn claim_fact(&self, said: &Condition, is_override: bool) -> Fact {
        let who = if is_override {
            "An administrator reports"
        } else {
            "The operator reports"
        };
        let claim = format!(
            "{who} in {}: {} is {}",
            self.observed.object,
            cite(&said.r#type),
            cite(&said.status)
        );
        let message = format!("{}.", with_word(claim, &said.reason));
        Fact::remark(&self.observed, HealthCode::ReportedByOperator, &message)
            .with_detail(&cite(&said.message))
    }
}

/// Returns the facts from the conditions that an operator reports about itself.
pub(crate) fn judge(csv: &Csv, case: &Case<'_>) -> Vec<Fact> {
    let successor = case.chain.successor_of(csv);
    let is_waited_for = successor.is_some_and(|next| next.status.reason == NOT_UPGRADEABLE);
    let own = case.objects.conditions.find(csv.name()).object();
    own.map_or_else(Vec::new, |own| own.remarks(is_waited_for))
}

#[cfg(test)]
pub(crate) mod tests;
