//! Runs `portolan generate` with 2,000 inputs that are damaged or have nothing to do with
//! operators.

use std::fs;
use std::ops::Range;

use fastrand::Rng;
use rstest::rstest;
use serde_json::{Value, json};

use super::{REPOSITORY, piped};

/// The command lines for each input. `-` stands for the input.
const LINES: [&str; 6] = [
    "-f -",
    "-f - -o json --diff",
    "redis=latest-z-stream -f -",
    "--delete prometheus redis>=1.5.2 -f - --diff",
    "--autoremove --yes -f -",
    "ferry -f - --delete redis",
];

/// The possible beginnings of lines on standard error: errors, warnings, and the reasons below
/// them.
const BEGINNINGS: [&str; 6] = ["error: ", "warning: ", "help: ", "├── ", "└── ", "│"];

/// The number of an input. It is printed if the test fails.
struct Mutant(u64);

impl Drop for Mutant {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("failed at mutant {}", self.0);
        }
    }
}

/// For each input, the command has one of two results. Either it exits with 0 or 1 and prints the
/// whole output, or it exits with 2, prints no output, and prints one sentence for each error.
#[rstest]
fn mutated_input_is_printed_or_rejected_with_error_messages(
    #[values(0..400, 400..800, 800..1_200, 1_200..1_600, 1_600..2_000)] numbers: Range<u64>,
) {
    let mut refused = 0;
    let all = numbers.end - numbers.start;
    for number in numbers {
        let mutant = Mutant(number);
        let mut rng = Rng::with_seed(mutant.0);
        let is_manifest = rng.u8(0..8) == 0;
        let (line, input) = if is_manifest {
            (format!("-d - {REPOSITORY}"), manifest(&mut rng))
        } else {
            let line = LINES[rng.usize(0..LINES.len())];
            (line.to_owned(), operators(&mut rng))
        };
        refused += u64::from(is_refused(&line, &input));
    }
    assert!(
        (all / 10..all).contains(&refused),
        "{refused} of {all}: mutants must be both accepted and rejected"
    );
}

fn is_refused(line: &str, input: &[u8]) -> bool {
    let output = piped(line, input);
    let printed = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code();
    assert!(
        matches!(code, Some(0..=2)),
        "{line}: {:?}: {printed}",
        output.status
    );
    let is_refused = code == Some(2);
    assert_eq!(output.stdout.is_empty(), is_refused, "{line}: {printed}");
    assert_eq!(printed.contains("error: "), is_refused, "{line}: {printed}");
    assert!(!printed.contains("panicked"), "{line}: {printed}");
    if is_refused {
        let begins = |line: &str| BEGINNINGS.iter().any(|it| line.starts_with(it));
        let strange = printed.lines().find(|line| !begins(line));
        assert_eq!(strange, None, "{line}: {printed}");
    }
    is_refused
}

/// Returns the Operators of a cluster with random damage, as YAML or JSON.
fn operators(rng: &mut Rng) -> Vec<u8> {
    let text = fixture("cluster/operators.yaml");
    let mut whole = yaml(&text);
    match rng.u8(0..3) {
        0 => scratched(text.into_bytes(), rng),
        1 => scratched(whole.to_string().into_bytes(), rng),
        _ => {
            graft(&mut whole, rng);
            whole.to_string().into_bytes()
        }
    }
}

/// Returns a manifest with random damage, directly or in a ConfigMap.
fn manifest(rng: &mut Rng) -> Vec<u8> {
    let text = fixture("manifest.yaml");
    let mut whole = if rng.bool() {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": text}})
    } else {
        yaml(&text)
    };
    if rng.bool() {
        graft(&mut whole, rng);
        return whole.to_string().into_bytes();
    }
    scratched(whole.to_string().into_bytes(), rng)
}

fn fixture(name: &str) -> String {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/generate");
    fs::read_to_string(format!("{root}/{name}")).expect("a file")
}

fn yaml(text: &str) -> Value {
    serde_saphyr::from_str(text).expect("YAML")
}

/// Changes, repeats or removes some bytes at random positions.
fn scratched(mut text: Vec<u8>, rng: &mut Rng) -> Vec<u8> {
    const SIGNS: &[u8] = b":-{}[]\"'\n \0\xff&*!|>%@`#,";
    for _ in 0..rng.usize(1..4) {
        let at = rng.usize(0..text.len());
        match rng.u8(0..5) {
            0 => text.truncate(at),
            1 => drop(text.remove(at)),
            2 => text.insert(at, SIGNS[rng.usize(0..SIGNS.len())]),
            3 => text.extend_from_within(at..),
            _ => text[at] ^= 1 << rng.u8(0..8),
        }
        text.push(b'\n');
    }
    text
}

/// Replaces random values in a tree with unexpected values.
fn graft(tree: &mut Value, rng: &mut Rng) {
    for _ in 0..rng.usize(1..4) {
        let mut at = &mut *tree;
        while rng.u8(0..5) > 0 {
            let count = match at {
                Value::Array(items) => items.len(),
                Value::Object(fields) => fields.len(),
                _ => 0,
            };
            if count == 0 {
                break;
            }
            let next = rng.usize(0..count);
            at = match at {
                Value::Array(items) => &mut items[next],
                Value::Object(fields) => fields.values_mut().nth(next).expect("a field"),
                _ => unreachable!("it has {count} parts"),
            };
        }
        *at = odd(rng, at);
    }
}

/// Returns a value that the program does not expect at this position.
fn odd(rng: &mut Rng, there: &Value) -> Value {
    match rng.u8(0..14) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(1.5e300),
        4 => json!(""),
        5 => json!("redis"),
        6 => json!("1.5.3"),
        7 => json!(">=0.0.0-0"),
        8 => json!("99999999999999999999.0.0"),
        9 => json!("a\u{0}\u{1b}[31m\n\u{202e}b"),
        10 => json!([]),
        11 => json!({}),
        12 => json!([there, there]),
        _ => (0..200).fold(json!("deep"), |inner, _| json!({"metadata": [inner]})),
    }
}
