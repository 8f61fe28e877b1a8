//! Tests that the commands in the README and the pages in `docs` are correct. The language of a
//! code block determines how its commands are tested.
//!
//! - In a `console` block, bash runs the lines that begin with `$ ` in the root of the
//!   repository. Each command must print the lines below it. A line `...` matches any lines. A
//!   command that ends in ` &` runs in the background until the end of the block.
//! - The commands of an `sh` block take too long for this test and must be in [`KNOWN`].

mod session;

use std::fs;
use std::path::Path;

use portolan_kit::assert_same;
use portolan_kit::blocks::{self, Block, blocks, commands};
use portolan_proto::resolver::v1::FindPathRequest;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use rstest::rstest;

use self::session::Session;
use crate::serving::{Resolver, ferry_resolver};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const README: &str = "README.md";

/// The commands in `sh` blocks. This test does not run them. The gate runs the first commands, and
/// the suite runs the commands about a dump. Run a new command manually before you add it.
const KNOWN: [&str; 5] = [
    "cargo run --release -- up",
    "cargo run -p portolan-cluster -- up --olm",
    "cargo test --workspace",
    "kubectl get -A -o yaml catalogsource,subscription.operators.coreos.com,installplan,csv,operatorgroup,deploy,rs,pod,event,crd >dump.yaml",
    "portolan diagnose --world dump.yaml",
];

/// The languages that no code block may have, because this test would not run its commands.
const SHELLS: [&str; 4] = ["bash", "shell", "shell-session", "zsh"];

#[rstest]
#[case::of_the_readme(README)]
#[case::about_diagnoses("docs/diagnose.md")]
#[case::about_dry_runs("docs/explain.md")]
#[case::about_health("docs/health.md")]
#[case::about_reviews("docs/review.md")]
#[case::about_readiness("docs/readiness.md")]
#[case::about_install_plans("docs/install-plans.md")]
#[case::about_operators_in_a_repository("docs/gitops.md")]
#[case::about_concepts("docs/concepts.md")]
fn console_blocks_print_shown_output(#[case] page: &str) {
    let text = read(page);
    let all = blocks(&text);
    let consoles = all.iter().filter(|block| block.language == "console");
    let consoles: Vec<_> = consoles.collect();
    assert_ne!(consoles.len(), 0, "{page} must show something");
    let differences: Vec<_> = consoles
        .iter()
        .flat_map(|block| differences(page, block))
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn sh_commands_are_known() {
    let text = readme();
    let unknown: Vec<_> = blocks(&text).iter().flat_map(unknown).collect();
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

#[test]
fn known_commands_are_in_readme() {
    let text = readme();
    let all = blocks(&text);
    let typed: Vec<_> = all.iter().flat_map(|block| &block.lines).collect();
    let gone: Vec<_> = KNOWN
        .iter()
        .filter(|known| !typed.contains(known))
        .collect();
    assert!(gone.is_empty(), "no longer in the README: {gone:?}");
}

#[test]
fn index_links_every_page() {
    let index = read("docs/README.md");
    let folder = fs::read_dir(Path::new(ROOT).join("docs")).expect("a folder");
    let names = folder.map(|entry| entry.expect("an entry").file_name().display().to_string());
    let pages = names.filter(|name| name.ends_with(".md") && name != "README.md");
    let missing: Vec<_> = pages
        .filter(|name| !index.contains(&format!("({name})")))
        .collect();
    assert!(missing.is_empty(), "add {missing:?} to docs/README.md");
}

/// Not every machine has grpcurl. The suite that builds grpcurl proves that its output is identical
/// to this text.
#[tokio::test]
async fn grpcurl_block_matches_resolver_answer() {
    let text = readme();
    let all = blocks(&text);
    let call = all
        .iter()
        .flat_map(commands_of_text)
        .find(|call| {
            call.typed
                .starts_with("grpcurl -plaintext -emit-defaults -d '")
        })
        .expect("the README must show a call of grpcurl");
    assert!(
        call.typed
            .ends_with("' 127.0.0.1:50051 portolan.resolver.v1.Resolver/FindPath")
    );
    let question = call.typed.split('\'').nth(1).unwrap_or_default();
    let question: FindPathRequest = serde_json::from_str(question).expect("it must be a question");

    let resolver = Resolver::start(&mut ferry_resolver());
    let mut client = ResolverClient::connect(resolver.url())
        .await
        .expect("the resolver must run");
    let answer = client
        .find_path(question)
        .await
        .expect("it must have an answer");
    let printed = serde_json::to_string_pretty(answer.get_ref()).expect("it must be JSON");
    assert_same!(call.shown.join("\n"), printed);
}

fn commands_of_text(block: &Block<'_>) -> Vec<blocks::Command> {
    match block.language {
        "text" => commands(block),
        _ => Vec::new(),
    }
}

fn readme() -> String {
    read(README)
}

fn read(page: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(page))
        .unwrap_or_else(|error| panic!("the repository needs {page}: {error}"))
}

fn differences(page: &str, block: &Block<'_>) -> Vec<String> {
    let mut session = Session::default();
    let commands = commands(block);
    let ran = commands
        .iter()
        .map(|command| (command, session.run(command)));
    ran.filter_map(|(command, ended)| {
        Some(format!(
            "{page}, block at line {}: `{}` shows\n{}\nand printed\n{}",
            block.line,
            command.typed,
            command.shown.join("\n"),
            ended.err()?
        ))
    })
    .collect()
}

fn unknown(block: &Block<'_>) -> Vec<String> {
    if SHELLS.contains(&block.language) {
        let line = block.line;
        return vec![format!(
            "README.md, line {line}: say `console` for what this test is to run, `sh` for the rest"
        )];
    }
    let lines = block.lines.iter().filter(|_| block.language == "sh");
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .filter(|line| !KNOWN.contains(line))
        .map(|line| {
            format!("`{line}` of README.md is not run anywhere: run it, then add it to KNOWN")
        })
        .collect()
}
