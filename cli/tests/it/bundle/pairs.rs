//! Compares the output for upgrades of real bundles with a list of changes that was written by
//! hand.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::program::{portolan, run};

/// The changes of one upgrade.
#[derive(Debug, Default, PartialEq)]
struct Changes {
    may: BTreeSet<String>,
    images: BTreeSet<String>,
    crds: BTreeSet<String>,
    /// The breaking changes. None if the list does not contain them.
    breaks: Option<BTreeSet<String>>,
}

/// A package with an old and a new version, and the expected changes.
type Pair = ([String; 3], Changes);

fn listed() -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    for line in include_str!("pairs.txt").lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if matches!(word, "" | "#") {
            continue;
        }
        if word == "pair" {
            let words: Vec<_> = rest.split(' ').map(str::to_owned).collect();
            let changes = Changes {
                breaks: Some(BTreeSet::new()),
                ..Changes::default()
            };
            pairs.push((words.try_into().expect("three words"), changes));
            continue;
        }
        let (_, changes) = pairs.last_mut().expect("a pair comes first");
        match word {
            "may" => _ = changes.may.insert(rest.to_owned()),
            "image" => _ = changes.images.insert(rest.to_owned()),
            "crd" => _ = changes.crds.insert(rest.to_owned()),
            "break" => {
                _ = changes
                    .breaks
                    .iter_mut()
                    .map(|it| it.insert(rest.to_owned()))
                    .count()
            }
            "breaks" => changes.breaks = None,
            _ => panic!("{line:?} is not a known line"),
        }
    }
    pairs
}

/// Returns the changes in the output of `bundle diff`.
fn diff(old: &str, new: &str) -> Changes {
    let line = format!("bundle diff {old} {new} -o json");
    let output = run(&mut portolan(&line));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!(
            "{line}: {error}: {}",
            String::from_utf8_lossy(&output.stderr)
        )
    });
    let texts = |key: &str| -> Vec<String> {
        let texts = answer[key].as_array().into_iter().flatten();
        texts.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let marked = |key: &str, mark: &str| -> Vec<String> {
        texts(key)
            .iter()
            .map(|text| format!("{mark} {text}"))
            .collect()
    };
    let of_crds = |key: &str, mark: &str| -> Vec<String> {
        let objects = texts(key);
        let names = objects
            .iter()
            .filter_map(|text| text.strip_prefix("CustomResourceDefinition "));
        names.map(|name| format!("{mark} {name}")).collect()
    };
    let breaks = answer["breaks"].as_array().into_iter().flatten();
    let breaks = breaks.map(|it| {
        let of = |key: &str| it[key].as_str().unwrap_or_default();
        format!("{} {}", of("definition"), of("path"))
    });
    Changes {
        may: texts("permissionsGrown").into_iter().collect(),
        images: [marked("imagesAdded", "+"), marked("imagesRemoved", "-")]
            .concat()
            .into_iter()
            .collect(),
        crds: [
            of_crds("objectsAdded", "+"),
            of_crds("objectsRemoved", "-"),
            of_crds("objectsChanged", "~"),
        ]
        .concat()
        .into_iter()
        .collect(),
        breaks: Some(breaks.collect()),
    }
}

#[test]
fn diff_finds_expected_changes_of_real_bundles() {
    let bundles = portolan_kit::real_bundles();
    let mut compared = 0;
    for ([package, old, new], expected) in listed() {
        let of = |version: &str| {
            let end = format!("{package}/{version}");
            let found = bundles.iter().find(|path| path.ends_with(&end))?;
            Some(found.display().to_string())
        };
        let (Some(from), Some(to)) = (of(&old), of(&new)) else {
            assert!(bundles.is_empty(), "{package} {old} or {new} is missing");
            continue;
        };
        let mut changes = diff(&from, &to);
        if expected.breaks.is_none() {
            changes.breaks = None;
        }
        assert_eq!(changes, expected, "{package} {old} -> {new}");
        compared += 1;
    }
    assert!(
        bundles.is_empty() || compared >= 20,
        "{compared} pairs were compared"
    );
}
