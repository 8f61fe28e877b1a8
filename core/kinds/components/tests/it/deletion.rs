//! Tests of the deletion of Operators whose bundles other operators may need.

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_core_components::{
    Ask, ContentAnswer, Decision, Finalizer, FleetOperator, Observation, OperatorFleet, Reading,
    Resident, ResidentFacts, Source, decide,
};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::contents::{bundle, install, other, source, stable, wanting};
use crate::kit::component;

const PEARS: &str = "fruits.test";

/// The responses of catalogs, by bundle. All other bundles neither provide nor require anything.
type Catalog = BTreeMap<&'static str, ContentAnswer>;

fn bundle_with(name: &str, facts: ResidentFacts) -> ContentAnswer {
    ContentAnswer::Bundle(bundle(name), facts)
}

fn requires_package(range: &str) -> ResidentFacts {
    ResidentFacts {
        packages: [("pear".to_owned(), range.to_owned())].into(),
        ..ResidentFacts::default()
    }
}

fn api() -> [String; 3] {
    [PEARS, "v1", "Pear"].map(str::to_owned)
}

fn requires_api() -> ResidentFacts {
    ResidentFacts {
        requires: [api()].into(),
        ..ResidentFacts::default()
    }
}

fn provides_api() -> ResidentFacts {
    ResidentFacts {
        provides: [api()].into(),
        ..ResidentFacts::default()
    }
}

/// Returns the Operator plum, which is being deleted and contains the bundles plum and pear, next
/// to these other Operators.
fn going(others: impl IntoIterator<Item = (String, FleetOperator)>) -> Observation {
    let names = ["plum.v2.0.0", "pear.v1.0.0"];
    let mut observation = wanting(&stable(), vec![install(&names, true)]);
    observation.operator.is_deleting = true;
    observation.operator.has_finalizer = true;
    let mut fleet = OperatorFleet::default();
    fleet.members.extend(others);
    observation.fleet = Arc::new(fleet);
    observation
}

/// Decides with these responses of the catalog. Returns the decision and the queries.
fn decided(mut observation: Observation, catalog: &Catalog) -> (Decision, Vec<String>) {
    let mut asked = Vec::new();
    loop {
        let decision = decide(&observation);
        let Some(ask) = decision.ask.clone() else {
            return (decision, asked);
        };
        let Ask::Bundle { name, .. } = &ask else {
            panic!("{ask:?}");
        };
        let said = catalog.get(&**name).cloned();
        let said = said.unwrap_or_else(|| bundle_with(name, ResidentFacts::default()));
        asked.push(name.clone());
        observation.knowledge.insert(ask, said);
    }
}

/// Returns the reason and the message of the deletion. The boolean is true if the decision removes
/// something.
fn outcome(decision: &Decision) -> (String, String, bool) {
    let status = decision.stored.as_ref().and_then(|it| it.status.as_ref());
    let status = status.expect("a status");
    let conditions = status["conditions"].as_array().expect("conditions");
    let mut conditions = conditions.iter();
    let found = conditions.find(|it| it["type"] == "Deleting");
    let found = found.expect("the condition");
    let [reason, message] =
        ["reason", "message"].map(|it| found[it].as_str().unwrap_or_default().to_owned());
    let is_going = !decision.taken_off.is_empty() || decision.uninstalled.is_some();
    (reason, message, is_going)
}

fn quince() -> (String, FleetOperator) {
    other("quince", &["quince.v1.0.0"], true)
}

#[rstest]
#[case::package("quince.v1.0.0", requires_package(">=1.0.0"))]
#[case::package_in_an_invalid_range("quince.v1.0.0", requires_package("any"))]
#[case::api("quince.v1.0.0", requires_api())]
fn keeps_install_while_another_operator_needs_it(
    #[case] name: &'static str,
    #[case] facts: ResidentFacts,
) {
    let catalog = Catalog::from([
        (name, bundle_with(name, facts)),
        ("pear.v1.0.0", bundle_with("pear.v1.0.0", provides_api())),
    ]);
    let (decision, _) = decided(going([quince()]), &catalog);
    let sentence = "Operator quince needs pear.v1.0.0 of the Install; first delete the operators \
                    that need the Install, or set the annotation \
                    operators.portolan.dev/force-deletion";
    assert_eq!(
        outcome(&decision),
        ("DeletionBlocked".to_owned(), sentence.to_owned(), false)
    );
    assert_eq!(decision.finalizer, None);
}

#[test]
fn keeps_install_while_an_operator_of_olm_needs_it() {
    let mut observation = going([]);
    let mut fleet = OperatorFleet::default();
    fleet.present.insert(Resident {
        name: "jam.v1.0.0".to_owned(),
        facts: Some(requires_api()),
        ..Resident::default()
    });
    observation.fleet = Arc::new(fleet);
    let catalog = Catalog::from([("pear.v1.0.0", bundle_with("pear.v1.0.0", provides_api()))]);
    let (decision, asked) = decided(observation, &catalog);
    let (reason, message, _) = outcome(&decision);
    assert_eq!(reason, "DeletionBlocked");
    assert!(
        message.starts_with("ClusterServiceVersion jam.v1.0.0 needs pear.v1.0.0 of"),
        "{message}"
    );
    assert_eq!(asked, ["plum.v2.0.0", "pear.v1.0.0"]);
}

