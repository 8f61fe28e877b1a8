//! Operators according to the health service and the statuses of Operators.

use portolan_api::operator::{ConditionType, Operator as Ours};
use portolan_api::policy::SubjectKind;
use portolan_core_console::view::{Operator, Origin, Plan, RouteHop, State};
use portolan_proto::health::v1 as health;
use portolan_proto::health::v1::operator::Manager;

use super::{Diagnoses, key};
use crate::services::health::{diagnosed_state, judged};
use crate::services::way;
use crate::services::windows::PolicySubject;

/// The message for an Operator without a status.
const UNSAID: &str = "The Operator has no status yet; check that the controller of Operators runs.";

/// An operator, with the objects that determine its health.
#[derive(Debug)]
pub(in crate::services) struct OperatorFacts {
    pub(in crate::services) operator: Operator,
    pub(super) facts: Vec<health::Fact>,
    /// The namespace and name of the Portolan InstallPlan that installed the operator. None for
    /// operators of OLM.
    pub(super) plan: Option<(String, String)>,
    /// The upgrade path in the status of the Operator. None for operators of OLM.
    pub(super) way: Option<Vec<RouteHop>>,
    /// The namespace and name of the OperatorPolicy that manages the operator.
    pub(in crate::services) policy: Option<(String, String)>,
}

// === impl OperatorFacts ===

impl OperatorFacts {
    /// Returns the object by which PolicyBindings name the operator. Returns None if upgrade
    /// policies cannot apply to the operator.
    pub(in crate::services) fn subject(&self) -> Option<PolicySubject> {
        match self.operator.origin {
            Origin::Portolan => {
                let name = self.operator.name.clone();
                Some((SubjectKind::Operator, String::new(), name))
            }
            Origin::Olm => {
                let (namespace, name) = self.policy.clone()?;
                Some((SubjectKind::OperatorPolicy, namespace, name))
            }
            Origin::OlmV1 => None,
        }
    }

    /// Replaces the state from the health service by the state from the diagnosis, which is more
    /// precise.
    pub(super) fn with(mut self, diagnoses: &Diagnoses) -> Self {
        if let Some(diagnosis) = diagnoses.get(&key(&self.operator)) {
            self.operator.state = diagnosed_state(diagnosis);
            if let Some(root) = &diagnosis.cause {
                self.operator.why.clone_from(&root.message);
            }
        }
        self
    }
}

/// Converts an operator of OLM v0 or OLM v1. Returns None for the operators of other managers.
pub(super) fn of_olm(it: health::Operator) -> Option<OperatorFacts> {
    let origin = match it.manager() {
        Manager::Unspecified | Manager::Olm => Origin::Olm,
        Manager::ClusterExtension => Origin::OlmV1,
        Manager::Operator | Manager::Install | Manager::InstallPlan => return None,
    };
    let policy = it.policy.split_once('/');
    let policy = policy.map(|(namespace, name)| (namespace.to_owned(), name.to_owned()));
    let subject = it.subject.unwrap_or_default();
    let verdict = it.verdict.unwrap_or_default();
    let why = verdict.reasons.first().map(|why| why.message.clone());
    let bundle = if it.installed.is_empty() {
        it.csv
    } else {
        it.installed
    };
    Some(OperatorFacts {
        operator: Operator {
            origin,
            namespace: subject.namespace,
            name: subject.name,
            package: it.package,
            bundle,
            version: it.version,
            next: String::new(),
            wanted: String::new(),
            window: String::new(),
            catalog: it.catalog,
            channel: it.channel,
            state: judged(verdict.state()),
            why: why.unwrap_or_default(),
        },
        facts: it.facts,
        plan: None,
        way: None,
        policy,
    })
}

/// Converts an Operator of Portolan.
pub(super) fn of_ours(it: &Ours) -> OperatorFacts {
    let status = it.status.clone().unwrap_or_default();
    let ready = status.condition(ConditionType::Ready).cloned();
    let state = match ready.as_ref().map(|it| it.status.as_str()) {
        Some("True") => State::Well,
        Some("False") => State::Working,
        Some(_) | None => State::Unknown,
    };
    let bundle = status.bundle.unwrap_or_default();
    let package = it.spec.as_json()["packageName"].as_str();
    let installed = status.versions.installed.unwrap_or_default();
    let next = status.path.first().map(|hop| hop.version.clone());
    let wanted = status.versions.target.unwrap_or_default();
    let mut facts = OperatorFacts {
        operator: Operator {
            origin: Origin::Portolan,
            namespace: String::new(),
            name: it.metadata.name.clone().unwrap_or_default(),
            package: package.unwrap_or_default().to_owned(),
            bundle: bundle.name,
            version: installed,
            next: String::new(),
            wanted: String::new(),
            window: String::new(),
            catalog: bundle.catalog,
            channel: String::new(),
            state,
            why: ready.map_or_else(|| UNSAID.to_owned(), |it| it.message),
        },
        facts: Vec::new(),
        plan: status.plan.map(|it| (it.namespace, it.name)),
        way: Some(status.path.into_iter().map(way::hop).collect()),
        policy: None,
    };
    facts
        .operator
        .set_versions(next.unwrap_or_default(), wanted);
    facts
}

/// Returns the plans of an operator. For OLM, these are the plans in the operator's namespace that
/// install the operator. For Portolan, this is the plan `own`, which installed the operator.
pub(super) fn moving(
    operator: &Operator,
    own: Option<&(String, String)>,
    all: Vec<Plan>,
) -> Vec<Plan> {
    let is_about = |plan: &Plan| {
        if let Some((namespace, name)) = own {
            return plan.namespace == *namespace && plan.name == *name;
        }
        let prefix = format!("{}.", operator.package);
        plan.namespace == operator.namespace
            && plan
                .bundles
                .iter()
                .any(|it| it.starts_with(&prefix) || *it == operator.bundle)
    };
    all.into_iter().filter(is_about).collect()
}
