//! `portolan update`: changes the settings of an Operator on a cluster.

use clap::{Parser, ValueEnum};
use portolan_api::operator::{Operator, name_for};
use portolan_core_generate::RequestedOperator;
use portolan_operators::{NotWritten, OperatorClient, Setting, Settings, with_settings};

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::operator_write::{SettingArgs, WriteArgs, report_error};

/// The maximum number of attempts to write the Operator. An attempt is repeated only if other
/// clients changed just the status or the metadata.
const MOST_TRIES: usize = 10;

/// Change the version and other settings of an Operator on a cluster.
///
/// Only the fields of the given options change. If the Operator already has these values, the
/// Operator is not written. If another client changes the spec at the same time, nothing is
/// written. A tool that applies the Operator, such as Argo CD, may restore the old values.
///
/// The command does not approve versions. `explain operator/NAME` shows what an Operator waits for.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  the Operator is updated; with --wait: it is ready",
        "1  the API server rejects the request; with --wait: the Operator is not ready in time";
        "portolan update ferry@1.3.0 --wait",
        "portolan update 'ferry@>=1.0.0 <2.0.0' --channel stable",
        "portolan update ferry@1.3.0 --settle-time 0",
        "portolan update ferry --unset version"
    )
)]
pub(crate) struct UpdateArgs {
    /// Name of the Operator, with a version or range for spec.version.
    #[arg(value_name = "NAME[@RANGE]")]
    name: RequestedOperator,

    #[command(flatten)]
    settings: SettingArgs,

    /// Remove these fields, so that their defaults apply. If you remove the version, the Operator
    /// stays at the installed version.
    #[arg(long, value_name = "SETTING", value_delimiter = ',')]
    unset: Vec<Unset>,

    /// Rejected: the namespace of an Operator cannot be changed.
    #[arg(short, long, value_name = "NAMESPACE", hide = true)]
    namespace: Option<String>,

    #[command(flatten)]
    writing: WriteArgs,
}

/// A field that can be removed, by the name of its option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Unset {
    Version,
    Channel,
    Catalog,
    WatchNamespace,
    Approval,
    SettleTime,
    Config,
}

/// The reason why an Operator was not updated.
enum NotUpdated {
    /// The settings are not valid for the Operator.
    Invalid(String),
    NotWritten(NotWritten),
}

// === impl UpdateArgs ===

impl UpdateArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let settings = self.settings()?;
        let name = name_for(&self.name.name);
        let (cluster, client) = self.writing.connect().await?;
        let (done, updated) = match self::update(&client, &name, &settings).await {
            Ok(updated) => updated,
            Err(NotUpdated::Invalid(why)) => return Err(Failure::usage(why)),
            Err(NotUpdated::NotWritten(error)) => return report_error(error),
        };
        let version = self.settings.version(&self.name)?;
        self.writing.finish(&cluster, &updated, done, version).await
    }

    fn settings(&self) -> Result<Settings, Failure> {
        if self.namespace.is_some() {
            return Err(Failure::usage(
                "spec.namespace of an Operator is immutable; delete the Operator, and create it in the other namespace",
            ));
        }
        let mut settings = self.settings.settings(&self.name)?;
        for unset in &self.unset {
            let setting = unset.setting();
            if settings.has(setting) {
                let field = setting.field();
                return Err(Failure::usage(format!(
                    "spec.{field} is set by one option and removed by --unset; use only one of the two options"
                )));
            }
            settings.unset(setting);
        }
        if settings.is_empty() {
            return Err(Failure::usage(
                "nothing to change; use NAME@RANGE, --unset or another setting",
            ));
        }
        Ok(settings)
    }
}

/// Writes the settings to the Operator.
///
/// If another client changed only the status or the metadata, reads the Operator again and repeats
/// the write. If another client changed the spec, writes nothing, because the combination of both
/// changes may be invalid or unwanted.
async fn update(
    client: &OperatorClient,
    name: &str,
    settings: &Settings,
) -> Result<(&'static str, Operator), NotUpdated> {
    let first = client.get(name).await?;
    let mut read = first.clone();
    for _ in 0..MOST_TRIES {
        with_settings(&read, settings).map_err(NotUpdated::Invalid)?;
        let operations = settings.operations(read.spec.as_json());
        if operations.is_empty() {
            return Ok(("unchanged", read));
        }
        match client.change(&read, operations).await {
            Ok(updated) => return Ok(("updated", updated)),
            Err(NotWritten::Changed(_)) => read = client.get(name).await?,
            Err(error) => return Err(error.into()),
        }
        if read.spec != first.spec || read.metadata.uid != first.metadata.uid {
            break;
        }
    }
    Err(NotWritten::Changed(name.to_owned()).into())
}

impl From<NotWritten> for NotUpdated {
    fn from(error: NotWritten) -> Self {
        Self::NotWritten(error)
    }
}

// === impl Unset ===

impl Unset {
    fn setting(self) -> Setting {
        match self {
            Self::Version => Setting::Version,
            Self::Channel => Setting::Channels,
            Self::Catalog => Setting::Catalog,
            Self::WatchNamespace => Setting::WatchNamespaces,
            Self::Approval => Setting::Approval,
            Self::SettleTime => Setting::SettleSeconds,
            Self::Config => Setting::Config,
        }
    }
}