#[test]
fn deletion_message_names_two_dependents() {
    let fig = other("fig", &["fig.v1.0.0"], true);
    let catalog = Catalog::from([
        (
            "quince.v1.0.0",
            bundle_with("quince.v1.0.0", requires_package(">=1.0.0")),
        ),
        (
            "fig.v1.0.0",
            bundle_with("fig.v1.0.0", requires_package(">=1.0.0")),
        ),
    ]);
    let (decision, _) = decided(going([quince(), fig]), &catalog);
    let (_, message, _) = outcome(&decision);
    assert!(
        message.starts_with("Operator fig, Operator quince need pear.v1.0.0 of"),
        "{message}"
    );
}

#[rstest]
#[case::another_version_is_needed(requires_package(">=2.0.0"), None)]
#[case::another_operator_has_the_package(requires_package(">=1.0.0"), Some("pear.v1.2.0"))]
#[case::another_operator_has_the_api(requires_api(), Some("grove.v1.0.0"))]
fn unneeded_install_is_deleted(#[case] facts: ResidentFacts, #[case] more: Option<&'static str>) {
    let mut others = vec![quince()];
    others.extend(more.map(|name| other("more", &[name], true)));
    let catalog = Catalog::from([
        ("quince.v1.0.0", bundle_with("quince.v1.0.0", facts)),
        ("pear.v1.0.0", bundle_with("pear.v1.0.0", provides_api())),
        ("grove.v1.0.0", bundle_with("grove.v1.0.0", provides_api())),
    ]);
    let (decision, _) = decided(going(others), &catalog);
    let (reason, _, is_going) = outcome(&decision);
    assert_eq!((&*reason, is_going), ("RemovingInstall", true));
}

/// Returns an Operator without an Install. It waits, because another Operator contains its package.
fn waiting(named: &Value) -> (String, FleetOperator) {
    let (name, mut member) = other("pears", &[], true);
    let spec = source(named);
    let source = Source::of(spec.as_object()).expect("a source");
    member.source = source.expect("a whole one");
    member.held = None;
    (name, member)
}

#[rstest]
#[case::by_package(json!({"package": "pear"}))]
#[case::by_bundle_only(json!({"entrypoint": "pear.v1.0.0"}))]
fn keeps_dependency_while_another_operator_names_it(#[case] source: Value) {
    let (decision, asked) = decided(going([waiting(&source)]), &Catalog::new());
    let sentence = "Operator pears names the package of pear.v1.0.0, which is deleted together \
                    with the Install of this Operator; delete it first, or set the annotation \
                    operators.portolan.dev/force-deletion";
    assert_eq!(
        outcome(&decision),
        ("DeletionBlocked".to_owned(), sentence.to_owned(), false)
    );
    // The decision needed no query.
    assert_eq!((asked, decision.finalizer), (Vec::new(), None));
    let mut forced = going([waiting(&source)]);
    forced.operator.is_deletion_forced = true;
    assert_ne!(
        outcome(&decided(forced, &Catalog::new()).0).0,
        "DeletionBlocked"
    );
}

#[rstest]
#[case::another_package(json!({"package": "fig"}), false, None)]
#[case::package_is_in_its_own_spec(json!({"package": "plum"}), false, None)]
#[case::other_operator_is_in_deletion(json!({"package": "pear"}), true, None)]
#[case::another_operator_has_the_package(json!({"package": "pear"}), false, Some("pear.v1.2.0"))]
fn operator_is_deleted_if_no_operator_waits_for_its_dependency(
    #[case] source: Value,
    #[case] is_deleting: bool,
    #[case] more: Option<&'static str>,
) {
    let (name, mut member) = waiting(&source);
    member.is_deleting = is_deleting;
    let mut others = vec![(name, member)];
    others.extend(more.map(|name| other("more", &[name], true)));
    let (decision, _) = decided(going(others), &Catalog::new());
    assert_ne!(outcome(&decision).0, "DeletionBlocked");
}

#[test]
fn ignores_dependencies_of_an_operator_being_deleted() {
    let (name, mut member) = quince();
    member.is_deleting = true;
    let catalog = Catalog::from([(
        "quince.v1.0.0",
        bundle_with("quince.v1.0.0", requires_package(">=1.0.0")),
    )]);
    let (decision, asked) = decided(going([(name, member)]), &catalog);
    assert_eq!(outcome(&decision).0, "RemovingInstall");
    assert_eq!(asked, [""; 0]);
}

#[test]
fn forced_deletion_queries_no_catalog() {
    let mut observation = going([quince()]);
    observation.operator.is_deletion_forced = true;
    let (decision, asked) = decided(observation, &Catalog::new());
    assert_eq!(outcome(&decision).0, "RemovingInstall");
    assert_eq!(asked, [""; 0]);
}

