//! Tests of Operators that are installed from a catalog.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_components::{
    Ask, BUNDLES, Bundle, Component, ContentAnswer, Decision, FleetOperator, Held, Installation,
    Move, Observation, OperatorFleet, Record, Resident, ResidentFacts, Source, UpdateRoute, decide,
};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::kit::{component, observation};

pub(crate) const CATALOG: &str = "my-ns/community";

/// Returns a bundle such as `plum.v1.0.0`, whose image has the same name.
pub(crate) fn bundle(name: &str) -> Bundle {
    let (package, version) = name.split_once(".v").expect("a version");
    Bundle {
        package: package.to_owned(),
        name: name.to_owned(),
        version: version.to_owned(),
        image: format!("registry.test/{name}"),
        catalog: CATALOG.to_owned(),
        channel: "stable".to_owned(),
    }
}

/// Returns the bundle of `bundle`, with only the fields that a route or a solution contains.
fn bare(name: &str) -> Bundle {
    Bundle {
        image: String::new(),
        ..bundle(name)
    }
}

fn record(names: &[&str]) -> Record {
    Record {
        bundles: names.iter().map(|it| bundle(it)).collect(),
        moves: BTreeSet::new(),
    }
}

fn content(names: &[&str]) -> Value {
    let entries = names.iter().map(
        |name| json!({"type": "ManifestImage", "manifestImage": format!("registry.test/{name}")}),
    );
    entries.collect()
}

pub(crate) fn source(fields: &Value) -> Value {
    let mut source = json!({"ref": {"name": "community", "namespace": "my-ns"}});
    for (name, value) in fields.as_object().expect("fields") {
        source[name] = value.clone();
    }
    json!({"updates": {"type": "CatalogSource", "catalogSource": source}})
}

/// Returns an observation of the Operator plum, with these fields in its spec and these components.
pub(crate) fn wanting(fields: &Value, components: Vec<Component>) -> Observation {
    let mut observation = observation(components);
    observation.operator.name = "plum".to_owned();
    observation.operator.uid = "uid-1".to_owned();
    observation.operator.stored.spec = source(fields).as_object().cloned();
    observation
}

pub(crate) fn stable() -> Value {
    json!({"package": "plum", "channel": "stable"})
}

/// Returns the Install of the Operator, with these bundles.
pub(crate) fn install(names: &[&str], is_ready: bool) -> Component {
    let ready = if is_ready { "True" } else { "False" };
    let mut install = component(
        "Install",
        "plum",
        &json!({
            "metadata": {
                "ownerReferences": [{"uid": "uid-1"}], "generation": 2,
                "annotations": {BUNDLES: json!(record(names)).to_string()},
            },
            "spec": {"content": content(names)},
            "status": {"observedGeneration": 2, "conditions": [{"type": "Ready", "status": ready}]},
        }),
    );
    install.id.namespace = None;
    install
}

/// Returns another Operator that is installed from the catalog.
pub(crate) fn other(name: &str, names: &[&str], is_settled: bool) -> (String, FleetOperator) {
    let spec = source(&json!({"package": name, "channel": "stable"}));
    let source = Source::of(spec.as_object()).expect("a source");
    let member = FleetOperator {
        source: source.expect("a whole one"),
        is_deleting: false,
        held: Some(Held {
            record: Some(record(names)),
            is_settled,
        }),
    };
    (name.to_owned(), member)
}

fn route(packages: &[&str], first: &[&str]) -> UpdateRoute {
    UpdateRoute {
        packages: packages.iter().map(|it| (*it).to_owned()).collect(),
        first: first.iter().map(|it| bare(it)).collect(),
        blocked: BTreeMap::new(),
    }
}

/// Decides. The test answers queries about bundles from their names, and all other queries with
/// `answer`.
fn played(
    mut observation: Observation,
    answer: impl Fn(&Ask) -> ContentAnswer,
) -> (Decision, Vec<Ask>) {
    let mut asked = Vec::new();
    loop {
        let decision = decide(&observation);
        let Some(ask) = decision.ask.clone() else {
            return (decision, asked);
        };
        let said = match &ask {
            Ask::Bundle { name, .. } => ContentAnswer::Bundle(
                Bundle {
                    channel: String::new(),
                    ..bundle(name)
                },
                ResidentFacts::default(),
            ),
            Ask::Resolve { .. } | Ask::Route { .. } => answer(&ask),
        };
        observation.knowledge.insert(ask.clone(), said);
        asked.push(ask);
    }
}

