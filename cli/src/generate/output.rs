//! The output: Operators, or the changes.

use clap::ValueEnum;
use portolan_core_generate::{Change, Format, Generated, table};
use serde::Serialize;
use serde_json::json;

use crate::failure::Failure;
use crate::print;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Output {
    /// A document for each object; with --diff an entry for each change.
    Yaml,
    /// A List; with --diff an array.
    Json,
    /// Columns, for people; of --diff alone.
    Table,
}

/// The changes; as a table if no other form is asked for.
pub(super) fn changes(generated: &Generated, output: Option<Output>) -> Result<String, Failure> {
    let changes: &[Change] = &generated.changes;
    match output.unwrap_or(Output::Table) {
        Output::Table => Ok(table(changes)),
        Output::Json => json_text(changes),
        Output::Yaml => serde_saphyr::to_string(&changes).map_err(Failure::failed),
    }
}

/// The objects in the form of the input, if nothing else is asked for.
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
        // kubectl takes no empty text.
        Output::Yaml if objects.is_empty() => print::documents(std::iter::once(&list())),
        Output::Yaml => print::documents(objects.iter()),
    }
}

/// Why Operators are no table.
pub(super) fn no_table() -> Failure {
    Failure::taught("-o table is a form of --diff; Operators are printed as yaml or json")
}

fn json_text<T: Serialize + ?Sized>(value: &T) -> Result<String, Failure> {
    Ok(serde_json::to_string_pretty(value).map_err(Failure::failed)? + "\n")
}
