//! The pages of objects that are not operators: plans, policies and Installs.

mod installs;
mod olm_plans;
pub(super) mod plans;
mod policies;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::ResourceExt as _;
use portolan_api::OperatorPolicy;
use portolan_api::installs::Install;
use portolan_api::operator::Operator;
use portolan_api::plan::InstallPlan;
use portolan_api::policy::{Policy, PolicyBinding};
use portolan_api::qualified;
use portolan_core_console::ConsolePage;
use portolan_core_console::view::{
    Cause, ObjectCell, ObjectKind, ObjectPage, ObjectTable, Origin, Seen, ShownObject, Unseen,
};
use portolan_core_olm::InstallPlan as OlmPlan;
use portolan_proto::approval::v1::ReviewPlanRequest;
use portolan_world::{Kind, View};

use super::{Services, heard};
use crate::shown_time;

/// A link to the page of an operator, with the link text.
type OperatorLink = (ConsolePage, String);

impl Services {
    /// Returns the page of an object.
    pub(super) async fn object(&self, id: &ShownObject) -> Seen<ObjectPage> {
        let (page, operators) = match id.kind {
            ObjectKind::OlmPlan => self.olm_plan(id).await?,
            ObjectKind::Plan => self.plan(id).await?,
            ObjectKind::OperatorPolicy => self.operator_policy(id).await?,
            ObjectKind::Policy => {
                let all = self.all::<Policy>().await?;
                let found = found(&all, id)?;
                let policies = self.upgrade_policies().await;
                (
                    policies::policy(id, found, &policies, Timestamp::now()),
                    vec![],
                )
            }
            ObjectKind::PolicyBinding => {
                let all = self.all::<PolicyBinding>().await?;
                let found = found(&all, id)?;
                let policies = self.upgrade_policies().await;
                (
                    policies::binding(id, found, &policies, Timestamp::now()),
                    vec![],
                )
            }
            ObjectKind::Install => {
                let all = self.all::<Install>().await?;
                (installs::install(id, found(&all, id)?), Vec::new())
            }
        };
        let cause = self.cause_of(id, &operators).await;
        Ok(ObjectPage { cause, ..page })
    }

    async fn olm_plan(&self, id: &ShownObject) -> Seen<(ObjectPage, Vec<OperatorLink>)> {
        let all = self.all::<OlmPlan>().await?;
        let request = ReviewPlanRequest {
            namespace: id.namespace.clone(),
            name: id.name.clone(),
        };
        let review = heard(self.approval().review_plan(request).await);
        let review = review.map(|it| it.review.unwrap_or_default());
        Ok(olm_plans::plan(id, found(&all, id)?, review.as_ref()))
    }

    async fn plan(&self, id: &ShownObject) -> Seen<(ObjectPage, Vec<OperatorLink>)> {
        let (plans, operators) = tokio::join!(self.all::<InstallPlan>(), self.all::<Operator>());
        let (plans, operators) = (plans?, operators.unwrap_or_default());
        let operators: Vec<_> = operators.objects.values().map(|it| &**it).collect();
        let others: Vec<_> = plans.objects.values().map(|it| &**it).collect();
        let found = found(&plans, id)?;
        Ok(plans::plan(id, found, &others, &operators))
    }

    async fn operator_policy(&self, id: &ShownObject) -> Seen<(ObjectPage, Vec<OperatorLink>)> {
        let all = self.all::<OperatorPolicy>().await?;
        let found = found(&all, id)?;
        let (policies, operators) = tokio::join!(
            self.upgrade_policies(),
            self.operators_of_policy(&id.namespace, &id.name)
        );
        let page = policies::operator_policy(id, found, &operators, (&policies, Timestamp::now()));
        Ok((page, operators))
    }

    /// Returns the cause of the problem of an object. If the object has no diagnosis, returns the
    /// cause of one of its operators.
    async fn cause_of(&self, id: &ShownObject, operators: &[OperatorLink]) -> Seen<Option<Cause>> {
        let told = self.diagnoses().await?;
        let mut others = told.others.into_iter();
        if let Some(own) = others.find(|it| it.page.as_ref() == Some(id))
            && own.cause.is_some()
        {
            return Ok(own.cause);
        }
        let mut of_operators = told.operators.into_iter().filter(|(operator, _)| {
            let page = page_of(operator.origin, &operator.namespace, &operator.name);
            operators.iter().any(|(place, _)| *place == page)
        });
        Ok(of_operators.find_map(|(_, cause)| cause))
    }
}

/// Returns the identity of a diagnosed object. Returns None if its kind has no page.
pub(super) fn diagnosed(kind: &str, namespace: &str, name: &str) -> Option<ShownObject> {
    let kind = match kind {
        qualified::INSTALL_PLAN => ObjectKind::Plan,
        qualified::INSTALL => ObjectKind::Install,
        qualified::POLICY => ObjectKind::Policy,
        qualified::POLICY_BINDING => ObjectKind::PolicyBinding,
        "OperatorPolicy" => ObjectKind::OperatorPolicy,
        _ => return None,
    };
    (!name.is_empty()).then(|| ShownObject::of(kind, namespace, name))
}

/// Returns the page of the operator with this namespace and name.
pub(super) fn page_of(origin: Origin, namespace: &str, name: &str) -> ConsolePage {
    ConsolePage::Operator {
        origin,
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    }
}

/// Returns the object with the namespace and name of `id`. If the object is missing, returns the
/// reason.
fn found<'v, K: Kind>(all: &'v View<K>, id: &ShownObject) -> Seen<&'v K> {
    let mut objects = all.objects.values();
    let found = objects.find(|it| {
        let namespace = it.meta().namespace.as_deref().unwrap_or_default();
        namespace == id.namespace && it.name_any() == id.name
    });
    let found = found.map(|it| &**it);
    found.ok_or_else(|| Unseen(format!("There is no object {}.", id.name)))
}

/// Creates a table.
pub(super) fn table(
    title: &'static str,
    caption: &str,
    columns: &[&str],
    rows: Vec<Vec<ObjectCell>>,
) -> ObjectTable {
    ObjectTable {
        title,
        caption: caption.to_owned(),
        columns: columns.iter().map(|it| (*it).to_owned()).collect(),
        rows,
        none: "Nothing is reported.",
    }
}

/// Returns a table with the conditions of an object of Portolan.
fn conditions(all: &[Condition]) -> ObjectTable {
    table_of_conditions(all.iter().map(|it| {
        let texts = [&it.type_, &it.status, &it.reason, &it.message];
        condition(texts, Some(it.last_transition_time.0))
    }))
}

/// Returns a table of conditions that contains these rows.
fn table_of_conditions(rows: impl Iterator<Item = Vec<ObjectCell>>) -> ObjectTable {
    table(
        "Conditions",
        "Conditions of the status",
        &["Condition", "Status", "Reason", "Since", "Message"],
        rows.collect(),
    )
}

/// Returns the table row of a condition.
fn condition(
    [type_, status, reason, message]: [&String; 4],
    since: Option<Timestamp>,
) -> Vec<ObjectCell> {
    let since = since.map(shown_time).unwrap_or_default();
    let texts = [type_, status, reason, &since, message];
    texts.map(ObjectCell::text).into()
}

/// Returns the table. Returns None if it has no rows.
pub(super) fn unless_empty(table: ObjectTable) -> Option<ObjectTable> {
    (!table.rows.is_empty()).then_some(table)
}
