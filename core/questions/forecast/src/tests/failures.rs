//! Tests the exact error texts of OLM, and the objects that are blamed.

use rstest::rstest;

use super::{World, bundle, world};
use crate::{Culprit, Phase, Traits};

fn blamed(world: &World) -> Vec<(Culprit, String)> {
    let blames = world.failure().blames.into_iter();
    blames.map(|blame| (blame.culprit, blame.why)).collect()
}

fn constraints(world: &World) -> String {
    let complaint = world.complaint();
    let rest = complaint.strip_prefix("constraints not satisfiable: ");
    rest.expect("it must be about constraints").to_owned()
}

#[rstest]
#[case::no_catalog(
    "a from=olm/none",
    "no operators found from catalog none in namespace olm referenced by subscription a, \
     subscription a exists",
    "The Subscription names catalog olm/none, which does not exist."
)]
#[case::no_package(
    "b",
    "no operators found in package b in the catalog referenced by subscription b, \
     subscription b exists",
    "The catalog of the Subscription has no package b."
)]
#[case::no_channel(
    "a/fast",
    "no operators found in channel fast of package a in the catalog referenced by subscription \
     a, subscription a exists",
    "Package a has no channel fast in the catalog of the Subscription."
)]
#[case::no_start(
    "a/stable start=a.v9.0.0",
    "no operators found with name a.v9.0.0 in channel stable of package a in the catalog \
     referenced by subscription a, subscription a exists",
    "The channel of the Subscription has no bundle a.v9.0.0, which is its startingCSV."
)]
#[case::no_start_in_any_channel(
    "a start=a.v9.0.0",
    "no operators found with name a.v9.0.0 in channel  of package a in the catalog referenced \
     by subscription a, subscription a exists",
    "The channel of the Subscription has no bundle a.v9.0.0, which is its startingCSV."
)]
fn subscription_refers_to_a_missing_object(
    #[case] subscribed: &str,
    #[case] said: &str,
    #[case] why: &str,
) {
    let world = world("a: 1.0.0")
        .subscribed(subscribed)
        .subscribed("a name=good");
    assert_eq!(constraints(&world), said);
    let guilty = subscribed
        .split(['/', ' '])
        .next()
        .expect("it must have a name");
    let culprit = Culprit::Subscription(guilty.to_owned());
    assert_eq!(blamed(&world), [(culprit, why.to_owned())]);
}

#[test]
fn two_channels_of_a_package_exclude_each_other() {
    let world = world("a/fast: 2.0.0; a/slow: 1.0.0")
        .subscribed("a/fast name=x")
        .subscribed("a/slow name=y");
    assert_eq!(
        constraints(&world),
        "one/olm/fast/a.v2.0.0 and one/olm/slow/a.v1.0.0 originate from package a, \
         subscription x exists, subscription x requires one/olm/fast/a.v2.0.0, \
         subscription y exists, subscription y requires one/olm/slow/a.v1.0.0"
    );
    let why = "The Subscription requires an operator of package a, but a namespace can have only \
               one such operator.";
    let culprit = |name: &str| (Culprit::Subscription(name.to_owned()), why.to_owned());
    assert_eq!(blamed(&world), [culprit("x"), culprit("y")]);
}

#[test]
fn reason_lists_several_candidates() {
    let world = world("a: 1.0.0 -> 1.1.0 -> 1.2.0; 1.2.0 requires z >=1.0.0")
        .prohibiting("a.v1.0.0")
        .prohibiting("a.v1.1.0")
        .subscribed("a");
    assert_eq!(
        constraints(&world),
        "bundle a.v1.2.0 requires an operator with package: z and with version in range: \
         >=1.0.0, bundle one/olm/stable/a.v1.0.0 is deprecated, \
         bundle one/olm/stable/a.v1.1.0 is deprecated, subscription a exists, \
         subscription a requires at least one of one/olm/stable/a.v1.2.0, \
         one/olm/stable/a.v1.1.0 or one/olm/stable/a.v1.0.0"
    );
}

/// The bundle is listed once for each matching channel, and each time under the names of all
/// channels, as in OLM.
#[test]
fn bundle_in_two_channels_is_listed_four_times_as_in_olm() {
    let world = world("a[stable, fast]: 1.0.0 requires g.test/v1/Kind").subscribed("a");
    let said = constraints(&world);
    let choices = said.split(" requires at least one of ").nth(1);
    assert_eq!(
        choices,
        Some(
            "one/olm/stable/a.v1.0.0, one/olm/fast/a.v1.0.0, one/olm/stable/a.v1.0.0 or \
             one/olm/fast/a.v1.0.0"
        )
    );
}

