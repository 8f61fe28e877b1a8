//! Parses the Subscription that a policy requires.

use std::collections::BTreeMap;

use portolan_core_names::{BundleName, ChannelName, PackageName};
use serde_json::{Map, Value};

use super::{Approval, Form};
use crate::place::ManifestPlace;
use crate::refusal::Refusal;
use crate::words::PLAN_APPROVALS;

pub(super) const SUBSCRIPTION_FIELDS: &[&str] = &[
    "channel",
    "config",
    "installPlanApproval",
    "name",
    "namespace",
    "source",
    "sourceNamespace",
    "startingCSV",
];

/// The fields of `config` in OLM v0.46. OLM drops all other fields silently.
const CONFIG_FIELDS: &[&str] = &[
    "affinity",
    "annotations",
    "env",
    "envFrom",
    "nodeSelector",
    "resources",
    "selector",
    "tolerations",
    "volumeMounts",
    "volumes",
];

/// The Subscription that a policy requires. If a field is None, later code determines its default.
#[derive(Debug, Clone, PartialEq)]
pub struct Subscription {
    /// The name of the package, which is also the name of the Subscription. It is a label as
    /// defined in RFC 1123.
    pub package: PackageName,
    /// The namespace, which is a label as defined in RFC 1123.
    pub namespace: Option<String>,
    pub channel: Option<ChannelName>,
    /// The name of the CatalogSource.
    pub source: Option<String>,
    /// The namespace of the CatalogSource, which is a label as defined in RFC 1123.
    pub source_namespace: Option<String>,
    /// The bundle to install first.
    pub starting_csv: Option<BundleName>,
    /// The settings that OLM adds to the operator's Deployments, as the author wrote them.
    pub config: Option<Map<String, Value>>,
    /// The environment variables in `config` whose values come from Secrets, each with the text to
    /// display instead of its value.
    pub secret_variables: BTreeMap<String, String>,
    /// The approval mode of InstallPlans. Only the design form has this field.
    pub approval: Option<Approval>,
}

/// Parses `spec.subscription`. Returns None only if a field is invalid.
pub(super) fn parse(
    place: &ManifestPlace<'_>,
    form: Form,
    refused: &mut Vec<Refusal>,
) -> Option<Subscription> {
    place.require("write at least the name of the package", refused);
    place.refuse_templates(refused);
    place.only(SUBSCRIPTION_FIELDS, refused)?;
    let package = package(place, refused);
    let namespace = place.field("namespace").label("a namespace", refused);
    let channel = filled(place, "channel", refused)
        .and_then(|(place, text)| accept(&place, ChannelName::parse(text), refused));
    let source = filled(place, "source", refused)
        .and_then(|(place, _)| place.subdomain("a CatalogSource", refused));
    let source_namespace = filled(place, "sourceNamespace", refused)
        .and_then(|(place, _)| place.label("a namespace", refused));
    let starting_csv = filled(place, "startingCSV", refused)
        .and_then(|(place, text)| accept(&place, BundleName::parse(text), refused));
    let config = place.field("config").only(CONFIG_FIELDS, refused);
    let approval = approval(&place.field("installPlanApproval"), form, refused);
    Some(Subscription {
        package: package?,
        namespace,
        channel,
        source,
        source_namespace,
        starting_csv,
        config: config.cloned(),
        secret_variables: BTreeMap::new(),
        approval,
    })
}

fn package(subscription: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<PackageName> {
    let place = subscription.field("name");
    place.require("write the name of the package, such as etcd", refused);
    let name = place.label("a package that OLM installs", refused)?;
    // A name that is not a package name is not a label either. So the error was already reported.
    PackageName::parse(&name).ok()
}

/// Returns a field and its text if the text is not empty. OLM treats an empty text as a missing
/// field.
fn filled<'a>(
    subscription: &ManifestPlace<'a>,
    name: &str,
    refused: &mut Vec<Refusal>,
) -> Option<(ManifestPlace<'a>, &'a str)> {
    let place = subscription.field(name);
    let text = place.text(refused).filter(|text| !text.is_empty())?;
    Some((place, text))
}

fn accept<T, E: std::fmt::Display>(
    place: &ManifestPlace<'_>,
    parsed: Result<T, E>,
    refused: &mut Vec<Refusal>,
) -> Option<T> {
    parsed
        .map_err(|refusal| place.refuse_value(refusal.to_string(), refused))
        .ok()
}

fn approval(place: &ManifestPlace<'_>, form: Form, refused: &mut Vec<Refusal>) -> Option<Approval> {
    match form {
        Form::Design => place.word(PLAN_APPROVALS, refused),
        Form::Established => {
            form.refuse_given(place, "use spec.upgradeApproval", refused);
            None
        }
    }
}
