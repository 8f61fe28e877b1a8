//! The list and the pages of Installs.

use kube::ResourceExt as _;
use portolan_api::installs::{ConditionType, Content, Install, Intent, Permission, Status};
use portolan_core_console::view::{
    Install as Row, ObjectCell, ObjectKind, ObjectPage, ObjectTable, Seen, ShownObject, State,
};

use super::{conditions, table};
use crate::services::Services;
use crate::services::hidden::unless_hidden;
use crate::shown_time;

impl Services {
    /// Returns all Installs.
    pub(in crate::services) async fn installs(&self) -> Seen<Vec<Row>> {
        let all = self.all::<Install>().await.unwrap_or_default();
        let rows = all.objects.values().map(|it| row(it)).collect();
        unless_hidden(rows, self.hidden_installs().await)
    }
}

fn row(it: &Install) -> Row {
    let status = it.status.clone().unwrap_or_default();
    let (state, why) = judged(&status);
    let approval = it.spec.as_json()["approval"].as_str();
    Row {
        name: it.name_any(),
        content: match Intent::parse(it) {
            Ok(intent) => intent.content.iter().map(requested).collect(),
            Err(why) => vec![why.to_string()],
        },
        approval: approval.unwrap_or("Unapproved").to_owned(),
        state,
        why,
    }
}

/// Returns the state of an Install, and the reason for the state.
fn judged(status: &Status) -> (State, String) {
    let condition = |type_: ConditionType| {
        let mut all = status.conditions.iter();
        all.find(|it| it.type_ == type_.as_str())
    };
    let is_true = |type_: ConditionType| condition(type_).filter(|it| it.status == "True");
    if let Some(it) = is_true(ConditionType::ContentImportError) {
        return (State::Stuck, it.message.clone());
    }
    if let Some(it) = is_true(ConditionType::PendingApproval) {
        return (State::Waiting, it.message.clone());
    }
    match condition(ConditionType::Ready) {
        Some(it) if it.status == "True" => (State::Well, it.message.clone()),
        Some(it) => (State::Working, it.message.clone()),
        None => (
            State::Unknown,
            "The Install has no status yet; check that the controller of Installs runs.".to_owned(),
        ),
    }
}

fn requested(content: &Content) -> String {
    match content {
        Content::ManifestImage(image) => format!("image {image}"),
        Content::Raw(_) => "manifests in the Install".to_owned(),
    }
}

/// Returns the page of an Install.
pub(super) fn install(id: &ShownObject, it: &Install) -> ObjectPage {
    let row = row(it);
    let status = it.status.clone().unwrap_or_default();
    let account = status.service_account_ref.as_ref();
    let account = account.map(|it| format!("{}/{}", it.namespace, it.name));
    let plan = status.plan.as_ref().map(|it| {
        let id = ShownObject::of(ObjectKind::Plan, &it.namespace, &it.name);
        id.link()
    });
    let approved = status.approved.as_ref();
    let approved = approved.map(|it| {
        let since = shown_time(it.since.0);
        format!("generation {}, since {since}", it.generation)
    });
    let created = it.creation_timestamp().map(|at| shown_time(at.0));
    let facts = vec![
        ("Approval", ObjectCell::text(&row.approval)),
        ("Approved", ObjectCell::text(approved.unwrap_or_default())),
        ("Requested by", ObjectCell::Lines(requesters(it))),
        ("Created", ObjectCell::text(created.unwrap_or_default())),
        (
            "ServiceAccount",
            ObjectCell::text(account.unwrap_or_default()),
        ),
        ("Plan", ObjectCell::Links(plan.into_iter().collect())),
    ];
    ObjectPage {
        id: id.clone(),
        state: row.state,
        why: row.why.clone(),
        facts,
        cause: Ok(None),
        tables: vec![
            content_table(&row, &status),
            permission_table(&status),
            conditions(&status.conditions),
        ],
    }
}

/// Returns the owners of an Install, and the field managers that wrote it. An Install does not
/// contain the users who wrote it.
fn requesters(it: &Install) -> Vec<String> {
    let owners = it.owner_references().iter();
    let owners = owners.map(|it| format!("{} {}", it.kind, it.name));
    let managers = it.managed_fields().iter();
    let managers = managers.filter(|it| it.subresource.is_none());
    let managers = managers.filter_map(|it| it.manager.as_ref());
    let clients = managers.map(|name| format!("client {name}"));
    let mut all: Vec<String> = owners.chain(clients).collect();
    all.dedup();
    all
}

