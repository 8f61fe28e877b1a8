//! Tests of the pictures in `docs/pictures`. They show the output of commands for the sample data.
//! `just pictures` writes them.

mod page;
mod recording;

use std::path::Path;
use std::{env, fs};

use portolan_kit::assert_same;

use self::recording::{Scene, recording};
use crate::console::Browser;
use crate::program::{FERRY, portolan, run};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/pictures");
/// The maximum size of a picture in bytes. It is small, because the README page loads all pictures.
const LARGEST: usize = 60_000;
/// The commands in the recording of the terminal.
const TYPED: [&str; 2] = [
    "portolan diagnose --world deploy/demo harbor/pilot | head -14",
    "portolan path --world deploy/demo ferry@2.0.0",
];

#[test]
fn committed_graph_picture_is_current() {
    let drawing = printed(&format!("graph --catalog {FERRY} ferry -o svg"));
    assert_current("graph.svg", &drawing);
}

#[test]
fn committed_terminal_recording_is_current() {
    let scenes = TYPED.map(|typed| {
        let (line, rows) = typed.split_once(" | head -").unwrap_or((typed, "100"));
        let (_, words) = line.split_once(' ').expect("arguments");
        let shown = printed(&format!("{words} --color always"));
        let rows = shown.lines().take(rows.parse().expect("a number"));
        Scene {
            typed,
            shown: rows.map(|row| format!("{row}\n")).collect(),
        }
    });
    assert_current("terminal.svg", &recording(&scenes));
}

#[test]
fn committed_console_picture_is_current() {
    let browser = Browser::on("console --world deploy/demo");
    let page = browser.until("/", "lighthouse");
    let rules = browser.get("/console.css");
    let (_, rules) = rules.split_once("\r\n\r\n").expect("a head");
    assert_current("console.svg", &page::picture(&page, rules));
}

/// Returns the output of a command. The exit code may be that of a negative answer.
fn printed(line: &str) -> String {
    let output = run(&mut portolan(line));
    assert!(output.stderr.is_empty(), "{line}: {output:?}");
    String::from_utf8(output.stdout).expect("a text")
}

fn assert_current(name: &str, picture: &str) {
    let file = Path::new(FOLDER).join(name);
    if env::var_os("PORTOLAN_WRITE_PAGES").is_some() {
        fs::write(&file, picture).expect("the picture must be written");
    }
    let written = fs::read_to_string(&file).expect("the picture must exist: just pictures");
    assert_same!(written, picture);
    assert!(picture.len() <= LARGEST, "{name}: {} bytes", picture.len());
}
