//! Converts the request to the resolver for the prediction of OLM v0 in a namespace.

use portolan_core_olm::{
    Api, Approval, ClusterServiceVersion, CopiedCsv, NamespaceObjects, OperatorGroup, Subscription,
};
use portolan_core_operatorpolicy::NamespaceState;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::predict_olm_request as request;
use portolan_proto::resolver::v1::predict_olm_response::{Blame, End, Failed};

use crate::ask::status::sentence;

/// Encodes a namespace as the controller has read it.
pub(in crate::ask) fn encode_state(state: &NamespaceState) -> pb::PredictOlmRequest {
    let objects = NamespaceObjects {
        name: &state.name,
        operator_groups: state.groups.iter().map(|each| &**each).collect(),
        subscriptions: state.subscriptions.iter().map(|each| &**each).collect(),
        csvs: state.csvs.iter().map(|each| &**each).collect(),
        copies: Vec::new(),
    };
    pb::PredictOlmRequest {
        global_namespace: global_namespace(state),
        ..encode_namespace(&objects)
    }
}

/// Encodes a namespace from its objects. The resolver determines the namespace of OLM.
pub fn encode_namespace(objects: &NamespaceObjects<'_>) -> pb::PredictOlmRequest {
    let NamespaceObjects {
        name,
        operator_groups,
        subscriptions,
        csvs,
        copies,
    } = objects;
    let copies = copies.iter().map(|copy| encode_copy(copy));
    pb::PredictOlmRequest {
        namespace: (*name).to_owned(),
        global_namespace: String::new(),
        operator_groups: operator_groups
            .iter()
            .map(|each| encode_group(each))
            .collect(),
        subscriptions: subscriptions
            .iter()
            .map(|each| encode_subscription(each))
            .collect(),
        csvs: csvs
            .iter()
            .map(|each| encode_csv(each))
            .chain(copies)
            .collect(),
    }
}

/// Returns the namespace of the global catalogs. A Subscription can only use catalogs of its own
/// namespace and of the global namespace. Therefore a Subscription to a catalog in another
/// namespace shows which namespace is global.
fn global_namespace(state: &NamespaceState) -> String {
    let named = state
        .subscriptions
        .iter()
        .map(|each| &each.spec.source_namespace);
    let mut others = named.filter(|name| !name.is_empty() && **name != state.name);
    others.next().cloned().unwrap_or_default()
}

fn encode_group(group: &OperatorGroup) -> request::OperatorGroup {
    request::OperatorGroup {
        name: group.metadata.name.clone().unwrap_or_default(),
        excludes_global_catalogs: group.excludes_global_catalogs(),
        fails_forward: group.fails_forward(),
    }
}

fn encode_subscription(subscription: &Subscription) -> request::Subscription {
    let (spec, status) = (&subscription.spec, &subscription.status);
    request::Subscription {
        name: subscription.metadata.name.clone().unwrap_or_default(),
        package: spec.package.clone(),
        channel: spec.channel.clone(),
        catalog: match spec.source_namespace.as_str() {
            "" => spec.source.clone(),
            namespace => format!("{namespace}/{}", spec.source),
        },
        starting_csv: spec.starting_csv.clone(),
        installed_csv: status.installed_csv.clone(),
        current_csv: status.current_csv.clone(),
        approved_by_hand: spec.install_plan_approval == Approval::Manual,
        has_plan: status.install_plan_ref.is_some(),
        plan_failed: subscription.plan_failed(),
    }
}

fn encode_csv(csv: &ClusterServiceVersion) -> request::Csv {
    request::Csv {
        name: csv.metadata.name.clone().unwrap_or_default(),
        version: csv.spec.version.clone(),
        replaces: csv.spec.replaces.clone(),
        phase: csv.status.phase.to_string(),
        copied: csv.is_copied(),
        properties: csv.properties_text().unwrap_or_default().to_owned(),
        provides: csv.owned().map(encode_api).collect(),
        requires: csv.required().map(encode_api).collect(),
    }
}

/// Encodes a copied ClusterServiceVersion. OLM uses only its name.
fn encode_copy(copy: &CopiedCsv) -> request::Csv {
    request::Csv {
        name: copy.metadata.name.clone().unwrap_or_default(),
        copied: true,
        ..request::Csv::default()
    }
}

/// Encodes an API.
pub fn encode_api(api: Api) -> pb::Api {
    let Api {
        group,
        version,
        kind,
    } = api;
    pb::Api {
        group: group.to_string(),
        version: version.to_string(),
        kind: kind.to_string(),
    }
}

/// Returns the reason why OLM cannot resolve the namespace, as a short tree of causes. Returns None
/// if no reason is known.
pub(in crate::ask) fn decode_prediction(answer: &pb::PredictOlmResponse) -> Option<String> {
    match &answer.end {
        Some(End::Failed(failed)) => Some(tree(failed)),
        Some(End::Silent(silent)) => {
            let cause = silent.cause.as_ref().map(|cause| sentence(&cause.message));
            Some(format!("OLM does nothing: {}", cause.unwrap_or_default()))
        }
        Some(
            End::Settled(_)
            | End::AwaitsApproval(_)
            | End::AwaitsPlans(_)
            | End::Circles(_)
            | End::Endless(_)
            | End::GaveUp(_),
        )
        | None => None,
    }
}

/// Formats the causes as a tree. If no cause is known, returns the message of OLM.
fn tree(failed: &Failed) -> String {
    match failed.blames.as_slice() {
        [] => sentence(&failed.message),
        blames => blames.iter().map(branch).collect::<Vec<_>>().join("\n"),
    }
}

fn branch(blame: &Blame) -> String {
    let culprit = culprit(blame);
    let (why, remedy) = (sentence(&blame.why), sentence(&blame.remedy));
    if remedy.is_empty() {
        format!("{culprit}\n└── {why}")
    } else {
        format!("{culprit}\n├── {why}\n└── {remedy}")
    }
}

fn culprit(blame: &Blame) -> String {
    let object = blame.object.clone().unwrap_or_default();
    let name = match object.namespace.as_str() {
        "" => object.name,
        namespace => format!("{namespace}/{}", object.name),
    };
    match blame.catalog.as_str() {
        "" => format!("{} {name}", object.kind),
        catalog => format!(
            "{} {name} of channel {} of {catalog}",
            object.kind, blame.channel
        ),
    }
}
