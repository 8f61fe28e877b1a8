//! Tests of `portolan upgrades --queries`, which reads queries and prints answers line by line.

mod servers;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use insta::assert_snapshot;
use portolan_kit::assert_same;
use serde_json::{Value, json};

use crate::program::{FERRY, portolan, run, transcript};
use crate::serving::{Resolver, ferry_resolver};

/// The program with pipes for input and output.
struct Piped {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

// === impl Piped ===

impl Piped {
    fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program must start");
        let answers = child.stdout.take().expect("standard output must be a pipe");
        Self {
            questions: child.stdin.take(),
            answers: BufReader::new(answers),
            child,
        }
    }

    fn ask(&mut self, line: &str) {
        let pipe = self.questions.as_mut().expect("the pipe must be open");
        writeln!(pipe, "{line}").expect("the program must take questions");
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.answers
            .read_line(&mut line)
            .expect("answers must be readable");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("`{line}` must be a line of JSON"))
    }

    /// Returns the peak memory use of the program in KiB.
    fn peak(&self) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).expect("the program must be alive");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let number = line.and_then(|line| line.trim().strip_suffix(" kB"));
        number
            .and_then(|number| number.parse().ok())
            .expect("a peak of memory")
    }

    /// Closes the input, and returns the exit code.
    fn end(mut self) -> Option<i32> {
        self.questions = None;
        self.child.wait().expect("the program must end").code()
    }
}

fn from_files() -> Command {
    portolan(&format!("upgrades --queries - --catalog {FERRY}"))
}

/// Returns the output of the command for these input lines.
fn transcript_of(lines: &str) -> String {
    let folder = portolan_kit::TempFolder::empty();
    let file = folder.join("queries.jsonl");
    std::fs::write(&file, lines).expect("the file must be written");
    let mut command = portolan(&format!("upgrades --catalog {FERRY} --queries"));
    transcript(command.arg(&file))
}

#[test]
fn answers_match_single_queries() {
    let question = r#"{"package": "ferry", "installed": "ferry.v1.0.5", "channel": "stable",
        "catalog": "demo", "installedVersion": "1.0.5"}"#;
    let line = "upgrades ferry --from ferry.v1.0.5 --channel stable --in demo \
                --installed-version 1.0.5 -o json";
    let alone = run(portolan(line).args(["--catalog", FERRY])).stdout;
    let alone: Value = serde_json::from_slice(&alone).expect("an answer must be JSON");
    let mut piped = Piped::start(&mut from_files());
    piped.ask(&question.replace('\n', ""));
    assert_same!(piped.answer(), alone);
    assert_eq!(piped.end(), Some(0));
}

