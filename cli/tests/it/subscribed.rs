//! Tests of queries about the installed operators in a world.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use insta::assert_snapshot;
use rstest::rstest;

use crate::program::{FERRY, portolan, transcript};
use crate::up::demo;

const FERRY_FOLDER: &str = "tests/fixtures/catalogs/ferry";
const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/demo");

fn output(line: &str) -> String {
    transcript(portolan(line).arg("--world").arg(DEMO))
}

#[test]
fn lists_every_installed_operator() {
    assert_snapshot!(output("upgrades"), @r"
    [stdout]
    NAMESPACE   OPERATOR     INSTALLED           NEXT             CHANNEL   NOTE
    canal       dredger      dredger.v1.0.0      dredger.v1.0.1   stable
    ferries     ferry        ferry.v1.1.0        ferry.v1.3.0     stable    1 unreachable
    harbor      pilot        pilot.v1.0.0        -                stable    unknown
    lights      lighthouse   lighthouse.v3.1.0   -                stable
    scrapyard   barge        barge.v5.0.0        -                stable
    tugs        tug          tug.v2.0.0          tug.v2.1.0       stable    1 further

    harbor/pilot: package pilot has no channel stable; it has fast
    [exit 0]
    ");
}

#[test]
fn json_names_policies_of_operators() {
    let printed = output("upgrades -n ferries -o json");
    assert!(printed.contains("\"policies/ferry\""), "{printed}");
}

#[test]
fn shows_all_updates_of_operator() {
    assert_snapshot!(output("upgrades tug"), @r"
    [stdout]
    UPDATE       VERSION   VIA        CHANNELS   NOTE
    tug.v2.1.0   2.1.0     replaces   stable     recommended

    Reachable in several hops:
      in 2 hops: tug.v2.2.0
    [exit 0]
    ");
}

#[test]
fn path_starts_at_installed_bundle() {
    assert_snapshot!(output("path tug --to head"), @r"
    [stdout]
    FROM         TO           VERSION   VIA        CHANNELS   NOTE
    tug.v2.0.0   tug.v2.1.0   2.1.0     replaces   stable
    tug.v2.1.0   tug.v2.2.0   2.2.0     replaces   stable
    [exit 0]
    ");
}

#[rstest]
#[case::its_package("tug")]
#[case::its_bundle("tug.v2.0.0")]
#[case::with_its_namespace("tug -n tugs")]
#[case::in_the_form_of_tables("tugs/tug")]
#[case::its_kind("sub/tug")]
#[case::its_package_by_kind("package/tug")]
#[case::its_bundle_by_kind("csv/tug.v2.0.0")]
fn accepts_each_name_of_operator(#[case] name: &str) {
    assert_eq!(output(&format!("upgrades {name}")), output("upgrades tug"));
}

#[rstest]
#[case::misspelled(
    "upgrades tgu",
    "error: no operator tgu is installed; did you mean tug?\n[exit 2]"
)]
#[case::elsewhere(
    "path tug -n lights",
    "error: no operator tug is installed in lights; for a package, use NAME --from BUNDLE\n[exit 2]"
)]
#[case::nowhere(
    "path tug -n void",
    "error: no operator tug is installed in void; none is\n[exit 2]"
)]
fn rejects_unknown_operator(#[case] line: &str, #[case] wanted: &str) {
    assert_eq!(output(line), format!("[stderr]\n{wanted}"));
}

#[test]
fn channel_flag_overrides_subscription() {
    let usual = output("upgrades pilot");
    assert!(
        usual.contains("package pilot has no channel stable; it has fast"),
        "{usual}"
    );
    let printed = output("upgrades pilot --channel fast");
    assert!(
        printed.contains("pilot.v1.1.0") && printed.ends_with("[exit 0]"),
        "{printed}"
    );
}

#[rstest]
#[case::diagnose("diagnose ferries/ferry", "diagnose -n ferries ferry")]
#[case::diagnose_by_kind("diagnose sub/ferry", "diagnose sub/ferry -n ferries")]
#[case::health("health ferries/ferry", "health -n ferries ferry")]
#[case::review("review ferries/install-hq7vd", "review -n ferries install-hq7vd")]
#[case::review_by_kind("review ip/install-hq7vd", "review install-hq7vd")]
#[case::path("path ferries/ferry", "path -n ferries ferry")]
fn accepts_names_in_the_form_of_tables(#[case] line: &str, #[case] same: &str) {
    let printed = output(line);
    assert_eq!(printed, output(same));
    assert!(!printed.ends_with("[exit 2]"), "{printed}");
}

