//! The options that `portolan create` and `portolan update` share.

use clap::{Args, ValueEnum};
use portolan_core_generate::RequestedOperator;
use portolan_core_names::text::cite;
use portolan_core_names::{ChannelName, VersionRange};
use portolan_operators::{Setting, Settings};
use portolan_shell::parse_duration;
use serde_json::Value;

use crate::failure::Failure;
use crate::operators::read_bytes;
use crate::requirement::{VersionArgs, spec_version};

/// The settings of an Operator other than its package. Each option replaces a whole field.
#[derive(Debug, Clone, Args)]
pub(crate) struct SettingArgs {
    #[command(flatten)]
    version: VersionArgs,

    /// Set spec.channels: use only upgrades of these channels. Can be given more than once.
    #[arg(long = "channel", value_name = "NAME", value_delimiter = ',')]
    channels: Vec<ChannelName>,

    /// Set spec.catalogSelector: use the catalog with this name.
    #[arg(long, value_name = "NAME")]
    catalog: Option<String>,

    /// Set spec.watchNamespaces: the namespaces that the operator watches. Can be given more than
    /// once. For an operator with install mode OwnNamespace, give the namespace in which the
    /// operator runs.
    #[arg(
        long = "watch-namespace",
        value_name = "NAMESPACE",
        value_delimiter = ','
    )]
    watch_namespaces: Vec<String>,

    /// Set spec.approval: with Manual, a person approves each version.
    #[arg(long, value_name = "APPROVAL")]
    approval: Option<Approval>,

    /// Set spec.settleSeconds: the time for which a version must be ready before the next version
    /// is installed, such as 0, 90s or 1h. If the field is not set, the time is five minutes.
    #[arg(long, value_name = "DURATION", value_parser = settle_seconds)]
    settle_time: Option<u32>,

    /// Set spec.config: changes of the Deployments, in the format of spec.config of a Subscription,
    /// as YAML or JSON. Use - for standard input.
    #[arg(long, value_name = "FILE|-")]
    config: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "PascalCase")]
enum Approval {
    /// Versions are installed without approval.
    Automatic,
    /// Each version waits for approval.
    Manual,
}

// === impl SettingArgs ===

impl SettingArgs {
    /// Returns the value of spec.version: a fixed version or a range.
    pub(crate) fn version(
        &self,
        requested: &RequestedOperator,
    ) -> Result<Option<VersionRange>, Failure> {
        let mut requested = requested.clone();
        self.version.add_to([&mut requested.target])?;
        spec_version(&requested)
    }

    /// Returns the fields that these options set.
    pub(crate) fn settings(&self, requested: &RequestedOperator) -> Result<Settings, Failure> {
        let Self {
            version: _,
            channels,
            catalog,
            watch_namespaces,
            approval,
            settle_time,
            config,
        } = self;
        let mut settings = Settings::default();
        if let Some(version) = self.version(requested)? {
            settings.set(Setting::Version, version.as_str());
        }
        if !channels.is_empty() {
            let channels: Vec<_> = channels.iter().map(ToString::to_string).collect();
            settings.set(Setting::Channels, channels);
        }
        if let Some(catalog) = catalog {
            settings.set(Setting::Catalog, catalog.as_str());
        }
        if !watch_namespaces.is_empty() {
            settings.set(Setting::WatchNamespaces, watch_namespaces.clone());
        }
        match approval {
            Some(Approval::Automatic) => settings.set(Setting::Approval, "Automatic"),
            Some(Approval::Manual) => settings.set(Setting::Approval, "Manual"),
            None => {}
        }
        if let Some(seconds) = settle_time {
            settings.set(Setting::SettleSeconds, *seconds);
        }
        if let Some(file) = config {
            settings.set(Setting::Config, read_config(file)?);
        }
        Ok(settings)
    }
}

/// Parses a duration in whole seconds. Zero is valid.
fn settle_seconds(text: &str) -> Result<u32, String> {
    if matches!(text, "0" | "0s") {
        return Ok(0);
    }
    let duration = parse_duration(text)?;
    let seconds = u32::try_from(duration.as_secs()).ok();
    let seconds = seconds.filter(|_| duration.subsec_nanos() == 0);
    seconds.ok_or_else(|| format!("`{text}` is not a number of whole seconds below 2^32"))
}

fn read_config(file: &str) -> Result<Value, Failure> {
    let (name, bytes) = read_bytes(file, "--config")?;
    serde_saphyr::from_slice(&bytes).map_err(|error| {
        let why = cite(&error.to_string());
        Failure::usage(format!("cannot read {name} (--config): {why}"))
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::none("0", Ok(0))]
    #[case::none_with_unit("0s", Ok(0))]
    #[case::seconds("90", Ok(90))]
    #[case::hours("1h", Ok(3600))]
    #[case::fraction("500ms", Err("`500ms` is not a number of whole seconds below 2^32"))]
    #[case::word("soon", Err("`soon` is not a duration such as 500ms, 30s or 1h30m"))]
    fn settle_time_is_a_number_of_whole_seconds(
        #[case] text: &str,
        #[case] expected: Result<u32, &str>,
    ) {
        assert_eq!(settle_seconds(text), expected.map_err(str::to_owned));
    }
}
