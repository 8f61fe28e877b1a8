//! Runs the tested program, and runs the commands that it prints in a shell.

use std::path::PathBuf;
use std::process::Command;

use portolan_core_diagnosis::Code;
use portolan_kit::TempFolder;
use portolan_proto::diagnosis::v1::Step;
use portolan_proto::diagnosis::v1::step::Action;
use portolan_rig::{Binaries, Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use crate::operators::stage::Harbor;
use crate::program::{output, portolan};

/// Selects the commands of a remedy that a test runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::diagnose) enum Cure {
    /// The commands of the only fix.
    Fix,
    /// The commands of the alternative fix whose title begins with this text.
    Decide(&'static str),
    /// The commands for a later time whose title begins with this text.
    Later(&'static str),
    /// None: the program prints no command that changes an object.
    None,
}

/// A problem that the program must report: the argument of the program, such as `plan/ferry`, the
/// code of the root cause, and the kind and name of the object at fault.
pub(super) type Problem<'a> = (&'a str, Code, &'a str);

/// A user at a terminal. The working directory is an empty folder.
pub(super) struct Ward<'a> {
    pub(super) harbor: &'a Harbor,
    portolan: PathBuf,
    folder: TempFolder,
}

/// The output of a program, and its exit code.
pub(super) struct Typed {
    pub(super) text: String,
    pub(super) complaint: String,
    pub(super) code: Option<i32>,
}

// === impl Ward ===

impl<'a> Ward<'a> {
    pub(super) async fn of(harbor: &'a Harbor) -> Result<Self, Failure> {
        Ok(Self {
            harbor,
            portolan: portolan().await?,
            folder: TempFolder::empty(),
        })
    }

    /// Waits until the program reports the problem, and runs the selected commands. Returns the
    /// root cause.
    pub(super) async fn does(&self, problem: Problem<'_>, cure: Cure) -> Result<Value, Failure> {
        let cause = self.reported(problem).await?;
        let procedure = procedure(&cause["remedy"], cure).expect("a procedure");
        let steps = procedure["steps"].as_array().into_iter().flatten();
        for line in steps.map(line) {
            self.shell(&line).await?;
        }
        Ok(cause)
    }

    /// Waits until the program reports the problem, and runs the selected commands. Then waits
    /// until the program no longer prints these commands.
    pub(super) async fn cures(&self, problem: Problem<'_>, cure: Cure) -> Result<(), Failure> {
        let cause = self.reported(problem).await?;
        let Some(procedure) = procedure(&cause["remedy"], cure) else {
            let remedy = &cause["remedy"];
            assert!(remedy["fix"].is_null(), "{problem:?}: {remedy:#}");
            assert_eq!(remedy["decide"], json!([]), "{problem:?}: {remedy:#}");
            return Ok(());
        };
        let steps = procedure["steps"].as_array().into_iter().flatten();
        for line in steps.map(line) {
            self.shell(&line).await?;
        }
        self.until_gone(problem, &procedure["title"]).await
    }

    /// Runs a line in a shell. Fails if the line fails.
    pub(super) async fn shell(&self, line: &str) -> Result<(), Failure> {
        println!("diagnose: $ {line}");
        let typed = self.types("sh", &["-c", line]).await?;
        assert_eq!(typed.code, Some(0), "{line}: {}", typed.complaint);
        Ok(())
    }

    /// Fixes the problem with `diagnose --apply --yes` instead of a shell.
    pub(super) async fn applies(&self, problem: Problem<'_>) -> Result<(), Failure> {
        let cause = self.reported(problem).await?;
        let words = self.words(problem.0, &["--apply", "--yes"]);
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let typed = self.types(&self.program(), &words).await?;
        println!("diagnose: {}", typed.text);
        assert_eq!(typed.code, Some(0), "{}", typed.complaint);
        self.until_gone(problem, &cause["remedy"]["fix"]["title"])
            .await
    }

    /// Waits until the program reports no problem for an object.
    pub(super) async fn is_well(&self, of: &str) -> Result<(), Failure> {
        until(format!("{of} to be well"), PATIENCE, async || {
            let (diagnosis, typed) = self.diagnosed(of).await?;
            Ok(if diagnosis["state"] == "WELL" {
                Seen::Yes(())
            } else {
                Seen::NotYet(format!("{diagnosis:#} {}", typed.complaint))
            })
        })
        .await
    }

    /// Returns the diagnosis of an object from a dump.
    pub(super) async fn dumped(&self, of: &str) -> Result<Value, Failure> {
        let top = TempFolder::empty();
        let folder = top.join("dump").display().to_string();
        let typed = self.types(&self.program(), &["dump", &folder]).await?;
        assert!(matches!(typed.code, Some(0 | 3)), "{}", typed.complaint);
        let words = self.words(of, &["-o", "json", "--world", &folder]);
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let typed = self.types(&self.program(), &words).await?;
        let answer: Value = serde_json::from_str(&typed.text).unwrap_or_default();
        Ok(answer["diagnoses"][0].clone())
    }

    /// Waits until the program reports the problem. Returns the root cause.
    pub(super) async fn reported(
        &self,
        (of, code, at_fault): Problem<'_>,
    ) -> Result<Value, Failure> {
        until(format!("{of}: {code} {at_fault}"), PATIENCE, async || {
            let (diagnosis, typed) = self.diagnosed(of).await?;
            let cause = &diagnosis["cause"];
            let part = |name: &str| cause["atFault"][name].as_str().unwrap_or_default();
            let named = format!("{} {}", part("kind"), part("name"));
            let is_it = cause["code"] == code.as_str() && named == at_fault;
            Ok(if is_it {
                assert_eq!(typed.code, Some(1), "{of}: {diagnosis:#}");
                assert!(diagnosis["headline"].is_string(), "{of}: {diagnosis:#}");
                Seen::Yes(cause.clone())
            } else {
                Seen::NotYet(format!("{diagnosis:#} {}", typed.complaint))
            })
        })
        .await
    }

    async fn until_gone(&self, (of, code, _): Problem<'_>, title: &Value) -> Result<(), Failure> {
        until(format!("{of}: {code} to be gone"), PATIENCE, async || {
            let (diagnosis, _) = self.diagnosed(of).await?;
            let cause = &diagnosis["cause"];
            let remedy = cause["remedy"].to_string();
            let is_still = cause["code"] == code.as_str() && remedy.contains(&title.to_string());
            Ok(if is_still {
                Seen::NotYet(format!("{diagnosis:#}"))
            } else {
                Seen::Yes(())
            })
        })
        .await
    }

    /// Returns the diagnosis of an object. The diagnosis is null if the object does not exist.
    async fn diagnosed(&self, of: &str) -> Result<(Value, Typed), Failure> {
        let words = self.words(of, &["-o", "json"]);
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let typed = self.types(&self.program(), &words).await?;
        let answer: Value = serde_json::from_str(&typed.text).unwrap_or_default();
        Ok((answer["diagnoses"][0].clone(), typed))
    }

    /// Returns the arguments for `diagnose` about an object. `of` has the form `KIND/NAME` or
    /// `KIND/NAMESPACE/NAME`.
    fn words(&self, of: &str, others: &[&str]) -> Vec<String> {
        let (kind, name) = of.split_once('/').unwrap_or_default();
        let (namespace, name) = name.split_once('/').unwrap_or((self.harbor.home(), name));
        let of = format!("{kind}/{name}");
        let words = ["diagnose", &of, "-n", namespace].map(str::to_owned);
        let others = others.iter().map(|word| (*word).to_owned());
        words.into_iter().chain(others).collect()
    }

    fn program(&self) -> String {
        self.portolan.display().to_string()
    }

    /// Runs a program in the working directory. PATH contains kubectl.
    async fn types(&self, program: &str, words: &[&str]) -> Result<Typed, Failure> {
        let path = std::env::var("PATH").unwrap_or_default();
        let binaries = Binaries::ready()?.folder().display().to_string();
        let mut command = Command::new(program);
        command
            .args(words)
            .env("PATH", format!("{binaries}:{path}"))
            .env("KUBECONFIG", self.harbor.world().cluster().kubeconfig())
            .env_remove("PORTOLAN_SERVER")
            .current_dir(&*self.folder);
        let done = output(command).await?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(Typed {
            text: text(&done.stdout),
            complaint: text(&done.stderr),
            code: done.status.code(),
        })
    }
}

/// Returns the selected procedure of a remedy.
pub(in crate::diagnose) fn procedure(remedy: &Value, cure: Cure) -> Option<&Value> {
    match cure {
        Cure::Fix => {
            assert!(remedy["fix"].is_object(), "no fix: {remedy:#}");
            Some(&remedy["fix"])
        }
        Cure::Decide(title) => Some(titled(remedy, "decide", title)),
        Cure::Later(title) => Some(titled(remedy, "later", title)),
        Cure::None => None,
    }
}

/// Returns the procedure in a list whose title begins with this text.
fn titled<'r>(remedy: &'r Value, list: &str, title: &str) -> &'r Value {
    let mut all = remedy[list].as_array().into_iter().flatten();
    let is_it = |it: &&Value| it["title"].as_str().is_some_and(|it| it.starts_with(title));
    let found = all.find(is_it);
    found.unwrap_or_else(|| panic!("no title of {list} begins with {title:?}: {remedy:#}"))
}

/// Returns a step as a shell command.
pub(in crate::diagnose) fn line(step: &Value) -> String {
    let text = |field: &str| step[field].as_str().map(str::to_owned);
    let action = text("command").map(Action::Command);
    let action = action.or_else(|| text("manifest").map(Action::Manifest));
    assert!(action.is_some(), "a step without an action: {step}");
    let step = Step {
        action,
        ..Step::default()
    };
    step.script().join("\n")
}
