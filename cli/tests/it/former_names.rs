//! Tests of the names that server commands had before `portolan serve` existed.

use std::fs;
use std::path::{Path, PathBuf};

use rstest::rstest;

use crate::program::{portolan, run, transcript};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The former name of each command, and its name below `serve`.
const NAMES: [(&str, &str); 8] = [
    ("resolver", "resolver"),
    ("health-server", "health"),
    ("approval", "approval"),
    ("diagnose-server", "diagnosis"),
    ("controller", "controller"),
    ("webhook", "webhook"),
    ("apiserver", "apiserver"),
    ("updater", "updater"),
];

#[test]
fn former_names_take_the_same_flags() {
    for (former, name) in NAMES {
        let former_help = transcript(&mut portolan(&format!("{former} --help")));
        let help = transcript(&mut portolan(&format!("serve {name} --help")));
        let renamed = former_help.replace(
            &format!("Usage: portolan {former}"),
            &format!("Usage: portolan serve {name}"),
        );
        let renamed = renamed.replace(
            &format!("       portolan {former} <COMMAND>"),
            &format!("       portolan serve {name} <COMMAND>"),
        );
        assert_eq!(renamed, help);
        assert!(help.ends_with("[exit 0]"), "{help}");
    }
}

#[rstest]
#[case::resolver("resolver --listen nowhere", "--listen")]
#[case::health("health-server --probes-listen nowhere", "--probes-listen")]
#[case::controller("controller release-finalizers --nosuch", "--nosuch")]
#[case::updater("updater --once --nosuch", "--nosuch")]
fn former_names_are_run(#[case] line: &str, #[case] flag: &str) {
    let output = transcript(&mut portolan(line));
    assert!(output.contains(flag), "{output}");
    assert!(!output.contains("unrecognized subcommand"), "{output}");
}

#[test]
fn help_lists_only_new_names() {
    let help = String::from_utf8(run(&mut portolan("--help")).stdout).expect("text");
    for (former, _) in NAMES {
        assert!(!help.contains(&format!("\n  {former} ")), "{help}");
    }
    assert!(help.contains("\nServe:\n"), "{help}");
}

#[test]
fn manifests_use_new_names() {
    let mut files = vec![Path::new(ROOT).join("docker-compose.yaml")];
    add_files(&Path::new(ROOT).join("deploy"), &mut files);
    let mut commands = 0;
    for file in files {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        for pair in lines.windows(2) {
            let command = match pair {
                ["args:" | "- args:", first] => first.trim_start_matches("- "),
                [line, _] if line.starts_with("command: [\"") => {
                    line.split('"').nth(1).unwrap_or_default()
                }
                _ => continue,
            };
            let is_former = NAMES.iter().any(|(former, _)| *former == command);
            assert!(!is_former, "{} runs {command}", file.display());
            commands += 1;
        }
    }
    assert!(commands > 10, "{commands}");
}

fn add_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            add_files(&path, files);
        } else {
            files.push(path);
        }
    }
}
