//! Tests of special cases.

use std::sync::Arc;

use portolan_core_installed::{
    COLUMNS, Continue, Event, Filter, Installed, Key, LEFT_OUT, LeftOut, NARROW, NotAContinue,
    Resource, Revision, SubscriptionDetail, label_value,
};
use rstest::rstest;
use serde_json::{Value, json};

use crate::world::{World, csv, group, namespace, original, subscription};

const EARLY: &str = "2026-01-01T00:00:00Z";
const LATE: &str = "2026-01-02T00:00:00Z";

/// Returns a world with an operator in `olm` that watches all three namespaces.
fn everywhere() -> World {
    World::of([
        namespace("olm", json!({})),
        namespace("a", json!({})),
        namespace("b", json!({"team": "red"})),
        group("olm", "g", json!({}), json!([""])),
        csv("olm", "ferry.v1.0.0", EARLY),
    ])
}

fn one<'a>(world: &'a World, namespace: &str, name: &str) -> &'a Installed {
    let found = world.index.snapshot().get(namespace, name);
    found.expect("an Installed")
}

fn json(installed: &Installed, env: SubscriptionDetail) -> Value {
    serde_json::from_str(&installed.to_json(env)).expect("JSON")
}

#[test]
fn operator_is_listed_in_every_watched_namespace() {
    let mut world = everywhere();
    assert_eq!(
        world.names(),
        ["a/ferry.v1.0.0", "b/ferry.v1.0.0", "olm/ferry.v1.0.0"]
    );
    let batch = world.put(namespace("c", json!({})));
    assert_eq!(batch.events().len(), 1);
    assert!(matches!(&batch.events()[0], Event::Added(is) if &*is.namespace == "c"));
    world.put(group("olm", "g", json!({}), json!(["b", "nowhere"])));
    assert_eq!(world.names(), ["b/ferry.v1.0.0"]);
}

#[test]
fn operator_is_listed_in_its_own_namespace_only_if_it_watches_it() {
    let world = World::of([
        namespace("olm", json!({})),
        namespace("a", json!({})),
        group("olm", "g", json!({"targetNamespaces": ["a"]}), json!(["a"])),
        csv("olm", "ferry.v1.0.0", EARLY),
    ]);
    assert_eq!(world.names(), ["a/ferry.v1.0.0"]);
}

#[test]
fn evaluates_selector_before_olm_updates_the_status() {
    let selector = json!({"selector": {"matchLabels": {"team": "red"}}});
    let mut world = everywhere();
    world.put(group("olm", "g", selector.clone(), json!([])));
    assert_eq!(world.names(), ["b/ferry.v1.0.0"]);
    world.put(namespace("a", json!({"team": "red"})));
    world.put(namespace("b", json!({"team": "blue"})));
    assert_eq!(world.names(), ["a/ferry.v1.0.0"]);
    world.put(group("olm", "g", selector, json!(["b"])));
    assert_eq!(
        world.names(),
        ["b/ferry.v1.0.0"],
        "status.namespaces takes precedence"
    );
}

#[test]
fn operator_in_the_same_namespace_gets_the_name_without_a_suffix() {
    let mut world = everywhere();
    world.put(csv("a", "ferry.v1.0.0", LATE));
    world.put(group("a", "g", json!({}), json!(["a", "b"])));
    assert_eq!(
        world.names(),
        [
            "a/ferry.v1.0.0",
            "a/ferry.v1.0.0:olm",
            "b/ferry.v1.0.0",
            "b/ferry.v1.0.0:a",
            "olm/ferry.v1.0.0",
        ]
    );
    let same_name_in = |namespace: &str, name: &str| {
        let found = json(one(&world, namespace, name), SubscriptionDetail::Limited);
        found["metadata"]["annotations"]["installed.portolan.dev/same-name-in"].clone()
    };
    assert_eq!(same_name_in("a", "ferry.v1.0.0"), "olm");
    assert_eq!(same_name_in("a", "ferry.v1.0.0:olm"), "a");
    assert_eq!(same_name_in("olm", "ferry.v1.0.0"), Value::Null);
    let labels = &one(&world, "b", "ferry.v1.0.0:a").operator.labels;
    assert_eq!(labels["operators.coreos.com/csv"], "ferry.v1.0.0");
}

