//! Random sets of operators, and inputs that somebody scratched.

use std::collections::BTreeMap;
use std::fs;
use std::process::Output;

use portolan_kit::{TempFolder, catalog};
use serde_json::Value;

use super::piped;
use crate::program::{portolan, ran};

/// Numbers that look random, and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        // The generator of Lehmer.
        self.0 = self.0 * 48_271 % 0x7fff_ffff;
        self.0 % most
    }
}

const PACKAGES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// A catalog in which later packages require earlier ones.
fn shop(dice: &mut Dice) -> String {
    let mut text = String::new();
    for (at, package) in PACKAGES.iter().enumerate() {
        text += &format!("{package}: 1.0.0 -> 1.1.0 -> 2.0.0\n");
        for version in ["1.0.0", "1.1.0", "2.0.0"] {
            if at > 0 && dice.below(2) == 0 {
                let other = PACKAGES[usize::try_from(dice.below(at as u64)).expect("small")];
                let range = [">=1.0.0", ">=1.1.0", "<2.0.0"]
                    [usize::try_from(dice.below(3)).expect("small")];
                text += &format!("{package}: {version} requires {other} {range}\n");
            }
        }
    }
    text
}

fn versions(list: &[u8]) -> BTreeMap<String, String> {
    let list: Value = serde_json::from_slice(list).expect("a List");
    let items = list["items"].as_array().expect("items").iter();
    let versions = items.map(|item| {
        let text = |pointer| {
            item.pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        (
            text("/metadata/name").to_owned(),
            text("/spec/version").to_owned(),
        )
    });
    versions.collect()
}

/// From a random set to another: the route is there, no pin is broken, nothing is lost, and what was
/// granted once is granted again without a change.
#[test]
fn what_is_printed_can_be_reached_and_keeps_every_pin() {
    let mut granted = 0;
    for seed in 1..30 {
        let mut dice = Dice(seed * 7_919);
        let shop = catalog(&shop(&mut dice)).temp();
        let mut pick = || PACKAGES[usize::try_from(dice.below(6)).expect("small")];
        let (first, second, third) = (pick(), pick(), pick());
        let Some(start) = granted_in(&shop, &format!("{first}=1.0.0")) else {
            continue;
        };
        let input = TempFolder::empty();
        fs::write(input.join("all.json"), &start).expect("a file");
        let line = format!("{second} {third} -f {} --allow-warnings", input.display());
        let Some(next) = granted_in(&shop, &line) else {
            continue;
        };
        granted += 1;
        let (before, after) = (versions(&start), versions(&next));
        let is_kept = |name: &String| after.contains_key(name);
        assert!(before.keys().all(is_kept), "{seed}: something is lost");
        if first != second && first != third {
            assert_eq!(before[first], after[first], "{seed}: a pin is broken");
        }
        reached(&shop, &before, &after);
        fs::write(input.join("all.json"), &next).expect("a file");
        let again = granted_in(&shop, &line).expect("it was granted before");
        assert_eq!(versions(&again), after, "{seed}");
        assert_eq!(again, next, "{seed}");
    }
    assert!(granted > 15, "{granted} sets say too little");
}

fn asked(shop: &TempFolder, line: &str) -> Output {
    let catalog = format!("--catalog demo={}", shop.display());
    ran(&mut portolan(&format!("{line} {catalog}")))
}

/// What is printed to this line; None if it cannot be, and then nothing is.
fn granted_in(shop: &TempFolder, line: &str) -> Option<Vec<u8>> {
    let output = asked(shop, &format!("generate {line} -o json"));
    let is_granted = output.status.code() == Some(0);
    if !is_granted {
        assert_eq!(output.status.code(), Some(2), "{line}: {output:?}");
        assert!(output.stdout.is_empty(), "{line}: {output:?}");
    }
    is_granted.then_some(output.stdout)
}

/// `portolan route` finds the way as well.
fn reached(shop: &TempFolder, before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) {
    let wishes = after
        .iter()
        .map(|(name, version)| format!("{name}@{version}"));
    let from = before
        .iter()
        .map(|(name, version)| format!("--from {name}={version}"));
    let line: Vec<_> = wishes.chain(from).collect();
    let route = asked(shop, &format!("route {}", line.join(" ")));
    assert_eq!(
        route.status.code(),
        Some(0),
        "{before:?} {after:?} {route:?}"
    );
}

/// Whatever is done to a text: 0, 1 or 2, and with 2 a sentence and nothing else.
#[test]
fn a_scratched_input_is_told_in_a_sentence() {
    let whole = fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/fixtures/generate/cluster/operators.yaml"
    ));
    let whole = whole.expect("a file");
    let mut dice = Dice(42);
    for _ in 0..150 {
        let mut text = whole.clone();
        for _ in 0..=dice.below(3) {
            let at = usize::try_from(dice.below(text.len() as u64)).expect("small");
            match dice.below(4) {
                0 => text.truncate(at),
                1 => drop(text.remove(at)),
                2 => text.insert(
                    at,
                    b":-{}[]\"'\n \0\xff"[usize::try_from(dice.below(12)).expect("small")],
                ),
                _ => text[at] ^= 1,
            }
            text.push(b'\n');
        }
        let output = piped("-f -", &text);
        let code = output.status.code().expect("an exit code");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!((0..=2).contains(&code), "{code}: {said}");
        assert_eq!(output.stdout.is_empty(), code == 2, "{code}: {said}");
        assert_eq!(said.contains("error: "), code == 2, "{code}: {said}");
    }
}
