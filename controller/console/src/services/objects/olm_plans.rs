//! The pages of the InstallPlans of OLM.

use portolan_core_console::ConsolePage;
use portolan_core_console::view::{
    ObjectCell, ObjectPage, ObjectTable, Origin, Plan, ShownObject, State, Unseen,
};
use portolan_core_olm::{InstallPlan, InstallPlanPhase};
use portolan_proto::approval::v1::{Bundle, Review};

use super::plans::created;
use super::{OperatorLink, condition, page_of, table, table_of_conditions, unless_empty};
use crate::services::plans::plan as row_of;

/// Returns the page of an InstallPlan of OLM, and its operators.
pub(super) fn plan(
    id: &ShownObject,
    it: &InstallPlan,
    review: Result<&Review, &Unseen>,
) -> (ObjectPage, Vec<OperatorLink>) {
    let row = review.ok().map(|it| row_of(it.clone()));
    let state = match (&row, &it.status.phase) {
        (Some(row), _) => row.state,
        (None, InstallPlanPhase::Complete) => State::Well,
        (None, InstallPlanPhase::Failed) => State::Broken,
        (None, _) => State::Unknown,
    };
    let bundles: &[Bundle] = review.map_or(&[], |it| &it.bundles);
    let subscriptions = bundles.iter().map(|it| it.subscription.as_str());
    let subscriptions = subscriptions.filter(|name| !name.is_empty());
    let operators: Vec<_> = subscriptions
        .map(|name| (page_of(Origin::Olm, &id.namespace, name), name.to_owned()))
        .collect();
    let approved = if it.spec.approved {
        "approved"
    } else {
        "not approved"
    };
    let why = row.as_ref().map_or_else(
        || review.err().map(|it| it.0.clone()).unwrap_or_default(),
        |row| row.why.first().cloned().unwrap_or_default(),
    );
    let facts = vec![
        ("Operator", ObjectCell::Links(operators.clone())),
        ("Phase", ObjectCell::text(it.status.phase.as_str())),
        (
            "Approval",
            ObjectCell::text(format!("{}, {approved}", it.spec.approval.as_str())),
        ),
        ("Created", ObjectCell::text(created(it))),
        ("Message", ObjectCell::text(it.status.message.as_str())),
    ];
    let of_condition = it.status.conditions.iter().map(|it| {
        let texts = [&it.r#type, &it.status, &it.reason, &it.message];
        condition(texts, it.last_transition_time.as_ref().map(|at| at.0))
    });
    let page = ObjectPage {
        id: id.clone(),
        state,
        why,
        facts,
        cause: Ok(None),
        tables: [
            Some(bundle_table(it, bundles)),
            row.map(approval_table),
            Some(step_table(it)),
            unless_empty(job_table(it)),
            Some(table_of_conditions(of_condition)),
        ]
        .into_iter()
        .flatten()
        .collect(),
    };
    (page, operators)
}

/// Returns a table of the bundles with the decisions of the policies. Without a review, the table
/// contains only the names of the bundles.
fn bundle_table(it: &InstallPlan, bundles: &[Bundle]) -> ObjectTable {
    let reviewed = bundles.iter().map(|it| {
        let verdict = it.verdict.clone().unwrap_or_default();
        let reasons = verdict.reasons.into_iter().map(|why| why.message);
        let fixes = it.fixes.iter().map(|fix| fix.message.clone());
        let name = if it.catalog.is_empty() || it.package.is_empty() {
            ObjectCell::text(&it.name)
        } else {
            let page = ConsolePage::Bundle {
                catalog: it.catalog.clone(),
                package: it.package.clone(),
                name: it.name.clone(),
            };
            ObjectCell::Links(vec![(page, it.name.clone())])
        };
        vec![
            name,
            ObjectCell::text(&it.version),
            ObjectCell::text(&it.replaces),
            ObjectCell::Lines(reasons.collect()),
            ObjectCell::Lines(fixes.collect()),
        ]
    });
    let mut rows: Vec<_> = reviewed.collect();
    if rows.is_empty() {
        let names = it.spec.csvs.iter();
        rows.extend(names.map(|name| {
            let none = || ObjectCell::text("");
            vec![ObjectCell::text(name), none(), none(), none(), none()]
        }));
    }
    table(
        "Bundles",
        "Bundles that the plan installs",
        &[
            "Bundle",
            "Version",
            "Replaces",
            "Why not",
            "How to allow it",
        ],
        rows,
    )
}

fn approval_table(row: Plan) -> ObjectTable {
    let lines = row.why.into_iter().map(|why| vec![ObjectCell::Text(why)]);
    ObjectTable {
        none: "Upgrade policies and OperatorPolicies have no objections.",
        ..table(
            "Approval",
            "Reasons against the approval",
            &["Reason"],
            lines.collect(),
        )
    }
}

fn step_table(it: &InstallPlan) -> ObjectTable {
    let rows = it.status.steps.iter().map(|it| {
        vec![
            ObjectCell::text(format!("{} {}", it.resource.kind, it.resource.name)),
            ObjectCell::text(it.status.as_str()),
            ObjectCell::text(&it.resolving),
        ]
    });
    table(
        "Steps",
        "Objects that OLM creates, in this order",
        &["Object", "Progress", "Bundle"],
        rows.collect(),
    )
}

/// Returns a table of the bundle images that Jobs unpack.
fn job_table(it: &InstallPlan) -> ObjectTable {
    let rows = it.status.bundle_lookups.iter().map(|it| {
        let open = it.conditions.iter().filter(|it| it.status == "True");
        let open = open.map(|it| format!("{}: {} {}", it.r#type, it.reason, it.message));
        vec![
            ObjectCell::text(&it.identifier),
            ObjectCell::Lines(open.collect()),
            ObjectCell::text(&it.path),
        ]
    });
    table(
        "Jobs",
        "Bundle images that a Job of OLM unpacks",
        &["Bundle", "Progress", "Image"],
        rows.collect(),
    )
}

#[cfg(test)]
mod tests {
    use portolan_core_console::view::ObjectKind;
    use portolan_proto::approval::v1::{Fix, Verdict, verdict};
    use serde_json::json;

    use super::*;

    fn table<'a>(page: &'a ObjectPage, title: &str) -> &'a ObjectTable {
        let mut tables = page.tables.iter();
        tables.find(|it| it.title == title).expect("the table")
    }

    fn id() -> ShownObject {
        ShownObject::of(ObjectKind::OlmPlan, "harbor", "install-a")
    }

    #[test]
    fn page_of_a_plan_of_olm_shows_bundles_with_their_fixes() {
        let plan = json!({
            "metadata": {"name": "install-a", "namespace": "harbor"},
            "spec": {"clusterServiceVersionNames": ["ferry.v1"], "approval": "Manual"},
            "status": {"phase": "RequiresApproval", "plan": [{
                "resolving": "ferry.v1", "status": "Unknown",
                "resource": {"kind": "Deployment", "name": "ferry"},
            }]},
        });
        let plan: InstallPlan = serde_json::from_value(plan).expect("a plan");
        let no = Verdict {
            state: verdict::State::No.into(),
            reasons: Vec::new(),
        };
        let fix = Fix {
            message: "Add ferry.v1".to_owned(),
            ..Fix::default()
        };
        let review = Review {
            waits: true,
            verdict: Some(no.clone()),
            bundles: vec![Bundle {
                name: "ferry.v1".to_owned(),
                subscription: "ferry".to_owned(),
                verdict: Some(no),
                fixes: vec![fix],
                ..Bundle::default()
            }],
            ..Review::default()
        };
        let (page, operators) = super::plan(&id(), &plan, Ok(&review));
        let ferry = page_of(Origin::Olm, "harbor", "ferry");
        assert_eq!(operators, [(ferry, "ferry".to_owned())]);
        assert_eq!(page.state, State::Waiting);
        let approval = ("Approval", ObjectCell::text("Manual, not approved"));
        assert!(page.facts.contains(&approval), "{:?}", page.facts);
        let fixes = &table(&page, "Bundles").rows[0][4];
        assert_eq!(*fixes, ObjectCell::Lines(vec!["Add ferry.v1".to_owned()]));
        let step = &table(&page, "Steps").rows[0][0];
        assert_eq!(*step, ObjectCell::text("Deployment ferry"));
    }

    /// The plan has no review, because the approval service does not answer.
    #[test]
    fn plan_of_olm_without_a_review_shows_the_reason() {
        let plan = json!({
            "metadata": {"name": "install-a", "namespace": "harbor"},
            "spec": {"clusterServiceVersionNames": ["ferry.v1"]},
        });
        let plan: InstallPlan = serde_json::from_value(plan).expect("a plan");
        let why = Unseen("no answer".to_owned());
        let (page, _) = super::plan(&id(), &plan, Err(&why));
        assert_eq!(
            (page.state, page.why.as_str()),
            (State::Unknown, "no answer")
        );
        let bundle = &table(&page, "Bundles").rows[0][0];
        assert_eq!(*bundle, ObjectCell::text("ferry.v1"));
    }
}
