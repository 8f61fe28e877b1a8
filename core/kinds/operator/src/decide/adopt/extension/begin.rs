//! The plan of an adoption from OLM v1, and the reasons against the adoption.

use std::collections::BTreeSet;

use portolan_api::operator::Reason;
use portolan_core_install::{canonical, digest};
use portolan_core_names::ObjectRef;
use serde_json::{Map, Value, json};

use super::super::super::prepare;
use super::super::super::report::UndatedCondition;
use super::super::super::{Decision, Halt, OperatorContext, catalog};
use super::super::begin::{bundle, hold, placements};
use super::super::{live, refuse};
use crate::adoption::{
    AdoptedExtension, Adopts, LiveQuery, OlmOwner, has_certificate, is_release, mismatches, take,
};
use crate::answer::RenderedBundle;
use crate::fleet::{Extension, Present};
use crate::hop::HopFacts;

/// Creates a plan from the live objects, and releases this plan.
pub(in super::super) fn begin(
    case: OperatorContext<'_>,
    (present, extension): (&Present, &Extension),
    decision: &mut Decision,
) -> Result<UndatedCondition, Halt> {
    let fleet = &case.observed.fleet;
    refuse(fleet.extension_refusals((present, extension)))?;
    let catalog = catalog(case)?;
    let bundle = bundle(case, &catalog, present)?;
    let (id, owner) = (extension.id(), OlmOwner::Extension(extension.id()));
    let rendered = bundle.manifests.iter().map(ObjectRef::versioned);
    let query = LiveQuery {
        account: case.account(),
        objects: rendered.chain([id.object()]).collect(),
        owner: Some(owner.clone()),
    };
    let live = live(case.observed, query)?;
    let seen = live
        .iter()
        .find(|it| ObjectRef::versioned(it) == id.object() && it["metadata"]["uid"] == id.uid);
    let Some(seen) = seen else {
        let sentence = format!("{} has been deleted", present.object);
        return Err(Halt::no(Reason::AdoptionRefused, sentence).polled());
    };
    refuse(differences(case, seen, bundle, (live, &owner))).map_err(Halt::polled)?;
    let taken = take(&bundle.manifests, live, &owner);
    let facts = HopFacts {
        adopts: Some(Adopts {
            extension: Some(AdoptedExtension {
                id,
                spec: seen["spec"].to_string(),
            }),
            objects: taken.objects.clone(),
            digest: digest(&json!(taken.manifests)),
            ..Adopts::default()
        }),
        renamed: taken.renamed.clone(),
        // OLM v1 sets no variable with the name of an OperatorCondition in the Pods.
        condition: None,
        ..prepare::facts(
            case,
            (&catalog, BTreeSet::new()),
            (bundle, &taken.manifests),
        )
    };
    hold(case, decision, facts, (&taken.manifests, bundle))
}

/// Returns the differences between this Operator and the installation by OLM v1, each as one
/// sentence.
fn differences(
    case: OperatorContext<'_>,
    seen: &Value,
    bundle: &RenderedBundle,
    (live, owner): (&[Value], &OlmOwner),
) -> Vec<String> {
    let revisions = seen["status"]["activeRevisions"].as_array();
    if revisions.is_some_and(|revisions| !revisions.is_empty()) {
        let sentence = "OLM v1 manages the objects with ClusterObjectSets, which own them; only \
                        Helm releases of OLM v1 can be adopted";
        return vec![sentence.to_owned()];
    }
    let mut sentences = Vec::new();
    if !live.iter().any(|it| is_release(owner, it)) {
        sentences.push(
            "the Secret with the Helm release of the ClusterExtension is missing in the namespaces \
             olmv1-system and openshift-operator-controller"
                .to_owned(),
        );
    }
    if bundle.manifests.iter().any(has_certificate) {
        sentences.push(
            "the webhooks of the operator use certificates that OLM v1 requested from another \
             issuer, which cannot be adopted"
                .to_owned(),
        );
    }
    let home = seen["spec"]["namespace"].as_str().unwrap_or_default();
    sentences.extend(placements(home, bundle, live));
    let theirs = &seen["spec"]["config"]["inline"]["deploymentConfig"];
    let is_nothing = |config: &Value| config.as_object().is_none_or(Map::is_empty);
    let config = &case.intent.config;
    let are_nothing = is_nothing(config) && is_nothing(theirs);
    if !are_nothing && canonical(config) != canonical(theirs) {
        sentences.push(
            "spec.config differs from the configuration of the ClusterExtension, so the Pods would \
             restart; set the same config, and change spec.config after the adoption"
                .to_owned(),
        );
    }
    sentences.extend(mismatches(&bundle.manifests, live, owner));
    sentences.dedup();
    sentences
}
