//! The output formats, and the function with which each command prints its result.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use portolan_proto::resolver::v1::CatalogRef;
use serde::Serialize;

use super::{Detail, Page, json, note, one_line, page, text, warn, yaml};
use crate::exit::Exit;
use crate::failure::Failure;

/// A format of an answer. Each command accepts some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Table,
    Wide,
    Text,
    Json,
    Yaml,
    Name,
    Markdown,
    Junit,
    Mermaid,
    Dot,
    Svg,
}

/// The formats that most commands support.
const USUAL: [(Format, &str); 5] = [
    (Format::Table, "Columns, for people"),
    (Format::Wide, "Columns, without truncation"),
    (Format::Json, "The gRPC response as JSON, for programs"),
    (Format::Yaml, "Like json, but in YAML format"),
    (
        Format::Name,
        "Only the names, one per line, as `kubectl get -o name` prints them",
    ),
];

/// The formats of commands whose result is a text.
pub(crate) const TEXT_OR_JSON: [(Format, &str); 2] =
    [(Format::Text, "For people"), (Format::Json, "For programs")];

/// The formats of commands that print Kubernetes objects.
pub(crate) const OBJECTS: [(Format, &str); 2] = [
    (Format::Yaml, "One document for each object"),
    (Format::Json, "One object of kind List"),
];

/// The format in which an answer is printed.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct OutputArgs {
    /// Output format.
    #[arg(short = 'o', long = "output", value_name = "FORM", default_value = "table", value_parser = Format::among(USUAL))]
    pub(crate) format: Format,
}

/// The result of a command, in a form that all output formats can print.
///
/// The JSON output and the YAML output are the serialized form of the result.
pub(crate) trait Render: Serialize {
    /// Returns the text output.
    fn page(&self, detail: Detail) -> Page;

    /// Returns the names of the listed objects, in the order of the output. Returns None if the
    /// objects have no names.
    fn names(&self) -> Option<Vec<String>> {
        None
    }

    /// Returns the output in a format that only some commands support, such as Markdown.
    fn text(&self, format: Format) -> Result<String, Failure> {
        Err(format.unsupported())
    }

    /// Returns the catalogs that the result depends on. The text output warns about stale catalogs.
    fn catalogs(&self) -> &[CatalogRef] {
        &[]
    }

    /// Returns a remark that is printed after the result.
    fn remark(&self, _format: Format) -> Option<Remark> {
        None
    }

    /// Returns the text output for --watch.
    fn watched_page(&self, detail: Detail) -> Page {
        self.page(detail)
    }

    /// Returns the exit code of the command.
    fn exit(&self) -> Exit {
        Exit::Answered
    }
}

/// A sentence that is printed after a result.
pub(crate) enum Remark {
    Note(String),
    Warning(String),
}

// === impl Format ===

impl Format {
    /// Returns an argument parser that accepts these formats. The help of the argument explains
    /// each format.
    pub(crate) fn among<const N: usize>(
        formats: [(Self, &'static str); N],
    ) -> impl TypedValueParser<Value = Self> {
        let values = formats.into_iter();
        let values =
            values.filter_map(|(format, help)| Some(format.to_possible_value()?.help(help)));
        let values: Vec<_> = values.collect();
        PossibleValuesParser::new(values).try_map(|word| Self::from_str(&word, false))
    }

    /// Returns the amount of detail in text output. Returns None for other formats.
    pub(crate) fn detail(self) -> Option<Detail> {
        match self {
            Self::Table | Self::Text => Some(Detail::Usual),
            Self::Wide => Some(Detail::Whole),
            Self::Json
            | Self::Yaml
            | Self::Name
            | Self::Markdown
            | Self::Junit
            | Self::Mermaid
            | Self::Dot
            | Self::Svg => None,
        }
    }

    /// Prints a result, and returns the exit code of the command.
    pub(crate) fn show(self, answer: &impl Render) -> Result<Exit, Failure> {
        match self {
            Self::Table | Self::Text => print_page(answer, Detail::Usual),
            Self::Wide => print_page(answer, Detail::Whole),
            Self::Json => json(answer),
            Self::Yaml => yaml(answer),
            Self::Name => print_names(answer),
            Self::Markdown | Self::Junit | Self::Mermaid | Self::Dot | Self::Svg => {
                text(&answer.text(self)?)
            }
        }?;
        if let Some(remark) = answer.remark(self) {
            remark.print();
        }
        Ok(answer.exit())
    }

    /// Returns an error if this format can print only one complete result, but a flag requests
    /// several results.
    pub(crate) fn refuse_unless_streamed(self, flag: &str) -> Result<(), Failure> {
        if self.detail().is_some() || self == Self::Json {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "{flag} prints a stream, which this output format does not support; use -o json for one line per item"
        )))
    }

    pub(crate) fn unsupported(self) -> Failure {
        let value = self.to_possible_value();
        let name = value.as_ref().map_or("", PossibleValue::get_name);
        Failure::usage(format!(
            "this command does not support -o {name}; use another output format"
        ))
    }
}

fn print_page(answer: &impl Render, detail: Detail) -> Result<(), Failure> {
    page(answer.page(detail).with_stale(answer.catalogs())).map(drop)
}

fn print_names(answer: &impl Render) -> Result<(), Failure> {
    let Some(names) = answer.names() else {
        return Err(Failure::usage(
            "this command does not support -o name; use table, wide, json or yaml",
        ));
    };
    let lines = names.iter().map(|name| format!("{}\n", one_line(name)));
    text(&lines.collect::<String>())
}

// === impl Remark ===

impl Remark {
    pub(crate) fn sentence(&self) -> &str {
        match self {
            Self::Note(sentence) | Self::Warning(sentence) => sentence,
        }
    }

    fn print(&self) {
        match self {
            Self::Note(sentence) => note(sentence),
            Self::Warning(sentence) => warn(sentence),
        }
    }
}
