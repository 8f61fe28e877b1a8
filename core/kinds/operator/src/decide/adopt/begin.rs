//! The first phase of an adoption: creates the plan from the live objects, and releases it.

use std::collections::BTreeSet;

use portolan_api::operator::Reason;
use portolan_core_install::{canonical, digest};
use portolan_core_names::text::listed;
use portolan_core_names::{Gvk, ObjectRef};
use portolan_core_olm::component;
use serde_json::{Value, json};

use super::super::checks::sound;
use super::super::prepare::{self, make, options};
use super::super::report::UndatedCondition;
use super::super::{Ask, BundleRef, Decision, Halt, OperatorContext, Step, catalog, condition};
use super::{OLM, live, refuse, text};
use crate::adoption::{Adopts, LiveQuery, Taken, take};
use crate::answer::{Answer, RenderedBundle};
use crate::fleet::{Csv, Present, Subscribed};
use crate::hop::HopFacts;

/// The annotation in the Pod template of a Deployment that lists the namespaces that the operator
/// watches. OLM sets this annotation.
const TARGETS: &str = "/spec/template/metadata/annotations/olm.targetNamespaces";

/// Creates a suspended plan from the live objects. A later decision releases the plan if the plan
/// is valid and still matches the objects.
pub(super) fn begin(
    case: OperatorContext<'_>,
    (present, csv): (&Present, &Csv),
    decision: &mut Decision,
) -> Result<UndatedCondition, Halt> {
    let refused = case
        .observed
        .fleet
        .refusals((present, csv), &BTreeSet::new());
    refuse(refused)?;
    let catalog = catalog(case)?;
    let bundle = bundle(case, &catalog, present)?;
    let subscription = case.observed.fleet.subscription(present, csv);
    let query = LiveQuery {
        account: case.account(),
        objects: objects(present, csv, subscription, bundle),
        owner: Some(csv.id()),
    };
    let live = live(case.observed, query)?;
    refuse(differences(case, csv, bundle, live)).map_err(Halt::polled)?;
    let taken = take(&bundle.manifests, live, &csv.id());
    let facts = facts(case, (&catalog, csv), bundle, (live, &taken));
    let Some(held) = case.member.next() else {
        let sentence = format!("{} is being checked", facts.installs.bundle);
        make(case, decision, facts, (&taken.manifests, &bundle.csv))?;
        return Ok(UndatedCondition::no(Reason::Checking, sentence));
    };
    if !held.is_same(&facts) && !held.is_terminating {
        decision.steps.push(Step::delete(held));
        let sentence = format!("the plan {} is being recreated", held.plan);
        return Ok(UndatedCondition::no(Reason::Checking, sentence));
    }
    sound(held)?;
    decision.steps.push(Step::release(held));
    let sentence = format!(
        "{} is being installed while OLM still owns the existing objects",
        present.installs.bundle
    );
    Ok(UndatedCondition::yes(Reason::Adopting, sentence))
}

fn bundle<'o>(
    case: OperatorContext<'o>,
    catalog: &str,
    present: &Present,
) -> Result<&'o RenderedBundle, Halt> {
    let bundle = BundleRef {
        catalog: catalog.to_owned(),
        package: present.installs.package.clone(),
        bundle: present.installs.bundle.clone(),
        options: options(case),
        with_manifests: true,
    };
    match case.observed.bundles.get(&bundle) {
        None => Err(Halt::Ask([Ask::Bundle(Box::new(bundle))].into())),
        Some(Answer::Known(rendered)) => Ok(rendered),
        Some(Answer::Refused(sentence) | Answer::Unavailable(sentence)) => {
            let sentence = format!("{}: {sentence}", bundle.bundle);
            Err(Halt::no(Reason::BundleNotInstallable, sentence))
        }
    }
}

/// Returns the objects to read: the objects of the bundle, the ClusterServiceVersion, the
/// Subscription, and OLM's `Operator` object.
fn objects(
    present: &Present,
    csv: &Csv,
    subscription: Option<&Subscribed>,
    bundle: &RenderedBundle,
) -> BTreeSet<ObjectRef<Gvk>> {
    let mut objects: BTreeSet<_> = bundle.manifests.iter().map(ObjectRef::versioned).collect();
    objects.insert(csv.id().object());
    objects.extend(subscription.map(Subscribed::object));
    objects.insert(gathered(&present.installs.package, &csv.namespace));
    objects
}

