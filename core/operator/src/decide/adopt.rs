//! An operator that OLM v0 has installed becomes one of ours, without a restart.
//!
//! ```text
//! plan of what is there, held -> applied beside -> ClusterServiceVersion goes, held by a finalizer of ours
//!    -> Subscription goes -> OLM's marks go -> the first is gone -> certificates, and what was found is ours
//! ```
//!
//! Until the ClusterServiceVersion goes, all of it can be undone. What it owns stays, as it goes by itself:
//! its own finalizer, by which OLM cleans up, is taken off by the write before the one that deletes it. OLM
//! does nothing more about one that is being deleted; of one that lost its Subscription before, it would
//! restart the Pods without what the Subscription has for them.

use std::collections::BTreeSet;

use portolan_api::operator::{AdoptionStatus, AdoptionStep, Reason, SubscriptionStatus};
use portolan_core_install::{canonical, digest};
use portolan_core_names::text::listed;
use serde_json::{Value, json};

use super::report::Said;
use super::way::{make, options, sound};
use super::{Act, Ask, BundleRef, Case, Decision, Halt, Observation, Step, catalog, condition};
use crate::adoption::{
    Adopts, CsvId, LiveQuery, ObjectId, Taken, disown, hand_over_certificate, take,
    without_conversions,
};
use crate::answer::{Answer, RenderedBundle};
use crate::fleet::{Csv, Fleet, Installer, Present, Subscribed};
use crate::hop::{Hop, HopFacts, HopState};

/// The finalizer of a ClusterServiceVersion that goes, until OLM has nothing to do with what it owned.
const HELD: &str = "operators.portolan.dev/adoption";
/// The finalizer by which OLM deletes what a ClusterServiceVersion owns and no owner reference names.
const CLEANUP: &str = "operators.coreos.com/csv-cleanup";
/// The finalizer by which the garbage collector takes off owner references.
const ORPHAN: &str = "orphan";
/// Of Deployments of OLM: the namespaces that the operator watches.
const TARGETS: &str = "/spec/template/metadata/annotations/olm.targetNamespaces";
const OLM: &str = "operators.coreos.com/v1alpha1";

/// How far the adoption is that made a plan; None where none did, or it was over before that plan.
pub(super) fn status(observed: &Observation, current: Option<&Hop>) -> Option<AdoptionStatus> {
    let adopting = current.and_then(|hop| Some((hop, hop.facts.adopts.as_ref()?)));
    let Some((hop, adopts)) = adopting else {
        return observed
            .status
            .adoption
            .clone()
            .filter(|_| current.is_some());
    };
    let step = if hop.owns_found {
        AdoptionStep::Adopted
    } else if may_undo(&observed.fleet, adopts) {
        AdoptionStep::Beside
    } else {
        AdoptionStep::Leaving
    };
    Some(AdoptionStatus {
        namespace: adopts.csv.namespace.clone(),
        cluster_service_version: adopts.csv.name.clone(),
        subscription: adopts.subscription().map(|it| SubscriptionStatus {
            name: text(&it, "/metadata/name").to_owned(),
            spec: it["spec"].clone(),
        }),
        step,
    })
}

/// What is done to take the package over from OLM; None if that is no matter, or is over.
pub(super) fn adopt(case: Case<'_>, decision: &mut Decision) -> Result<Option<Said>, Halt> {
    if let Some((hop, adopts)) = under_way(case.member.current()) {
        let observed = case.observed;
        return if case.intent.adopts || !may_undo(&observed.fleet, adopts) {
            go_on(observed, (hop, adopts), decision).map(Some)
        } else {
            undo(observed, (hop, adopts), decision).map(Some)
        };
    }
    if case.member.current().is_some() {
        return Ok(None);
    }
    let held = case.member.next().filter(|hop| hop.facts.adopts.is_some());
    let present = case.observed.fleet.present(case.intent.package.as_str());
    let csv = present.and_then(|present| Some((present, present.csv.as_ref()?)));
    match (case.intent.adopts, csv, held) {
        (true, Some((present, csv)), _) => begin(case, (present, csv), decision).map(Some),
        // What was to be taken over is not, or is no longer there.
        (_, _, Some(held)) if !held.is_terminating => {
            decision.steps.push(Step::delete(held));
            let sentence = format!("the plan {} is deleted", held.plan);
            Ok(Some(Said::no(Reason::Checking, sentence)))
        }
        (_, _, _) => Ok(None),
    }
}

