//! Diagnoses custom resources of Portolan and of OLM v1 from the status of each object. Also
//! diagnoses the components of Portolan.

mod component;
mod component_operator;
mod install;
mod kind;
mod olm_v1;
mod operators;
mod policy;
mod question;
mod steward;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_api::OperatorPolicy;
use portolan_api::installs::{INSTALL, Install};
use portolan_api::operator::{OPERATOR, Operator};
use portolan_api::plan::InstallPlan;
use portolan_api::policy::{Policy, PolicyBinding};
use portolan_core_graph::Charted;
use portolan_core_names::text::listed;
use portolan_core_olm::messages::failing_service;
use portolan_core_olm::{ClusterCatalog, ClusterExtension, ComponentOperator, Subscription};

use self::component::name_stopped_controller;
use crate::cure::Cure;
use crate::diagnose::of_status;
use crate::headline::Impact;
use crate::{Cause, Code, Diagnosis, Object, State, Subject, Workloads, own_plan, words};

pub use component::{Components, ControllerLease};
pub use component_operator::diagnose_component_operator;
pub use install::diagnose_install;
pub use kind::OwnKind;
use olm_v1::{ExtensionFacts, UpgradePolicies};
pub use olm_v1::{diagnose_catalog, diagnose_extension};
pub(crate) use policy::removal::removed;
pub use policy::{diagnose_binding, diagnose_operator_policy, diagnose_policy};
pub use question::OwnQuestion;

/// The maximum number of namespaces that are inspected to explain problems.
const MOST_INSPECTED: usize = 10;

/// The observed objects of Portolan.
#[derive(Debug, Clone, Default)]
pub struct OwnObjects {
    pub operators: Listed<Operator>,
    pub plans: Listed<InstallPlan>,
    pub installs: Listed<Install>,
    pub operator_policies: Listed<OperatorPolicy>,
    pub policies: Listed<Policy>,
    pub bindings: Listed<PolicyBinding>,
    pub component_operators: Listed<ComponentOperator>,
    pub extensions: Listed<ClusterExtension>,
    pub catalogs: Listed<ClusterCatalog>,
    /// The components of Portolan.
    pub components: Components,
    /// The workloads that InstallPlans have applied, and other workloads that explain a problem.
    pub workloads: Workloads,
    /// The Subscriptions of OLM v0 in the [namespaces that explain a contested
    /// policy](OwnObjects::subscription_namespaces).
    pub subscriptions: Vec<Arc<Subscription>>,
    /// The packages of OLM v1 catalogs that [`packages_to_read`](OwnObjects::packages_to_read)
    /// names.
    pub packages: Vec<ServedPackage>,
}

/// A package of a ClusterCatalog, with its upgrade graph.
#[derive(Debug, Clone)]
pub struct ServedPackage {
    /// The name of the ClusterCatalog.
    pub catalog: String,
    /// The package, with its graph.
    pub package: Arc<Charted>,
}

/// The observed objects of one kind.
#[derive(Debug, Clone)]
pub struct Listed<K> {
    pub objects: Vec<Arc<K>>,
    /// The reasons why objects may be missing from the list or outdated. Empty if the list is
    /// complete.
    pub troubles: Vec<String>,
}

/// The InstallPlans, grouped by the Operator or the Install that owns them.
struct OwnedPlans<'a> {
    by_operator: BTreeMap<&'a str, Vec<&'a InstallPlan>>,
    by_install: BTreeMap<&'a str, Vec<&'a InstallPlan>>,
}

/// Diagnoses the objects of Portolan that match the question. Sorts the diagnoses by kind,
/// namespace and name.
///
/// # Guarantees
///
/// - If a kind has [`troubles`](Listed::troubles), one diagnosis `NotObserved` covers the whole
///   kind. The subject of this diagnosis has no name. Therefore users always see that the answer is
///   incomplete.
/// - If the answer contains an Operator or an Install, its InstallPlans have no separate diagnosis,
///   because the diagnosis of the owner includes them.
/// - Policies without a status share one diagnosis for each kind, unless the question names a
///   policy.
/// - If the question is about everything, healthy components of Portolan, healthy ClusterCatalogs
///   and healthy Operators of `operators.coreos.com/v2alpha1` are omitted.
/// - If no controller holds the Lease, the diagnoses of objects that wait for the controller name
///   the Lease.
pub fn diagnose_own(own: &OwnObjects, asked: OwnQuestion<'_>) -> Vec<Diagnosis> {
    let kinds = OwnKind::ALL.iter().copied();
    kinds
        .filter(|kind| asked.includes(*kind))
        .flat_map(|kind| own.diagnose(kind, asked))
        .collect()
}

