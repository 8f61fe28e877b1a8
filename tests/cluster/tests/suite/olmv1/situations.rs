//! Tests the problems that stop OLM v1 from an installation or an upgrade, and their fixes.

use portolan_kit::{Catalog, catalog};
use portolan_rig::Failure;
use serde_json::{Value, json};

use super::stage::{DOCKS, INSTALLER, Stage, named, stage};

/// The ClusterExtensions: the name, the ServiceAccount, the package, and further fields of the
/// catalog source.
const EXTENSIONS: [(&str, &str, &str, &str); 12] = [
    ("kube", INSTALLER, "kube", "{}"),
    ("old", INSTALLER, "old", "{}"),
    ("typo", INSTALLER, "kubee", "{}"),
    ("seven", INSTALLER, "seven", r#"{"version": "7.x"}"#),
    ("orphan", "missing", "orphan", "{}"),
    ("weak", "powerless", "weak", "{}"),
    ("needs", INSTALLER, "needs", "{}"),
    ("own", INSTALLER, "own", "{}"),
    ("lost", INSTALLER, "lost", "{}"),
    ("gone", INSTALLER, "gone", "{}"),
    ("ferry", INSTALLER, "ferry", r#"{"version": "1.0.0"}"#),
    ("any", INSTALLER, "any", r#"{"selector": {}}"#),
];

/// The expected diagnosis of each object before a fix, and a part of its message.
const VERDICTS: [(&str, &str, &str); 13] = [
    ("kube", "WELL", ""),
    ("old", "WELL", ""),
    (
        "typo",
        "STUCK PackageMissing ClusterExtension typo",
        "ClusterCatalog harbor has no package kubee. OLM v1 retries, and continues by itself once a \
         catalog has such a bundle.",
    ),
    (
        "seven",
        "STUCK PackageMissing ClusterExtension seven",
        "ClusterCatalog harbor has no bundle of package seven with version \"7.x\".",
    ),
    (
        "orphan",
        "STUCK ReferenceMissing ServiceAccount docks/missing",
        "OLM v1 installs the bundle as ServiceAccount docks/missing, which does not exist. OLM v1 \
         retries, and continues by itself once it exists.",
    ),
    (
        "weak",
        "STUCK PermissionMissing ServiceAccount docks/powerless",
        "which has too few permissions. OLM v1 retries, and continues by itself once it has the \
         permissions.",
    ),
    (
        "needs",
        "STUCK DependencyMissing Bundle needs.v1.0.0",
        "OLM v1 does not install bundles that declare dependencies. OLM v1 retries, but no retry can \
         succeed with this bundle.",
    ),
    (
        "own",
        "STUCK InstallModeUnsupported Bundle own.v1.0.0",
        "OLM v1 installs operators for all namespaces, which this bundle does not support.",
    ),
    (
        "lost",
        "STUCK ImagePullFailing Bundle lost.v1.0.0",
        "OLM v1 retries, and continues by itself once the image can be pulled.",
    ),
    (
        "gone",
        "STUCK BundleNotInstallable Bundle gone.v1.0.0",
        "The cluster does not serve a kind of the bundle.",
    ),
    (
        "ferry",
        "STUCK CrdUpgradeUnsafe Bundle ferry.v2.0.0",
        "Custom resources that use the removed or changed fields could lose data or become invalid.",
    ),
    (
        "twin",
        "STUCK ObjectNotOwned CustomResourceDefinition ferrys.ferry.example.test",
        "The object belongs to another installation",
    ),
    (
        "any",
        "STUCK AmbiguousCatalog ClusterExtension any",
        "OLM v1 chooses no catalog if several catalogs of the highest priority have the package.",
    ),
];

/// Most problems exist at the same time, because OLM v1 handles each ClusterExtension separately.
/// Only a broken catalog affects all of them.
#[tokio::test]
async fn each_situation_is_explained_and_its_fix_works() -> Result<(), Failure> {
    let Some(stage) = stage().await? else {
        return Ok(());
    };
    stage.docks().await?;
    stage.serve("harbor", offered(), &["lost.v1.0.0"]).await?;
    stage
        .serve("copy", catalog("any: 1.0.0").installable(), &[])
        .await?;
    weak_account(&stage).await?;
    for (name, account, package, more) in EXTENSIONS {
        let more: Value = serde_json::from_str(more).map_err(Failure::read("fields"))?;
        stage.extension(name, account, package, more).await?;
    }
    let installed = [("ClusterExtension ferry", "WELL")];
    stage.until_diagnosed(&installed).await?;
    stage
        .extension("twin", INSTALLER, "twin", json!({}))
        .await?;
    stage
        .kubectl(&[
            "patch",
            "clusterextension",
            "ferry",
            "--type=merge",
            "-p",
            NEWER,
        ])
        .await?;
    explained(&stage).await?;
    fixed(&stage).await?;
    broken_catalog_blocks_extensions(&stage).await?;
    deleted_catalog_affects_no_operator(&stage).await
}

const NEWER: &str = r#"{"spec": {"source": {"catalog": {"version": ">=1.0.0"}}}}"#;

/// Returns the content of the catalog `harbor`.
fn offered() -> Catalog {
    let text = r#"
        kube: 1.0.0
        old: 1.0.0 deprecated "use kube"
        seven: 1.0.0
        orphan: 1.0.0
        weak: 1.0.0
        needs: 1.0.0 requires kube >=1.0.0
        lost: 1.0.0
        gone: 1.0.0
        ferry: 1.0.0 -> 2.0.0
        twin: 1.0.0 provides ferry.example.test/v1/Ferry
        any: 1.0.0
    "#;
    let mut all = catalog(text).installable();
    let own = catalog("own: 1.0.0").installable();
    all.packages
        .extend(own.with_install_modes(&["OwnNamespace"]).packages);
    for package in &mut all.packages {
        for bundle in &mut package.bundles {
            let objects = &mut bundle.objects;
            match bundle.name.as_str() {
                "ferry.v1.0.0" => objects
                    .iter_mut()
                    .for_each(|it| schema(it, &["berth", "seats"])),
                "ferry.v2.0.0" => objects.iter_mut().for_each(|it| schema(it, &["seats"])),
                "gone.v1.0.0" => objects.push(json!({
                    "apiVersion": "policy/v1beta1", "kind": "PodDisruptionBudget",
                    "metadata": {"name": "gone"}, "spec": {"maxUnavailable": 1},
                })),
                _ => {}
            }
        }
    }
    all
}

/// Sets the fields of the spec in the schema of a CRD.
pub(super) fn schema(object: &mut Value, fields: &[&str]) {
    if object["kind"] != "CustomResourceDefinition" {
        return;
    }
    let fields = fields
        .iter()
        .map(|it| ((*it).to_owned(), json!({"type": "string"})));
    let fields: serde_json::Map<_, _> = fields.collect();
    let spec = json!({"type": "object", "properties": fields});
    object["spec"]["versions"][0]["schema"]["openAPIV3Schema"] =
        json!({"type": "object", "properties": {"spec": spec}});
}

async fn weak_account(stage: &Stage) -> Result<(), Failure> {
    stage
        .kubectl(&["create", "serviceaccount", "powerless", "-n", DOCKS])
        .await
}

/// Each problem has its own cause, object at fault and commands.
async fn explained(stage: &Stage) -> Result<(), Failure> {
    let objects = VERDICTS.map(|(name, ..)| format!("ClusterExtension {name}"));
    let verdicts = objects
        .iter()
        .zip(VERDICTS)
        .map(|(object, it)| (object.as_str(), it.1));
    let all = stage.until_diagnosed(&verdicts.collect::<Vec<_>>()).await?;
    for (object, (_, _, part)) in objects.iter().zip(VERDICTS) {
        let diagnosis = named(&all, object).expect("a diagnosis");
        let message = diagnosis["cause"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(part), "{object}: {message}");
    }
    let old = named(&all, "ClusterExtension old").expect("a diagnosis");
    assert_eq!(
        old["headline"],
        "old.v1.0.0 runs. Note: the bundle is deprecated: use kube."
    );
    let health = stage.portolan(&["health", "-o", "wide"]).await?;
    for (name, verdict) in [
        ("kube", "Yes"),
        ("typo", "No"),
        ("orphan", "NotYet"),
        ("ferry", "NotYet"),
    ] {
        let mut lines = health.lines();
        let words = |line: &str| {
            line.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let line = lines.find(|it| words(it).get(1).is_some_and(|it| it == name));
        let line = line.unwrap_or_default();
        assert!(words(line).iter().any(|it| it == verdict), "{name}: {line}");
    }
    Ok(())
}

/// The printed commands fix the ClusterExtensions.
async fn fixed(stage: &Stage) -> Result<(), Failure> {
    let all = stage.until_diagnosed(&[]).await?;
    let remedy = |name: &str| {
        let object = format!("ClusterExtension {name}");
        named(&all, &object).expect("a diagnosis")["cause"]["remedy"].clone()
    };
    for name in ["seven", "weak", "ferry", "twin", "any"] {
        stage.follow(&remedy(name)["decide"][0]).await?;
    }
    stage.follow(&remedy("weak")["later"][0]).await?;
    stage.follow(&remedy("orphan")["fix"]).await?;
    stage.follow(&remedy("orphan")["later"][0]).await?;
    let weak = "STUCK PermissionMissing ServiceAccount docks/missing";
    let well = ["seven", "weak", "ferry", "any"].map(|it| format!("ClusterExtension {it}"));
    let well = well.iter().map(|it| (it.as_str(), "WELL"));
    let expected = well.chain([("ClusterExtension orphan", weak)]);
    let all = stage.until_diagnosed(&expected.collect::<Vec<_>>()).await?;
    assert_eq!(named(&all, "ClusterExtension twin"), None);
    let ferry = named(&all, "ClusterExtension ferry").expect("a diagnosis");
    assert_eq!(ferry["headline"], "ferry.v2.0.0 runs.");
    Ok(())
}

/// If a catalog cannot be pulled, it blocks each ClusterExtension that may use this catalog.
async fn broken_catalog_blocks_extensions(stage: &Stage) -> Result<(), Failure> {
    let registry = stage.cluster.registry().unwrap_or_default();
    stage
        .catalog("broken", &format!("{registry}/broken:v1"))
        .await?;
    stage
        .extension("all", INSTALLER, "seven", json!({"selector": null}))
        .await?;
    let blamed = "STUCK CatalogNotServed ClusterCatalog broken";
    let expected = [
        ("ClusterExtension all", blamed),
        ("ClusterCatalog broken", blamed),
        ("ClusterExtension kube", "WELL"),
    ];
    let all = stage.until_diagnosed(&expected).await?;
    let broken = named(&all, "ClusterCatalog broken").expect("a diagnosis");
    let victims = broken["victims"].to_string();
    assert!(victims.contains("\"all\""), "{victims}");
    stage
        .follow(&broken["cause"]["remedy"]["decide"][0])
        .await?;
    let owned = "STUCK ObjectNotOwned ServiceAccount docks/seven";
    let all = stage
        .until_diagnosed(&[("ClusterExtension all", owned)])
        .await?;
    let second = named(&all, "ClusterExtension all").expect("a diagnosis");
    let message = second["cause"]["message"].as_str().unwrap_or_default();
    let rival = "ClusterExtension seven installs the same package, and owns the object.";
    assert!(message.contains(rival), "{message}");
    Ok(())
}

/// An installed operator without its catalog only gets no upgrades.
async fn deleted_catalog_affects_no_operator(stage: &Stage) -> Result<(), Failure> {
    stage
        .kubectl(&["delete", "clustercatalog", "harbor"])
        .await?;
    let object = "ClusterExtension kube";
    let missing = "STUCK PackageMissing ClusterExtension kube";
    let all = stage.until_diagnosed(&[(object, missing)]).await?;
    let kube = named(&all, object).expect("a diagnosis");
    let headline = kube["headline"].as_str().unwrap_or_default();
    assert!(
        headline.starts_with("kube.v1.0.0 keeps running."),
        "{headline}"
    );
    let message = kube["cause"]["message"].as_str().unwrap_or_default();
    let means = "OLM v1 does not upgrade kube.v1.0.0. No available ClusterCatalog matches spec.source.catalog.selector.";
    assert!(message.contains(means), "{message}");
    Ok(())
}