/// What is done before an Operator that is being deleted deletes its plans; None if nothing is. What OLM
/// has begun to let go of is ours first; all else is given back.
pub(super) fn before_deletion(
    observed: &Observation,
    current: Option<&Hop>,
    decision: &mut Decision,
) -> Result<Option<Said>, Halt> {
    let Some((hop, adopts)) = under_way(current) else {
        return Ok(None);
    };
    if may_undo(&observed.fleet, adopts) {
        return give_back(observed, adopts, decision).map(|()| None);
    }
    go_on(observed, (hop, adopts), decision).map(Some)
}

/// The plan of an adoption that has begun and is not over.
fn under_way(current: Option<&Hop>) -> Option<(&Hop, &Adopts)> {
    let hop = current.filter(|hop| !hop.owns_found)?;
    Some((hop, hop.facts.adopts.as_ref()?))
}

/// Whether OLM still holds what is taken over.
fn may_undo(fleet: &Fleet, adopts: &Adopts) -> bool {
    let csv = fleet.csv(adopts);
    csv.is_some_and(|(_, csv)| !csv.is_terminating)
}

// --- the plan ---

fn begin(
    case: Case<'_>,
    (present, csv): (&Present, &Csv),
    decision: &mut Decision,
) -> Result<Said, Halt> {
    let refused = case.observed.fleet.refusals(present, csv);
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
    refuse(differences(case, csv, bundle, live))?;
    let taken = take(&bundle.manifests, live, &csv.id());
    let facts = facts(case, (&catalog, csv), bundle, (live, &taken));
    let Some(held) = case.member.next() else {
        let sentence = format!("{} is looked at", facts.installs.bundle);
        make(case, decision, facts, (&taken.manifests, &bundle.csv))?;
        return Ok(Said::no(Reason::Checking, sentence));
    };
    if !held.is_same(&facts) && !held.is_terminating {
        decision.steps.push(Step::delete(held));
        let sentence = format!("the plan {} is made anew", held.plan);
        return Ok(Said::no(Reason::Checking, sentence));
    }
    sound(held)?;
    decision.steps.push(Step::release(held));
    let sentence = format!(
        "{} is applied beside what OLM holds",
        present.installs.bundle
    );
    Ok(Said::yes(Reason::Adopting, sentence))
}

fn bundle<'o>(
    case: Case<'o>,
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
            Err(Halt::no(Reason::BundleRefused, sentence))
        }
    }
}

/// All that is to be looked at: what the bundle renders to, what OLM says of it, and the Operator that
/// OLM gathers it under.
fn objects(
    present: &Present,
    csv: &Csv,
    subscription: Option<&Subscribed>,
    bundle: &RenderedBundle,
) -> BTreeSet<ObjectId> {
    let mut objects: BTreeSet<_> = bundle.manifests.iter().map(ObjectId::of).collect();
    objects.insert(csv.id().object());
    objects.extend(subscription.map(Subscribed::object));
    objects.insert(gathered(&present.installs.package, &csv.namespace));
    objects
}

/// The object under which OLM gathers what belongs to an operator.
fn gathered(package: &str, namespace: &str) -> ObjectId {
    let name = format!("{package}.{namespace}");
    let name = name.get(..63).unwrap_or(&name);
    let name = name.trim_end_matches(['.', '-', '_']);
    ObjectId::new("operators.coreos.com/v1", "Operator", None, name)
}

