//! Tests of damaged templates. Each template must quickly give a result or an error.

use std::ops::Range;
use std::sync::OnceLock;
use std::time::Instant;

use regex::Regex;
use serde_json::{Value as Json, json};

use super::cluster::{Cluster, rendered};
use crate::resolve::{Outcome, resolve};

const PIECES: &[&str] = &[
    "{{",
    "}}",
    "{{-",
    "-}}",
    "{{end}}",
    "{{else}}",
    "{{if ",
    "{{range ",
    "{{with ",
    "{{define \"x\"}}",
    "{{template \"x\" .}}",
    "{{break}}",
    "{{continue}}",
    "(",
    ")",
    "|",
    "$x",
    ":=",
    "=",
    ",",
    ".",
    "\"",
    "`",
    "'",
    "nil",
    "9999999999",
    "-1",
    "1e9",
    " ",
    "\n",
    "é",
    "\\",
    "/*",
    "*/",
    "list ",
    "dict ",
    "set ",
    "index ",
    "printf ",
    "until ",
    "toJson ",
    "toYaml ",
    "fromYaml ",
    "join ",
    "set $x \"a\" $x",
    "| autoindent",
    "| toInt",
];

/// Returns the numbers of the mutants to test: the range in `PORTOLAN_MUTANTS`, such as `0..5000`,
/// or else the first 500.
#[expect(clippy::disallowed_methods, reason = "a soak asks for more of them")]
fn mutants() -> Range<u64> {
    let Ok(asked) = std::env::var("PORTOLAN_MUTANTS") else {
        return 0..500;
    };
    let (from, to) = asked.split_once("..").expect("numbers, such as 0..5000");
    from.parse().expect("a number")..to.parse().expect("a number")
}

/// Prints the number of the mutant and its text if the test fails.
struct Mutant(u64, String);

impl Drop for Mutant {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("it was mutant {}: {:?}", self.0, self.1);
        }
    }
}

fn mutant(random: &mut fastrand::Rng, templates: &[String]) -> String {
    let mut letters: Vec<char> = random
        .choice(templates)
        .expect("a template")
        .chars()
        .collect();
    for _ in 0..random.usize(1..6) {
        let at = random.usize(0..=letters.len());
        let end = (at + random.usize(0..8)).min(letters.len());
        match random.u8(0..4) {
            0 => {
                letters.drain(at..end);
            }
            1 => {
                let piece = random.choice(PIECES).expect("a piece");
                letters.splice(at..at, piece.chars());
            }
            2 => {
                let other = random.choice(templates).expect("a template");
                letters.splice(at..at, other.chars());
            }
            _ => {
                let copied = letters[at..end].to_vec();
                letters.splice(at..at, copied);
            }
        }
    }
    letters.into_iter().collect()
}

/// The Secret in several forms. They replace literals in templates.
const SECRETS: &[&str] = &[
    r#"(fromSecret "harbor" "key" "password" | base64dec)"#,
    r#"(len (fromSecret "harbor" "key" "password" | base64dec))"#,
    r#"(fromSecret "harbor" "key" "password" | base64dec | atoi)"#,
    r#"(eq (fromSecret "harbor" "key" "password") "Nw==")"#,
    r#"((lookup "v1" "Secret" "harbor" "key").data.password | base64dec)"#,
    r#"(splitList "" (fromSecret "harbor" "key" "password" | base64dec))"#,
];

/// Returns a template in which one or two literals or conditions are replaced by a Secret.
fn secretive(random: &mut fastrand::Rng, templates: &[String]) -> String {
    let mut text = random.choice(templates).expect("a template").clone();
    for _ in 0..random.usize(1..3) {
        let literals: Vec<_> = LITERAL.get_or_init(literal).find_iter(&text).collect();
        let Some(literal) = random.choice(literals) else {
            return text;
        };
        let secret = random.choice(SECRETS).expect("a disguise");
        text = format!(
            "{}{secret}{}",
            &text[..literal.start()],
            &text[literal.end()..]
        );
    }
    text
}

static LITERAL: OnceLock<Regex> = OnceLock::new();

fn literal() -> Regex {
    Regex::new(r#""[^"{}]*"|(?-u:\b)(?:[0-9]+|true|false)(?-u:\b)"#).expect("a pattern")
}

/// Returns the cluster with this password in its Secret.
fn cluster(objects: &[Json], password: &str) -> Cluster {
    let mut objects = objects.to_vec();
    for object in &mut objects {
        if object["kind"] == "Secret" {
            object["data"]["password"] = json!(password);
        }
    }
    Cluster(objects)
}

/// The content of a Secret does not affect the text for display. The existence of a Secret may
/// affect it, because a missing Secret is an error that ends the evaluation at its position.
#[test]
fn displayable_text_does_not_depend_on_a_secret() {
    let table = include_str!("../../tests/fixtures/cases.json");
    let table: Json = serde_json::from_str(table).expect("a valid table");
    let cases = table["cases"].as_array().expect("cases");
    let templates = cases
        .iter()
        .filter_map(|case| Some(case["template"].as_str()?.to_owned()));
    let templates: Vec<String> = templates.collect();
    let objects = table["objects"].as_array().expect("objects");
    // The passwords are `hunter2`, `7` and an empty text, in Base64.
    let clusters = ["aHVudGVyMg==", "Nw==", ""].map(|password| cluster(objects, password));
    let mut compared = 0;
    for number in mutants() {
        let mutant = Mutant(
            number,
            secretive(&mut fastrand::Rng::with_seed(number), &templates),
        );
        let results = clusters.iter().map(|cluster| rendered(&mutant.1, cluster));
        let (shown, errors): (Vec<_>, Vec<_>) = results.partition(Result::is_ok);
        let shown: Vec<_> = shown
            .into_iter()
            .flatten()
            .map(|(_, shown)| shown)
            .collect();
        let errors: Vec<_> = errors.into_iter().filter_map(Result::err).collect();
        assert!(
            shown.windows(2).all(|pair| pair[0] == pair[1]),
            "{shown:#?}"
        );
        compared += usize::from(shown.iter().any(|shown| shown.contains("<Secret")));
        for error in errors {
            assert!(!error.to_string().contains("hunter"), "{error}");
        }
    }
    assert!(compared > 0, "no mutant contained a Secret");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "an answer comes soon")]
fn damaged_templates_give_results_or_errors() {
    let table = include_str!("../../tests/fixtures/cases.json");
    let table: Json = serde_json::from_str(table).expect("a valid table");
    let cases = table["cases"].as_array().expect("cases");
    let templates = cases
        .iter()
        .filter_map(|case| Some(case["template"].as_str()?.to_owned()));
    let templates: Vec<String> = templates.collect();
    let cluster = Cluster(table["objects"].as_array().expect("objects").clone());
    let mut texts = 0;
    for number in mutants() {
        let text = mutant(&mut fastrand::Rng::with_seed(number), &templates);
        let mutant = Mutant(number, text);
        let began = Instant::now();
        texts += usize::from(rendered(&mutant.1, &cluster).is_ok());
        let document = json!({"a": mutant.1, "b": [mutant.1]});
        texts += usize::from(matches!(
            resolve(&document, &cluster, 0).outcome,
            Outcome::Resolved(_)
        ));
        assert!(
            began.elapsed().as_secs() < 20,
            "it took {:?}",
            began.elapsed()
        );
    }
    assert!(texts > 0, "all mutants were invalid, so none was evaluated");
}