#[test]
fn upgrade_shows_both_versions_and_the_replacement() {
    let mut world = World::of([
        namespace("olm", json!({})),
        group("olm", "g", json!({}), json!(["olm"])),
        csv("olm", "ferry.v1.0.0", EARLY),
        subscription("olm", "ferry", "ferry.v1.0.0", "ferry.v1.1.0"),
    ]);
    let operator = |world: &World, name: &str| {
        let operator = one(world, "olm", name).operator.clone();
        let subscription = operator.subscription.as_ref();
        let subscription = subscription.map(|it| it.key.name.to_string());
        (
            subscription,
            operator.target.to_string(),
            operator.replaced_by.clone().map(|name| name.to_string()),
        )
    };
    let ferry = || Some("ferry".to_owned());
    assert_eq!(
        operator(&world, "ferry.v1.0.0"),
        (ferry(), "ferry.v1.1.0".to_owned(), None),
        "the bundle name while its version is unknown"
    );
    let mut next = csv("olm", "ferry.v1.1.0", LATE);
    next["spec"]["replaces"] = json!("ferry.v1.0.0");
    world.put(next);
    let replaced_by = Some("ferry.v1.1.0".to_owned());
    assert_eq!(
        operator(&world, "ferry.v1.0.0"),
        (ferry(), "1.1.0".to_owned(), replaced_by.clone())
    );
    assert_eq!(
        operator(&world, "ferry.v1.1.0"),
        (ferry(), "1.1.0".to_owned(), None)
    );
    world.put(subscription("olm", "ferry", "ferry.v1.1.0", "ferry.v1.1.0"));
    assert_eq!(
        operator(&world, "ferry.v1.0.0"),
        (None, String::new(), replaced_by),
        "the CSV is being replaced, and no Subscription names it"
    );
}

#[test]
fn installed_operator_has_the_required_fields() {
    let mut asked = subscription("olm", "ferry", "ferry.v1.0.0", "ferry.v1.0.0");
    asked["metadata"]["labels"] = json!({"team": "red"});
    asked["spec"]["config"] = json!({"env": [{"name": "TOKEN", "value": "secret"}]});
    asked["metadata"]["annotations"] = json!({"kapp.k14s.io/original": asked.to_string()});
    let mut world = everywhere();
    world.put(asked.clone());
    let found = json(one(&world, "a", "ferry.v1.0.0"), SubscriptionDetail::Full);
    let wanted = json!({
        "apiVersion": "packages.operators.coreos.com/v2alpha1",
        "kind": "Installed",
        "metadata": {
            "name": "ferry.v1.0.0",
            "namespace": "a",
            "creationTimestamp": EARLY,
            "labels": {
                "operators.coreos.com/csv": "ferry.v1.0.0",
                "operators.coreos.com/sub": "ferry",
                "team": "red",
            },
            "resourceVersion":
                "clusterserviceversions:15,namespaces:13,operatorgroups:14,operators:10,resourcemanifests:10,subscriptions:15",
            "uid": one(&world, "a", "ferry.v1.0.0").uid(),
        },
        "status": {
            "subscription": asked,
            "clusterServiceVersion": csv("olm", "ferry.v1.0.0", EARLY),
        },
    });
    assert_eq!(found, wanted);
    let found = json(
        one(&world, "a", "ferry.v1.0.0"),
        SubscriptionDetail::Limited,
    );
    let env = &found["status"]["subscription"]["spec"]["config"]["env"];
    assert_eq!(*env, json!([{"name": "TOKEN"}]));
    assert!(!found.to_string().contains("secret"), "{found}");
}

