//! Objects related to an operator: its OperatorPolicy, its upgrade policies, and its history.

use std::collections::BTreeMap;

use jiff::Timestamp;
use kube::ResourceExt as _;
use portolan_api::OperatorPolicy;
use portolan_api::operator::Operator as Ours;
use portolan_api::plan::InstallPlan;
use portolan_api::policy::SubjectKind;
use portolan_core_console::ConsolePage;
use portolan_core_console::view::{
    ObjectCell, ObjectKind, ObjectTable, Origin, Plan, Seen, ShownObject,
};
use portolan_core_olm::InstallPlan as OlmPlan;

use super::calendar::calendar;
use super::history::{history, of_olm_plan, of_operator, of_plan, of_policy};
use super::objects::{page_of, table};
use super::operators::OperatorFacts;
use super::windows::{NextWindows, PolicySubject};
use super::{Services, objects};

impl Services {
    /// Adds the next and the target version from OperatorPolicies, and the windows of upgrade
    /// policies.
    pub(super) async fn add_policies(&self, known: &mut [OperatorFacts]) {
        let (policies, of_olm) =
            tokio::join!(self.upgrade_policies(), self.all::<OperatorPolicy>());
        let of_olm = of_olm.unwrap_or_default();
        let upgrades = of_olm.objects.values().filter_map(|it| {
            let key = (it.namespace().unwrap_or_default(), it.name_any());
            Some((key, it.status.as_ref()?.upgrades.as_ref()?))
        });
        let upgrades: BTreeMap<_, _> = upgrades.collect();
        let mut windows = NextWindows::of_policies(&policies, Timestamp::now());
        for it in known {
            let Some(subject) = it.subject() else {
                continue;
            };
            it.operator.window = windows.of(&subject);
            let upgrades = it.policy.as_ref().and_then(|key| upgrades.get(key));
            let Some(upgrades) = upgrades else { continue };
            let next = upgrades.next.as_ref().and_then(|it| it.version.clone());
            let wanted = upgrades.target.as_ref().and_then(|it| it.version.clone());
            let (next, wanted) = (next.unwrap_or_default(), wanted.unwrap_or_default());
            it.operator.set_versions(next, wanted);
        }
    }

    /// Returns links to the operators that an OperatorPolicy manages. Empty if the operators cannot
    /// be read.
    pub(super) async fn operators_of_policy(
        &self,
        namespace: &str,
        name: &str,
    ) -> Vec<(ConsolePage, String)> {
        let known = self.known().await.unwrap_or_default();
        let known = known.into_iter().filter(|it| {
            let policy = it.policy.as_ref();
            policy.is_some_and(|(of, policy)| of == namespace && policy == name)
        });
        let operators = known.map(|it| it.operator);
        let links = operators.map(|it| (page_of(it.origin, &it.namespace, &it.name), it.name));
        links.collect()
    }

    /// Returns the tables for the page of an operator: its policies, its calendar and its history.
    /// `plans` contains the plans of the operator.
    pub(super) async fn tables_of(
        &self,
        subject: Option<PolicySubject>,
        (origin, name): (Origin, &str),
        plans: &Seen<Vec<Plan>>,
    ) -> Vec<ObjectTable> {
        let policies = self.upgrade_policies().await;
        let bound = subject.as_ref().map(|it| policies.bound(it));
        let bindings = bound.iter().flat_map(|it| &it.bindings);
        let bindings = bindings.map(|name| {
            let id = ShownObject::of(ObjectKind::PolicyBinding, "", name);
            (id, "selects the upgrade policies")
        });
        let policy = match &subject {
            Some((SubjectKind::OperatorPolicy, namespace, name)) => {
                let id = ShownObject::of(ObjectKind::OperatorPolicy, namespace, name);
                Some((id, "manages the Subscription"))
            }
            Some((SubjectKind::Operator, ..)) | None => None,
        };
        let rows = policy.into_iter().chain(bindings);
        let rows =
            rows.map(|(id, purpose)| vec![ObjectCell::object(id), ObjectCell::text(purpose)]);
        let policies_of = table(
            "Policies",
            "Policies that apply to it",
            &["Policy", "Purpose"],
            rows.collect(),
        );
        let policies_of = objects::unless_empty(policies_of);
        let week = calendar(&policies, subject.iter(), Timestamp::now());
        let moments = self
            .history_of(subject.as_ref(), (origin, name), plans)
            .await;
        let tables = [policies_of, week, objects::unless_empty(moments)];
        tables.into_iter().flatten().collect()
    }

    /// Returns the history of an operator, built from the statuses of its objects.
    async fn history_of(
        &self,
        subject: Option<&PolicySubject>,
        (origin, name): (Origin, &str),
        plans: &Seen<Vec<Plan>>,
    ) -> ObjectTable {
        let mut moments = Vec::new();
        match origin {
            Origin::Portolan => {
                let (operators, plans) =
                    tokio::join!(self.all::<Ours>(), self.all::<InstallPlan>());
                let (operators, plans) = (operators.unwrap_or_default(), plans.unwrap_or_default());
                let own = operators
                    .objects
                    .values()
                    .filter(|it| it.name_any() == name);
                moments.extend(own.flat_map(|it| of_operator(it)));
                let own = plans.objects.values();
                let own = own.filter(|it| objects::plans::is_of(it, name));
                moments.extend(own.flat_map(|it| of_plan(it)));
            }
            Origin::Olm => {
                let (policies, all) =
                    tokio::join!(self.all::<OperatorPolicy>(), self.all::<OlmPlan>());
                let (policies, all) = (policies.unwrap_or_default(), all.unwrap_or_default());
                let own = policies.objects.values().filter(|it| {
                    let key = (
                        SubjectKind::OperatorPolicy,
                        it.namespace().unwrap_or_default(),
                        it.name_any(),
                    );
                    subject == Some(&key)
                });
                moments.extend(own.flat_map(|it| of_policy(it)));
                let is_own = |it: &OlmPlan| {
                    let namespace = it.namespace().unwrap_or_default();
                    let mut plans = plans.iter().flatten();
                    plans.any(|plan| plan.namespace == namespace && plan.name == it.name_any())
                };
                let own = all.objects.values().filter(|it| is_own(it));
                moments.extend(own.flat_map(|it| of_olm_plan(it)));
            }
            Origin::OlmV1 => {}
        }
        history(moments)
    }
}