/// Returns OLM's `Operator` object for an installed operator. OLM sets a label that contains the
/// name of this object on each object of the operator.
fn gathered(package: &str, namespace: &str) -> ObjectRef<Gvk> {
    let name = component(package, namespace);
    ObjectRef::new(Gvk::new("operators.coreos.com/v1", "Operator"), None, &name)
}

fn facts(
    case: OperatorContext<'_>,
    (catalog, csv): (&str, &Csv),
    bundle: &RenderedBundle,
    (live, taken): (&[Value], &Taken),
) -> HopFacts {
    let subscription = live.iter().find(|it| it["kind"] == "Subscription");
    let gathered = gathered(&bundle.installs.package, &csv.namespace);
    let mut objects = taken.objects.clone();
    objects.extend(
        live.iter()
            .map(ObjectRef::versioned)
            .filter(|it| *it == gathered),
    );
    let of_plan = (bundle, &*taken.manifests);
    HopFacts {
        adopts: Some(Adopts {
            csv: csv.id(),
            subscription: subscription.map(|it| wish(it).to_string()),
            objects,
            digest: digest(&json!(taken.manifests)),
        }),
        renamed: taken.renamed.clone(),
        ..prepare::facts(case, (catalog, BTreeSet::new()), of_plan)
    }
}

/// Returns a Subscription without the fields that the cluster sets.
fn wish(subscription: &Value) -> Value {
    let mut wish = json!({
        "apiVersion": OLM,
        "kind": "Subscription",
        "metadata": {
            "name": subscription["metadata"]["name"],
            "namespace": subscription["metadata"]["namespace"],
        },
        "spec": subscription["spec"],
    });
    for key in ["labels", "annotations"] {
        if let Some(value) = subscription["metadata"].get(key) {
            wish["metadata"][key] = value.clone();
        }
    }
    wish
}

/// Returns the differences between the settings of this Operator and OLM's installation, each as
/// one sentence. The adoption is refused if there is a difference.
fn differences(
    case: OperatorContext<'_>,
    csv: &Csv,
    bundle: &RenderedBundle,
    live: &[Value],
) -> Vec<String> {
    let mut sentences = Vec::new();
    let namespace = condition::namespace(&bundle.manifests);
    if let Some(namespace) = namespace.filter(|namespace| *namespace != csv.namespace) {
        sentences.push(format!(
            "the operator would run in {namespace}, but OLM runs it in {}; set spec.namespace: {}",
            csv.namespace, csv.namespace
        ));
    }
    let is_deployment = |it: &&Value| it["kind"] == "Deployment";
    for rendered in bundle.manifests.iter().filter(is_deployment) {
        let name = text(rendered, "/metadata/name");
        let mut deployments = live.iter().filter(is_deployment);
        let Some(there) = deployments.find(|it| text(it, "/metadata/name") == name) else {
            let sentence = "the cluster has no Deployment with the name from the bundle";
            sentences.push(format!("{sentence}: {}/{name}", csv.namespace));
            continue;
        };
        let (ours, theirs) = (targets(rendered), targets(there));
        if ours != theirs {
            sentences.push(format!(
                "the operator would watch {}, but under OLM the operator watches {}; set \
                 spec.watchNamespaces to the same namespaces",
                namespaces(&ours),
                namespaces(&theirs)
            ));
        }
    }
    let subscription = live.iter().find(|it| it["kind"] == "Subscription");
    let theirs = subscription.map_or(&Value::Null, |it| &it["spec"]["config"]);
    let is_nothing = |config: &Value| config.as_object().is_none_or(serde_json::Map::is_empty);
    let config = &case.intent.config;
    let are_nothing = is_nothing(config) && is_nothing(theirs);
    if !are_nothing && canonical(config) != canonical(theirs) {
        sentences.push(
            "spec.config differs from the Subscription, so the Pods would restart; set the same \
             config, and change spec.config after the adoption"
                .to_owned(),
        );
    }
    sentences.dedup();
    sentences
}

/// Returns the namespaces that the operator watches, read from an annotation of its Deployment.
/// Returns None if the operator watches all namespaces.
fn targets(deployment: &Value) -> Option<BTreeSet<String>> {
    let names = deployment.pointer(TARGETS)?.as_str()?;
    (!names.is_empty()).then(|| names.split(',').map(str::to_owned).collect())
}

fn namespaces(names: &Option<BTreeSet<String>>) -> String {
    names
        .as_ref()
        .map_or_else(|| "all namespaces".to_owned(), listed)
}