#[test]
fn two_providers_of_an_api_exclude_each_other() {
    let world = world("a: 1.0.0 provides g.test/v1/Kind; b: 1.0.0 provides g.test/v1/Kind")
        .subscribed("a")
        .subscribed("b");
    assert_eq!(
        constraints(&world),
        "one/olm/stable/a.v1.0.0 and one/olm/stable/b.v1.0.0 provide Kind (g.test/v1), \
         subscription a exists, subscription a requires one/olm/stable/a.v1.0.0, \
         subscription b exists, subscription b requires one/olm/stable/b.v1.0.0"
    );
}

#[test]
fn required_api_has_no_provider() {
    let world = world("a: 1.0.0 requires g.test/v1/Kind").subscribed("a");
    assert_eq!(
        constraints(&world),
        "bundle a.v1.0.0 requires an operator providing an API with group: g.test, version: v1, \
         kind: Kind, subscription a exists, subscription a requires one/olm/stable/a.v1.0.0"
    );
}

#[rstest]
#[case::all(
    r#"{"all":{"constraints":[{"gvk":{"group":"g","kind":"K","version":"v1"}},
        {"package":{"packageName":"b","versionRange":"1.x"}}]}}"#,
    "providing an API with group: g, version: v1, kind: K and with package: b and with version \
     in range: 1.x"
)]
#[case::any(
    r#"{"any":{"constraints":[{"package":{"packageName":"b","versionRange":">1.0.0"}},
        {"package":{"packageName":"c","versionRange":">1.0.0"}}]}}"#,
    "with package: b and with version in range: >1.0.0 or with package: c and with version in \
     range: >1.0.0"
)]
#[case::cel(
    r#"{"cel":{"rule":"properties.exists(p, p.type == 'x')"},"failureMessage":"needs x"}"#,
    "with constraint: \"properties.exists(p, p.type == 'x')\" and message: \"needs x\""
)]
fn unmet_constraint_is_reported(#[case] json: &str, #[case] said: &str) {
    let world = world("a: 1.0.0")
        .constraining("a.v1.0.0", json)
        .subscribed("a");
    assert_eq!(
        constraints(&world),
        format!(
            "bundle a.v1.0.0 requires an operator {said}, subscription a exists, \
             subscription a requires one/olm/stable/a.v1.0.0"
        )
    );
}

#[test]
fn orphaned_csv_makes_the_namespace_unresolvable() {
    let world = world("a: 1.0.0 -> 1.1.0")
        .installed("a.v1.0.0")
        .subscribed("a/stable start=a.v1.1.0");
    assert_eq!(
        constraints(&world),
        "@existing/ns//a.v1.0.0 and one/olm/stable/a.v1.1.0 originate from package a, \
         clusterserviceversion a.v1.0.0 exists and is not referenced by a subscription, \
         subscription a exists, subscription a requires one/olm/stable/a.v1.1.0"
    );
    let why = "a.v1.0.0 is installed, but no Subscription names this ClusterServiceVersion in \
               status.installedCSV.";
    let blames = blamed(&world);
    assert_eq!(
        blames[0],
        (Culprit::Csv(bundle("a.v1.0.0")), why.to_owned())
    );
}

#[rstest]
#[case::underway(
    Phase::Pending,
    "a.v1.0.0",
    "a.v1.1.0 is replacing a.v1.0.0 and is in phase Pending. OLM resolves nothing until OLM has \
     deleted a.v1.0.0."
)]
#[case::failed(
    Phase::Failed,
    "a.v1.1.0",
    "a.v1.1.0 has failed while it was replacing a.v1.0.0, so a.v1.0.0 is kept."
)]
fn running_update_blocks_changes_in_the_namespace(
    #[case] phase: Phase,
    #[case] culprit: &str,
    #[case] why: &str,
) {
    let world = world("a: 1.0.0 -> 1.1.0")
        .installed("a.v1.0.0")
        .installed("a.v1.1.0")
        .with_csv(|csv| {
            csv.replaces = Some(bundle("a.v1.0.0"));
            csv.phase = phase;
        })
        .subscribed("a at=a.v1.1.0");
    assert_eq!(
        constraints(&world),
        "@existing/ns//a.v1.0.0 and @existing/ns//a.v1.1.0 originate from package a, \
         clusterserviceversion a.v1.0.0 exists and is not referenced by a subscription, \
         subscription a exists, subscription a requires @existing/ns//a.v1.1.0"
    );
    assert_eq!(
        blamed(&world)[0],
        (Culprit::Csv(bundle(culprit)), why.to_owned())
    );
}