fn facts(
    case: Case<'_>,
    (catalog, csv): (&str, &Csv),
    bundle: &RenderedBundle,
    (live, taken): (&[Value], &Taken),
) -> HopFacts {
    let are_served = case.observed.fleet.conditions.are_served;
    let account = case.account();
    let subscription = live.iter().find(|it| it["kind"] == "Subscription");
    let gathered = gathered(&bundle.installs.package, &csv.namespace);
    let mut objects = taken.objects.clone();
    objects.extend(live.iter().map(ObjectId::of).filter(|it| *it == gathered));
    HopFacts {
        number: case.member.next_number(),
        installs: bundle.installs.clone(),
        image: bundle.image.clone(),
        catalog: catalog.to_owned(),
        options: options(case).text(),
        generation: case.member.generation,
        with: BTreeSet::new(),
        condition: are_served
            .then(|| condition::of_bundle(&taken.manifests, &bundle.installs.bundle))
            .flatten(),
        adopts: Some(Adopts {
            csv: csv.id(),
            subscription: subscription.map(|it| wish(it).to_string()),
            account: (account.namespace, account.name),
            objects,
            digest: digest(&json!(taken.manifests)),
        }),
        renamed: taken.renamed.clone(),
        csv: None,
    }
}

/// A Subscription as its author wrote it.
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

