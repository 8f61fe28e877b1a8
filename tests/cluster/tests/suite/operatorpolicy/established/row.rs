//! A row: one policy in the established form, the expected result, and the differences of our
//! controller.

use std::collections::BTreeMap;

use portolan_rig::Kind;
use serde_json::{Value, json};

use crate::approval::policy::Policy;

/// An object that exists before its policy.
pub(super) struct Object {
    pub(super) kind: Kind,
    pub(super) name: &'static str,
    pub(super) body: Value,
}

/// The event that must happen before the policy is created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    Nothing,
    /// This bundle is installed in the namespace.
    Installed(&'static str),
    /// An operator with this bundle runs in another namespace, and watches this namespace.
    Served(&'static str),
    /// The same as `Served`. In addition, an earlier Subscription of the policy still exists.
    Outrun(&'static str),
}

/// A line of the result that differs between the controllers.
struct Difference {
    /// The line of the established controller. Empty if only our controller has a line.
    established: String,
    /// The line of our controller. Empty if only the established controller has a line.
    ours: String,
    /// The text in docs/migration.md about the difference.
    documented: &'static str,
}

/// The test case for one policy.
pub(super) struct Row {
    /// The rule that explains the result.
    pub(super) rule: &'static str,
    pub(super) policy: Policy,
    /// The namespace of the operator.
    pub(super) namespace: &'static str,
    /// True if the namespace exists before the policy.
    pub(super) has_namespace: bool,
    pub(super) before: Vec<Object>,
    pub(super) after: After,
    pub(super) labels: Value,
    established: BTreeMap<String, String>,
    differences: Vec<Difference>,
    /// Pairs of lines. In each pair, the second line may replace the first.
    or: Vec<(&'static str, &'static str)>,
}

impl Row {
    /// Creates a row with a policy and its expected lines.
    pub(super) fn of(
        policy: Policy,
        namespace: &'static str,
        rule: &'static str,
        lines: &[&str],
    ) -> Self {
        Self {
            rule,
            policy: policy.asks("namespace", namespace.into()),
            namespace,
            has_namespace: true,
            before: Vec::new(),
            after: After::Nothing,
            labels: json!({}),
            established: BTreeMap::new(),
            differences: Vec::new(),
            or: Vec::new(),
        }
        .but(lines)
        .there(&[&format!("Namespace {namespace}")])
    }

    /// Moves the operator to a namespace that does not exist.
    pub(super) fn nowhere(mut self) -> Self {
        self.has_namespace = false;
        let namespace = format!("there Namespace {}", self.namespace);
        self.without(&[&namespace])
    }

    /// Moves the operator to the namespace that the package suggests.
    pub(super) fn suggested(mut self) -> Self {
        self.policy = self.policy.asks("namespace", Value::Null);
        self
    }

    pub(super) fn before(mut self, kind: Kind, name: &'static str, body: Value) -> Self {
        self.before.push(Object { kind, name, body });
        self
    }

    pub(super) fn after(mut self, after: After) -> Self {
        self.after = after;
        self
    }

    pub(super) fn labeled(mut self, labels: Value) -> Self {
        self.labels = labels;
        self
    }

    /// Replaces expected lines that have the same subject.
    pub(super) fn but(mut self, lines: &[&str]) -> Self {
        for line in lines {
            self.established
                .insert(key(line).to_owned(), (*line).to_owned());
        }
        self
    }

    /// Removes the expected lines about these subjects.
    pub(super) fn without(mut self, keys: &[&str]) -> Self {
        for each in keys {
            let removed = self.established.remove(*each);
            assert!(removed.is_some(), "{}: no {each}", self.policy.name);
        }
        self
    }

    /// Adds objects that must still exist at the end.
    pub(super) fn there(self, objects: &[&str]) -> Self {
        let lines: Vec<_> = objects.iter().map(|it| format!("there {it}")).collect();
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        self.but(&lines)
    }

    /// Replaces these lines for our controller. `documented` is the text in docs/migration.md about
    /// the difference.
    pub(super) fn differs(mut self, documented: &'static str, pairs: &[(&str, &str)]) -> Self {
        self.differences
            .extend(pairs.iter().map(|(established, ours)| Difference {
                established: (*established).to_owned(),
                ours: (*ours).to_owned(),
                documented,
            }));
        self
    }

    /// In each pair, the second line may replace the first, but only in all pairs together. The
    /// order in which controllers of OLM act determines the result.
    pub(super) fn or(mut self, pairs: &[(&'static str, &'static str)]) -> Self {
        self.or.extend(pairs);
        self
    }

    /// Sets all lines of our controller's status. `documented` is the text in docs/migration.md
    /// about the difference. A later line replaces an earlier line with the same subject.
    pub(super) fn expects(self, documented: &'static str, lines: &[&str]) -> Self {
        let lines: BTreeMap<_, _> = lines.iter().map(|line| (key(line), *line)).collect();
        let mut status = self.expected();
        status.retain(|key, _| key != "Compliant" && !key.starts_with("there "));
        let goes = status
            .iter()
            .filter(|(key, _)| !lines.contains_key(key.as_str()));
        let goes = goes.map(|(_, line)| (line.as_str(), ""));
        let comes = lines.iter().map(|(key, line)| {
            let before = status.get(*key).map_or("", String::as_str);
            (before, *line)
        });
        let pairs: Vec<_> = goes
            .chain(comes.filter(|(before, line)| before != line))
            .collect();
        self.differs(documented, &pairs)
    }

    /// Returns the lines that the result of our controller must contain, by their subjects.
    pub(super) fn expected(&self) -> BTreeMap<String, String> {
        let mut expected = self.established.clone();
        for Difference {
            established, ours, ..
        } in &self.differences
        {
            let removed = expected.remove(key(established));
            assert_eq!(
                removed.as_deref().unwrap_or_default(),
                established,
                "{}: what differs must be in the table",
                self.policy.name
            );
            if !ours.is_empty() {
                expected.insert(key(ours).to_owned(), ours.clone());
            }
        }
        let compliance = match expected.get("compliant:").map(String::as_str) {
            Some("compliant: Compliant") => "Compliant True Compliant",
            _ => "Compliant False NonCompliant",
        };
        expected.insert("Compliant".to_owned(), compliance.to_owned());
        expected
    }

    /// Returns the expected lines, and the expected lines with all alternatives.
    pub(super) fn accepted(&self) -> [BTreeMap<String, String>; 2] {
        let expected = self.expected();
        let mut other = expected.clone();
        for (one, or) in &self.or {
            let removed = other.remove(key(one));
            assert_eq!(removed.as_deref(), Some(*one), "{}", self.policy.name);
            other.insert(key(or).to_owned(), (*or).to_owned());
        }
        [expected, other]
    }

    /// Returns the texts of docs/migration.md about the differences of the row.
    pub(super) fn documented(&self) -> impl Iterator<Item = &'static str> {
        self.differences.iter().map(|each| each.documented)
    }

    /// Returns the policy without its kind and name.
    pub(super) fn body(&self, here: &str) -> Value {
        let mut body = self.policy.body(here);
        let namespace = &mut body["spec"]["subscription"]["namespace"];
        if namespace.is_null() {
            let subscription = body["spec"]["subscription"].as_object_mut();
            subscription.and_then(|it| it.remove("namespace"));
        }
        body["metadata"] = json!({"labels": self.labels});
        body
    }
}

/// Returns the subject of a line: a condition, the objects of one kind, or an object that still
/// exists.
pub(super) fn key(line: &str) -> &str {
    let end = match line.split_once(' ') {
        Some(("there", _)) => line.len(),
        Some(("related", _)) => line.find(':').unwrap_or(line.len()),
        Some((first, _)) => first.len(),
        None => line.len(),
    };
    &line[..end]
}

/// The lines if the operator is installed and healthy.
pub(super) const WELL: &[&str] = &[
    "compliant: Compliant",
    "ValidPolicySpec True PolicyValidated",
    "OperatorGroupCompliant True OperatorGroupMatches",
    "SubscriptionCompliant True SubscriptionMatches",
    "InstallPlanCompliant True NoInstallPlansRequiringApproval",
    "ClusterServiceVersionCompliant True InstallSucceeded",
    "CustomResourceDefinitionCompliant True RelevantCRDFound",
    "DeploymentCompliant True DeploymentsAvailable",
    "CatalogSourcesUnhealthy False CatalogSourcesFound",
    "NoDeprecations True Recommended",
    "MinorChannelUpgradeAvailable True Recommended",
    "related OperatorGroup: Compliant",
    "related Subscription: Compliant",
    "related InstallPlan: Compliant",
    "related ClusterServiceVersion: Compliant",
    "related CustomResourceDefinition: Compliant",
    "related Deployment: Compliant",
    "related CatalogSource: Compliant",
];

/// The lines if the Subscription exists and installs nothing.
pub(super) const STUCK: &[&str] = &[
    "compliant: NonCompliant",
    "ValidPolicySpec True PolicyValidated",
    "OperatorGroupCompliant True OperatorGroupMatches",
    "SubscriptionCompliant False ConstraintsNotSatisfiable",
    "InstallPlanCompliant True NoInstallPlansFound",
    "ClusterServiceVersionCompliant False ClusterServiceVersionMissing",
    "CustomResourceDefinitionCompliant True RelevantCRDNotFound",
    "DeploymentCompliant True NoRelevantDeployments",
    "CatalogSourcesUnhealthy False CatalogSourcesFound",
    "NoDeprecations True Recommended",
    "MinorChannelUpgradeAvailable True Recommended",
    "related OperatorGroup: Compliant",
    "related Subscription: NonCompliant",
    "related InstallPlan: Compliant",
    "related ClusterServiceVersion: NonCompliant",
    "related CustomResourceDefinition: Inapplicable",
    "related Deployment: Inapplicable",
    "related CatalogSource: Compliant",
];

/// The lines if nothing is installed and there is no Subscription.
pub(super) const MISSING: &[&str] = &[
    "SubscriptionCompliant False SubscriptionMissing",
    "MinorChannelUpgradeAvailable True Skipped",
    "related Subscription: NonCompliant",
];

/// The lines of a mustnothave policy if there is no operator.
pub(super) const ABSENT: &[&str] = &[
    "compliant: Compliant",
    "ValidPolicySpec True PolicyValidated",
    "OperatorGroupCompliant True OperatorGroupNotPresent",
    "SubscriptionCompliant True SubscriptionNotPresent",
    "InstallPlanCompliant True NoInstallPlansFound",
    "ClusterServiceVersionCompliant True ClusterServiceVersionNotPresent",
    "CustomResourceDefinitionCompliant True RelevantCRDNotFound",
    "DeploymentCompliant True DeploymentNotApplicable",
    "CatalogSourcesUnhealthy False CatalogSourceNotApplicable",
    "MinorChannelUpgradeAvailable True Skipped",
    "related OperatorGroup: Compliant",
    "related Subscription: Compliant",
    "related InstallPlan: Compliant",
    "related ClusterServiceVersion: Compliant",
    "related CustomResourceDefinition: Inapplicable",
    "related Deployment: Inapplicable",
    "related CatalogSource: Compliant",
];

/// The lines of an invalid policy.
pub(super) const INVALID: &[&str] = &[
    "compliant: NonCompliant",
    "ValidPolicySpec False InvalidPolicySpec",
    "OperatorGroupCompliant Unknown InvalidPolicySpec",
    "SubscriptionCompliant Unknown InvalidPolicySpec",
    "InstallPlanCompliant Unknown InvalidPolicySpec",
    "ClusterServiceVersionCompliant False RelevantCSVNotFound",
    "CustomResourceDefinitionCompliant True RelevantCRDNotFound",
    "DeploymentCompliant True NoRelevantDeployments",
    "CatalogSourcesUnhealthy Unknown InvalidPolicySpec",
    "MinorChannelUpgradeAvailable True Skipped",
    "related ClusterServiceVersion: Inapplicable",
    "related CustomResourceDefinition: Inapplicable",
    "related Deployment: Inapplicable",
];

/// The difference if no policy and no Subscription names a catalog: our controller lists no
/// catalog.
pub(super) const NO_CATALOG: &[(&str, &str)] = &[("related CatalogSource: Compliant", "")];

/// The lines of an invalid policy from our controller, which reports only the error.
pub(super) const REFUSED: &[&str] = &[
    "compliant: NonCompliant",
    "ValidPolicySpec False InvalidPolicySpec",
    "OperatorGroupCompliant Unknown InvalidPolicySpec",
    "SubscriptionCompliant Unknown InvalidPolicySpec",
    "InstallPlanCompliant Unknown InvalidPolicySpec",
    "ClusterServiceVersionCompliant Unknown InvalidPolicySpec",
    "CustomResourceDefinitionCompliant Unknown InvalidPolicySpec",
    "DeploymentCompliant Unknown InvalidPolicySpec",
    "CatalogSourcesUnhealthy Unknown InvalidPolicySpec",
    "NoDeprecations Unknown InvalidPolicySpec",
    "MinorChannelUpgradeAvailable Unknown InvalidPolicySpec",
];
