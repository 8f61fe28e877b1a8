//! Tests of queries about operators of every installer: Operators, ClusterExtensions and Installs.

use std::fs;
use std::path::Path;

use portolan_kit::TempFolder;
use rstest::rstest;
use serde_json::Value;

use crate::program::{portolan, transcript};
use crate::up::{copy, demo};

/// Returns a world with the catalogs of the sample world, and with operators of every installer
/// except OLM v0.
fn world() -> TempFolder {
    let world = TempFolder::empty();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let catalogs = world.join("catalogsources");
    fs::create_dir(&catalogs).expect("a folder");
    copy(&root.join("../deploy/demo/catalogsources"), &catalogs);
    let operators = root.join("tests/fixtures/installers/operators.yaml");
    fs::copy(operators, world.join("operators.yaml")).expect("a copy");
    world
}

fn output(line: &str) -> String {
    transcript(portolan(line).arg("--world").arg(&*world()))
}

#[test]
fn upgrades_list_operators_of_every_installer() {
    let printed = output("upgrades");
    let rows: Vec<Vec<_>> = printed
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let header = [
        "NAMESPACE",
        "OPERATOR",
        "MANAGER",
        "INSTALLED",
        "NEXT",
        "CHANNEL",
        "NOTE",
    ];
    assert!(rows.contains(&header.to_vec()), "{printed}");
    let has = |words: &[&str]| {
        let mut rows = rows.iter();
        rows.any(|row| words.iter().all(|word| row.contains(word)))
    };
    assert!(
        has(&["crane", "Operator", "crane.v1.0.0", "crane.v1.1.0"]),
        "{printed}"
    );
    // The Operator pins its version, and the catalog contains newer versions.
    assert!(
        has(&["line", "Operator", "ferry.v1.1.0", "allows", "1.1.0,"]),
        "{printed}"
    );
    let extension = ["light", "ClusterExtension", "lighthouse.v3.1.0", "OLM"];
    assert!(has(&extension), "{printed}");
    // Only one package in the catalogs contains the bundle of this operator.
    assert!(
        has(&["fleet", "Install", "tug.v2.0.0", "tug.v2.1.0"]),
        "{printed}"
    );
    assert!(has(&["odd", "Install", "odd.v1.0.0"]), "{printed}");
    assert!(
        printed.contains("Install odd: its package is unknown"),
        "{printed}"
    );
    // No bundle of this Operator is installed, so it is not listed.
    assert!(!has(&["new"]), "{printed}");
}

#[test]
fn upgrades_of_json_name_the_manager_and_allowed_versions() {
    let world = world();
    let mut command = portolan("upgrades -o json");
    let answer = command
        .arg("--world")
        .arg(&*world)
        .output()
        .expect("an answer");
    let answer: Value = serde_json::from_slice(&answer.stdout).expect("JSON");
    let operators = answer["operators"].as_array().expect("a list");
    let rows = operators.iter().map(|it| {
        let text = |field: &str| it[field].as_str().unwrap_or("-").to_owned();
        ["name", "manager", "allowed", "installed", "next"]
            .map(text)
            .join(" ")
    });
    let expected = [
        "crane Operator >=1.0.0 <2.0.0 crane.v1.0.0 crane.v1.1.0",
        "line Operator 1.1.0 ferry.v1.1.0 ",
        "light ClusterExtension - lighthouse.v3.0.0 lighthouse.v3.1.0",
        "fleet Install - tug.v2.0.0 tug.v2.1.0",
        "odd Install - odd.v1.0.0 ",
    ];
    assert_eq!(rows.collect::<Vec<_>>(), expected);
}

#[rstest]
#[case::the_operator("operator/crane")]
#[case::its_name("crane")]
#[case::its_bundle("crane.v1.0.0")]
#[case::its_package("package/crane")]
fn upgrades_of_operator_start_at_its_bundle(#[case] name: &str) {
    let printed = output(&format!("upgrades {name}"));
    assert!(printed.contains("crane.v1.1.0"), "{printed}");
    let note = "Operator crane allows only the versions >=1.0.0 <2.0.0";
    assert!(printed.contains(note), "{printed}");
    assert!(printed.ends_with("[exit 0]"), "{printed}");
}

