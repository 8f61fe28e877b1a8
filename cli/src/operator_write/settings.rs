//! The options that `portolan create` and `portolan update` share.

use clap::{Args, ValueEnum};
use portolan_core_generate::RequestedOperator;
use portolan_core_names::text::cite;
use portolan_core_names::{ChannelName, VersionRange};
use portolan_operators::{Setting, Settings};
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
    /// once. An operator with install mode OwnNamespace needs the namespace in which it runs.
    #[arg(
        long = "watch-namespace",
        value_name = "NAMESPACE",
        value_delimiter = ','
    )]
    watch_namespaces: Vec<String>,

    /// Set spec.approval: with Manual, a person approves each version.
    #[arg(long, value_name = "APPROVAL")]
    approval: Option<Approval>,

    /// Set spec.config: changes of the Deployments, in the format of spec.config of a Subscription,
    /// as YAML or JSON. - reads standard input.
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
    /// Returns spec.version of an Operator: a version to keep, or a range to follow.
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
        if let Some(file) = config {
            settings.set(Setting::Config, read_config(file)?);
        }
        Ok(settings)
    }
}

fn read_config(file: &str) -> Result<Value, Failure> {
    let (name, bytes) = read_bytes(file, "--config")?;
    serde_saphyr::from_slice(&bytes).map_err(|error| {
        let why = cite(&error.to_string());
        Failure::usage(format!("read {name} (--config): {why}"))
    })
}
