//! Compares the predictions of `portolan explain` with the actions of OLM v1.
//!
//! operator-controller is frozen while the predictions are made. Afterwards, each ClusterExtension
//! must reach the predicted bundle or the predicted error.

use portolan_kit::{Catalog, catalog};
use portolan_rig::{Component, Failure};
use serde_json::{Value, json};

use super::stage::{INSTALLER, Stage, named, stage};

/// A ClusterExtension with fields of its catalog source, and the predicted action. The prediction
/// is the state, and the last bundle of the path or the code of the error.
struct Scenario {
    name: &'static str,
    more: &'static str,
    state: &'static str,
    end: &'static str,
}

const fn scenario(
    name: &'static str,
    more: &'static str,
    state: &'static str,
    end: &'static str,
) -> Scenario {
    Scenario {
        name,
        more,
        state,
        end,
    }
}

/// A selector that selects both catalogs.
const BOTH: &str = r#"{"selector": {"matchExpressions": [
    {"key": "olm.operatorframework.io/metadata.name", "operator": "In", "values": ["harbor", "deluxe"]}]}}"#;
const EQUAL: &str = r#"{"selector": {"matchExpressions": [
    {"key": "olm.operatorframework.io/metadata.name", "operator": "In", "values": ["harbor", "equal"]}]}}"#;
const NONE: &str =
    r#"{"selector": {"matchLabels": {"olm.operatorframework.io/metadata.name": "none"}}}"#;
const FIRST: &str = r#"{"version": "1.0.0"}"#;