fn resolved(names: &[&str]) -> ContentAnswer {
    ContentAnswer::Resolved(names.iter().map(|it| bare(it)).collect())
}

fn changed(names: &[&str], moves: &[(&str, &str, &str)]) -> Option<Installation> {
    let moves = moves.iter().map(|(package, from, to)| Move {
        package: (*package).to_owned(),
        from: (*from).to_owned(),
        to: (*to).to_owned(),
    });
    let record = Record {
        moves: moves.collect(),
        ..record(names)
    };
    Some(Installation::Change {
        name: "plum".to_owned(),
        content: content(names),
        bundles: Some(json!(record).to_string()),
        is_unapproved: false,
    })
}

/// Returns the status, reason and message of condition ContentResolved.
fn condition_words(decision: &Decision) -> [String; 3] {
    let status = decision.stored.as_ref().and_then(|it| it.status.as_ref());
    let status = status.expect("a status");
    let conditions = status["conditions"].as_array().expect("conditions");
    let mut conditions = conditions.iter();
    let found = conditions.find(|it| it["type"] == "ContentResolved");
    let found = found.expect("the condition");
    ["status", "reason", "message"].map(|it| found[it].as_str().unwrap_or_default().to_owned())
}

#[test]
fn content_contains_the_bundle_and_its_dependencies() {
    let (decision, asked) = played(wanting(&stable(), Vec::new()), |_| {
        resolved(&["plum.v2.0.0", "pear.v1.0.0"])
    });
    let Some(Installation::Make(made)) = &decision.installation else {
        panic!("{decision:?}");
    };
    let names = ["plum.v2.0.0", "pear.v1.0.0"];
    assert_eq!(made["spec"]["content"], content(&names));
    let annotation = made["metadata"]["annotations"][BUNDLES].as_str();
    let read = Record::read(annotation, &made["spec"]["content"]);
    assert_eq!(read, Some(record(&names)));
    let Ask::Resolve { wish, .. } = &asked[0] else {
        panic!("{asked:?}");
    };
    assert_eq!(
        [&wish.catalog, &wish.package, &wish.channel, &wish.version],
        [CATALOG, "plum", "stable", ""]
    );
    assert_eq!(condition_words(&decision)[1], "BundlesFound");
}

#[test]
fn entrypoint_must_be_the_first_bundle() {
    let fields = json!({"package": "plum", "channel": "stable", "entrypoint": "plum.v1.0.0"});
    let (decision, asked) = played(wanting(&fields, Vec::new()), |_| resolved(&["plum.v1.0.0"]));
    assert!(decision.installation.is_some(), "{decision:?}");
    let Ask::Resolve { wish, .. } = &asked[1] else {
        panic!("{asked:?}");
    };
    assert_eq!(wish.version, "1.0.0");

    let (decision, _) = played(wanting(&fields, Vec::new()), |_| {
        resolved(&["plum.v1.0.0-1"])
    });
    assert_eq!(decision.installation, None);
    assert_eq!(condition_words(&decision)[1], "Unresolvable");
}

#[test]
fn entrypoint_without_package_is_installed_and_never_updated() {
    let fields = json!({"entrypoint": "plum.v1.0.0"});
    let (decision, asked) = played(wanting(&fields, Vec::new()), |_| {
        resolved(&["plum.v1.0.0", "pear.v1.0.0"])
    });
    let Some(Installation::Make(made)) = decision.installation else {
        panic!("{asked:?}");
    };
    let names = ["plum.v1.0.0", "pear.v1.0.0"];
    assert_eq!(made["spec"]["content"], content(&names));
    let Ask::Bundle { package, .. } = &asked[0] else {
        panic!("{asked:?}");
    };
    assert_eq!(package, "", "the catalog names the package");

    let (decision, asked) = played(wanting(&fields, vec![install(&names, true)]), |ask| {
        panic!("unexpected question: {ask:?}")
    });
    assert_eq!((decision.installation, asked), (None, Vec::new()));
}