#[test]
fn uid_depends_only_on_operator_and_namespace() {
    let mut world = everywhere();
    let uid = |world: &World, namespace: &str| one(world, namespace, "ferry.v1.0.0").uid();
    let (a, b) = (uid(&world, "a"), uid(&world, "b"));
    assert_ne!(a, b);
    world.put(csv("olm", "ferry.v1.0.0", LATE));
    world.put(namespace("a", json!({"changed": "true"})));
    assert_eq!([a, b], [uid(&world, "a"), uid(&world, "b")]);
}

#[test]
fn common_text_of_an_operator_is_stored_only_once() {
    let world = everywhere();
    let all: Vec<_> = world.index.snapshot().all().collect();
    assert_eq!(all.len(), 3);
    assert!(
        all.iter()
            .all(|each| Arc::ptr_eq(&each.operator, &all[0].operator))
    );
}

/// Returns a ClusterServiceVersion in the namespace `evil` with the same name as the real operator.
/// It is older than the real one, and its annotations claim that it watches all namespaces.
fn forged(phase: &str, reason: &str) -> Value {
    let mut forged = csv("evil", "ferry.v1.0.0", "2025-01-01T00:00:00Z");
    forged["metadata"]["annotations"] = json!({
        "olm.operatorGroup": "g",
        "olm.operatorNamespace": "evil",
        "olm.targetNamespaces": "",
    });
    forged["status"] = json!({"phase": phase, "reason": reason});
    forged
}

/// Each case has the OperatorGroups in the namespace `evil`, and the phase and reason of the
/// ClusterServiceVersion there.
#[rstest]
#[case::has_no_group(&[], "Failed", "NoOperatorGroup")]
#[case::has_no_group_and_a_forged_status(&[], "Succeeded", "InstallSucceeded")]
#[case::has_two_groups(&["g", "h"], "Failed", "TooManyOperatorGroups")]
#[case::has_two_groups_and_a_forged_status(&["g", "h"], "Succeeded", "InstallSucceeded")]
#[case::is_not_processed(&["g"], "", "")]
#[case::has_an_unsupported_group(&["g"], "Failed", "UnsupportedOperatorGroup")]
#[case::has_invalid_install_modes(&["g"], "Failed", "InvalidInstallModes")]
#[case::has_a_group_without_targets(&["g"], "Failed", "NoTargetNamespaces")]
#[case::conflicts_with_another_group(&["g"], "Failed", "InterOperatorGroupOwnerConflict")]
#[case::has_a_static_group(&["g"], "Failed", "CannotModifyStaticOperatorGroupProvidedAPIs")]
fn rejected_operator_watches_no_namespace_and_takes_no_name(
    #[case] groups: &[&str],
    #[case] phase: &str,
    #[case] reason: &str,
) {
    let mut world = everywhere();
    let names = world.names();
    world.put(namespace("evil", json!({})));
    for name in groups {
        world.put(group("evil", name, json!({}), json!([""])));
    }
    world.put(forged(phase, reason));
    let with_evil = [&names[..2], &["evil/ferry.v1.0.0".to_owned()], &names[2..]].concat();
    assert_eq!(world.names(), with_evil);
    for installed in world.index.snapshot().all() {
        assert_eq!(&*installed.operator.csv.key.namespace, "olm");
    }
}

#[test]
fn rejected_operator_is_removed_from_other_namespaces() {
    let mut world = everywhere();
    let mut rejected = csv("olm", "ferry.v1.0.0", EARLY);
    rejected["metadata"]["annotations"] = json!({"olm.targetNamespaces": ""});
    rejected["status"] = json!({"phase": "Failed", "reason": "InstallCheckFailed"});
    world.put(rejected.clone());
    assert_eq!(
        world.names().len(),
        3,
        "a failed installation is not a rejection"
    );
    world.put(group("olm", "h", json!({}), json!([""])));
    assert_eq!(world.names(), Vec::<String>::new());
}