/// ClusterExtensions that have nothing installed yet.
const INSTALLATIONS: [Scenario; 22] = [
    scenario("newest", "{}", "Install", "newest.v2.0.0"),
    scenario(
        "range",
        r#"{"version": "<2.0.0"}"#,
        "Install",
        "range.v1.1.0",
    ),
    scenario(
        "exact",
        r#"{"version": "1.0.0"}"#,
        "Install",
        "exact.v1.0.0",
    ),
    scenario("current", "{}", "Install", "current.v1.0.0"),
    scenario("deprecated", "{}", "Install", "deprecated.v1.0.0"),
    scenario("absent", "{}", "Blocked", "PackageMissing"),
    scenario(
        "seven",
        r#"{"version": "7.x"}"#,
        "Blocked",
        "VersionMissing",
    ),
    scenario(
        "channel",
        r#"{"channels": ["fast"]}"#,
        "Blocked",
        "ChannelMissing",
    ),
    scenario("needs", "{}", "Blocked", "DependencyUnsupported"),
    scenario("own", "{}", "Blocked", "InstallModeUnsupported"),
    scenario("nowhere", NONE, "Blocked", "NoCatalog"),
    scenario("ambiguous", EQUAL, "Blocked", "CatalogsAmbiguous"),
    scenario("priority", BOTH, "Install", "priority.v1.0.0"),
    scenario("steps", FIRST, "Install", "steps.v1.0.0"),
    scenario("jump", FIRST, "Install", "jump.v1.0.0"),
    scenario("wide", FIRST, "Install", "wide.v1.0.0"),
    scenario("stay", FIRST, "Install", "stay.v1.0.0"),
    scenario("beyond", FIRST, "Install", "beyond.v1.0.0"),
    scenario("forced", FIRST, "Install", "forced.v1.0.0"),
    scenario("back", r#"{"version": "1.1.0"}"#, "Install", "back.v1.1.0"),
    scenario(
        "refused",
        r#"{"version": "1.1.0"}"#,
        "Install",
        "refused.v1.1.0",
    ),
    scenario("unsafe", FIRST, "Install", "unsafe.v1.0.0"),
];

/// Changes of ClusterExtensions that have an installed bundle.
const CHANGES: [Scenario; 9] = [
    scenario("steps", r#"{"version": null}"#, "Upgrade", "steps.v2.0.0"),
    scenario("jump", r#"{"version": null}"#, "Upgrade", "jump.v2.0.0"),
    scenario("wide", r#"{"version": null}"#, "Upgrade", "wide.v2.0.0"),
    scenario("stay", r#"{"version": null}"#, "Held", "stay.v1.0.0"),
    scenario(
        "beyond",
        r#"{"version": ">=2.0.0"}"#,
        "Blocked",
        "NoUpgrade",
    ),
    scenario(
        "forced",
        r#"{"version": ">=2.0.0", "upgradeConstraintPolicy": "SelfCertified"}"#,
        "Upgrade",
        "forced.v2.0.0",
    ),
    scenario(
        "back",
        r#"{"version": "1.0.0", "upgradeConstraintPolicy": "SelfCertified"}"#,
        "Downgrade",
        "back.v1.0.0",
    ),
    scenario("refused", r#"{"version": "1.0.0"}"#, "Blocked", "NoUpgrade"),
    scenario(
        "unsafe",
        r#"{"version": null}"#,
        "Blocked",
        "CrdUpgradeUnsafe",
    ),
];

/// The codes of predictions, and the codes of the matching diagnoses. A diagnosis depends on
/// messages of OLM v1.
const CODES: [(&str, &str); 9] = [
    ("PackageMissing", "PackageMissing"),
    ("VersionMissing", "PackageMissing"),
    ("ChannelMissing", "PackageMissing"),
    ("NoCatalog", "PackageMissing"),
    ("CatalogsAmbiguous", "AmbiguousCatalog"),
    ("DependencyUnsupported", "DependencyMissing"),
    ("InstallModeUnsupported", "InstallModeUnsupported"),
    ("NoUpgrade", "NoUpgradePath"),
    ("CrdUpgradeUnsafe", "CrdUpgradeUnsafe"),
];

#[tokio::test]
async fn olm_v1_does_what_explain_predicts() -> Result<(), Failure> {
    let Some(stage) = stage().await? else {
        return Ok(());
    };
    stage.docks().await?;
    stage.serve("harbor", offered(), &[]).await?;
    let deluxe = catalog("priority: 1.0.0").installable();
    stage.serve("deluxe", deluxe, &[]).await?;
    let equal = catalog("ambiguous: 1.0.0").installable();
    stage.serve("equal", equal, &[]).await?;
    let patch = r#"{"spec": {"priority": 5}}"#;
    let deluxe = [
        "patch",
        "clustercatalog",
        "deluxe",
        "--type=merge",
        "-p",
        patch,
    ];
    stage.kubectl(&deluxe).await?;
    for name in ["harbor", "deluxe", "equal"] {
        let wait = [
            "wait",
            "clustercatalog",
            name,
            "--for=condition=Serving",
            "--timeout=180s",
        ];
        stage.kubectl(&wait).await?;
    }

    stage.cluster.freeze(Component::OperatorController)?;
    for one in &INSTALLATIONS {
        let more = one.fields();
        stage.extension(one.name, INSTALLER, one.name, more).await?;
    }
    for one in &INSTALLATIONS {
        one.is_predicted(&stage).await?;
    }
    stage.cluster.thaw(Component::OperatorController)?;
    reached(&stage, &INSTALLATIONS).await?;

    stage.cluster.freeze(Component::OperatorController)?;
    for one in &CHANGES {
        let patch = json!({"spec": {"source": {"catalog": one.fields()}}}).to_string();
        let words = [
            "patch",
            "clusterextension",
            one.name,
            "--type=merge",
            "-p",
            &patch,
        ];
        stage.kubectl(&words).await?;
    }
    for one in &CHANGES {
        one.is_predicted(&stage).await?;
    }
    stage.cluster.thaw(Component::OperatorController)?;
    reached(&stage, &CHANGES).await
}

/// Returns the content of the catalog `harbor`. Each package is for one ClusterExtension.
fn offered() -> Catalog {
    let text = r#"
        newest: 1.0.0 -> 1.1.0 -> 2.0.0
        range: 1.0.0 -> 1.1.0 -> 2.0.0
        exact: 1.0.0 -> 1.1.0
        current: 1.0.0 -> 1.1.0 deprecated "use 1.0"
        deprecated: 1.0.0 deprecated "use another"
        seven: 1.0.0
        channel: 1.0.0
        needs: 1.0.0 requires newest >=1.0.0
        nowhere: 1.0.0
        ambiguous: 1.0.0
        priority: 1.0.0 -> 2.0.0
        steps: 1.0.0 -> 1.1.0 -> 2.0.0
        jump: 1.0.0; 1.1.0; 2.0.0 skips 1.0.0, 1.1.0
        wide: 1.0.0; 2.0.0 covers >=1.0.0 <2.0.0
        stay: 1.0.0; 2.0.0
        beyond: 1.0.0 -> 1.1.0 -> 2.0.0
        forced: 1.0.0; 2.0.0
        back: 1.0.0 -> 1.1.0
        refused: 1.0.0 -> 1.1.0
        unsafe: 1.0.0 -> 2.0.0
    "#;
    let mut all = catalog(text).installable();
    let own = catalog("own: 1.0.0").installable();
    all.packages
        .extend(own.with_install_modes(&["OwnNamespace"]).packages);
    for bundle in all.packages.iter_mut().flat_map(|it| &mut it.bundles) {
        let fields: &[&str] = match bundle.name.as_str() {
            "unsafe.v1.0.0" => &["berth", "seats"],
            "unsafe.v2.0.0" => &["seats"],
            _ => continue,
        };
        for object in &mut bundle.objects {
            super::situations::schema(object, fields);
        }
    }
    all
}

/// Waits until each ClusterExtension has reached its predicted state.
async fn reached(stage: &Stage, all: &[Scenario]) -> Result<(), Failure> {
    for one in all.iter().filter(|it| !it.is_blocked()) {
        if one.state == "Held" {
            let seen = r#"--for=jsonpath={.status.conditions[?(@.type=="Progressing")].observedGeneration}=2"#;
            let wait = ["wait", "clusterextension", one.name, seen, "--timeout=300s"];
            stage.kubectl(&wait).await?;
        }
        let bundle = format!("--for=jsonpath={{.status.install.bundle.name}}={}", one.end);
        let wait = [
            "wait",
            "clusterextension",
            one.name,
            &bundle,
            "--timeout=300s",
        ];
        stage.kubectl(&wait).await?;
    }
    let blocked: Vec<_> = all.iter().filter(|it| it.is_blocked()).collect();
    let verdicts: Vec<_> = blocked
        .iter()
        .map(|it| (format!("ClusterExtension {}", it.name), it.code()))
        .collect();
    let expected: Vec<_> = verdicts
        .iter()
        .map(|(object, code)| (object.as_str(), *code))
        .collect();
    let diagnosed = stage.until_codes(&expected).await?;
    for (object, _) in &verdicts {
        assert!(named(&diagnosed, object).is_some(), "{object}");
    }
    Ok(())
}

// === impl Scenario ===

impl Scenario {
    fn fields(&self) -> Value {
        serde_json::from_str(self.more).expect("fields")
    }

    fn is_blocked(&self) -> bool {
        self.state == "Blocked"
    }

    /// Returns the code of the diagnosis if OLM v1 fails as predicted.
    fn code(&self) -> &'static str {
        let mut codes = CODES.iter();
        let found = codes.find(|(predicted, _)| *predicted == self.end);
        found.expect("a code").1
    }

    /// Checks the prediction.
    async fn is_predicted(&self, stage: &Stage) -> Result<(), Failure> {
        let text = stage.explain(self.name).await?;
        let answer: Value = serde_json::from_str(&text).map_err(Failure::read("a prediction"))?;
        let one = &answer["extensions"][0];
        let last = one["path"].as_array().and_then(|path| path.last());
        let bundle = last.map_or(&one["installed"], |step| &step["bundle"]);
        let end = if self.is_blocked() {
            &one["stop"]["code"]
        } else {
            bundle
        };
        let predicted = (one["state"].as_str(), end.as_str());
        assert_eq!(predicted, (Some(self.state), Some(self.end)), "{text}");
        Ok(())
    }
}