/// An operator with an unknown package conflicts only with the bundle that replaces it.
#[test]
fn successor_conflicts_with_the_csv_it_replaces() {
    let text = "a: 1.0.0 -> 1.1.0; c: 1.0.0 requires a >=1.1.0; d: 1.0.0 requires g.test/v1/Kind";
    let kind = r#"{"group": "g.test", "kind": "Kind", "version": "v1"}"#;
    let annotation = format!(r#"{{"properties": [{{"type": "olm.gvk", "value": {kind}}}]}}"#);
    let traits = Traits::of_annotation(&annotation).expect("the annotation must be read");
    let world = world(text)
        .installed("a.v1.0.0")
        .with_csv(|csv| csv.traits = traits)
        .subscribed("a at=a.v1.0.0")
        .subscribed("c")
        .subscribed("d");
    assert_eq!(
        constraints(&world),
        "bundle c.v1.0.0 requires an operator with package: a and with version in range: \
         >=1.1.0, bundle d.v1.0.0 requires an operator providing an API with group: g.test, \
         version: v1, kind: Kind, one/olm/stable/a.v1.1.0 conflicts with \
         @existing/ns//a.v1.0.0, subscription c exists, subscription c requires \
         one/olm/stable/c.v1.0.0, subscription d exists, subscription d requires \
         one/olm/stable/d.v1.0.0"
    );
}

#[test]
fn unreadable_catalog_fails_all_subscriptions() {
    let world = world("a: 1.0.0")
        .broken("olm/bad", "failed to list bundles: gone")
        .subscribed("a");
    assert_eq!(
        world.complaint(),
        "error using catalogsource olm/bad: failed to list bundles: gone"
    );
    let failure = world.failure();
    assert_eq!(failure.refusal.reason(), "ErrorPreventedResolution");
    assert_eq!(
        failure.blames[0].why,
        "The catalog does not answer (failed to list bundles: gone). OLM queries all visible \
         catalogs, and no Subscription of the namespace names this catalog."
    );
    let two = world.broken("ns/worse", "no registry client");
    assert_eq!(
        two.complaint(),
        "[error using catalogsource ns/worse: no registry client, \
         error using catalogsource olm/bad: failed to list bundles: gone]"
    );
}

#[rstest]
#[case::several_heads(
    "a: 1.0.0 -> 1.1.0; 2.0.0",
    "a unique replacement chain within a channel is required to determine the relative order \
     between channel entries, but 2 replacement chains were found in channel \"stable\" of \
     package \"a\": a.v1.1.0...a.v1.0.0, a.v2.0.0"
)]
#[case::no_head(
    "a: 1.0.0 -> 1.1.0 -> 1.0.0",
    "no channel heads (entries not replaced by another entry) found in channel \"stable\" of \
     package \"a\""
)]
#[case::cycle(
    "a: 1.0.0 -> 1.1.0 -> 1.0.0; 2.0.0 replaces 1.1.0",
    "a cycle exists in the chain of replacement beginning with \"a.v2.0.0\" in channel \
     \"stable\" of package \"a\""
)]
fn channel_without_one_head_fails(#[case] text: &str, #[case] said: &str) {
    let world = world(text).subscribed("a");
    assert_eq!(world.complaint(), said);
    let culprit = Culprit::Catalog("olm/one".parse().expect("the name must parse"));
    assert_eq!(blamed(&world)[0].0, culprit);
    let needy = super::world(&format!("{text}; b: 1.0.0 requires a >=1.0.0")).subscribed("b");
    assert_eq!(needy.complaint(), said);
    let unused = super::world(&format!("{text}; b: 1.0.0")).subscribed("b");
    assert_eq!(unused.story()[1], "b at b.v1.0.0: Head");
}

/// Portolan's catalog reader accepts this range with a warning, but OLM rejects it.
#[test]
fn range_rejected_by_olm_fails_all_subscriptions() {
    let text = "a: 1.0.0 requires b =1.0.0-next; b: 1.0.0-next";
    let world = world(text).subscribed("a").subscribed("b");
    let sentence = "bundle a.v1.0.0: Could not parse Range \"=1.0.0-next\"";
    assert!(
        world.complaint().starts_with(sentence),
        "{}",
        world.complaint()
    );
}

#[rstest]
#[case::with_an_unknown_field(r#"{"none":1}"#)]
#[case::with_a_range_that_olm_rejects(
    r#"{"package":{"packageName":"b","versionRange":"=1.0.0-next"}}"#
)]
fn invalid_constraint_fails_all_subscriptions(#[case] constraint: &str) {
    let world = world("a: 1.0.0; b: 1.0.0")
        .constraining("a.v1.0.0", constraint)
        .subscribed("a")
        .subscribed("b");
    assert!(
        world
            .complaint()
            .starts_with("bundle a.v1.0.0: parse olm.constraint: ")
    );
    let id = "one/olm/stable/a.v1.0.0";
    let culprit = blamed(&world).remove(0).0;
    assert!(matches!(culprit, Culprit::Bundle(bundle) if bundle.to_string() == id));
}