/// OLM accepts the operator in `olm` and an operator with the same name in `evil`. Each case has
/// the catalogs and creation times of both Subscriptions, and the namespace of the operator that
/// has the name without a suffix.
#[rstest]
#[case::older_without_subscriptions(None, None, "evil")]
#[case::subscribed(Some(("shared", LATE)), None, "olm")]
#[case::subscribed_in_its_own_namespace(Some(("olm", LATE)), None, "olm")]
#[case::from_a_shared_catalog(Some(("shared", LATE)), Some(("evil", EARLY)), "olm")]
#[case::with_an_older_subscription(Some(("shared", EARLY)), Some(("shared", LATE)), "olm")]
fn name_without_suffix_belongs_to_the_older_subscription(
    #[case] ours: Option<(&str, &str)>,
    #[case] theirs: Option<(&str, &str)>,
    #[case] winner: &str,
) {
    let mut world = everywhere();
    world.put(namespace("evil", json!({})));
    world.put(group("evil", "g", json!({}), json!([""])));
    world.put(forged("Succeeded", "InstallSucceeded"));
    for (home, from) in [("olm", ours), ("evil", theirs)] {
        let Some((catalog_namespace, created)) = from else {
            continue;
        };
        let mut asked = subscription(home, "ferry", "ferry.v1.0.0", "ferry.v1.0.0");
        asked["metadata"]["creationTimestamp"] = json!(created);
        asked["spec"]["sourceNamespace"] = json!(catalog_namespace);
        world.put(asked);
    }
    let found = one(&world, "a", "ferry.v1.0.0");
    assert_eq!(&*found.operator.csv.key.namespace, winner);
}

#[test]
fn subscription_without_an_installed_csv_does_not_determine_the_name() {
    let mut world = everywhere();
    world.put(group("evil", "g", json!({}), json!([""])));
    world.put(forged("Succeeded", "InstallSucceeded"));
    world.put(subscription("olm", "ferry", "ferry.v1.0.0", "ferry.v1.0.0"));
    world.put(subscription("evil", "ferry", "", "ferry.v1.0.0"));
    let found = one(&world, "a", "ferry.v1.0.0");
    assert_eq!(&*found.operator.csv.key.namespace, "olm");
}

#[test]
fn long_names_are_truncated_only_in_labels() {
    let name = format!("{}.v1.0.0", "ferry".repeat(14));
    let mut world = everywhere();
    world.put(csv("olm", &name, EARLY));
    let found = one(&world, "a", &name);
    assert_eq!(
        found.operator.labels["operators.coreos.com/csv"],
        label_value(&name)
    );
}

#[test]
fn index_names_missing_lists() {
    let mut index = portolan_core_installed::Index::new(Resource::ALL);
    let revision = Revision::from(7);
    for resource in [
        Resource::Namespaces,
        Resource::Operators,
        Resource::ResourceManifests,
        Resource::Subscriptions,
    ] {
        index.replace(resource, [], &revision);
    }
    assert_eq!(
        index.missing().collect::<Vec<_>>(),
        [Resource::ClusterServiceVersions, Resource::OperatorGroups]
    );
    index.pass(Resource::Namespaces, &Revision::from(9));
    assert_eq!(
        index.snapshot().version().to_string(),
        "clusterserviceversions:0,namespaces:9,operatorgroups:0,operators:7,resourcemanifests:7,subscriptions:7"
    );
}

#[test]
fn page_begins_after_an_object_that_may_be_missing() {
    let mut world = everywhere();
    world.put(csv("olm", "tug.v1.0.0", EARLY));
    let behind = |namespace: &str, name: &str| {
        let snapshot = world.index.snapshot();
        let rest = snapshot.behind(namespace, name).take(2);
        let rest = rest.map(|each| format!("{}/{}", each.namespace, each.name));
        rest.collect::<Vec<_>>()
    };
    assert_eq!(behind("", ""), ["a/ferry.v1.0.0", "a/tug.v1.0.0"]);
    assert_eq!(
        behind("a", "ferry.v1.0.0"),
        ["a/tug.v1.0.0", "b/ferry.v1.0.0"]
    );
    assert_eq!(behind("a", "zeppelin"), ["b/ferry.v1.0.0", "b/tug.v1.0.0"]);
    assert_eq!(behind("olm", "tug.v1.0.0"), Vec::<String>::new());
}

