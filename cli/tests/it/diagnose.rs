//! `portolan diagnose`.

use insta::assert_snapshot;
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::Value;

use crate::program::{portolan, run, transcript};
use crate::serving::{ANY_PORT, Resolver as Server, ferry_resolver};

/// An operator that crashes, and one in a namespace without an OperatorGroup.
const HARBOR: &str = "--world tests/fixtures/worlds/harbor";
const CATALOG: &str = "--catalog olm/demo=tests/fixtures/catalogs/ferry";

/// What people read of it, with the exit code.
#[rstest]
#[case::all("all", "")]
#[case::all_that_is_known("wide", "-o wide")]
#[case::one_namespace("namespace", "-n quay")]
#[case::one_operator("operator", "ferry")]
#[case::one_version("version", "-n harbor ferry.v1.2.0")]
#[case::for_a_ticket("markdown", "-o markdown")]
#[case::nothing_there("nothing", "-n nowhere")]
#[case::a_name_that_is_nearly_one("nearly", "ferri")]
fn operators_are_diagnosed(#[case] name: &str, #[case] line: &str) {
    let line = format!("diagnose {HARBOR} {CATALOG} {line}");
    assert_snapshot!(name, transcript(&mut portolan(&line)));
}

/// Without its catalog nobody knows whether the operator is at a dead end.
#[test]
fn what_could_not_be_looked_at_is_never_well() {
    let world = "tests/fixtures/worlds/recorded/install-late/world";
    assert_snapshot!(transcript(&mut portolan(&format!("diagnose --world {world}"))), @r#"
    [stderr]
    warning: no trouble is seen in 1 operator, but not all is known: What CatalogSource deadline-0/fleet offers cannot be seen: its content is not available; --catalog deadline-0/fleet=PLACE gives it (-o wide shows all)
    [exit 0]
    "#);
}

/// What OLM made of troubles when its own clock ran out, as it was recorded, and in which namespace:
/// `cargo run -p portolan-cluster --example record` records it again.
#[rstest]
#[case::an_install_that_takes_too_long("install-timeout", "deadline-0")]
#[case::an_install_that_took_too_long_and_is_well("install-late", "deadline-0")]
#[case::a_bundle_that_cannot_be_unpacked("unpack-timeout", "unpacking-1")]
#[case::a_definition_that_went_away("requirement-gone", "requirement-2")]
fn what_olm_gives_up_after_a_while_is_diagnosed(#[case] name: &str, #[case] namespace: &str) {
    let recorded = format!("tests/fixtures/worlds/recorded/{name}");
    let catalog = format!("{namespace}/fleet={recorded}/catalog");
    let line = format!("diagnose --world {recorded}/world --catalog {catalog} -o wide");
    assert_snapshot!(name, transcript(&mut portolan(&line)));
}

/// What a catalog offers does not bear on what crashes, and does on what may be well.
#[test]
fn what_is_not_known_is_said_where_it_bears_on_the_answer() {
    let crashes = transcript(&mut portolan(&format!("diagnose {HARBOR} -n harbor")));
    assert!(!crashes.contains("Not known"), "{crashes}");
    let world = "tests/fixtures/worlds/recorded/install-late/world";
    let well = transcript(&mut portolan(&format!("diagnose --world {world} -o wide")));
    let way = "Not known: What CatalogSource deadline-0/fleet offers cannot be seen";
    assert!(well.contains(way), "{well}");
}

#[test]
fn programs_get_all_diagnoses() {
    let line = format!("diagnose {HARBOR} {CATALOG} -o json");
    let output = run(&mut portolan(&line));
    assert_eq!(output.status.code(), Some(1));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let diagnoses = answer["diagnoses"].as_array().expect("a list");
    let told: Vec<_> = diagnoses
        .iter()
        .map(|each| (&each["package"], &each["state"], &each["cause"]["code"]))
        .collect();
    let wanted = [
        ("ferry", "BROKEN", "CrashLooping"),
        ("tug", "STUCK", "OperatorGroupMissing"),
    ];
    let wanted = wanted.map(|(package, state, code)| {
        [package, state, code].map(|text| Value::String(text.to_owned()))
    });
    let wanted: Vec<_> = wanted.iter().map(|[a, b, c]| (a, b, c)).collect();
    assert_eq!(told, wanted);
    let steps = diagnoses[0]["cause"]["steps"].as_array().expect("a list");
    let told: Vec<_> = steps
        .iter()
        .filter_map(|step| step["purpose"].as_str())
        .collect();
    assert_eq!(told, ["LOOK", "ANEW", "CHECK"]);
}

#[rstest]
#[case::a_catalog_without_a_place(&format!("{HARBOR} --catalog olm/demo"), "olm/demo")]
#[case::a_catalog_that_is_not_there(&format!("{HARBOR} --catalog olm/demo=nowhere"), "nowhere")]
#[case::a_server_and_a_catalog("--server http://127.0.0.1:1 --catalog olm/demo=x", "--catalog")]
fn a_slip_of_the_pen_is_refused(#[case] line: &str, #[case] named: &str) {
    let said = transcript(&mut portolan(&format!("diagnose {line}")));
    assert!(said.contains(named), "{said}");
    assert!(said.ends_with("[exit 2]"), "{said}");
}

#[rstest]
#[case::all("")]
#[case::all_that_is_known("-o wide")]
#[case::one_namespace("-n quay -o json")]
#[case::one_operator("ferry -o json")]
#[case::for_a_ticket("-o markdown")]
#[case::a_name_that_is_nearly_one("ferri")]
fn a_server_says_byte_for_byte_what_the_files_do(#[case] line: &str) {
    let facts = format!("{HARBOR} {CATALOG}");
    let server = Server::start(&mut portolan(&format!(
        "diagnose-server {facts} {ANY_PORT}"
    )));
    let asked = format!("diagnose --server {} {line}", server.url());
    let from_server = transcript(&mut portolan(&asked));
    let from_files = transcript(&mut portolan(&format!("diagnose {facts} {line}")));
    assert_same!(from_server, from_files);
}

#[test]
fn a_resolver_is_not_taken_for_a_diagnosis_server() {
    let server = Server::start(&mut ferry_resolver());
    let said = transcript(&mut portolan(&format!(
        "diagnose --server {}",
        server.url()
    )));
    let hint =
        "is it the --listen address of a diagnosis server, and one no older than this program?";
    assert!(said.contains(hint), "{said}");
    assert!(said.ends_with("[exit 3]"), "{said}");
}

/// What cannot be read may hide what is wrong.
#[test]
fn nothing_is_said_to_be_well_beside_what_cannot_be_read() {
    let world = crate::up::demo();
    std::fs::write(world.join("cluster/pilot.yaml"), "kind: [\n").expect("a file");
    for query in ["diagnose -n tugs", "health -n tugs"] {
        let told = transcript(portolan(query).arg("--world").arg(&*world));
        assert!(told.contains("pilot.yaml"), "{told}");
        assert!(!told.contains("Nothing is wrong"), "{told}");
        assert!(told.ends_with("[exit 3]"), "{told}");
    }
    let nothing = transcript(portolan("upgrades --world docs").arg("-n").arg("tugs"));
    assert!(
        nothing.contains("is it the right place (--world)?"),
        "{nothing}"
    );
    assert!(nothing.ends_with("[exit 2]"), "{nothing}");
}

/// Of Portolan, by what its status says: no OLM has to be there.
#[rstest]
#[case::plan_that_is_stuck("plan_stuck", "plan/ferry-2 -n harbor")]
#[case::plan_with_all_that_is_known("plan_stuck_wide", "plan/ferry-2 -o wide")]
#[case::plan_for_programs("plan_stuck_json", "plan/ferry-2 -o json")]
#[case::plan_for_a_ticket("plan_stuck_markdown", "plan/ferry-2 -o markdown")]
#[case::name_of_a_plan("plan_name", "installplan.plans.portolan.dev/ferry-2 -o name")]
#[case::plan_that_is_well("plan_well", "plan/lights")]
#[case::plan_that_rests("plan_resting", "plan/ferry-1")]
#[case::plan_that_nobody_has_looked_at("plan_unseen", "plan/new")]
#[case::plan_that_is_not_there("plan_missing", "plan/ferri-2")]
#[case::all_plans("plans_all", "")]
#[case::all_plans_with_those_that_are_well("plans_all_wide", "-o wide")]
#[case::plans_of_a_namespace("plans_namespace", "-n quay")]
#[case::plan_of_olm("plan_of_olm", "installplan/install-x7k2p")]
#[case::plan_of_a_service("plan_of_a_service", "plan/ferry-2 --server http://localhost:1")]
fn plans_are_diagnosed(#[case] name: &str, #[case] line: &str) {
    let world = if line.contains("--server") {
        ""
    } else {
        "--world tests/fixtures/plans/world"
    };
    assert_snapshot!(
        name,
        transcript(&mut portolan(&format!("diagnose {line} {world}")))
    );
}

/// The same of Operators of Portolan.
#[rstest]
#[case::stuck("operator_stuck", "operator/ferry")]
#[case::with_all_that_is_known("operator_stuck_wide", "operator/ferry -o wide")]
#[case::for_a_ticket("operator_markdown", "operator/rope -o markdown")]
#[case::that_waits("operator_waiting", "operator.operators.operatorframework.io/rope")]
#[case::that_is_well("operator_well", "operator/anchor")]
#[case::that_nobody_has_looked_at("operator_unseen", "operator/new")]
#[case::that_is_not_there("operator_missing", "operator/fery")]
#[case::watched("operator_watched", "operator/ferry --watch")]
#[case::all_of_them("operators_all", "")]
#[case::names_of_all("operators_all_names", "-o name")]
#[case::of_a_namespace("operators_namespace", "-n harbor")]
fn operators_of_portolan_are_diagnosed(#[case] name: &str, #[case] line: &str) {
    let world = "--world tests/fixtures/operators/world";
    assert_snapshot!(
        name,
        transcript(&mut portolan(&format!("diagnose {line} {world}")))
    );
}
