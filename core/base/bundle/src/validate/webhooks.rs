//! The rules of OLM v1 about the webhooks of a bundle.

use std::collections::{BTreeMap, BTreeSet};

use super::{again, no_object_name};
use crate::bundle::{ALL_NAMESPACES, Bundle};
use crate::csv::{Webhook, WebhookRule};
use crate::fault::{BundleFault, Code, Faults};
use crate::typed::{self, Placed};

pub(crate) const CONVERSION: &str = "ConversionWebhook";
pub(crate) const MUTATING: &str = "MutatingAdmissionWebhook";
pub(crate) const VALIDATING: &str = "ValidatingAdmissionWebhook";

fn of_conversion(bundle: &Bundle) -> impl Iterator<Item = &Placed<Webhook>> {
    let webhooks = bundle.csv.webhooks().iter();
    webhooks.filter(|webhook| webhook.value.kind == CONVERSION)
}

fn fault(bundle: &Bundle, line: u64, code: Code, sentence: String) -> BundleFault {
    BundleFault::error(&bundle.csv.file, line, code, sentence)
}

pub(super) fn conversion_is_for_all_namespaces(bundle: &Bundle, faults: &mut Faults) {
    let modes = bundle.csv.modes();
    if modes == [ALL_NAMESPACES] {
        return;
    }
    let modes = typed::shortened(&modes.join(", "));
    for webhook in of_conversion(bundle) {
        let sentence = format!(
            "conversion webhook {:?}: objects are converted for the whole cluster, so the one \
             install mode must be AllNamespaces; supported are [{modes}]",
            webhook.value.generate_name
        );
        faults.push(fault(bundle, webhook.line, Code::ConversionModes, sentence));
    }
}

pub(super) fn deployments_are_there(bundle: &Bundle, faults: &mut Faults) {
    let deployments = bundle.csv.deployments().iter();
    let there: BTreeSet<_> = deployments
        .map(|deployment| &deployment.value.name)
        .collect();
    let mut lost: Vec<_> = bundle
        .csv
        .webhooks()
        .iter()
        .filter(|webhook| !there.contains(&webhook.value.deployment_name))
        .collect();
    lost.sort_by_key(|webhook| {
        let Webhook {
            deployment_name,
            kind,
            generate_name,
            ..
        } = &webhook.value;
        (deployment_name, kind, generate_name)
    });
    for webhook in lost {
        let Webhook {
            deployment_name,
            kind,
            generate_name,
            ..
        } = &webhook.value;
        let sentence = format!(
            "{kind} {generate_name:?} is served by the deployment {deployment_name:?}, which does \
             not exist"
        );
        faults.push(fault(
            bundle,
            webhook.line,
            Code::WebhookDeployment,
            sentence,
        ));
    }
}

pub(super) fn names_are_unique(bundle: &Bundle, faults: &mut Faults) {
    let csv = &bundle.csv;
    let names = csv.webhooks().iter().map(|webhook| {
        let key = (&*webhook.value.kind, &*webhook.value.generate_name);
        (key, &csv.file, webhook.line)
    });
    for ((kind, name), file, line) in again(names) {
        let sentence = format!("a second {kind} {name:?}");
        faults.push(BundleFault::error(file, line, Code::WebhookTwice, sentence));
    }
}

pub(super) fn names_are_names(bundle: &Bundle, faults: &mut Faults) {
    for webhook in bundle.csv.webhooks() {
        let Webhook {
            kind,
            generate_name,
            ..
        } = &webhook.value;
        if let Some(flaw) = no_object_name(generate_name) {
            let sentence = format!("{generate_name:?} is not a valid name of a {kind}: {flaw}");
            faults.push(fault(bundle, webhook.line, Code::WebhookName, sentence));
        }
    }
}

pub(super) fn conversions_are_unique(bundle: &Bundle, faults: &mut Faults) {
    let mut by_crd: BTreeMap<&str, Vec<&Placed<Webhook>>> = BTreeMap::new();
    for webhook in of_conversion(bundle) {
        for crd in &webhook.value.conversion_crds {
            by_crd.entry(crd).or_default().push(webhook);
        }
    }
    for (crd, webhooks) in by_crd {
        if let [_, second, ..] = webhooks[..] {
            let names = webhooks.iter().map(|webhook| &*webhook.value.generate_name);
            let sentence = format!(
                "the CustomResourceDefinition {crd:?} has several conversion webhooks: {}",
                names.collect::<Vec<_>>().join(", ")
            );
            faults.push(fault(bundle, second.line, Code::ConversionTwice, sentence));
        }
    }
}

pub(super) fn conversions_are_owned(bundle: &Bundle, faults: &mut Faults) {
    let owned = bundle.csv.spec.crds.owned.iter();
    let owned: BTreeSet<_> = owned.map(|crd| &*crd.value.name).collect();
    for webhook in of_conversion(bundle) {
        let name = typed::shortened(&webhook.value.generate_name);
        for crd in &webhook.value.conversion_crds {
            if !owned.contains(&**crd) {
                let sentence = format!(
                    "conversion webhook {name:?} is for the CustomResourceDefinition \
                     {crd:?}, which the ClusterServiceVersion does not own"
                );
                faults.push(fault(
                    bundle,
                    webhook.line,
                    Code::ConversionNotOwned,
                    sentence,
                ));
            }
        }
    }
}

/// Reports webhooks with rules for all API groups, for objects of OLM, or for webhook
/// configurations. Such a webhook could stop OLM or all webhooks.
pub(super) fn rules_are_allowed(bundle: &Bundle, faults: &mut Faults) {
    for webhook in bundle.csv.webhooks() {
        if webhook.value.kind == CONVERSION {
            continue;
        }
        let forbidden = webhook.value.rules.iter().find_map(forbidden);
        if let Some(what) = forbidden {
            let sentence = format!(
                "{} {:?} has a rule for {what}, which is not allowed",
                webhook.value.kind, webhook.value.generate_name
            );
            faults.push(fault(bundle, webhook.line, Code::ForbiddenRule, sentence));
        }
    }
}

fn forbidden(rule: &WebhookRule) -> Option<String> {
    const WEBHOOKS: [&str; 5] = [
        "*",
        "mutatingwebhookconfiguration",
        "mutatingwebhookconfigurations",
        "validatingwebhookconfiguration",
        "validatingwebhookconfigurations",
    ];
    rule.api_groups
        .iter()
        .find_map(|group| match group.as_str() {
            "*" => Some("all API groups".to_owned()),
            "olm.operatorframework.io" => Some("the API group of OLM".to_owned()),
            "admissionregistration.k8s.io" => {
                let mut resources = rule.resources.iter();
                resources
                    .find(|resource| WEBHOOKS.contains(&&*resource.to_ascii_lowercase()))
                    .map(|resource| format!("{resource:?} of {group}"))
            }
            _ => None,
        })
}