#[rstest]
#[case::two_namespaces(
    "diagnose ferries/ferry -n tugs",
    "the name contains namespace ferries, but -n is tugs; omit one of the two"
)]
#[case::another_kind(
    "upgrades ip/tug",
    "this command does not support the kind of installplan/tug; use sub/NAME or csv/NAME or package/NAME or operator/NAME or extension/NAME or install/NAME or plan/NAME"
)]
#[case::wrong_kind(
    "diagnose csv/ferry",
    "there is no ClusterServiceVersion ferry in any namespace"
)]
fn rejects_unusable_names(#[case] line: &str, #[case] wanted: &str) {
    assert_eq!(output(line), format!("[stderr]\nerror: {wanted}\n[exit 2]"));
}

#[test]
fn path_accepts_channel_flags_for_operator() {
    let blocked = output("path tug --to 9.9.9 --channel stable");
    assert!(blocked.ends_with("[exit 1]"), "{blocked}");
    let all = output("path tug --all-channels");
    assert!(all.ends_with("[exit 0]"), "{all}");
}

/// The installed bundles come from the world, or from a file if the user specifies one.
#[test]
fn resolves_together_with_installed_operators() {
    let printed = output("resolve lighthouse -n lights");
    assert_snapshot!(printed, @"
    [stdout]
    The best solution: nothing to do.

    REQUIREMENT   CHOICE              CHANGE   CATALOG   CHANNEL   WHY
    lighthouse    lighthouse.v3.1.0   stays    -         -         no upgrade was found
    [exit 0]
    ");
    let nothing = "resolve lighthouse --installed -";
    let printed = transcript(
        portolan(nothing)
            .arg("--world")
            .arg(DEMO)
            .stdin(Stdio::null()),
    );
    assert_snapshot!(printed, @"
    [stdout]
    The best solution: 1 to install.

    REQUIREMENT   CHOICE              CHANGE    CATALOG       CHANNEL   WHY
    lighthouse    lighthouse.v3.1.0   install   olm/coastal   stable    head of the default channel
    [exit 0]
    ");
}

#[test]
fn simulates_olm_in_namespace_of_world() {
    assert_snapshot!(output("resolve --as-olm -n tugs"), @"
    [stdout]
    OLM does nothing in namespace tugs until the existing InstallPlans are complete, because all Subscriptions wait for the existing InstallPlans. Approve the InstallPlans of Subscription tug.
    [exit 1]
    ");
    assert_snapshot!(output("resolve --as-olm"), @"
    [stderr]
    error: Subscriptions exist in several namespaces: canal, ferries, harbor, lights, scrapyard, tugs; select one namespace with -n
    [exit 2]
    ");
}

/// A script can pass the same flags to all queries.
#[rstest]
#[case::health("health")]
#[case::review("review")]
#[case::diagnose("diagnose")]
#[case::upgrades("upgrades")]
#[case::explain("explain")]
#[case::route("route tug")]
#[case::resolve("resolve tug")]
#[case::packages("packages")]
#[case::catalogs("catalog list -o name")]
fn every_query_accepts_catalog_flag(#[case] query: &str) {
    let more = format!("{query} --catalog coastal/other={FERRY_FOLDER}");
    let exit = |printed: String| {
        printed
            .rsplit_once("[exit ")
            .map(|(_, exit)| exit.to_owned())
    };
    assert_eq!(exit(output(&more)), exit(output(query)));
}

/// `--watch` prints the answer again after each change.
#[rstest]
#[case::upgrades("upgrades", "tugs        tug          tug.v2.0.0", "cluster/tug.yaml")]
#[case::for_programs("upgrades -o json", "\"tugs\"", "cluster/tug.yaml")]
#[case::diagnose("diagnose", "dredger", "cluster/dredger.yaml")]
#[case::review("review", "tugs", "policies/tug.yaml")]
#[case::catalogs("catalog list", "olm/coastal", "catalogsources/olm/coastal/tug.yaml")]
fn watch_prints_changes(#[case] query: &str, #[case] first: &str, #[case] file: &str) {
    let world = demo();
    let mut watch = portolan(&format!("{query} --watch --world"));
    let mut watch = watch
        .arg(&*world)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut lines = BufReader::new(watch.stdout.take().expect("a pipe")).lines();
    let mut until = |wanted: &str| {
        let line = lines
            .by_ref()
            .map_while(Result::ok)
            .find(|line| line.contains(wanted));
        assert!(line.is_some(), "the output ended before {wanted}");
    };
    until(first);
    fs::remove_file(world.join(file)).expect("a file");
    let next = if query.ends_with("json") {
        "{"
    } else {
        "Changed:"
    };
    until(next);
    watch.kill().expect("it runs");
    watch.wait().expect("an end");
}

#[test]
fn rejects_watch_of_catalog_folder() {
    let output = transcript(&mut portolan(&format!(
        "catalog list --watch --catalog {FERRY}"
    )));
    assert_snapshot!(output, @"
    [stderr]
    error: --watch requires a cluster, --world or --server; a catalog of --catalog is read only once
    [exit 2]
    ");
}