/// If each change rebuilt all objects, this test would take minutes.
#[test]
fn change_of_a_namespace_updates_only_the_objects_in_it() {
    let name = |number: u32| format!("ns-{number:04}");
    let namespaces = |labels: &Value| {
        let labels = labels.clone();
        (0..2000).map(move |number| namespace(&name(number), labels.clone()))
    };
    let mut world = World::empty();
    world.replace(Resource::Namespaces, namespaces(&json!({})).collect());
    world.put(group("olm", "g", json!({}), json!([""])));
    let selector = json!({"selector": {"matchLabels": {"team": "red"}}});
    world.put(group("red", "g", selector, json!([])));
    for number in 0..50 {
        world.put(csv("olm", &format!("ferry-{number:02}.v1.0.0"), EARLY));
    }
    world.put(csv("red", "tug.v1.0.0", EARLY));
    let labeled = namespaces(&json!({"team": "red"}));
    let counts = labeled.map(|namespace| {
        let batch = world
            .index
            .put(original(&namespace), &Revision::from(90_000));
        batch.events().len()
    });
    assert_eq!(counts.sum::<usize>(), 2000);
    assert_eq!(world.index.snapshot().len(), 2000 * 51);
    let key = Key::new("", &name(7));
    let batch = world
        .index
        .delete(Resource::Namespaces, key, &Revision::from(100_000));
    assert_eq!(batch.events().len(), 51);
    assert_eq!(batch.in_namespace("ns-0007").len(), 51);
    assert_eq!(batch.in_namespace("ns-0008").len(), 0);
}

#[rstest]
#[case::came(None, Some(1), Some("ADDED 1"))]
#[case::went(Some(1), None, Some("DELETED 1"))]
#[case::changed(Some(1), Some(3), Some("MODIFIED 3"))]
#[case::became_wanted(Some(2), Some(1), Some("ADDED 1"))]
#[case::is_no_longer_wanted(Some(1), Some(2), Some("DELETED 1"))]
#[case::never_was_wanted(Some(2), Some(4), None)]
fn filtered_watch_gets_only_matching_changes(
    #[case] was: Option<u32>,
    #[case] is: Option<u32>,
    #[case] wanted: Option<&str>,
) {
    let mut world = everywhere();
    let ferry = |number: u32| {
        let mut csv = csv("olm", "tug.v1.0.0", EARLY);
        csv["spec"]["version"] = json!(number.to_string());
        csv
    };
    if let Some(was) = was {
        world.put(ferry(was));
    }
    let batch = match is {
        Some(is) => world.put(ferry(is)),
        None => world.delete(&ferry(0)),
    };
    let is_odd = |installed: &Installed| {
        let version: u32 = installed.operator.csv.version.parse().expect("a number");
        version % 2 == 1
    };
    let seen = batch.in_namespace("a")[0].for_watch(is_odd);
    if let Some((_, object)) = &seen {
        assert_eq!(object.version, batch.events()[0].object().version);
    }
    let event =
        seen.map(|(event, object)| format!("{} {}", event.as_str(), object.operator.csv.version));
    assert_eq!(event.as_deref(), wanted);
}

