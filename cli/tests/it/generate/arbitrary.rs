//! Tests `portolan generate` with random sets of operators.

use std::collections::BTreeMap;
use std::fs;
use std::process::Output;

use fastrand::Rng;
use portolan_kit::{TempFolder, catalog};
use serde_json::Value;

use crate::program::{portolan, run};

const PACKAGES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// Catalogs that contain one package each. A package can require only packages before it.
struct Shop {
    folders: Vec<(&'static str, TempFolder)>,
}

/// The Operators before and after a random request.
struct Moved {
    shop: Shop,
    /// The only package in the first request.
    pinned: &'static str,
    requests: [&'static str; 2],
    before: Vec<u8>,
    after: Vec<u8>,
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

/// Checks the change from one random set of operators to another. No operator is lost, no pinned
/// version changes, a route exists, and the output is stable.
#[test]
fn generated_versions_are_reachable_and_keep_pins() {
    let moved: Vec<_> = (1..30)
        .filter_map(|seed| Moved::of(&mut Rng::with_seed(seed)))
        .collect();
    assert!(moved.len() > 15, "{} sets are too few", moved.len());
    for moved in &moved {
        moved.assert_keeps_all();
        moved.assert_keeps_pin();
        moved.assert_reachable();
        moved.assert_same_again();
        moved.assert_same_in_any_order();
    }
}

// === impl Shop ===

impl Shop {
    fn of(rng: &mut Rng) -> Self {
        let packages = PACKAGES.iter().enumerate().map(|(at, package)| {
            let mut text = format!("{package}: 1.0.0 -> 1.1.0 -> 2.0.0\n");
            for version in ["1.0.0", "1.1.0", "2.0.0"] {
                let other = rng.choice(&PACKAGES[..at]).filter(|_| rng.bool());
                if let Some(other) = other {
                    let range = [">=1.0.0", ">=1.1.0", "<2.0.0"][rng.usize(0..3)];
                    text += &format!("{package}: {version} requires {other} {range}\n");
                }
            }
            (*package, catalog(&text).temp())
        });
        Self {
            folders: packages.collect(),
        }
    }

    fn flags(&self) -> Vec<String> {
        let folders = self.folders.iter();
        let flags = folders.map(|(name, folder)| format!("--catalog={name}={}", folder.display()));
        flags.collect()
    }

    fn run(&self, line: &str) -> Output {
        run(portolan(line).args(self.flags()))
    }

    /// Returns the output of a command line. Returns None if the requirements cannot be satisfied,
    /// and checks that nothing is printed in this case.
    fn granted(&self, line: &str) -> Option<Vec<u8>> {
        let output = self.run(&format!("generate {line} -o json --allow-warnings"));
        let is_granted = output.status.code() == Some(0);
        if !is_granted {
            assert_eq!(output.status.code(), Some(2), "{line}: {output:?}");
            assert!(output.stdout.is_empty(), "{line}: {output:?}");
        }
        is_granted.then_some(output.stdout)
    }
}

// === impl Moved ===

impl Moved {
    /// Returns None if the random requirements cannot be satisfied.
    fn of(rng: &mut Rng) -> Option<Self> {
        let shop = Shop::of(rng);
        let [pinned, one, other] = [(); 3].map(|()| PACKAGES[rng.usize(0..PACKAGES.len())]);
        let before = shop.granted(&format!("{pinned}=1.0.0"))?;
        let mut moved = Self {
            shop,
            pinned,
            requests: [one, other],
            before,
            after: Vec::new(),
        };
        moved.after = moved.run_with_input(&moved.before)?;
        Some(moved)
    }

    /// Repeats the requests with this input.
    fn run_with_input(&self, input: &[u8]) -> Option<Vec<u8>> {
        let file = TempFolder::empty();
        fs::write(file.join("all.json"), input).expect("a file");
        let requests = self.requests.join(" ");
        self.shop
            .granted(&format!("{requests} -f {}", file.display()))
    }

    fn assert_keeps_all(&self) {
        let (before, after) = (versions(&self.before), versions(&self.after));
        let lost = before.keys().find(|name| !after.contains_key(*name));
        assert_eq!(lost, None, "{before:?} {after:?}");
    }

    /// Checks that the pinned version has not changed, unless the second request contains the
    /// package.
    fn assert_keeps_pin(&self) {
        if !self.requests.contains(&self.pinned) {
            let after = versions(&self.after);
            assert_eq!(after[self.pinned], "1.0.0", "{after:?}");
        }
    }

    /// Checks that `portolan route` finds a route to the new versions.
    fn assert_reachable(&self) {
        let pairs = |list, between: &str| {
            let versions = versions(list).into_iter();
            let pairs = versions.map(|(name, version)| format!("{name}{between}{version}"));
            pairs.collect::<Vec<_>>()
        };
        let (from, to) = (pairs(&self.before, "="), pairs(&self.after, "@"));
        let from = from.iter().map(|from| format!("--from={from}"));
        let line: Vec<_> = to.iter().cloned().chain(from).collect();
        let route = self.shop.run(&format!("route {}", line.join(" ")));
        assert_eq!(route.status.code(), Some(0), "{line:?} {route:?}");
    }

    /// Checks that the output is stable: the same requests, or no requests, change nothing.
    fn assert_same_again(&self) {
        assert_eq!(self.run_with_input(&self.after).as_ref(), Some(&self.after));
        let file = TempFolder::empty();
        fs::write(file.join("all.json"), &self.after).expect("a file");
        let again = self.shop.granted(&format!("-f {}", file.display()));
        assert_eq!(again.as_ref(), Some(&self.after));
    }

    /// Checks that the order of the input does not matter: each Operator is in its own file, and
    /// the Operators and the catalogs are in reversed order.
    fn assert_same_in_any_order(&self) {
        let list: Value = serde_json::from_slice(&self.before).expect("a List");
        let files = TempFolder::empty();
        for (at, item) in list["items"].as_array().expect("items").iter().enumerate() {
            let file = files.join(format!("{:02}.json", 99 - at));
            fs::write(file, item.to_string()).expect("a file");
        }
        let line = format!(
            "generate {} -o json --allow-warnings -f",
            self.requests.join(" ")
        );
        let catalogs = self.shop.flags().into_iter().rev();
        let output = run(portolan(&line).arg(&*files).args(catalogs));
        assert_eq!(output.stdout, self.after, "{output:?}");
    }
}
