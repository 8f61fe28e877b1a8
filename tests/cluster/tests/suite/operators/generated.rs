//! Tests that the API server accepts the output of `portolan generate`, and that the controller
//! installs it.
//!
//! Random sets of operators are installed on one cluster. Each set has its own packages. For each
//! set, the test first generates Operators for an empty cluster, and then an upgrade of these
//! Operators.

use std::fs::{self, File};
use std::process::{Command, Output};

use fastrand::Rng;
use portolan_kit::TempFolder;
use portolan_rig::Failure;
use serde_json::{Value, json};

use super::stage::{Harbor, Version, harbor, version};
use crate::is_soak;
use crate::program::{output, portolan};

/// The packages of a set. A package requires only packages that come later in the list, so no set
/// has a cycle.
const PACKAGES: [&str; 4] = ["crane", "ferry", "pier", "rope"];
const VERSIONS: [&str; 4] = ["1.0.0", "1.0.1", "1.1.0", "2.0.0"];
/// The number of attempts to find a random set that can be installed and upgraded.
const THROWS: usize = 20;

/// The full name of the kind. The short name is ambiguous if OLM is also installed.
const KIND: &str = "operators.operators.operatorframework.io";

/// The names of Operators, each with the version in the generated manifests.
type Promised = Vec<(String, String)>;

/// A random version of a package, and its requirement.
struct Drawn {
    package: String,
    version: &'static str,
    requires: Option<(String, String)>,
}

#[tokio::test]
async fn generated_manifests_are_accepted_and_installed() -> Result<(), Failure> {
    let sets = if is_soak() { 20 } else { 3 };
    let seed = 28;
    println!("{sets} sets of the seed {seed}");
    let mut rng = Rng::with_seed(seed);
    let drawn: Vec<_> = (0..sets).flat_map(|set| shop(set, &mut rng)).collect();
    let versions: Vec<_> = drawn.iter().map(Drawn::version).collect();
    let Some(harbor) = harbor("operators-generated", &versions).await? else {
        return Ok(());
    };
    let mut begun = Vec::new();
    for set in 0..sets {
        begun.push(begin(&harbor, set, &mut rng).await?);
    }
    for promised in &begun {
        carried_out(&harbor, promised).await?;
    }
    settle_at_once(&harbor, &begun.concat()).await?;

    let mut moving = Vec::new();
    for (set, before) in begun.iter().enumerate() {
        moving.extend(change(&harbor, set, before, &mut rng).await?);
    }
    assert!(
        moving.len() * 2 > sets,
        "{} sets move: too few to be significant",
        moving.len()
    );
    for promised in &moving {
        carried_out(&harbor, promised).await?;
    }
    Ok(())
}

/// Generates a set for an empty cluster, and applies the output.
async fn begin(harbor: &Harbor, set: usize, rng: &mut Rng) -> Result<Promised, Failure> {
    for _ in 0..THROWS {
        let requirements = requirements(set, &["=1.0.0", "=1.0.1", "=1.1.0", "=<2.0.0"], rng);
        if let Some(printed) = generated(harbor, &requirements, None).await? {
            return applied(harbor, &requirements, &printed).await;
        }
    }
    panic!("set {set}: no operators can be generated")
}

/// Generates an upgrade from the output of kubectl, and applies it. Returns `None` if no attempt
/// changes a version.
async fn change(
    harbor: &Harbor,
    set: usize,
    before: &Promised,
    rng: &mut Rng,
) -> Result<Option<Promised>, Failure> {
    // The controller may write statuses meanwhile. This does not affect the result, because the
    // output is applied without them.
    let names = before.iter().map(|(name, _)| name.as_str());
    let words: Vec<_> = ["get", KIND, "-o", "yaml"]
        .into_iter()
        .chain(names)
        .collect();
    let got = harbor.kubectl(&words).await?;
    for _ in 0..THROWS {
        let targets = ["", "=latest-z-stream", "=latest-y-stream", ">=1.1.0"];
        let requirements = requirements(set, &targets, rng);
        let Some(printed) = generated(harbor, &requirements, Some(&got)).await? else {
            continue;
        };
        if versions(&printed) != versions(&got) {
            return applied(harbor, &requirements, &printed).await.map(Some);
        }
    }
    Ok(None)
}