#[rstest]
#[case::single_move(&["plum.v2.0.0"], changed(&["plum.v2.0.0", "pear.v1.0.0"], &[]))]
#[case::bundles_that_must_move_together(
    &["plum.v2.0.0", "pear.v2.0.0"],
    changed(
        &["plum.v2.0.0", "pear.v2.0.0"],
        &[("pear", "pear.v1.0.0", "pear.v2.0.0"), ("plum", "plum.v1.0.0", "plum.v2.0.0")],
    )
)]
#[case::dependency_first(&["pear.v2.0.0"], changed(&["plum.v1.0.0", "pear.v2.0.0"], &[]))]
#[case::no_move(&[], None)]
fn first_route_step_becomes_the_next_content(
    #[case] first: &[&str],
    #[case] expected: Option<Installation>,
) {
    let there = install(&["plum.v1.0.0", "pear.v1.0.0"], true);
    let (decision, _) = played(wanting(&stable(), vec![there]), |_| {
        ContentAnswer::Routes(vec![route(&["pear", "plum"], first)])
    });
    assert_eq!(decision.installation, expected);
}

#[test]
fn update_with_manual_approval_resets_the_approval() {
    let mut fields = stable();
    fields["approval"] = json!("Manual");
    let there = install(&["plum.v1.0.0"], true);
    let (decision, _) = played(wanting(&fields, vec![there]), |_| {
        ContentAnswer::Routes(vec![route(&["plum"], &["plum.v2.0.0"])])
    });
    let Some(Installation::Change { is_unapproved, .. }) = decision.installation else {
        panic!("{decision:?}");
    };
    assert!(is_unapproved);
}

#[test]
fn update_waits_until_previous_content_is_installed() {
    let there = install(&["plum.v1.0.0"], false);
    let (decision, asked) = played(wanting(&stable(), vec![there]), |ask| panic!("{ask:?}"));
    assert_eq!((decision.installation.clone(), asked), (None, Vec::new()));
    assert!(
        condition_words(&decision)[2].contains("not installed yet"),
        "{decision:?}"
    );
    assert_eq!(condition_words(&decision)[0], "True");
}

/// Returns an observation in which plum is installed next to these other Operators.
fn beside(others: Vec<(String, FleetOperator)>) -> Observation {
    let mut observation = wanting(&stable(), vec![install(&["plum.v1.0.0"], true)]);
    observation.fleet = Arc::new(OperatorFleet {
        members: others.into_iter().collect(),
        ..OperatorFleet::default()
    });
    observation
}

#[test]
fn update_waits_only_for_operators_on_the_same_route() {
    let routes = |_: &Ask| {
        ContentAnswer::Routes(vec![
            route(&["fig"], &[]),
            route(&["pear", "plum"], &["plum.v2.0.0"]),
        ])
    };
    let waits = beside(vec![other("pear", &["pear.v1.0.0"], false)]);
    let (decision, _) = played(waits, routes);
    assert_eq!(decision.installation, None);
    assert!(
        condition_words(&decision)[2].contains("Operator pear"),
        "{decision:?}"
    );
    let goes = beside(vec![other("fig", &["fig.v1.0.0"], false)]);
    let (decision, _) = played(goes, routes);
    assert_eq!(decision.installation, changed(&["plum.v2.0.0"], &[]));
}

#[test]
fn continues_update_that_another_operator_has_started() {
    let step = |from: &str| {
        let (name, mut member) = other("pear", &["pear.v2.0.0"], false);
        let held = member.held.as_mut().and_then(|it| it.record.as_mut());
        held.expect("a record").moves = BTreeSet::from([Move {
            package: "plum".to_owned(),
            from: from.to_owned(),
            to: "plum.v2.0.0".to_owned(),
        }]);
        beside(vec![(name, member)])
    };
    let none = |_: &Ask| ContentAnswer::Routes(Vec::new());
    let (decision, _) = played(step("plum.v1.0.0"), none);
    assert_eq!(decision.installation, changed(&["plum.v2.0.0"], &[]));
    // The Operator has already left the earlier version, so the move does not apply to it.
    let (decision, _) = played(step("plum.v0.9.0"), none);
    assert_eq!(decision.installation, None);
}

