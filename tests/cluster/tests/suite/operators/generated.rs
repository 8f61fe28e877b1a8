//! What `portolan generate` prints is what the API server takes and the controller carries out.
//!
//! Random sets of operators, all in one cluster, each of packages of its own: first they are asked
//! for where nothing is, then they are asked to move as they are in the cluster.

use std::fs::{self, File};
use std::process::{Command, Output};

use fastrand::Rng;
use portolan_kit::TempFolder;
use portolan_rig::Failure;
use serde_json::{Value, json};

use super::stage::{Harbor, Version, harbor, version};
use crate::is_soak;
use crate::program::{output, portolan};

/// The packages of a set. A package requires only later ones, so that no set is a knot.
const PACKAGES: [&str; 4] = ["crane", "ferry", "pier", "rope"];
const VERSIONS: [&str; 4] = ["1.0.0", "1.0.1", "1.1.0", "2.0.0"];
/// How often dice are thrown for a set that can be had, and moves.
const THROWS: usize = 20;

/// The name of the kind where OLM may be, too.
const KIND: &str = "operators.operators.operatorframework.io";

/// The names of Operators, each with the version that is printed for it.
type Promised = Vec<(String, String)>;

/// A version of a catalog that dice have written, and what it requires.
struct Drawn {
    package: String,
    version: &'static str,
    requires: Option<(String, String)>,
}

#[tokio::test]
async fn what_is_printed_is_taken_and_carried_out() -> Result<(), Failure> {
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
        "{} sets move: too few to say much",
        moving.len()
    );
    for promised in &moving {
        carried_out(&harbor, promised).await?;
    }
    Ok(())
}

/// Asks for a set where nothing is, and applies what comes.
async fn begin(harbor: &Harbor, set: usize, rng: &mut Rng) -> Result<Promised, Failure> {
    for _ in 0..THROWS {
        let wishes = wishes(set, &["=1.0.0", "=1.0.1", "=1.1.0", "=<2.0.0"], rng);
        if let Some(printed) = generated(harbor, &wishes, None).await? {
            return applied(harbor, &wishes, &printed).await;
        }
    }
    panic!("set {set}: nothing can be had")
}

/// Asks a set to move, as kubectl gets it, and applies what comes; None if all stays as it is.
async fn change(
    harbor: &Harbor,
    set: usize,
    before: &Promised,
    rng: &mut Rng,
) -> Result<Option<Promised>, Failure> {
    // The controller may go on to write statuses: what is printed of it can be applied all the same.
    let names = before.iter().map(|(name, _)| name.as_str());
    let words: Vec<_> = ["get", KIND, "-o", "yaml"]
        .into_iter()
        .chain(names)
        .collect();
    let got = harbor.kubectl(&words).await?;
    for _ in 0..THROWS {
        let targets = ["", "=latest-z-stream", "=latest-y-stream", ">=1.1.0"];
        let wishes = wishes(set, &targets, rng);
        let Some(printed) = generated(harbor, &wishes, Some(&got)).await? else {
            continue;
        };
        if versions(&printed) != versions(&got) {
            return applied(harbor, &wishes, &printed).await.map(Some);
        }
    }
    Ok(None)
}

/// What is printed to these wishes; None if they cannot be granted.
async fn generated(
    harbor: &Harbor,
    wishes: &[String],
    input: Option<&str>,
) -> Result<Option<String>, Failure> {
    let folder = TempFolder::empty();
    let mut command = Command::new(portolan().await?);
    command.args(["generate", "--allow-warnings"]).args(wishes);
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
    let said = String::from_utf8_lossy(&stderr);
    match status.code() {
        Some(0) => Ok(Some(String::from_utf8_lossy(&stdout).into_owned())),
        // Nobody tries what cannot be.
        Some(2) if stdout.is_empty() && said.contains("error: ") => Ok(None),
        code => panic!("{wishes:?}: {code:?}: {said}"),
    }
}

/// Applies what is printed, byte by byte, and tells what it promises.
async fn applied(harbor: &Harbor, wishes: &[String], printed: &str) -> Result<Promised, Failure> {
    println!("{}: {:?}", wishes.join(" "), versions(printed));
    harbor.apply(printed).await?;
    Ok(versions(printed))
}

/// The Operators of a text, and the version that each shall have.
fn versions(manifests: &str) -> Promised {
    let documents: Vec<Value> = serde_saphyr::from_multiple(manifests).expect("it must be YAML");
    let operators = documents.iter().flat_map(|document| {
        let items = document["items"].as_array();
        items.map_or_else(|| vec![document], |items| items.iter().collect())
    });
    let versions = operators.map(|operator| {
        let text = |at| operator.pointer(at).and_then(Value::as_str);
        let [name, version] = ["/metadata/name", "/spec/version"].map(text);
        let [name, version] = [name, version].map(|it| it.expect("it must be there").to_owned());
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

/// A person does not want to wait after each version.
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

/// One to three packages of a set, each in one of these versions.
fn wishes(set: usize, targets: &[&str], rng: &mut Rng) -> Vec<String> {
    let count = rng.usize(1..4);
    let packages = rng.choose_multiple(PACKAGES, count);
    let wishes = packages.into_iter().map(|package| {
        let target = rng.choice(targets).copied().unwrap_or_default();
        format!("{package}{set}{target}")
    });
    wishes.collect()
}

/// The packages of a set, half of whose versions require a later package.
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