#[test]
fn answers_each_line_of_open_pipe() {
    let resolver = Resolver::start(&mut ferry_resolver());
    let mut from_server = portolan("upgrades --queries - --server");
    for mut command in [from_files(), {
        from_server.arg(resolver.url());
        from_server
    }] {
        let mut piped = Piped::start(&mut command);
        for installed in ["ferry.v1.0.0", "ferry.v1.2.0"] {
            piped.ask(&format!(
                r#"{{"package":"ferry","installed":"{installed}"}}"#
            ));
            assert_eq!(piped.answer()["installed"]["name"], installed);
        }
        piped.ask("nonsense");
        assert_eq!(piped.answer()["refused"]["code"], "INVALID_ARGUMENT");
        piped.ask(r#"{"package":"fery","installed":"ferry.v1.0.0"}"#);
        assert_eq!(piped.answer()["refused"]["code"], "NOT_FOUND");
        assert_eq!(piped.end(), Some(1));
    }
}

#[test]
fn reports_invalid_line_in_the_order_of_the_input() {
    let lines = [
        r#"{"packages": "ferry", "installed": "ferry.v1.0.0"}"#,
        r#"{"package": "ferry", "zebra": "ferry.v1.0.0"}"#,
        r#"{"package": "ferry", "install": "ferry.v1.0.0"}"#,
        r#"{"package": "ferry", "installedversion": "1.0.0"}"#,
        r#"{"package": "Ferry", "installed": "ferry.v1.0.0"}"#,
        r#"{"package": "ferry"}"#,
        r#"{"package": 1}"#,
        r#"{"package": "a", "package": "b"}"#,
        r#"["ferry", "ferry.v1.0.0"]"#,
        "nonsense",
        r#"{"package": "#,
        "",
    ];
    assert_snapshot!(transcript_of(&(lines.join("\n") + "\n")), @r#"
    [stdout]
    {"refused":{"code":"INVALID_ARGUMENT","message":"line 1: unknown field `packages`; did you mean `package`?","field":""}}
    {"refused":{"code":"INVALID_ARGUMENT","message":"line 2: unknown field `zebra`; use one of package, installed, channel, catalog, installedVersion","field":""}}
    {"refused":{"code":"INVALID_ARGUMENT","message":"line 3: unknown field `install`; did you mean `installed`?","field":""}}
    {"refused":{"code":"INVALID_ARGUMENT","message":"line 4: unknown field `installedversion`; did you mean `installedVersion`?","field":""}}
    {"refused":{"code":"INVALID_ARGUMENT","message":"\"Ferry\" is not a package name: at column 1, \"F\" is not a lower-case letter, digit, hyphen or dot","field":"package"}}
    {"refused":{"code":"INVALID_ARGUMENT","message":"\"\" is not a bundle name: at column 1, the length is 0 bytes; 1 to 253 are allowed","field":"installed"}}
    {"refused":{"code":"INVALID_ARGUMENT","message":"line 7, column 13: invalid type: integer `1`, expected a string","field":""}}
    {"refused":{"code":"INVALID_ARGUMENT","message":"line 8, column 26: duplicate field `package`","field":""}}
    {"refused":{"code":"INVALID_ARGUMENT","message":"line 9: a query is a JSON object, such as {\"package\": \"a\", \"installed\": \"a.v1\"}","field":""}}
    {"refused":{"code":"INVALID_ARGUMENT","message":"line 10, column 2: invalid JSON: expected ident","field":""}}
    {"refused":{"code":"INVALID_ARGUMENT","message":"line 11, column 11: invalid JSON: EOF while parsing a value","field":""}}
    {"refused":{"code":"INVALID_ARGUMENT","message":"line 12: the line is empty, but each line must be a query","field":""}}
    [exit 1]
    "#);
}

#[test]
fn accepts_last_line_without_newline() {
    let question = r#"{"package":"ferry","installed":"ferry.v1.0.0"}"#;
    let output = transcript_of(&format!("{question}\n{question}"));
    assert_eq!(output.matches("\"successors\":[{").count(), 2, "{output}");
    assert!(output.ends_with("[exit 0]"), "{output}");
}

#[test]
fn rejects_too_long_line() {
    let long = format!("{{\"package\": \"{}\"}}", "a".repeat(1 << 20));
    let output = transcript_of(&format!("{long}\n{{}}\n"));
    assert!(
        output.contains("line 1: the query is longer than 65536 bytes"),
        "{output}"
    );
    assert_eq!(output.lines().count(), 4, "{output}");
}

#[test]
fn empty_input_gives_no_output() {
    assert_eq!(transcript_of(""), "[exit 0]");
}

#[test]
fn names_missing_file() {
    let line = format!("upgrades --catalog {FERRY} --queries ./nowhere.jsonl");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stderr]
    error: cannot read ./nowhere.jsonl (--queries): No such file or directory (os error 2)
    [exit 2]
    "#);
}

#[test]
fn rejects_folder_as_query_file() {
    let line = format!("upgrades --catalog {FERRY} --queries tests");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stderr]
    error: cannot read tests (--queries): is a directory
    [exit 2]
    "#);
}

#[test]
fn rejects_queries_with_package() {
    let line = format!("upgrades --catalog {FERRY} --queries - --package ferry");
    let output = transcript(&mut portolan(&line));
    assert!(output.contains("cannot be used with"), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[test]
fn closed_pipe_ends_queries() {
    let mut piped = Piped::start(&mut from_files());
    piped.ask("{}");
    piped.answer();
    let Piped {
        mut child,
        questions,
        answers,
    } = piped;
    drop(answers);
    let mut questions = questions.expect("the pipe must be open");
    // The program notices the closed pipe when it writes one of the next answers.
    while writeln!(questions, "{{}}").is_ok() {}
    assert_eq!(child.wait().expect("it must end").code(), Some(1));
}

/// Every second query is large. If the program read all queries at once, it would need hundreds of
/// megabytes.
#[test]
fn ten_thousand_queries_keep_order_and_apply_backpressure() {
    let mut piped = Piped::start(&mut from_files());
    let mut pipe = piped.questions.take().expect("the pipe must be open");
    let large =
        json!({"package": "ferry", "installed": "a", "installedVersion": "x".repeat(40_000)});
    let written = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&written);
    let writing = thread::spawn(move || {
        for at in 0..5_000 {
            let small = json!({"package": "ferry", "installed": format!("ferry.v0.0.{at}")});
            write!(pipe, "{small}\n{large}\n").expect("the program must take questions");
            count.store(2 * (at + 1), Ordering::Relaxed);
        }
    });
    piped.answer();
    let ahead = settled(&written);
    assert!(
        ahead < 1_000,
        "{ahead} questions were read before the second answer was read"
    );
    let early = piped.peak();
    for at in 0..5_000 {
        if at > 0 {
            assert_eq!(
                piped.answer()["installed"]["name"],
                format!("ferry.v0.0.{at}")
            );
        }
        assert_eq!(piped.answer()["refused"]["field"], "installed_version");
    }
    writing.join().expect("all questions must be written");
    let grown = piped.peak() - early;
    assert!(
        grown < 16 * 1024,
        "{grown} KiB more at the end than at the beginning"
    );
    assert_eq!(piped.end(), Some(1));
}

/// Returns a number after it has not changed for a while. If the number changes later, the test
/// checks less, but it does not fail.
fn settled(number: &AtomicUsize) -> usize {
    let (mut last, mut repeats) = (number.load(Ordering::Relaxed), 0);
    while repeats < 100_000 {
        thread::yield_now();
        let now = number.load(Ordering::Relaxed);
        repeats = if now == last { repeats + 1 } else { 0 };
        last = now;
    }
    last
}