#[test]
fn missing_dependency_of_update_is_added_to_the_install() {
    let there = install(&["plum.v1.0.0"], true);
    let (decision, asked) = played(wanting(&stable(), vec![there]), |ask| match ask {
        Ask::Resolve { .. } => resolved(&["plum.v2.0.0", "pear.v1.0.0"]),
        Ask::Route { operators, .. } if operators.len() > 1 => {
            ContentAnswer::Routes(vec![route(&["pear", "plum"], &["pear.v1.0.0"])])
        }
        Ask::Route { .. } | Ask::Bundle { .. } => {
            let mut route = route(&["plum"], &[]);
            route.blocked = [("plum".to_owned(), ("pear is lacking".to_owned(), true))].into();
            ContentAnswer::Routes(vec![route])
        }
    });
    let expected = changed(&["plum.v1.0.0", "pear.v1.0.0"], &[]);
    assert_eq!(decision.installation, expected, "{asked:#?}");
}

#[rstest]
#[case::missing_reference(
    |it: &mut Observation| it.operator.stored.spec.as_mut().expect("a spec")["updates"]["catalogSource"]["ref"] = json!(null),
    "SourceInvalid", "write name and namespace"
)]
#[case::package_of_a_subscription_of_olm(
    |it: &mut Observation| it.fleet = Arc::new(OperatorFleet {
        subscribed: ["plum".to_owned()].into(), ..OperatorFleet::default()
    }),
    "InstalledByOLM", "a Subscription follows it"
)]
#[case::package_installed_by_olm(
    |it: &mut Observation| it.fleet = Arc::new(OperatorFleet {
        present: [Resident {
            package: "plum".to_owned(), name: "plum.v1.0.0".to_owned(), ..Resident::default()
        }].into(),
        ..OperatorFleet::default()
    }),
    "InstalledByOLM", "ClusterServiceVersion plum.v1.0.0"
)]
#[case::package_of_another_operator(
    |it: &mut Observation| it.fleet = Arc::new(OperatorFleet {
        members: [other("fruit", &["fig.v1.0.0", "plum.v1.0.0"], true)].into(), ..OperatorFleet::default()
    }),
    "PackageTaken", "Operator fruit"
)]
#[case::install_of_another_client(
    |it: &mut Observation| {
        it.components = vec![install(&["plum.v1.0.0"], true)];
        it.operator.uid = "uid-2".to_owned();
    },
    "InstallNotOwned", "delete the Install or the Operator"
)]
#[case::content_of_another_client(
    |it: &mut Observation| {
        let mut there = component("Install", "plum", &json!({
            "metadata": {"ownerReferences": [{"uid": "uid-1"}]}, "spec": {"content": content(&["fig.v1.0.0"])},
        }));
        there.id.namespace = None;
        it.components = vec![there];
    },
    "ContentChanged", "delete the Install"
)]
fn installs_nothing_from_a_catalog(
    #[case] change: fn(&mut Observation),
    #[case] reason: &str,
    #[case] word: &str,
) {
    let mut observation = wanting(&stable(), Vec::new());
    change(&mut observation);
    let (decision, _) = played(observation, |_| resolved(&["plum.v1.0.0"]));
    assert_eq!(decision.installation, None);
    let [status, found_reason, message] = condition_words(&decision);
    assert_eq!([&*status, &*found_reason], ["False", reason]);
    assert!(message.contains(word), "{message}");
}

#[test]
fn dependency_from_another_catalog_is_not_installed() {
    let (decision, _) = played(wanting(&stable(), Vec::new()), |_| {
        let elsewhere = Bundle {
            catalog: "olm/others".to_owned(),
            ..bare("pear.v1.0.0")
        };
        ContentAnswer::Resolved(vec![bare("plum.v1.0.0"), elsewhere])
    });
    assert_eq!(decision.installation, None);
    let [_, reason, message] = condition_words(&decision);
    assert_eq!(reason, "Unresolvable");
    assert!(
        message.contains("pear.v1.0.0 of catalog olm/others"),
        "{message}"
    );
}

#[test]
fn content_is_kept_while_the_catalog_is_unavailable() {
    let there = install(&["plum.v1.0.0"], true);
    let (decision, _) = played(wanting(&stable(), vec![there]), |_| {
        ContentAnswer::Unknown("nobody answers".to_owned())
    });
    assert_eq!(decision.installation, None);
    assert_eq!(
        condition_words(&decision)[..2],
        ["Unknown", "ResolverUnavailable"]
    );
}
