//! Measures how `portolan bundle render` and `opm render` render one bundle: from a folder, and
//! from an image in a registry. Then it measures one process that reads all available bundles.
//!
//! The two programs do different work. Ours parses a bundle, checks it, and prints the manifests
//! that install it. opm prints the catalog entry of the bundle. Both read every manifest.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use portolan_kit::oci::{Image, layer, push};
use portolan_kit::{files, real_bundles};
use serde_json::{Map, Value};
use tempfile::TempDir;

use self::registry::Registry;
use crate::Scale;
use crate::catalogs::scratch;
use crate::ended::Cost;
use crate::failure::Failure;
use crate::generate::ended_well;
use crate::pair::Pair;
use crate::table::{Better, Row, Table, megabytes, milliseconds};

mod registry;

/// A bundle of this repository. It is used if no real bundles are available.
const OWN: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../fixtures/bundles/ferry/1.1.0"
);
/// The repository of the image in the registry of this measurement.
const REPOSITORY: &str = "bench/bundle";
const TAG: &str = "v1";

/// A row of the table: an operation, and the commands with which both programs perform it.
struct Contest {
    title: String,
    ours: Box<dyn Fn() -> Command>,
    theirs: Box<dyn Fn() -> Command>,
}

/// Runs both programs alternately. The first run of each program is not measured.
pub(crate) async fn measure(
    pair: &Pair,
    scale: &Scale,
    is_quick: bool,
    table: &mut Table,
) -> Result<(), Failure> {
    let mut all = real_bundles();
    if is_quick || all.is_empty() {
        all = vec![PathBuf::from(OWN)];
    }
    let largest = largest(&all)?;
    let registry = Registry::start().await?;
    push(registry.host(), REPOSITORY, TAG, &image(&largest)).await;
    let both = taken_by_both(pair, &all);
    let home = home()?;
    let contests = [
        of_folder(pair, &largest),
        of_image(pair, registry.host()),
        of_all(pair, &both),
    ];
    for contest in &contests {
        run(pair, contest, (scale.turns, &home), table)?;
    }
    Ok(())
}

/// Creates a home folder without registry logins. Its policy file makes opm accept images without
/// signatures.
fn home() -> Result<TempDir, Failure> {
    let home = scratch()?;
    let folder = home.path().join(".config/containers");
    let policy = r#"{"default": [{"type": "insecureAcceptAnything"}]}"#;
    let made = fs::create_dir_all(&folder);
    let written = made.and_then(|()| fs::write(folder.join("policy.json"), policy));
    written.map_err(Failure::touch("write", &folder))?;
    Ok(home)
}

/// Returns the largest bundle. With a small bundle, the result would mainly be the time to start a
/// process.
fn largest(all: &[PathBuf]) -> Result<PathBuf, Failure> {
    let size = |path: &PathBuf| {
        files(path)
            .iter()
            .map(|(_, bytes)| bytes.len())
            .sum::<usize>()
    };
    let largest = all.iter().max_by_key(|path| size(path));
    largest
        .cloned()
        .ok_or_else(|| Failure::Expect("there is no bundle".to_owned()))
}

/// Returns the image of a bundle, with the labels that opm reads.
fn image(bundle: &Path) -> Image {
    let files = files(bundle);
    let texts = files.iter();
    let texts: Vec<_> = texts
        .filter_map(|(path, bytes)| Some((path.as_str(), std::str::from_utf8(bytes).ok()?)))
        .collect();
    let annotations = fs::read_to_string(bundle.join("metadata/annotations.yaml"));
    let annotations: Value = annotations
        .ok()
        .and_then(|text| serde_saphyr::from_str(&text).ok())
        .unwrap_or_default();
    let labels = annotations["annotations"].as_object().cloned();
    let labels = Value::Object(labels.unwrap_or_else(Map::new));
    Image::of_layers(vec![layer(&texts)], &labels)
}

/// Returns the bundles that both programs accept.
fn taken_by_both(pair: &Pair, all: &[PathBuf]) -> Vec<PathBuf> {
    let takes = |program: &Path, words: &[&str], bundle: &Path| {
        let output = Command::new(program).args(words).arg(bundle).output();
        output.is_ok_and(|output| output.status.success())
    };
    let mut both = all.to_vec();
    both.retain(|bundle| {
        takes(&pair.portolan, &["bundle", "check"], bundle) && takes(&pair.opm, &["render"], bundle)
    });
    both
}

fn of_folder(pair: &Pair, bundle: &Path) -> Contest {
    let (portolan, opm) = (pair.portolan.clone(), pair.opm.clone());
    let place = bundle.to_owned();
    let name: Vec<_> = bundle.components().rev().take(2).collect();
    let name: PathBuf = name.into_iter().rev().collect();
    Contest {
        title: format!("The folder of {}", name.display()),
        ours: {
            let place = place.clone();
            Box::new(move || line(&portolan, &["bundle", "render"], [&place]))
        },
        theirs: Box::new(move || line(&opm, &["render"], [&place])),
    }
}

fn of_image(pair: &Pair, host: &str) -> Contest {
    let (portolan, opm) = (pair.portolan.clone(), pair.opm.clone());
    let plain = format!("--plain-http={host}");
    let theirs = format!("{host}/{REPOSITORY}:{TAG}");
    let ours = format!("oci://{theirs}");
    Contest {
        title: "The same as an image".to_owned(),
        ours: Box::new(move || line(&portolan, &["bundle", "render", &plain], [&ours])),
        theirs: Box::new(move || line(&opm, &["render", "--use-http"], [&theirs])),
    }
}

fn of_all(pair: &Pair, all: &[PathBuf]) -> Contest {
    let (portolan, opm) = (pair.portolan.clone(), pair.opm.clone());
    let (ours, theirs) = (all.to_vec(), all.to_vec());
    Contest {
        title: format!("{} bundles in one process (bundle check)", all.len()),
        ours: Box::new(move || line(&portolan, &["bundle", "check"], &ours)),
        theirs: Box::new(move || line(&opm, &["render"], &theirs)),
    }
}

fn line<W: AsRef<std::ffi::OsStr>>(
    program: &Path,
    words: &[&str],
    places: impl IntoIterator<Item = W>,
) -> Command {
    let mut command = Command::new(program);
    command.args(words).args(places);
    command
}

fn run(
    pair: &Pair,
    contest: &Contest,
    (turns, home): (usize, &TempDir),
    table: &mut Table,
) -> Result<(), Failure> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for turn in 0..=turns {
        let sides = [
            (&mut ours, &pair.portolan, (contest.ours)()),
            (&mut theirs, &pair.opm, (contest.theirs)()),
        ];
        for (costs, program, mut command) in sides {
            command.env("HOME", home.path());
            let cost = ended_well(program, command)?;
            if turn > 0 {
                costs.push(cost);
            }
        }
    }
    let (ours, theirs) = (Cost::median(&ours), Cost::median(&theirs));
    table.comparison(&contest.title, "opm render");
    for (what, ours, theirs, shown) in [
        (
            "the whole command",
            ours.time,
            theirs.time,
            milliseconds as fn(f64) -> String,
        ),
        ("peak memory", ours.peak, theirs.peak, megabytes),
    ] {
        table.row(Row {
            what: what.to_owned(),
            ours,
            theirs,
            shown,
            better: Better::Less,
            goal: None,
        });
    }
    Ok(())
}
