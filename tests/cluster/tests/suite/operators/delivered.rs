//! Tests Operators as delivered: with only the permissions of the overlay, and with bundles from a
//! registry.

use std::fs;
use std::process::Command;

use portolan_kit::TempFolder;
use portolan_kit::oci::{Image, push};
use portolan_rig::{Failure, World};
use serde_json::{Value, json};

use super::stage::{Harbor, Version, delivered, spec_at, version};
use crate::images::registry::{Registry, Store};
use crate::operatorpolicy::fleet::kubeconfig_flag;
use crate::own_cluster;
use crate::program::{output, portolan};

const CONTROLLER: &str = "system:serviceaccount:portolan:portolan-controller";
const PAGES: [&str; 2] = [
    include_str!("../../../../../docs/install-plans.md"),
    include_str!("../../../../../docs/operator.md"),
];

const WEEKENDS: &str = "
apiVersion: operators.operatorframework.io/v1alpha1
kind: Policy
metadata: {name: weekends}
spec:
  schedule: [{start: '1 0 * * 6', end: '59 23 * * 0'}]
---
apiVersion: operators.operatorframework.io/v1alpha1
kind: PolicyBinding
metadata: {name: weekends}
spec:
  subjects: [{kind: operator, name: ferry}]
  policyRef: [{kind: policy, name: weekends}]
";