/// Returns the cause for an object whose status the controller has not written yet.
fn not_observed(object: &Object, cure: Cure) -> Cause {
    let message = "The controller has not written the status of the object yet.";
    let cause = Cause::new(Code::NotObserved, State::Working, object.clone(), message);
    cause.cured(cure)
}

/// Returns a sentence if the controller has not reconciled the last change of the object. `seen` is
/// the generation in the status, and `now` is the generation in the metadata.
fn outdated(seen: Option<i64>, now: Option<i64>) -> Option<String> {
    let is_behind = now.is_some_and(|now| now != seen.unwrap_or(now));
    is_behind.then(|| {
        "The controller has not reconciled the object since its last \
                       change."
            .to_owned()
    })
}

/// Returns the diagnosis `NotObserved` of a kind if its list may be incomplete.
fn unlisted(kind: OwnKind, troubles: &[String]) -> Option<Diagnosis> {
    let first = troubles.first()?;
    let others = match troubles.len() - 1 {
        0 => String::new(),
        1 => " (and 1 other problem)".to_owned(),
        others => format!(" (and {others} other problems)"),
    };
    let message = format!("{} cannot be read: {first}{others}", kind.plural());
    let action = format!(
        "Grant the permissions get, list and watch on {}, or correct the problem that the message \
         reports.",
        kind.resource()
    );
    let cure = Cure::external("a cluster administrator", &action);
    Some(of_kind(kind, &words::sentence(&message), cure))
}

/// Returns a diagnosis `NotObserved` that covers all objects of a kind.
fn of_kind(kind: OwnKind, message: &str, cure: Cure) -> Diagnosis {
    let object = Object::new(kind.as_str(), "", "");
    let cause = Cause::new(Code::NotObserved, State::Working, object.clone(), message);
    of_status(
        subject(object.clone(), ""),
        vec![cause.cured(cure)],
        None,
        (Impact::of(&object), &[]),
    )
}

fn subject(object: Object, package: &str) -> Subject {
    Subject {
        object,
        package: package.to_owned(),
        csv: String::new(),
    }
}

/// Returns true if the diagnosis reports that the object has no status yet.
fn is_unwritten(diagnosis: &Diagnosis) -> bool {
    let root = diagnosis.cause.as_ref();
    root.is_some_and(|root| root.code == Code::NotObserved && root.evidence.is_empty())
}

/// Replaces the diagnoses of the objects without a status by one diagnosis for the kind. The other
/// diagnoses do not change.
fn summarized(kind: OwnKind, all: Vec<Diagnosis>) -> Vec<Diagnosis> {
    let (unwritten, mut others): (Vec<_>, Vec<_>) = all.into_iter().partition(is_unwritten);
    if unwritten.is_empty() {
        return others;
    }
    let names = unwritten.iter().map(|one| {
        let Object {
            namespace, name, ..
        } = &one.subject.object;
        match namespace.as_str() {
            "" => name.clone(),
            namespace => format!("{namespace}/{name}"),
        }
    });
    let message = format!("{} have no status: {}.", kind.plural(), listed(names));
    let message = match unwritten.len() {
        1 => message.replacen(
            &format!("{} have", kind.plural()),
            "One of this kind has",
            1,
        ),
        _ => message,
    };
    others.push(of_kind(kind, &message, kind.unwritten_cure()));
    others
}

// === impl OwnObjects ===

impl OwnObjects {
    /// Returns a sentence about the first kind that could not be read completely. Considers only
    /// the kinds in the question.
    pub fn trouble(&self, asked: OwnQuestion<'_>) -> Option<String> {
        let mut kinds = OwnKind::ALL.iter().copied();
        kinds.find_map(|kind| {
            let first = self.troubles(kind).first()?;
            let is_meant = asked.includes(kind) && !asked.may_lack(kind);
            is_meant.then(|| format!("{} cannot be read: {first}", kind.plural()))
        })
    }

    /// Returns the names of packages. Their upgrade graphs explain why OLM v1 does not upgrade a
    /// ClusterExtension.
    pub fn packages_to_read(&self) -> BTreeSet<&str> {
        let extensions = self.extensions.objects.iter();
        let lacking = extensions.filter(|it| olm_v1::lacks_upgrade(it));
        lacking
            .map(|it| it.spec.source.catalog.package_name.as_str())
            .collect()
    }