/// In what the Operator would install it otherwise than OLM has, a sentence each.
fn differences(case: Case<'_>, csv: &Csv, bundle: &RenderedBundle, live: &[Value]) -> Vec<String> {
    let mut sentences = Vec::new();
    let namespace = condition::namespace(&bundle.manifests);
    if let Some(namespace) = namespace.filter(|namespace| *namespace != csv.namespace) {
        sentences.push(format!(
            "it would run in {namespace}, and OLM runs it in {}; write spec.namespace: {}",
            csv.namespace, csv.namespace
        ));
    }
    let is_deployment = |it: &&Value| it["kind"] == "Deployment";
    for rendered in bundle.manifests.iter().filter(is_deployment) {
        let name = text(rendered, "/metadata/name");
        let mut deployments = live.iter().filter(is_deployment);
        let Some(there) = deployments.find(|it| text(it, "/metadata/name") == name) else {
            let sentence = "its Deployment is not there as the bundle names it";
            sentences.push(format!("{sentence}: {}/{name}", csv.namespace));
            continue;
        };
        let (ours, theirs) = (targets(rendered), targets(there));
        if ours != theirs {
            sentences.push(format!(
                "it would watch {}, and under OLM it watches {}; write spec.watchNamespaces so",
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
            "spec.config is not that of the Subscription, so that its Pods would be restarted; \
             write the same, and change it afterwards"
                .to_owned(),
        );
    }
    sentences.dedup();
    sentences
}

/// The namespaces that a Deployment of OLM says that it watches; None for all.
fn targets(deployment: &Value) -> Option<BTreeSet<String>> {
    let names = deployment.pointer(TARGETS)?.as_str()?;
    (!names.is_empty()).then(|| names.split(',').map(str::to_owned).collect())
}

fn namespaces(names: &Option<BTreeSet<String>>) -> String {
    names
        .as_ref()
        .map_or_else(|| "all namespaces".to_owned(), listed)
}

// --- beside, and after OLM ---

/// Goes on with an adoption whose plan was let go.
fn go_on(
    observed: &Observation,
    (hop, adopts): (&Hop, &Adopts),
    decision: &mut Decision,
) -> Result<Said, Halt> {
    match observed.fleet.csv(adopts) {
        Some((present, csv)) if !csv.is_terminating => {
            beside(observed, (hop, adopts), (present, csv), decision)
        }
        _ if unsubscribe(&observed.fleet, (hop, adopts), decision) => Ok(Said::yes(
            Reason::Adopting,
            format!("the Subscription of {} goes", adopts.csv.name),
        )),
        Some((_, csv)) => leave(observed, adopts, csv, decision),
        None => own(observed, (hop, adopts), decision),
    }
}

fn beside(
    observed: &Observation,
    (hop, adopts): (&Hop, &Adopts),
    (present, csv): (&Present, &Csv),
    decision: &mut Decision,
) -> Result<Said, Halt> {
    let (fleet, bundle) = (&observed.fleet, &hop.facts.installs.bundle);
    if let HopState::Begun {
        ready_since: None,
        problem,
        message,
        ..
    } = &hop.state
    {
        return match problem {
            Some(problem) => Err(Halt::no(
                Reason::InstallFailed,
                format!(
                    "{bundle} does not come to its end beside what OLM holds, which still has it: \
                     {problem}"
                ),
            )),
            None => Ok(Said::yes(
                Reason::Adopting,
                format!("{bundle} is applied beside what OLM holds: {message}"),
            )),
        };
    }
    refuse(fleet.refusals(present, csv))?;
    let query = LiveQuery {
        account: adopts.account(),
        objects: [csv.id().object()].into(),
        owner: None,
    };
    let live = live(observed, query)?;
    let Some(seen) = live.first() else {
        let sentence = format!("{} is gone", csv.id().object());
        return Ok(Said::yes(Reason::Adopting, sentence));
    };
    let (object, uid) = (csv.id().object(), csv.uid.clone());
    let version = text(seen, "/metadata/resourceVersion").to_owned();
    // Whoever puts its finalizer back makes another version of it, which is not deleted.
    let held = held(seen).map(|operation| Act::Patch {
        object: object.clone(),
        uid: uid.clone(),
        version: version.clone(),
        operations: vec![operation],
    });
    let deleted = Act::Orphan {
        object,
        uid,
        version,
    };
    let acts = held.into_iter().chain([deleted]);
    let steps = acts.map(|act| Step::As(adopts.account(), act));
    decision.steps.extend(steps);
    unsubscribe(fleet, (hop, adopts), decision);
    let sentence = format!("{} goes, and all that it owns stays", csv.id().object());
    Ok(Said::yes(Reason::Adopting, sentence))
}

/// Deletes the Subscription, for which OLM would install it again, with its InstallPlans: whoever approves one
/// later would have OLM install it, too.
fn unsubscribe(fleet: &Fleet, (hop, adopts): (&Hop, &Adopts), decision: &mut Decision) -> bool {
    let subscribed = fleet
        .subscribed(adopts, hop)
        .map(|subscription| Act::Delete {
            object: subscription.object(),
            uid: subscription.uid.clone(),
            version: subscription.version.clone(),
        });
    let is_there = subscribed.is_some();
    let step = subscribed.map(|act| Step::As(adopts.account(), act));
    decision.steps.extend(step);
    is_there
}

/// What is patched of a ClusterServiceVersion so that our finalizer holds it, and OLM's does not; None if
/// that is so.
fn held(csv: &Value) -> Option<Value> {
    let finalizers = csv["metadata"]["finalizers"].as_array();
    let finalizers = finalizers.map(Vec::as_slice).unwrap_or_default();
    let is_ours = finalizers.iter().any(|it| it == HELD);
    if is_ours && !finalizers.iter().any(|it| it == CLEANUP) {
        return None;
    }
    let kept = finalizers
        .iter()
        .filter(|it| **it != CLEANUP && **it != HELD);
    let wanted: Vec<_> = kept.cloned().chain([json!(HELD)]).collect();
    Some(json!({"op": "add", "path": "/metadata/finalizers", "value": wanted}))
}

/// While the ClusterServiceVersion is held, takes off what would tell OLM to clean up after it.
fn leave(
    observed: &Observation,
    adopts: &Adopts,
    csv: &Csv,
    decision: &mut Decision,
) -> Result<Said, Halt> {
    let id = csv.id().object();
    let is_held = csv.finalizers.iter().any(|it| it == HELD);
    if csv.finalizers.iter().any(|it| it == ORPHAN) || !is_held {
        let sentence = format!("{id} goes; Kubernetes takes it off what it owns");
        return Ok(Said::yes(Reason::Adopting, sentence));
    }
    let mut objects = adopts.objects.clone();
    objects.insert(id.clone());
    let query = LiveQuery {
        account: adopts.account(),
        objects,
        owner: None,
    };
    let live = live(observed, query)?;
    let seen = live.iter().find(|it| ObjectId::of(it) == id);
    let mut version = csv.version.clone();
    if let Some(seen) = seen {
        text(seen, "/metadata/resourceVersion").clone_into(&mut version);
        let operations = without_conversions(seen);
        decision.steps.extend(patch(adopts, seen, operations));
    }
    for object in live {
        if !matches!(
            object["kind"].as_str(),
            Some("Secret" | "Operator" | "ClusterServiceVersion")
        ) {
            let operations = disown(object);
            decision.steps.extend(patch(adopts, object, operations));
        }
    }
    let finalizers = csv.finalizers.iter().filter(|it| *it != HELD);
    let finalizers: Vec<_> = finalizers.collect();
    let operation = json!({"op": "add", "path": "/metadata/finalizers", "value": finalizers});
    let last = Act::Patch {
        object: id.clone(),
        uid: csv.uid.clone(),
        version,
        operations: vec![operation],
    };
    decision.steps.push(Step::As(adopts.account(), last));
    let sentence = format!("{id} goes, and OLM's marks with it");
    Ok(Said::yes(Reason::Adopting, sentence))
}

/// What is left once OLM has nothing to do with it any more.
fn own(
    observed: &Observation,
    (hop, adopts): (&Hop, &Adopts),
    decision: &mut Decision,
) -> Result<Said, Halt> {
    let of_olm = |id: &&ObjectId| matches!(id.kind.as_str(), "Secret" | "Operator");
    let query = LiveQuery {
        account: adopts.account(),
        objects: adopts.objects.iter().filter(of_olm).cloned().collect(),
        owner: None,
    };
    for object in live(observed, query)? {
        if object["kind"] == "Operator" {
            // OLM makes it again as long as something carries its label.
            let act = Act::Delete {
                object: ObjectId::of(object),
                uid: text(object, "/metadata/uid").to_owned(),
                version: text(object, "/metadata/resourceVersion").to_owned(),
            };
            decision.steps.push(Step::As(adopts.account(), act));
        } else {
            let operations = hand_over_certificate(object);
            decision.steps.extend(patch(adopts, object, operations));
        }
    }
    decision.steps.push(Step::OwnFound {
        namespace: hop.namespace.clone(),
        plan: hop.plan.clone(),
        uid: hop.uid.clone(),
        version: hop.version.clone(),
    });
    let sentence = format!("OLM has let go of {}", hop.facts.installs.bundle);
    Ok(Said::yes(Reason::Adopting, sentence))
}

// --- back ---

/// Gives back to OLM what it still holds.
fn undo(
    observed: &Observation,
    (hop, adopts): (&Hop, &Adopts),
    decision: &mut Decision,
) -> Result<Said, Halt> {
    give_back(observed, adopts, decision)?;
    if !hop.is_terminating {
        decision.steps.push(Step::delete(hop));
    }
    let sentence = format!(
        "the plan {} is deleted, and OLM holds what it held",
        hop.plan
    );
    Err(Halt::no(Reason::InstalledByOlm, sentence))
}

/// Takes our finalizer off the ClusterServiceVersion: that is all that OLM would miss.
fn give_back(observed: &Observation, adopts: &Adopts, decision: &mut Decision) -> Result<(), Halt> {
    let query = LiveQuery {
        account: adopts.account(),
        objects: [adopts.csv.object()].into(),
        owner: None,
    };
    for csv in live(observed, query)? {
        decision.steps.extend(patch(adopts, csv, let_go(csv)));
    }
    Ok(())
}

/// What is patched of a ClusterServiceVersion so that our finalizer does not hold it; nothing if it does
/// not.
fn let_go(csv: &Value) -> Vec<Value> {
    let finalizers = csv["metadata"]["finalizers"].as_array();
    let finalizers = finalizers.map(Vec::as_slice).unwrap_or_default();
    let kept: Vec<_> = finalizers.iter().filter(|it| **it != HELD).collect();
    if kept.len() == finalizers.len() {
        return Vec::new();
    }
    vec![json!({"op": "add", "path": "/metadata/finalizers", "value": kept})]
}

// --- what all of these ask ---

fn refuse(sentences: Vec<String>) -> Result<(), Halt> {
    if sentences.is_empty() {
        return Ok(());
    }
    Err(Halt::no(Reason::AdoptionRefused, sentences.join("; ")))
}

fn live(observed: &Observation, query: LiveQuery) -> Result<&[Value], Halt> {
    match observed.live.get(&query) {
        None => Err(Halt::Ask([Ask::Live(Box::new(query))].into())),
        Some(Answer::Known(objects)) => Ok(objects),
        Some(Answer::Refused(sentence) | Answer::Unavailable(sentence)) => {
            let sentence = format!("what OLM holds cannot be looked at: {sentence}");
            Err(Halt::no(Reason::AdoptionRefused, sentence))
        }
    }
}

/// A patch of an object as it was seen; None if nothing is patched.
fn patch(adopts: &Adopts, object: &Value, operations: Vec<Value>) -> Option<Step> {
    (!operations.is_empty()).then(|| {
        let act = Act::Patch {
            object: ObjectId::of(object),
            uid: text(object, "/metadata/uid").to_owned(),
            version: text(object, "/metadata/resourceVersion").to_owned(),
            operations,
        };
        Step::As(adopts.account(), act)
    })
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    let text = value.pointer(pointer).and_then(Value::as_str);
    text.unwrap_or_default()
}

impl Csv {
    pub fn id(&self) -> CsvId {
        CsvId {
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            uid: self.uid.clone(),
        }
    }
}

impl Subscribed {
    fn object(&self) -> ObjectId {
        ObjectId::new(OLM, "Subscription", Some(&self.namespace), &self.name)
    }
}

impl Fleet {
    /// The ClusterServiceVersion that is taken over, while it is there.
    fn csv(&self, adopts: &Adopts) -> Option<(&Present, &Csv)> {
        let all = self.present.iter();
        let mut csvs = all.filter_map(|present| Some((present, present.csv.as_ref()?)));
        csvs.find(|(_, csv)| csv.uid == adopts.csv.uid)
    }

    /// The Subscription of what OLM has installed.
    fn subscription(&self, present: &Present, csv: &Csv) -> Option<&Subscribed> {
        let mut all = self.subscriptions.iter();
        all.find(|it| it.namespace == csv.namespace && it.package == present.installs.package)
    }

    /// The Subscription of what is taken over.
    fn subscribed(&self, adopts: &Adopts, hop: &Hop) -> Option<&Subscribed> {
        let mut all = self.subscriptions.iter();
        all.find(|it| {
            it.namespace == adopts.csv.namespace && it.package == hop.facts.installs.package
        })
    }

    /// Why what OLM has installed cannot be taken over as it is, a sentence each.
    pub fn refusals(&self, present: &Present, csv: &Csv) -> Vec<String> {
        let mut sentences = Vec::new();
        let package = &present.installs.package;
        let of_olm = || {
            let all = self.present.iter().filter(|it| it.by == Installer::Olm);
            all.filter(|it| it.object != present.object)
        };
        let twins: Vec<_> = of_olm()
            .filter(|it| it.installs.package == *package)
            .collect();
        if !twins.is_empty() {
            let names = twins.iter().map(|it| &it.object);
            sentences.push(format!(
                "{} has the package, too: OLM is upgrading it, or has it twice",
                listed(names)
            ));
        }
        if let Some(unsettled) = csv.unsettled.as_ref().filter(|_| twins.is_empty()) {
            sentences.push(format!("{} {unsettled}", present.object));
        }
        if csv.is_terminating {
            sentences.push(format!("{} is being deleted", present.object));
        }
        let subscriptions = self.subscriptions.iter();
        let own =
            subscriptions.filter(|it| it.namespace == csv.namespace && it.package == *package);
        let own: Vec<_> = own.collect();
        if let [one, other, ..] = own.as_slice() {
            let (one, other) = (one.object(), other.object());
            sentences.push(format!("{one} and {other} are both for the package"));
        }
        let moving = own
            .iter()
            .filter_map(|it| Some((it, it.on_the_way.as_ref()?)));
        sentences.extend(moving.map(|(it, to)| format!("{} is on the way to {to}", it.object())));
        let users = of_olm().filter(|it| it.installs.requires.is_met_by(&present.installs));
        let users: Vec<_> = users.map(|it| &it.object).collect();
        if !users.is_empty() {
            sentences.push(format!(
                "{} {} it, and OLM would install it again for that; adopt {} first",
                listed(&users),
                if users.len() == 1 {
                    "requires"
                } else {
                    "require"
                },
                if users.len() == 1 {
                    "that one"
                } else {
                    "these"
                },
            ));
        }
        sentences
    }
}