/// If Installs cannot be listed, they must not count as missing.
#[rstest]
#[case::with_other_components(true)]
#[case::without_visible_components(false)]
fn keeps_finalizer_while_installs_cannot_be_listed(#[case] has_components: bool) {
    let mut observation = going([quince()]);
    if !has_components {
        observation.components.clear();
    }
    let why = "installs is forbidden".to_owned();
    observation.unseen.insert("Install".to_owned(), why);
    let (decision, asked) = decided(observation.clone(), &Catalog::new());
    assert_eq!(asked, [""; 0]);
    assert_eq!(decision.finalizer, None);
    let sentence = "the objects of the Operator and the operators that need them are unknown, \
                    because Installs cannot be \
                    read: installs is forbidden; to delete the Operator anyway, set the \
                    annotation operators.portolan.dev/force-deletion";
    assert_eq!(
        outcome(&decision),
        ("KindsForbidden".to_owned(), sentence.to_owned(), false)
    );
    observation.operator.is_deletion_forced = true;
    let (decision, _) = decided(observation, &Catalog::new());
    assert_eq!(decision.finalizer.is_none(), has_components);
}

#[rstest]
#[case::catalog_of_the_other_operator("quince.v1.0.0")]
#[case::own_catalog("pear.v1.0.0")]
fn keeps_finalizer_while_no_catalog_answers(#[case] name: &'static str) {
    let catalog = Catalog::from([(
        name,
        ContentAnswer::Unknown("the resolver is away".to_owned()),
    )]);
    let (decision, _) = decided(going([quince()]), &catalog);
    let (reason, message, is_taken_off) = outcome(&decision);
    assert_eq!((&*reason, is_taken_off), ("ResolverUnavailable", false));
    assert_eq!(
        message,
        format!(
            "it is unknown if another operator needs {name}, because catalog my-ns/community does \
             not report what {name} provides and requires: the resolver is away; to delete the \
             Operator despite this, set the annotation operators.portolan.dev/force-deletion"
        )
    );
}

#[test]
fn bundle_missing_in_the_catalog_has_no_known_dependencies() {
    let gone = || ContentAnswer::No("there is no such bundle".to_owned());
    let catalog = Catalog::from([("quince.v1.0.0", gone())]);
    let (decision, _) = decided(going([quince()]), &catalog);
    assert_eq!(outcome(&decision).0, "RemovingInstall");
    // The name and the version of the deleted Operator's bundle are known from its Install.
    let catalog = Catalog::from([
        (
            "quince.v1.0.0",
            bundle_with("quince.v1.0.0", requires_package(">=1.0.0")),
        ),
        ("pear.v1.0.0", gone()),
    ]);
    let (decision, _) = decided(going([quince()]), &catalog);
    assert_eq!(outcome(&decision).0, "DeletionBlocked");
}

/// The InstallPlan would restore a label that is removed from one of its members.
#[test]
fn install_is_deleted_before_any_label() {
    let mut observation = going([]);
    let mut member = component("Deployment", "plum", &json!({}));
    member.is_planned = true;
    observation.components.push(member);
    let (decision, _) = decided(observation.clone(), &Catalog::new());
    let id = decision.uninstalled.clone().expect("an Install");
    assert_eq!((&*id.kind.kind, &*id.name), ("Install", "plum"));
    assert_eq!((decision.taken_off.len(), decision.finalizer), (0, None));
    let sentence = "Install plum is deleted first, with everything that it installed";
    assert_eq!(outcome(&decision).1, sentence);

    // The controller deletes the Install only once. The message then names the objects that the
    // deletion waits for.
    let mut deleted = install(&["plum.v2.0.0"], false);
    deleted.reading = Reading::of(
        "Install",
        &json!({
            "metadata": {"ownerReferences": [{"uid": "uid-1"}], "deletionTimestamp": "2019-09-16T22:00:00Z"},
            "status": {"conditions": [{"type": "Ready", "status": "False", "message": "plum goes"}]},
        }),
    );
    observation.components[0] = deleted.clone();
    let (decision, _) = decided(observation.clone(), &Catalog::new());
    assert_eq!(
        (decision.uninstalled.clone(), decision.finalizer),
        (None, None)
    );
    assert_eq!(outcome(&decision).1, format!("{sentence}: plum goes"));
    let why = "installs is forbidden".to_owned();
    observation.remaining.insert(deleted.id, why);
    let (decision, _) = decided(observation, &Catalog::new());
    assert_eq!(
        outcome(&decision).1,
        format!("{sentence}: installs is forbidden")
    );
}

/// `kubectl delete --cascade=orphan` leaves members of an InstallPlan in the cluster.
#[test]
fn plan_members_do_not_delay_operator_without_install() {
    let mut observation = going([]);
    let mut member = component("Deployment", "plum", &json!({}));
    member.is_planned = true;
    observation.components = vec![member, component("ConfigMap", "plum", &json!({}))];
    let (decision, _) = decided(observation.clone(), &Catalog::new());
    assert_eq!((decision.taken_off.len(), decision.finalizer), (2, None));
    observation.components.pop();
    let (decision, _) = decided(observation, &Catalog::new());
    assert_eq!(decision.finalizer, Some(Finalizer::Remove));
}