/// Runs `portolan generate` with these requirements. Returns its output, or `None` if the
/// requirements cannot be satisfied.
async fn generated(
    harbor: &Harbor,
    requirements: &[String],
    input: Option<&str>,
) -> Result<Option<String>, Failure> {
    let folder = TempFolder::empty();
    let mut command = Command::new(portolan().await?);
    command
        .args(["generate", "--allow-warnings"])
        .args(requirements);
    command.arg(format!("--server={}", harbor.resolver()));
    if let Some(input) = input {
        let file = folder.join("input.yaml");
        fs::write(&file, input).map_err(Failure::touch("write an input"))?;
        let file = File::open(file).map_err(Failure::touch("read an input"))?;
        command.args(["-f", "-"]).stdin(file);
    }
    let Output {
        status,
        stdout,
        stderr,
    } = output(command).await?;
    let message = String::from_utf8_lossy(&stderr);
    match status.code() {
        Some(0) => Ok(Some(String::from_utf8_lossy(&stdout).into_owned())),
        // This combination is impossible, so the caller tries the next one.
        Some(2) if stdout.is_empty() && message.contains("error: ") => Ok(None),
        code => panic!("{requirements:?}: {code:?}: {message}"),
    }
}

/// Applies the output unchanged. Returns the versions in it.
async fn applied(
    harbor: &Harbor,
    requirements: &[String],
    printed: &str,
) -> Result<Promised, Failure> {
    println!("{}: {:?}", requirements.join(" "), versions(printed));
    harbor.apply(printed).await?;
    Ok(versions(printed))
}

/// Returns the Operators in the manifests, with their versions.
fn versions(manifests: &str) -> Promised {
    let documents: Vec<Value> = serde_saphyr::from_multiple(manifests).expect("YAML");
    let operators = documents.iter().flat_map(|document| {
        let items = document["items"].as_array();
        items.map_or_else(|| vec![document], |items| items.iter().collect())
    });
    let versions = operators.map(|operator| {
        let text = |at| operator.pointer(at).and_then(Value::as_str);
        let [name, version] = ["/metadata/name", "/spec/version"].map(text);
        let [name, version] =
            [name, version].map(|it| it.expect("the field is required").to_owned());
        (name, version)
    });
    versions.collect()
}

async fn carried_out(harbor: &Harbor, promised: &[(String, String)]) -> Result<(), Failure> {
    for (name, version) in promised {
        harbor.until_installed(name, version).await?;
        assert_eq!(harbor.runs(name).await?.as_ref(), Some(version), "{name}");
    }
    Ok(())
}

/// Sets the settle time to zero, because it would delay each version.
async fn settle_at_once(harbor: &Harbor, promised: &[(String, String)]) -> Result<(), Failure> {
    let patch = json!({"spec": {"settleSeconds": 0}}).to_string();
    let names = promised.iter().map(|(name, _)| name.as_str());
    let words: Vec<_> = ["patch", KIND, "--type=merge", "-p", &patch]
        .into_iter()
        .chain(names)
        .collect();
    harbor.kubectl(&words).await?;
    Ok(())
}

/// Returns random requirements for one to three packages of a set.
fn requirements(set: usize, targets: &[&str], rng: &mut Rng) -> Vec<String> {
    let count = rng.usize(1..4);
    let packages = rng.choose_multiple(PACKAGES, count);
    let requirements = packages.into_iter().map(|package| {
        let target = rng.choice(targets).copied().unwrap_or_default();
        format!("{package}{set}{target}")
    });
    requirements.collect()
}

/// Returns random versions of the packages of a set. Half of them require a later package of the
/// set.
fn shop(set: usize, rng: &mut Rng) -> Vec<Drawn> {
    let mut all = Vec::new();
    for (at, package) in PACKAGES.iter().enumerate() {
        for version in VERSIONS {
            let other = rng.choice(&PACKAGES[at + 1..]).filter(|_| rng.bool());
            let range = [">=1.0.0", ">=1.0.1", ">=1.1.0", "<2.0.0"][rng.usize(0..4)];
            all.push(Drawn {
                package: format!("{package}{set}"),
                version,
                requires: other.map(|other| (format!("{other}{set}"), range.to_owned())),
            });
        }
    }
    all
}

// === impl Drawn ===

impl Drawn {
    fn version(&self) -> Version<'_> {
        let plain = version(&self.package, self.version);
        match &self.requires {
            Some((package, range)) => plain.requiring(package, range),
            None => plain,
        }
    }
}