fn content_table(row: &Row, status: &Status) -> ObjectTable {
    let rows = row.content.iter().enumerate().map(|(at, content)| {
        let resolved = status.resolved.get(at);
        let bundle = resolved.and_then(|it| it.bundle.as_ref());
        let bundle = bundle.map(|it| format!("{} {}", it.name, it.version));
        let objects = resolved.map(|it| it.objects.to_string());
        let digest = resolved.map(|it| format!("digest {}", it.digest));
        vec![
            ObjectCell::text((at + 1).to_string()),
            ObjectCell::text(objects.unwrap_or_default()),
            ObjectCell::text(bundle.unwrap_or_default()),
            ObjectCell::Lines(std::iter::once(content.clone()).chain(digest).collect()),
        ]
    });
    table(
        "What is requested",
        "Content, in order",
        &["Entry", "Objects", "Bundle", "Content"],
        rows.collect(),
    )
}

fn permission_table(status: &Status) -> ObjectTable {
    let pending = status.pending.iter();
    let rules = pending.flat_map(|it| &it.permissions);
    ObjectTable {
        none: "No permission waits for an approval.",
        ..table(
            "What an approval grants",
            "Permissions that wait for an approval",
            &[
                "Where",
                "Groups",
                "Resources",
                "Names",
                "Verbs",
                "Granted to",
            ],
            rules.map(rule).collect(),
        )
    }
}

fn rule(it: &Permission) -> Vec<ObjectCell> {
    let Permission {
        api_groups,
        resources,
        resource_names,
        non_resource_urls,
        verbs,
        namespaces,
        subjects,
        role,
    } = it;
    let lines = |texts: &std::collections::BTreeSet<String>| {
        ObjectCell::Lines(texts.iter().cloned().collect())
    };
    let place = if namespaces.is_empty() {
        ObjectCell::text("the cluster")
    } else {
        lines(namespaces)
    };
    let groups = api_groups.iter().map(|it| match it.as_str() {
        "" => "core".to_owned(),
        group => group.to_owned(),
    });
    let subjects = subjects.iter().cloned();
    let role = (!role.is_empty()).then(|| format!("by {role}"));
    vec![
        place,
        ObjectCell::Lines(groups.collect()),
        ObjectCell::Lines(resources.iter().chain(non_resource_urls).cloned().collect()),
        lines(resource_names),
        lines(verbs),
        ObjectCell::Lines(subjects.chain(role).collect()),
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn page_shows_the_permissions_that_an_approval_grants() {
        let condition = json!({
            "type": "PendingApproval", "status": "True", "reason": "UnsatisfiedPermissions",
            "message": "approve it", "lastTransitionTime": "2026-01-01T00:00:00Z",
        });
        let install = json!({
            "apiVersion": "operators.coreos.com/v2alpha1", "kind": "Install",
            "metadata": {"name": "timetable", "managedFields": [
                {"manager": "kubectl", "operation": "Apply"},
                {"manager": "portolan", "operation": "Apply", "subresource": "status"},
            ]},
            "spec": {"content": [{"type": "ManifestImage", "manifestImage": "registry.example/a:1"}]},
            "status": {
                "conditions": [condition],
                "pending": {"permissions": [{
                    "apiGroups": [""], "resources": ["configmaps"], "verbs": ["create", "get"],
                    "namespaces": ["harbor"],
                }]},
            },
        });
        let install = serde_json::from_value(install).expect("an Install");
        let id = ShownObject::of(ObjectKind::Install, "", "timetable");
        let page = super::install(&id, &install);
        assert_eq!(
            (page.state, page.why.as_str()),
            (State::Waiting, "approve it")
        );
        let (_, requesters) = &page.facts[2];
        let kubectl = "client kubectl".to_owned();
        assert_eq!(*requesters, ObjectCell::Lines(vec![kubectl]));
        let lines = |texts: &[&str]| {
            let texts = texts.iter();
            ObjectCell::Lines(texts.map(|it| (*it).to_owned()).collect())
        };
        let content = &page.tables[0].rows[0][3];
        assert_eq!(*content, lines(&["image registry.example/a:1"]));
        let rule = [
            lines(&["harbor"]),
            lines(&["core"]),
            lines(&["configmaps"]),
            lines(&[]),
            lines(&["create", "get"]),
            lines(&[]),
        ];
        assert_eq!(page.tables[1].rows, [rule]);
    }
}
