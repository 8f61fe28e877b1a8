//! `portolan version`: shows the version of the program, and of its APIs.

use clap::Parser;
use portolan_proto::approval::v1::approval_server;
use portolan_proto::diagnosis::v1::diagnosis_server;
use portolan_proto::health::v1::health_server;
use portolan_proto::resolver::v1::resolver_server;
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::print::{Detail, Format, Page, Render};

/// The output formats of the command.
const FORMATS: [(Format, &str); 3] = [
    (Format::Text, "One line for each field, for people"),
    (Format::Json, "JSON, for programs"),
    (Format::Yaml, "Like json, but in YAML format"),
];

/// Show the version of the program and of its APIs.
#[derive(Debug, Parser)]
#[command(after_help = "Exit codes:
  0  success

Examples:
  portolan version
  portolan version -o json")]
pub(crate) struct VersionArgs {
    /// Output format.
    #[arg(short, long, value_name = "FORM", default_value = "text", value_parser = Format::among(FORMATS))]
    output: Format,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    version: &'static str,
    /// The Git commit. Empty if the build did not set the commit.
    commit: &'static str,
    /// The gRPC services, with the versions of their contracts.
    contracts: Vec<&'static str>,
}

/// The Git commit from which a release is built.
const COMMIT: Option<&str> = option_env!("PORTOLAN_COMMIT");

// === impl VersionArgs ===

impl VersionArgs {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let version = Version {
            version: env!("CARGO_PKG_VERSION"),
            commit: COMMIT.unwrap_or_default(),
            contracts: vec![
                approval_server::SERVICE_NAME,
                diagnosis_server::SERVICE_NAME,
                health_server::SERVICE_NAME,
                resolver_server::SERVICE_NAME,
            ],
        };
        self.output.show(&version)
    }
}

// === impl Version ===

impl Render for Version {
    fn page(&self, _: Detail) -> Page {
        let commit = match self.commit {
            "" => "unknown (built without PORTOLAN_COMMIT)",
            commit => commit,
        };
        let mut page = Page::default();
        page.facts([
            ("Version:", self.version.into()),
            ("Commit:", commit.into()),
            ("Contracts:", self.contracts.join(", ").into()),
        ]);
        page
    }
}