#[tokio::test]
async fn permissions_of_the_overlay_are_sufficient() -> Result<(), Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(());
    };
    let store = Store::empty();
    let registry = store.serve("").await?;
    let host = registry.host().to_owned();
    let all = [
        version("ferry", "1.0.0"),
        version("ferry", "1.1.0"),
        version("ferry", "1.2.0"),
        version("ferry", "1.3.0"),
        version("rope", "1.0.0"),
    ];
    let world = World::on(cluster, "operators-delivered").await?;
    let harbor = delivered(world, &all, &host).await?;
    for Version {
        package, version, ..
    } in &all
    {
        let image = image(&harbor, package, version)?;
        push(&host, package, version, &image).await;
    }
    harbor.operator("ferry", spec_at("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    let bundle = harbor.status("ferry").await?["bundle"].clone();
    let image = bundle["image"].as_str().unwrap_or_default();
    let begin = format!("{host}/ferry@sha256:");
    assert!(image.starts_with(&begin), "{bundle}");

    let (store, registry) = without_registry(&harbor, (store, registry)).await?;
    let registry = between_hops(&harbor, (store, registry)).await?;
    is_installed_as_service_account(&harbor).await?;
    policy_statuses_are_written(&harbor).await?;
    drop(registry);
    assert_no_forbidden_requests(&harbor)
}

/// The controller writes the statuses of a Policy and of a PolicyBinding.
async fn policy_statuses_are_written(harbor: &Harbor) -> Result<(), Failure> {
    harbor.apply(WEEKENDS).await?;
    for object in ["upgradepolicy/weekends", "upgradepolicybinding/weekends"] {
        let accepted = "--for=condition=Accepted";
        let wait = ["wait", accepted, object, "--timeout=180s"];
        harbor.kubectl(&wait).await?;
    }
    Ok(())
}

/// No installation starts while the registry is unavailable. When the registry is available again,
/// the installation continues automatically.
async fn without_registry(
    harbor: &Harbor,
    (store, registry): (Store, Registry),
) -> Result<(Store, Registry), Failure> {
    let host = registry.host().to_owned();
    drop(registry);
    harbor.operator("ferry", spec_at("1.1.0")).await?;
    let message = harbor
        .until("ferry", ["Installing", "False", "BundleNotInstallable"])
        .await?;
    assert!(message.starts_with("ferry.v1.1.0: "), "{message}");
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.0.0"));
    let registry = store.serve_at(&host, "").await?;
    harbor.until_installed("ferry", "1.1.0").await?;
    Ok((store, registry))
}

/// The registry becomes unavailable between two hops. The second hop waits for the registry, and
/// the version of the first hop keeps running.
async fn between_hops(
    harbor: &Harbor,
    (store, registry): (Store, Registry),
) -> Result<(Store, Registry), Failure> {
    let host = registry.host().to_owned();
    let mut spec = spec_at("1.3.0");
    spec["settleSeconds"] = json!(4);
    harbor.operator("ferry", spec).await?;
    harbor.until_installed("ferry", "1.2.0").await?;
    drop(registry);
    let message = harbor
        .until("ferry", ["Installing", "False", "BundleNotInstallable"])
        .await?;
    assert!(message.starts_with("ferry.v1.3.0: "), "{message}");
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.2.0"));
    let dumps = TempFolder::empty();
    let without = dumps.join("without").display().to_string();
    let (exit, message) = dump(harbor, &places(harbor, &host), &without).await?;
    assert_eq!(exit, Some(3), "{message}");
    for bundle in ["ferry.v1.2.0", "ferry.v1.3.0"] {
        let missing = format!("bundle {bundle} was not saved: ");
        assert!(message.contains(&missing), "{message}");
    }
    dump_gives_the_same_answers(harbor, &store, &host).await?;
    let registry = store.serve_at(&host, "").await?;
    harbor.until_installed("ferry", "1.3.0").await?;

    let whole = dumps.join("whole").display().to_string();
    let (exit, message) = dump(harbor, &places(harbor, &host), &whole).await?;
    assert_eq!(exit, Some(0), "{message}");
    let asked = ["bundle", "render", "ferry", "ferry.v1.3.0"];
    let from = places(harbor, &host);
    let live = answer(&asked, &from).await?;
    drop(registry);
    // No registry is needed for a query of a dump.
    let dumped = answer(&asked, &[format!("--world={whole}")]).await?;
    assert_eq!(live.0, Some(0), "{live:?}");
    assert_eq!(live, dumped);
    let registry = store.serve_at(&host, "").await?;
    Ok((store, registry))
}

/// Between two hops of an Operator, a dump contains the bundles of both hops. This test reads them
/// from a mirror. All commands give the same results with the dump and without a registry as with
/// the cluster and a registry.
async fn dump_gives_the_same_answers(
    harbor: &Harbor,
    store: &Store,
    host: &str,
) -> Result<(), Failure> {
    let mirror = store.serve("").await?;
    let mut from = places(harbor, mirror.host()).to_vec();
    from.push(format!("--mirror={host}={}", mirror.host()));
    let dumps = TempFolder::empty();
    let held = dumps.join("held").display().to_string();
    let (exit, message) = dump(harbor, &from, &held).await?;
    assert_eq!(exit, Some(0), "{message}");
    let asked = [
        &["bundle", "diff", "ferry", "ferry.v1.2.0", "ferry.v1.3.0"][..],
        &["bundle", "render", "ferry", "ferry.v1.2.0"],
        &["bundle", "render", "ferry", "ferry.v1.3.0"],
    ];
    let mut live = Vec::new();
    for words in asked {
        live.push(answer(words, &from).await?);
    }
    drop(mirror);
    for (words, live) in asked.into_iter().zip(live) {
        assert_eq!(live.0, Some(0), "{live:?}");
        assert_eq!(answer(words, &[format!("--world={held}")]).await?, live);
    }
    Ok(())
}

/// Returns the flags with the catalog and the sources of its bundles.
fn places(harbor: &Harbor, host: &str) -> [String; 3] {
    let catalog = harbor.catalog_folder();
    [
        format!("--catalog=demo={}", catalog.display()),
        format!("--registries={host}"),
        format!("--plain-http={host}"),
    ]
}

/// Writes a dump with bundles. Returns the exit code and the output.
async fn dump(
    harbor: &Harbor,
    flags: &[String],
    to: &str,
) -> Result<(Option<i32>, String), Failure> {
    let kubeconfig = kubeconfig_flag(&harbor.world().cluster().kubeconfig());
    let words = ["dump", to, "--with-bundles", &kubeconfig];
    answer(&words, flags).await
}

/// Runs `portolan`. Returns the exit code and the output.
async fn answer(words: &[&str], flags: &[String]) -> Result<(Option<i32>, String), Failure> {
    let mut command = Command::new(portolan().await?);
    command.args(words).args(flags);
    let typed = output(command).await?;
    let message = [typed.stdout, typed.stderr].concat();
    let message = String::from_utf8_lossy(&message).into_owned();
    Ok((typed.status.code(), message))
}

/// An Operator that names a ServiceAccount is installed with the permissions of that account.
/// First, an administrator runs the commands of the docs pages.
async fn is_installed_as_service_account(harbor: &Harbor) -> Result<(), Failure> {
    let account = json!({"namespace": "harbor", "name": "deployer"});
    let mut spec: Value = spec_at("1.0.0");
    spec["serviceAccount"] = account;
    harbor.kubectl(&["create", "namespace", "harbor"]).await?;
    for begin in [
        "kubectl label namespace harbor plans",
        "kubectl -n harbor create rolebinding portolan-plans",
        "kubectl -n harbor create rolebinding portolan-operators",
    ] {
        let command = command(begin);
        let words: Vec<_> = command.split_whitespace().skip(1).collect();
        harbor.kubectl(&words).await?;
    }
    for words in [
        "-n harbor create serviceaccount deployer",
        "create clusterrolebinding deployer --clusterrole=cluster-admin \
         --serviceaccount=harbor:deployer",
    ] {
        let words: Vec<_> = words.split_whitespace().collect();
        harbor.kubectl(&words).await?;
    }
    harbor.operator("rope", spec).await?;
    harbor.until_installed("rope", "1.0.0").await?;
    let plan = harbor.status("rope").await?["plan"].clone();
    let place = [&plan["namespace"], &plan["name"]];
    assert_eq!(place, ["harbor", "rope-1"]);
    harbor.delete("rope").await?;
    harbor.until_gone("rope").await
}

/// Returns the command of the docs pages that begins with this text.
fn command(begin: &str) -> String {
    let pages = PAGES.map(|page| page.replace("\\\n", " "));
    let mut lines = pages.iter().flat_map(|page| page.lines());
    let line = lines.find(|line| line.starts_with(begin));
    line.unwrap_or_else(|| panic!("no page has {begin:?}"))
        .to_owned()
}

/// Asserts that no request of the controller was forbidden.
fn assert_no_forbidden_requests(harbor: &Harbor) -> Result<(), Failure> {
    let asked = harbor.world().cluster().audit()?.by(CONTROLLER);
    assert!(!asked.is_empty());
    let forbidden = asked.only(|record| record.code == 403);
    assert!(forbidden.is_empty(), "{:#?}", forbidden.records());
    Ok(())
}

/// Returns a bundle image.
fn image(harbor: &Harbor, package: &str, version: &str) -> Result<Image, Failure> {
    let bundle = harbor.bundle(package, version);
    let names = ["manifests/csv.yaml", "metadata/annotations.yaml"];
    let texts = names.map(|name| fs::read_to_string(bundle.join(name)));
    let [csv, annotations] = texts.map(|text| text.map_err(Failure::touch("read a bundle")));
    let (csv, annotations) = (csv?, annotations?);
    Ok(Image::of(&[&[(names[0], &csv), (names[1], &annotations)]]))
}
