//! Prints the Operators or their changes.

use std::collections::BTreeSet;

use clap::ValueEnum;
use portolan_api::operator::GROUP;
use portolan_core_generate::{Change, Format, Generated, report};
use serde::Serialize;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::print;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Output {
    /// One document for each object; with --diff, one entry for each change.
    Yaml,
    /// One object of kind List; with --diff, an array.
    Json,
    /// Columns, for people; only with --diff.
    Table,
}

/// Renders the changes. The default format is a table.
pub(super) fn changes(generated: &Generated, output: Option<Output>) -> Result<String, Failure> {
    let changes: &[Change] = &generated.changes;
    match output.unwrap_or(Output::Table) {
        Output::Table => Ok(report(changes)),
        Output::Json => json_text(changes),
        Output::Yaml => serde_saphyr::to_string(&changes).map_err(Failure::failed),
    }
}

/// Renders the objects. The default format is the format of the input.
pub(super) fn objects(generated: &Generated, output: Option<Output>) -> Result<String, Failure> {
    let Generated {
        objects, format, ..
    } = generated;
    let list = || json!({"apiVersion": "v1", "kind": "List", "items": objects});
    let usual = match format {
        Format::Yaml => Output::Yaml,
        Format::Json => Output::Json,
    };
    match output.unwrap_or(usual) {
        Output::Table => Err(no_table()),
        Output::Json => json_text(&list()),
        // kubectl rejects an empty input, so an empty list is printed.
        Output::Yaml if objects.is_empty() => print::documents(std::iter::once(&list())),
        Output::Yaml => print::documents(objects.iter()),
    }
}

/// Returns the Operators that change. Returns an empty text if no Operator changes.
///
/// For an existing Operator, the output contains only its name and version. A server-side apply
/// takes ownership of all fields in its input, so other fields are omitted.
pub(super) fn render_changed(
    generated: &Generated,
    existing: &BTreeSet<String>,
    output: Option<Output>,
) -> Result<String, Failure> {
    let changes = generated.changes.iter();
    let names: BTreeSet<_> = changes.map(|change| change.name.as_str()).collect();
    let changing = generated.objects.iter().filter_map(|object| {
        let name = operator(object).filter(|name| names.contains(name))?;
        Some(if existing.contains(name) {
            version_of(object)
        } else {
            object.clone()
        })
    });
    let changed = Generated {
        objects: changing.collect(),
        format: generated.format,
        ..Generated::default()
    };
    let is_json = output.map_or(changed.format == Format::Json, |it| it == Output::Json);
    if changed.objects.is_empty() && !is_json {
        return Ok(String::new());
    }
    objects(&changed, output)
}

/// Returns the name of the object if the object is an Operator. Otherwise returns None.
pub(super) fn operator(object: &Value) -> Option<&str> {
    let is_operator = object["kind"] == "Operator"
        && object["apiVersion"]
            .as_str()
            .is_some_and(|it| it.starts_with(&format!("{GROUP}/")));
    object["metadata"]["name"].as_str().filter(|_| is_operator)
}

fn version_of(operator: &Value) -> Value {
    json!({
        "apiVersion": operator["apiVersion"],
        "kind": operator["kind"],
        "metadata": {"name": operator["metadata"]["name"]},
        "spec": {"version": operator["spec"]["version"]},
    })
}

/// Returns the error for a table of Operators, which is not a supported format.
pub(super) fn no_table() -> Failure {
    Failure::usage("-o table requires --diff; Operators are printed as yaml or json")
}

fn json_text<T: Serialize + ?Sized>(value: &T) -> Result<String, Failure> {
    Ok(serde_json::to_string_pretty(value).map_err(Failure::failed)? + "\n")
}