    /// Returns the namespaces of Subscriptions that contested OperatorPolicies write. These
    /// Subscriptions show the other client that writes them. Returns at most 10 namespaces.
    pub fn subscription_namespaces(&self) -> BTreeSet<&str> {
        let policies = self.operator_policies.objects.iter();
        let policies = policies.filter_map(|it| it.status.as_ref());
        let all: BTreeSet<_> = policies.filter_map(policy::contested_namespace).collect();
        all.into_iter().take(MOST_INSPECTED).collect()
    }

    /// Returns true if ClusterExtensions exist. Their workloads may have a problem that OLM v1 does
    /// not report.
    pub fn has_extensions(&self) -> bool {
        !self.extensions.objects.is_empty()
    }

    /// Returns the namespaces whose Deployments explain problems of these objects. Such a problem
    /// is a webhook that the API server cannot call, or the operator that a policy removes. Returns
    /// at most 10 namespaces.
    pub fn namespaces_to_inspect(&self) -> BTreeSet<&str> {
        let plans = self
            .plans
            .objects
            .iter()
            .filter_map(|it| it.status.as_ref());
        let members = plans.flat_map(|status| &status.members);
        let failing = members.filter(|member| member.failing_webhook.is_some());
        let messages = failing.map(|member| member.message.as_str());
        let extensions = self.extensions.objects.iter();
        let messages = messages.chain(extensions.filter_map(|it| olm_v1::failure_message(it)));
        let policies = || {
            let policies = self.operator_policies.objects.iter();
            policies.filter_map(|it| it.status.as_ref())
        };
        let conditions = policies().flat_map(|status| &status.conditions);
        let messages = messages.chain(conditions.map(|said| said.message.as_str()));
        let services = messages.filter_map(failing_service);
        let removed = policies().flat_map(removed);
        let namespaces = services.chain(removed).map(|(namespace, _)| namespace);
        let all: BTreeSet<_> = namespaces.filter(|it| !it.is_empty()).collect();
        all.into_iter().take(MOST_INSPECTED).collect()
    }

    fn troubles(&self, kind: OwnKind) -> &[String] {
        match kind {
            OwnKind::Operator => &self.operators.troubles,
            OwnKind::InstallPlan => &self.plans.troubles,
            OwnKind::Install => &self.installs.troubles,
            OwnKind::OperatorPolicy => &self.operator_policies.troubles,
            OwnKind::Policy => &self.policies.troubles,
            OwnKind::PolicyBinding => &self.bindings.troubles,
            OwnKind::ComponentOperator => &self.component_operators.troubles,
            OwnKind::ClusterExtension => &self.extensions.troubles,
            OwnKind::ClusterCatalog => &self.catalogs.troubles,
            OwnKind::Component => &self.components.troubles,
        }
    }

    fn diagnose(&self, kind: OwnKind, asked: OwnQuestion<'_>) -> Vec<Diagnosis> {
        let owned = OwnedPlans::of(&self.plans.objects);
        let all = match kind {
            OwnKind::Operator => self.diagnose_operators(&owned),
            OwnKind::Install => each(&self.installs, |it| {
                install::with_workloads(it, owned.of_install(it), &self.workloads)
            }),
            OwnKind::InstallPlan => self.diagnose_plans(asked),
            OwnKind::OperatorPolicy => each(&self.operator_policies, |it| {
                policy::among(it, &self.workloads, &self.subscriptions)
            }),
            OwnKind::Policy => each(&self.policies, diagnose_policy),
            OwnKind::PolicyBinding => each(&self.bindings, diagnose_binding),
            OwnKind::ComponentOperator => {
                each(&self.component_operators, diagnose_component_operator)
            }
            OwnKind::ClusterExtension => self.diagnose_extensions(),
            OwnKind::ClusterCatalog => self.diagnose_catalogs(),
            OwnKind::Component => component::diagnose(&self.components, self.has_objects()),
        };
        let all = all.into_iter().map(|one| self.with_steward(one));
        let mut all: Vec<_> = all.collect();
        all.retain(|one| asked.is_within(&one.subject.object));
        if kind.is_reconciled_by_portolan() {
            name_stopped_controller(&mut all, self.components.leases.as_deref());
        }
        if kind.is_shown_only_in_trouble() && asked == OwnQuestion::default() {
            all.retain(|one| one.state != State::Well);
        }
        if kind.is_summarized() && !asked.is_by_name {
            all = summarized(kind, all);
        }
        if !asked.may_lack(kind) {
            all.extend(unlisted(kind, self.troubles(kind)));
        }
        all
    }

