//! What the Policies of a cluster say about the next step of OLM v1, and the version that holds a
//! ClusterExtension. OLM v1 does not evaluate Policies.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use portolan_api::OperatorPolicy;
use portolan_api::operator::Operator;
use portolan_api::policy::{Policy, PolicyBinding, SubjectKind};
use portolan_approval::worker;
use portolan_core_approval::consent::{Move, OperatorId, PolicySet, Terms, Version, review};
use portolan_core_names::text::{cite, shell_word};
use portolan_core_olm::ClusterExtension;
use portolan_resolver::extensions::{ExtensionForecast, ExtensionStep};
use portolan_world::{AnyWorld, Area, Key, Kind};
use serde::Serialize;
use serde_json::json;

use crate::facts::read_view_silently;

/// The time and the terms at which Policies are evaluated.
#[derive(Debug, Clone, Copy)]
pub(in crate::explain) struct PolicyTerms {
    pub(in crate::explain) at: Timestamp,
    pub(in crate::explain) terms: Terms,
}

/// The Policies of a cluster.
#[derive(Debug, Default)]
pub(crate) struct ClusterPolicies {
    policies: PolicySet,
    operators: BTreeSet<OperatorId>,
    /// The reasons why the Policies are unknown.
    unread: Vec<String>,
}

/// The decision of the Policies about the next step of OLM v1.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PolicyDecision {
    is_allowed: bool,
    reasons: Vec<String>,
    /// The next time at which the decision may change.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// The version that holds a ClusterExtension.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Pin {
    bundle: String,
    version: String,
    command: String,
}

// === impl ClusterPolicies ===

impl ClusterPolicies {
    /// Reads the Policies, and the operators that PolicyBindings may name.
    pub(crate) async fn read(world: &AnyWorld) -> Self {
        let mut all = Self::default();
        let policies = objects::<Policy>(world, &mut all.unread).await;
        let bindings = objects::<PolicyBinding>(world, &mut all.unread).await;
        if bindings.is_empty() {
            return all;
        }
        let operators = objects::<Operator>(world, &mut all.unread).await;
        let of_olm = objects::<OperatorPolicy>(world, &mut all.unread).await;
        all.policies = PolicySet::of(
            policies.iter().map(|(_, it)| &**it),
            bindings.iter().map(|(_, it)| &**it),
        );
        let operators = operators
            .iter()
            .map(|(key, _)| OperatorId::of(SubjectKind::Operator, "", &key.name));
        let of_olm = of_olm
            .iter()
            .map(|(key, _)| OperatorId::of(SubjectKind::OperatorPolicy, &key.namespace, &key.name));
        all.operators = operators.chain(of_olm).collect();
        all
    }

    /// Returns the names of the Policies that restrict a package of OLM v1.
    pub(crate) fn restricting(&self, package: &str) -> Vec<String> {
        let id = OperatorId::of_package(package);
        let mut operators = self.operators.clone();
        operators.insert(id.clone());
        let policies = self.policies.restricting(&operators, &id);
        policies.into_iter().collect()
    }

    /// Returns the reasons why the Policies are unknown.
    pub(super) fn unread(&self) -> impl Iterator<Item = String> {
        self.unread.iter().cloned()
    }

    /// Decides about the next step. Returns None if OLM v1 takes no step, or if no Policy restricts
    /// the package.
    pub(super) fn decide(
        &self,
        extension: &ClusterExtension,
        forecast: &ExtensionForecast,
        at: PolicyTerms,
    ) -> Option<PolicyDecision> {
        let next = forecast.path.first()?;
        let asked = asked(extension, next);
        let mut operators = self.operators.clone();
        operators.insert(asked.operator.clone());
        let policies = self.policies.restricting(&operators, &asked.operator);
        if policies.is_empty() {
            return None;
        }
        let PolicyTerms { at, terms } = at;
        let review = review(
            &self.policies,
            &operators,
            &asked,
            at,
            terms,
            &worker::judge,
        );
        let reasons = review.reasons.iter().map(|it| cite(&it.message));
        Some(PolicyDecision {
            is_allowed: review.allows,
            reasons: reasons.collect(),
            next: review.next.map(|next| next.to_string()),
        })
    }
}

/// Returns the objects of a kind. If they cannot be read, adds the reason.
async fn objects<K: Kind>(world: &AnyWorld, unread: &mut Vec<String>) -> Vec<(Key, Arc<K>)> {
    match read_view_silently::<K>(world, &Area::everywhere()).await {
        Ok(view) => {
            let all = view.objects.iter();
            all.map(|(key, it)| (key.clone(), it.clone())).collect()
        }
        Err(failure) => {
            let why = cite(failure.message());
            unread.push(format!("the Policies were not evaluated: {why}"));
            Vec::new()
        }
    }
}

fn asked(extension: &ClusterExtension, next: &ExtensionStep) -> Move {
    let package = &extension.spec.source.catalog.package_name;
    let installed = extension.status.install.as_ref().map(|it| Version {
        bundle: it.bundle.name.clone(),
        version: it.bundle.version.clone(),
    });
    Move {
        operator: OperatorId::of_package(package),
        package: package.clone(),
        // The labels of a ClusterExtension are not those of an Operator.
        labels: BTreeMap::new(),
        from: installed,
        to: Version {
            bundle: next.bundle.clone(),
            version: next.version.to_string(),
        },
    }
}

// === impl PolicyDecision ===

impl PolicyDecision {
    pub(super) fn is_allowed(&self) -> bool {
        self.is_allowed
    }

    /// Returns the line for people.
    pub(super) fn line(&self) -> String {
        let reasons = self.reasons.join("; ");
        if self.is_allowed {
            return reasons;
        }
        format!("{reasons}. OLM v1 does not evaluate Policies, so nothing enforces this")
    }
}

// === impl Pin ===

impl Pin {
    /// Returns the version that holds the installed bundle. Returns None if OLM v1 does not leave the
    /// bundle.
    pub(super) fn of(extension: &ClusterExtension, forecast: &ExtensionForecast) -> Option<Self> {
        let installed = &extension.status.install.as_ref()?.bundle;
        forecast.path.first()?;
        let name = extension.metadata.name.as_deref().unwrap_or_default();
        let object = format!("clusterextensions.olm.operatorframework.io/{name}");
        let patch = json!({"spec": {"source": {"catalog": {"version": installed.version}}}});
        let (object, patch) = (shell_word(&object), shell_word(&patch.to_string()));
        Some(Self {
            bundle: installed.name.clone(),
            version: installed.version.clone(),
            command: format!("kubectl patch {object} --type merge -p {patch}"),
        })
    }

    /// Returns the line for people.
    pub(super) fn line(&self) -> String {
        let Self {
            bundle,
            version: _,
            command,
        } = self;
        format!("{} stays installed after: {command}", cite(bundle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_explains_that_nothing_enforces_denied_step() {
        let decision = |is_allowed| PolicyDecision {
            is_allowed,
            reasons: vec!["Policy weekends is closed".to_owned()],
            next: None,
        };
        assert_eq!(
            decision(false).line(),
            "Policy weekends is closed. OLM v1 does not evaluate Policies, so nothing enforces this"
        );
        assert_eq!(decision(true).line(), "Policy weekends is closed");
    }
}