#[rstest]
#[case::operator("path crane", "crane.v1.0.0   crane.v1.1.0")]
#[case::extension("path light", "lighthouse.v3.0.0   lighthouse.v3.1.0")]
#[case::install("path install/fleet", "tug.v2.0.0   tug.v2.1.0")]
#[case::operator_of_a_namespace("path line -n line --to 1.3.0", "ferry.v1.1.0   ferry.v1.3.0")]
fn path_starts_at_bundle_of_every_installer(#[case] line: &str, #[case] hop: &str) {
    let printed = output(line);
    assert!(printed.contains(hop), "{printed}");
    assert!(printed.ends_with("[exit 0]"), "{printed}");
}

#[rstest]
#[case::operator("crane", "crane.v1.0.0")]
#[case::extension("lighthouse", "lighthouse.v3.0.0")]
#[case::install("tug", "tug.v2.0.0")]
fn route_and_resolve_count_operators_of_every_installer(
    #[case] package: &str,
    #[case] installed: &str,
) {
    let route = output(&format!("route {package} -o json"));
    assert!(route.contains(installed), "{route}");
    let kept = output(&format!("resolve {package}@>=0.0.1 -o json"));
    assert!(kept.contains(installed), "{kept}");
}

#[test]
fn generate_names_the_object_that_manages_the_package() {
    let demo = demo();
    let line = format!("generate ferry --diff --world {}", demo.display());
    let ferry = transcript(&mut portolan(&line));
    let warning = "warning: ClusterServiceVersion ferries/ferry.v1.1.0 already manages package \
     ferry: Operator ferry does nothing; to adopt the installation instead: portolan adopt ferry";
    assert!(ferry.contains(warning), "{ferry}");
    assert!(ferry.ends_with("[exit 1]"), "{ferry}");
    let light = output("generate lighthouse=3.1.0 --diff");
    let warning = "ClusterExtension light already manages package lighthouse: Operator lighthouse does nothing; delete ClusterExtension light first";
    assert!(light.contains(warning), "{light}");
    assert!(light.ends_with("[exit 1]"), "{light}");
    let allowed = output("generate lighthouse=3.1.0 --diff --allow-warnings");
    assert!(allowed.ends_with("[exit 0]"), "{allowed}");
}

#[test]
fn generate_prints_no_warning_for_operators_without_another_installer() {
    let printed = output("generate buoy --diff");
    assert!(!printed.contains("manages package"), "{printed}");
}

#[test]
fn explain_leaves_package_of_a_cluster_extension_unchanged() {
    let world = world();
    let operator = "apiVersion: operators.operatorframework.io/v1alpha1\nkind: Operator\n\
                    metadata: {name: lighthouse}\nspec: {packageName: lighthouse, version: 3.1.0}\n";
    fs::write(world.join("lighthouse.yaml"), operator).expect("a file");
    let line = "explain operator/lighthouse";
    let printed = transcript(portolan(line).arg("--world").arg(&*world));
    let reason = "Installing: False InstalledByClusterExtension - ClusterExtension light already \
                  installs the package; the Operator installs nothing while this object exists";
    assert!(printed.contains(reason), "{printed}");
    let rows: Vec<_> = printed.lines().collect();
    let row = rows.iter().find(|row| row.starts_with("lighthouse "));
    assert!(row.is_some_and(|row| row.ends_with(" 0")), "{printed}");
    assert!(printed.ends_with("[exit 1]"), "{printed}");
}

#[test]
fn installed_counts_operators_whose_namespaces_are_unknown() {
    let world = world();
    let csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n\
               metadata: {name: tug.v1.0.0, namespace: tugs}\nspec: {version: 1.0.0}\n";
    fs::write(world.join("tug.yaml"), csv).expect("a file");
    let printed = transcript(portolan("installed").arg("--world").arg(&*world));
    let note = "Not listed: the operators of 1 ClusterExtension and 2 Installs, because their watched namespaces are unknown. `portolan health` lists the operators of all installers.";
    assert!(printed.contains(note), "{printed}");
}