    fn diagnose_extensions(&self) -> Vec<Diagnosis> {
        if self.extensions.objects.is_empty() {
            return Vec::new();
        }
        let catalogs: Vec<_> = self.catalogs.objects.iter().map(|it| &**it).collect();
        let all: Vec<_> = self.extensions.objects.iter().map(|it| &**it).collect();
        let policies = UpgradePolicies::of(
            self.operators.objects.iter().map(|it| &**it),
            self.policies.objects.iter().map(|it| &**it),
            self.bindings.objects.iter().map(|it| &**it),
            self.operator_policies
                .objects
                .iter()
                .map(|it| operators::policy_id(it)),
        );
        let facts = ExtensionFacts {
            catalogs: &catalogs,
            all: &all,
            packages: &self.packages,
            workloads: &self.workloads,
            policies: &policies,
        };
        let mut all = each(&self.extensions, |it| olm_v1::among(it, facts));
        olm_v1::point_to_broken(&mut all);
        all
    }

    fn diagnose_catalogs(&self) -> Vec<Diagnosis> {
        let extensions: Vec<_> = self.extensions.objects.iter().map(|it| &**it).collect();
        each(&self.catalogs, |it| diagnose_catalog(it, &extensions))
    }

    /// Returns true if objects exist that a controller of Portolan must reconcile.
    fn has_objects(&self) -> bool {
        !self.operators.objects.is_empty()
            || !self.plans.objects.is_empty()
            || !self.installs.objects.is_empty()
            || !self.operator_policies.objects.is_empty()
            || !self.policies.objects.is_empty()
    }

    /// Diagnoses the InstallPlans that the diagnoses of Operators and Installs in the answer do not
    /// include.
    fn diagnose_plans(&self, asked: OwnQuestion<'_>) -> Vec<Diagnosis> {
        let is_all = asked == OwnQuestion::default();
        let operators = self.operators.objects.iter().filter(|_| is_all);
        let operators: BTreeSet<_> = operators
            .filter_map(|it| it.metadata.name.as_deref())
            .collect();
        let installs = self.installs.objects.iter().filter(|_| is_all);
        let installs: BTreeSet<_> = installs
            .filter_map(|it| it.metadata.uid.as_deref())
            .collect();
        let plans = self.plans.objects.iter().filter(|plan| {
            let of_operator = OPERATOR.of(&plan.metadata);
            let of_install = INSTALL.of(&plan.metadata);
            !of_operator.is_some_and(|it| operators.contains(it))
                && !of_install.is_some_and(|it| installs.contains(it))
        });
        plans
            .map(|plan| own_plan::with_workloads(plan, &self.workloads))
            .collect()
    }
}

fn each<K>(listed: &Listed<K>, diagnose: impl Fn(&K) -> Diagnosis) -> Vec<Diagnosis> {
    listed.objects.iter().map(|it| diagnose(it)).collect()
}

// === impl Listed ===

impl<K> Default for Listed<K> {
    fn default() -> Self {
        Self {
            objects: Vec::new(),
            troubles: Vec::new(),
        }
    }
}

// === impl OwnedPlans ===

impl<'a> OwnedPlans<'a> {
    fn of(plans: &'a [Arc<InstallPlan>]) -> Self {
        let mut all = Self {
            by_operator: BTreeMap::new(),
            by_install: BTreeMap::new(),
        };
        for plan in plans {
            if let Some(operator) = OPERATOR.of(&plan.metadata) {
                all.by_operator.entry(operator).or_default().push(plan);
            }
            if let Some(install) = INSTALL.of(&plan.metadata) {
                all.by_install.entry(install).or_default().push(plan);
            }
        }
        all
    }

    fn of_operator(&self, operator: &Operator) -> &[&'a InstallPlan] {
        let name = operator.metadata.name.as_deref().unwrap_or_default();
        self.by_operator.get(name).map_or(&[], Vec::as_slice)
    }

    fn of_install(&self, install: &Install) -> &[&'a InstallPlan] {
        let uid = install.metadata.uid.as_deref().unwrap_or_default();
        self.by_install.get(uid).map_or(&[], Vec::as_slice)
    }
}
