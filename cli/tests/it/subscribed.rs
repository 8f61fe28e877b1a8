//! Questions about what is installed in a world.

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
fn everything_that_is_installed_has_a_row() {
    assert_snapshot!(output("upgrades"), @r"
    [stdout]
    NAMESPACE   OPERATOR     INSTALLED           NEXT             CHANNEL   NOTE
    canal       dredger      dredger.v1.0.0      dredger.v1.0.1   stable
    ferries     ferry        ferry.v1.1.0        ferry.v1.3.0     stable    1 out of reach
    harbor      pilot        pilot.v1.0.0        -                stable    not known
    lights      lighthouse   lighthouse.v3.1.0   -                stable
    scrapyard   barge        barge.v5.0.0        -                stable
    tugs        tug          tug.v2.0.0          tug.v2.1.0       stable    1 further

    harbor/pilot: package pilot has no channel stable; it has fast
    [exit 0]
    ");
}

#[test]
fn one_operator_is_told_whole() {
    assert_snapshot!(output("upgrades tug"), @r"
    [stdout]
    UPDATE       VERSION   VIA        CHANNELS   NOTE
    tug.v2.1.0   2.1.0     replaces   stable     recommended

    Further on:
      in 2 hops: tug.v2.2.0
    [exit 0]
    ");
}

#[test]
fn a_path_begins_at_what_is_installed() {
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
#[case::its_namespace_as_well("tug -n tugs")]
#[case::as_tables_print_it("tugs/tug")]
#[case::its_kind("sub/tug")]
#[case::its_package_by_kind("package/tug")]
#[case::its_bundle_by_kind("csv/tug.v2.0.0")]
fn an_operator_has_several_names(#[case] name: &str) {
    assert_eq!(output(&format!("upgrades {name}")), output("upgrades tug"));
}

#[rstest]
#[case::misspelled(
    "upgrades tgu",
    "error: no operator tgu is installed; is it tug?\n[exit 2]"
)]
#[case::elsewhere(
    "path tug -n lights",
    "error: no operator tug is installed in lights; for a package say NAME --from BUNDLE\n[exit 2]"
)]
#[case::nowhere(
    "path tug -n void",
    "error: no operator tug is installed in void; none is\n[exit 2]"
)]
fn a_name_that_is_none_is_taught(#[case] line: &str, #[case] wanted: &str) {
    assert_eq!(output(line), format!("[stderr]\n{wanted}"));
}

#[test]
fn the_channel_that_is_asked_for_counts() {
    let usual = output("upgrades pilot");
    assert!(
        usual.contains("package pilot has no channel stable; it has fast"),
        "{usual}"
    );
    let told = output("upgrades pilot --channel fast");
    assert!(
        told.contains("pilot.v1.1.0") && told.ends_with("[exit 0]"),
        "{told}"
    );
}

#[rstest]
#[case::diagnose("diagnose ferries/ferry", "diagnose -n ferries ferry")]
#[case::diagnose_by_kind("diagnose sub/ferry", "diagnose ferry")]
#[case::health("health ferries/ferry", "health -n ferries ferry")]
#[case::review("review ferries/install-hq7vd", "review -n ferries install-hq7vd")]
#[case::review_by_kind("review ip/install-hq7vd", "review install-hq7vd")]
#[case::path("path ferries/ferry", "path -n ferries ferry")]
fn what_tables_print_can_be_typed(#[case] line: &str, #[case] same: &str) {
    let said = output(line);
    assert_eq!(said, output(same));
    assert!(!said.ends_with("[exit 2]"), "{said}");
}

#[rstest]
#[case::two_namespaces(
    "diagnose ferries/ferry -n tugs",
    "the name says namespace ferries, and -n says tugs: leave one of them out"
)]
#[case::another_kind(
    "upgrades ip/tug",
    "installplan/tug is of a kind that is not asked about here; say sub/NAME or csv/NAME or package/NAME"
)]
#[case::not_of_that_kind(
    "diagnose csv/ferry",
    "no operator is called ferry; `portolan diagnose -o wide` lists all"
)]
fn a_name_that_fits_nothing_is_taught(#[case] line: &str, #[case] wanted: &str) {
    assert_eq!(output(line), format!("[stderr]\nerror: {wanted}\n[exit 2]"));
}

#[test]
fn what_would_help_an_operator_is_a_flag_that_there_is() {
    let blocked = output("path tug --to 9.9.9 --channel stable");
    assert!(blocked.ends_with("[exit 1]"), "{blocked}");
    let all = output("path tug --all-channels");
    assert!(all.ends_with("[exit 0]"), "{all}");
}

/// What a world has installed counts, and a file instead of it where one is given.
#[test]
fn wishes_are_granted_beside_what_is_installed() {
    let told = output("resolve lighthouse -n lights");
    assert_snapshot!(told, @"
    [stdout]
    The best solution: nothing to do.

    WISH         CHOICE              CHANGE   CATALOG   CHANNEL   WHY
    lighthouse   lighthouse.v3.1.0   stays    -         -         nothing better was found
    [exit 0]
    ");
    let nothing = "resolve lighthouse --installed -";
    let told = transcript(
        portolan(nothing)
            .arg("--world")
            .arg(DEMO)
            .stdin(Stdio::null()),
    );
    assert_snapshot!(told, @"
    [stdout]
    The best solution: 1 to install.

    WISH         CHOICE              CHANGE    CATALOG       CHANNEL   WHY
    lighthouse   lighthouse.v3.1.0   install   olm/coastal   stable    head of the default channel
    [exit 0]
    ");
}

#[test]
fn olm_is_asked_about_a_namespace_of_a_world() {
    assert_snapshot!(output("resolve --as-olm -n tugs"), @"
    [stdout]
    OLM does nothing in namespace tugs until the InstallPlans that are there already are carried out, on which all its Subscriptions wait; somebody must approve those of Subscription tug.
    [exit 1]
    ");
    assert_snapshot!(output("resolve --as-olm"), @"
    [stderr]
    error: there are Subscriptions in canal, ferries, harbor, lights, scrapyard, tugs; -n says which is meant
    [exit 2]
    ");
}

/// A script gives each query the same flags.
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
fn every_query_takes_the_same_facts(#[case] query: &str) {
    let more = format!("{query} --catalog coastal/other={FERRY_FOLDER}");
    let exit = |told: String| told.rsplit_once("[exit ").map(|(_, exit)| exit.to_owned());
    assert_eq!(exit(output(&more)), exit(output(query)));
}

/// What is asked goes on to be told, whenever it is something else.
#[rstest]
#[case::upgrades("upgrades", "tugs        tug          tug.v2.0.0", "cluster/tug.yaml")]
#[case::for_programs("upgrades -o json", "\"tugs\"", "cluster/tug.yaml")]
#[case::diagnose("diagnose", "dredger", "cluster/dredger.yaml")]
#[case::review("review", "tugs", "policies/tug.yaml")]
#[case::catalogs("catalog list", "olm/coastal", "catalogsources/olm/coastal/tug.yaml")]
fn a_watch_tells_what_changes(#[case] query: &str, #[case] first: &str, #[case] file: &str) {
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
        assert!(line.is_some(), "it ended before it said {wanted}");
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
fn what_is_read_once_is_not_watched() {
    let told = transcript(&mut portolan(&format!(
        "catalog list --watch --catalog {FERRY}"
    )));
    assert_snapshot!(told, @"
    [stderr]
    error: --catalog alone is read once; --watch follows a cluster, a --world or a --server
    [exit 2]
    ");
}
