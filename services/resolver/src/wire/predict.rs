//! Decodes a namespace in which OLM v0 resolves Subscriptions.

use std::collections::BTreeSet;

use portolan_core_forecast::{
    Approval, Csv, Namespace, OperatorGroup, Phase, Subscription, Traits,
};
use portolan_core_names::{BundleName, CatalogName};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::predict_olm_request as request;

use super::resolve::{decode_apis, decode_each, refused};
use super::{decode_optional, decode_text};
use crate::question::{PredictOlm, RequestError, placed};

/// The maximum number of objects of a kind in a namespace.
const MOST_OBJECTS: usize = 10_000;

/// The maximum total size of an object's annotations, in bytes.
const LONGEST_ANNOTATION: usize = 256 << 10;

/// The default namespace of OLM's global catalogs.
const USUAL_GLOBAL: &str = "olm";

/// A ClusterServiceVersion in the namespace.
enum DecodedCsv {
    Own(Box<Csv>),
    Copied(BundleName),
}

pub(crate) fn decode_predict_olm(
    request: &pb::PredictOlmRequest,
) -> Result<PredictOlm, RequestError> {
    let pb::PredictOlmRequest {
        namespace,
        global_namespace,
        operator_groups,
        subscriptions,
        csvs,
    } = request;
    let global = match global_namespace.as_str() {
        "" => USUAL_GLOBAL,
        global => decode_namespace("global_namespace", global)?,
    };
    let groups = decode_each("operator_groups", operator_groups, MOST_OBJECTS, |group| {
        Ok(decode_group(group))
    });
    let subscriptions = decode_each("subscriptions", subscriptions, MOST_OBJECTS, |each| {
        decode_subscription(each, global).map_err(|no| about("Subscription", &each.name, no))
    });
    let csvs = decode_each("csvs", csvs, MOST_OBJECTS, |csv| {
        decode_csv(csv).map_err(|no| about("ClusterServiceVersion", &csv.name, no))
    });
    let (mut own, mut copied) = (Vec::new(), BTreeSet::new());
    for csv in csvs? {
        match csv {
            DecodedCsv::Own(csv) => own.push(*csv),
            DecodedCsv::Copied(name) => copied.extend([name]),
        }
    }
    let namespace = Namespace {
        name: decode_namespace("namespace", namespace)?.to_owned(),
        operator_groups: groups?,
        subscriptions: subscriptions?,
        csvs: own,
        copied,
    };
    Ok(PredictOlm {
        namespace,
        global: global.to_owned(),
    })
}

/// Decodes the name of a namespace. The name must be valid in the name of a catalog.
fn decode_namespace<'a>(field: &'static str, text: &'a str) -> Result<&'a str, RequestError> {
    match CatalogName::parse(&format!("{text}/any")) {
        Ok(name) if name.namespace() == Some(text) => Ok(text),
        Ok(_) | Err(_) => Err(refused(field, format!("{text:?} is not a namespace"))),
    }
}

/// Adds the name of the object to an error about a field. A user who sends a dump does not know the
/// index of the object.
fn about(kind: &str, name: &str, refusal: RequestError) -> RequestError {
    match refusal {
        RequestError::Field { field, message } => RequestError::Field {
            message: format!("{kind} {name}: {field}: {message}"),
            field,
        },
        other => other,
    }
}

fn decode_group(group: &request::OperatorGroup) -> OperatorGroup {
    let request::OperatorGroup {
        name: _,
        excludes_global_catalogs,
        fails_forward,
    } = group;
    OperatorGroup {
        excludes_global_catalogs: *excludes_global_catalogs,
        fails_forward: *fails_forward,
    }
}

fn decode_subscription(
    subscription: &request::Subscription,
    global: &str,
) -> Result<Subscription, RequestError> {
    let request::Subscription {
        name,
        package,
        channel,
        catalog,
        starting_csv,
        installed_csv,
        current_csv,
        approved_by_hand,
        has_plan,
        plan_failed,
    } = subscription;
    if name.is_empty() {
        return Err(refused("name", "it is empty; a Subscription requires it"));
    }
    Ok(Subscription {
        name: name.clone(),
        package: decode_text("package", package)?,
        channel: decode_optional("channel", channel)?,
        catalog: placed(&decode_text("catalog", catalog)?, global)?,
        starting_csv: decode_optional("starting_csv", starting_csv)?,
        installed_csv: decode_optional("installed_csv", installed_csv)?,
        current_csv: decode_optional("current_csv", current_csv)?,
        approval: if *approved_by_hand {
            Approval::Manual
        } else {
            Approval::Automatic
        },
        has_plan: *has_plan,
        plan_failed: *plan_failed,
    })
}

fn decode_csv(csv: &request::Csv) -> Result<DecodedCsv, RequestError> {
    let request::Csv {
        name,
        version,
        replaces,
        phase,
        copied,
        properties,
        provides,
        requires,
    } = csv;
    let name = decode_text("name", name)?;
    if *copied {
        return Ok(DecodedCsv::Copied(name));
    }
    Ok(DecodedCsv::Own(Box::new(Csv {
        name,
        version: decode_optional("version", version)?,
        replaces: decode_optional("replaces", replaces)?,
        phase: Phase::from(phase.clone()),
        traits: decode_traits(properties, provides, requires)?,
    })))
}

fn decode_traits(
    properties: &str,
    provides: &[pb::Api],
    requires: &[pb::Api],
) -> Result<Traits, RequestError> {
    if properties.len() > LONGEST_ANNOTATION {
        let length = properties.len();
        let message = format!("it has {length} bytes; at most {LONGEST_ANNOTATION} are allowed");
        return Err(refused("properties", message));
    }
    if properties.is_empty() {
        let apis = |field, apis| decode_apis(field, apis);
        return Ok(Traits::of_spec(
            apis("provides", provides)?,
            apis("requires", requires)?,
        ));
    }
    let traits = Traits::of_annotation(properties);
    traits.map_err(|why| refused("properties", why.to_string()))
}
