//! Parses the configuration of the updater. A ConfigMap contains it.
//!
//! ```yaml
//! mode: Serial
//! dryRun: false
//! operators:
//!   install:
//!   - name: quay
//!     version: latest-patch
//!     takeOver: true
//!   - name: "*"
//!     version: latest
//! ```
//!
//! `operators.install` has the same format as in a manifest for `portolan generate -d`, so that
//! users can copy it.

use std::collections::BTreeSet;
use std::fmt;

use portolan_core_names::PackageName;
use serde_json::Value;

use crate::{Target, only_fields};

const EVERYONE: &str = "*";
const NEVER: &str = "never";
const WAY_OUT: &str = "write operators.install as a list of entries with name, version and \
 takeOver; the only other fields are mode and dryRun";

/// The configuration of the updater.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration {
    pub mode: Mode,
    /// True if the updater only reports the changes that it would make.
    pub is_dry_run: bool,
    /// The entries, in the order of the ConfigMap. [`Mode::Serial`] updates the Operators in this
    /// order.
    pub entries: Vec<Entry>,
}

/// The order in which Operators are updated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// The updater makes all updates together. If one of them is impossible, it makes none.
    #[default]
    Parallel,
    /// The updater makes one update after the other. Each update waits until the previous Operator
    /// is ready.
    Serial,
}

/// An entry of the configuration: one or more Operators, and their rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: Name,
    pub rule: Rule,
    /// True if the updater may take over a version that a user wrote.
    pub takes_over: bool,
}

/// The Operators to which an entry applies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    /// The Operator with this name or package.
    One(String),
    /// Every Operator that no other entry names.
    Everyone,
}

/// The rule for automatic updates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// The Operators are never updated automatically.
    Never,
    To(Target),
}

/// Reads the configuration in a ConfigMap, parsed as YAML.
///
/// # Errors
/// Returns all errors, one sentence each.
pub fn parse(value: &Value) -> Result<Configuration, Vec<String>> {
    let fields = only_fields(
        value,
        "the configuration",
        &["operators", "mode", "dryRun"],
        WAY_OUT,
    );
    let fields = fields.map_err(|why| vec![why])?;
    let mut refused = Vec::new();
    let mode = mode(fields.get("mode")).unwrap_or_else(|why| {
        refused.push(why);
        Mode::default()
    });
    let is_dry_run = flag("dryRun", fields.get("dryRun")).unwrap_or_else(|why| {
        refused.push(why);
        true
    });
    let entries = entries(fields.get("operators"), &mut refused);
    if refused.is_empty() {
        Ok(Configuration {
            mode,
            is_dry_run,
            entries,
        })
    } else {
        Err(refused)
    }
}

fn mode(value: Option<&Value>) -> Result<Mode, String> {
    match value {
        None | Some(Value::Null) => Ok(Mode::default()),
        Some(Value::String(text)) if text == "Parallel" => Ok(Mode::Parallel),
        Some(Value::String(text)) if text == "Serial" => Ok(Mode::Serial),
        Some(other) => Err(format!("mode is {other}; write Parallel or Serial")),
    }
}

fn flag(name: &str, value: Option<&Value>) -> Result<bool, String> {
    match value {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(is_on)) => Ok(*is_on),
        Some(other) => Err(format!("{name} is {other}; write true or false")),
    }
}

fn entries(operators: Option<&Value>, refused: &mut Vec<String>) -> Vec<Entry> {
    let listed = operators
        .ok_or_else(|| format!("operators is missing; {WAY_OUT}"))
        .and_then(|operators| only_fields(operators, "operators", &["install"], WAY_OUT))
        .and_then(|fields| {
            let install = fields.get("install").and_then(Value::as_array);
            install.ok_or_else(|| format!("operators.install is not a list; {WAY_OUT}"))
        });
    let listed = match listed {
        Ok(listed) => listed,
        Err(why) => {
            refused.push(why);
            return Vec::new();
        }
    };
    let (mut entries, mut names) = (Vec::new(), BTreeSet::new());
    for (at, value) in listed.iter().enumerate() {
        match entry(value) {
            Ok(entry) if names.insert(entry.name.clone()) => entries.push(entry),
            Ok(Entry { name, .. }) => refused.push(format!(
                "operators.install[{at}]: {name} is listed twice; remove one of the entries"
            )),
            Err(why) => refused.push(format!("operators.install[{at}]: {why}")),
        }
    }
    entries
}

fn entry(value: &Value) -> Result<Entry, String> {
    let fields = only_fields(
        value,
        "the entry",
        &["name", "takeOver", "version"],
        WAY_OUT,
    )?;
    let name = match fields.get("name") {
        Some(Value::String(name)) if name == EVERYONE => Name::Everyone,
        Some(Value::String(name)) => {
            PackageName::parse(name).map_err(|refusal| refusal.to_string())?;
            Name::One(name.clone())
        }
        Some(other) => return Err(format!("name is {other}; it must be a string")),
        None => return Err(format!("the entry has no name; {WAY_OUT}")),
    };
    let rule = match fields.get("version") {
        None | Some(Value::Null) => Rule::To(Target::Latest),
        Some(Value::String(text)) if text == NEVER => Rule::Never,
        Some(Value::String(text)) => {
            Rule::To(Target::parse(text).map_err(|refusal| refusal.to_string())?)
        }
        Some(other) => {
            return Err(format!(
                "version is {other}; it must be a string, so put it in quotes"
            ));
        }
    };
    Ok(Entry {
        name,
        rule,
        takes_over: flag("takeOver", fields.get("takeOver"))?,
    })
}

// === impl Name ===

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(name) => f.write_str(name),
            Self::Everyone => f.write_str(EVERYONE),
        }
    }
}