#[test]
fn list_continues_page_by_page() {
    let mut world = everywhere();
    world.put(csv("olm", "tug.v1.0.0", EARLY));
    let snapshot = world.index.snapshot();
    let pages = |namespace: Option<&str>, filter: &Filter| {
        let mut pages = Vec::new();
        let mut behind = None;
        loop {
            let page = snapshot.page(namespace, filter, behind.as_ref(), 2);
            let names = page.items.iter();
            let names = names.map(|each| format!("{}/{}", each.namespace, each.name));
            pages.push((names.collect::<Vec<_>>().join(" "), page.remaining));
            let Some(next) = page.next else {
                return pages;
            };
            assert_eq!(next.version, *snapshot.version());
            behind = Some(Continue::parse(&next.token()).expect("a token"));
        }
    };
    let everything = Filter::default();
    let page = |names: &str, remaining| (names.to_owned(), remaining);
    assert_eq!(
        pages(None, &everything),
        [
            page("a/ferry.v1.0.0 a/tug.v1.0.0", Some(4)),
            page("b/ferry.v1.0.0 b/tug.v1.0.0", Some(2)),
            page("olm/ferry.v1.0.0 olm/tug.v1.0.0", None),
        ]
    );
    assert_eq!(
        pages(Some("b"), &everything),
        [page("b/ferry.v1.0.0 b/tug.v1.0.0", None)]
    );
    assert_eq!(pages(Some("nowhere"), &everything), [page("", None)]);
    let tugs = Filter {
        labels: "operators.coreos.com/csv=tug.v1.0.0"
            .parse()
            .expect("a selector"),
        ..Filter::default()
    };
    assert_eq!(
        pages(None, &tugs),
        [
            page("a/tug.v1.0.0 b/tug.v1.0.0", None),
            page("olm/tug.v1.0.0", None),
        ]
    );
}

#[rstest]
#[case::empty("")]
#[case::no_base64("*")]
#[case::no_token("e30")]
#[case::of_no_version("eyJ2IjoiIiwibnMiOiJhIiwibmFtZSI6ImIifQ")]
fn rejects_invalid_continue_token(#[case] token: &str) {
    assert_eq!(Continue::parse(token), Err(NotAContinue));
}

#[test]
fn table_row_contains_the_known_values() {
    let mut world = everywhere();
    let mut broken = csv("olm", "tug.v1.0.0", EARLY);
    broken["status"] = json!({"phase": "Failed", "message": "no pier"});
    world.put(broken);
    world.put(subscription("olm", "ferry", "ferry.v1.0.0", "ferry.v1.1.0"));
    let cells = |name: &str| one(&world, "a", name).cells().join(" | ");
    assert_eq!(
        cells("ferry.v1.0.0"),
        "ferry.v1.0.0 | olm | stable | 1.0.0 | ferry.v1.1.0 | Succeeded | ferry | ferry | <none>"
    );
    assert_eq!(
        cells("tug.v1.0.0"),
        "tug.v1.0.0 | olm | <none> | 1.0.0 | <none> | Failed | <none> | <none> | no pier"
    );
    let narrow = COLUMNS.iter().filter(|column| column.priority == 0);
    assert_eq!(narrow.count(), NARROW);
}

#[test]
fn partial_metadata_equals_full_metadata() {
    let world = everywhere();
    let ferry = one(&world, "a", "ferry.v1.0.0");
    let partial: Value = serde_json::from_str(&ferry.to_partial()).expect("JSON");
    let wanted = json!({
        "apiVersion": "meta.k8s.io/v1",
        "kind": "PartialObjectMetadata",
        "metadata": json(ferry, SubscriptionDetail::Limited)["metadata"],
    });
    assert_eq!(partial, wanted);
}

#[test]
fn page_lists_all_omitted_fields() {
    let page = include_str!("../../../../../docs/installed.md");
    let rows = LEFT_OUT
        .iter()
        .map(|LeftOut { kind, field, why }| format!("| {kind} | `{field}` | {why} |\n"));
    let table = format!(
        "| kind | field | why |\n|---|---|---|\n{}\n",
        rows.collect::<String>()
    );
    assert!(
        page.contains(&table),
        "docs/installed.md must have:\n{table}"
    );
}
