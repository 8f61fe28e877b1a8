//! Which cluster, and as whom.

use std::path::PathBuf;

use clap::Args;
use kube::config::{InferConfigError, KubeConfigOptions, Kubeconfig, KubeconfigError};
use kube::{Client, Config};
use thiserror::Error;

use super::{Cluster, Pace};

/// Which cluster to look at. Without a word it is the one that kubectl would take, and within a
/// cluster that one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct Access {
    /// The kubeconfig; that of kubectl if not given.
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// The context of the kubeconfig; the current one if not given.
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
}

/// A cluster that cannot be looked at. Whether it answers is not asked yet.
#[derive(Debug, Error)]
pub enum ReachCluster {
    /// A kubeconfig cannot be used.
    #[error("read the kubeconfig")]
    Kubeconfig(#[from] Box<KubeconfigError>),
    /// There is no kubeconfig, and this is no pod.
    #[error("find a cluster: there is no kubeconfig, and this is no pod")]
    Nowhere(#[from] Box<InferConfigError>),
    /// What the kubeconfig names cannot be used, such as a certificate.
    #[error("prepare to ask the cluster")]
    Client(#[from] Box<kube::Error>),
}

// === impl Access ===

impl Access {
    /// Whether a word is said about the cluster.
    pub fn is_given(&self) -> bool {
        let Self {
            kubeconfig,
            context,
        } = self;
        kubeconfig.is_some() || context.is_some()
    }

    /// A client of the cluster that is meant, for who does more than look. Whether it answers is
    /// not asked yet.
    ///
    /// # Errors
    /// There is no kubeconfig, or something in it cannot be used.
    pub async fn client(&self) -> Result<Client, ReachCluster> {
        let config = self.config().await?;
        Ok(Client::try_from(config).map_err(Box::new)?)
    }

    async fn config(&self) -> Result<Config, ReachCluster> {
        let Self {
            kubeconfig,
            context,
        } = self;
        let options = KubeConfigOptions {
            context: context.clone(),
            ..KubeConfigOptions::default()
        };
        let config = match (kubeconfig, context) {
            (Some(path), _) => {
                let file = Kubeconfig::read_from(path).map_err(Box::new)?;
                Config::from_custom_kubeconfig(file, &options)
                    .await
                    .map_err(Box::new)?
            }
            (None, Some(_)) => Config::from_kubeconfig(&options).await.map_err(Box::new)?,
            (None, None) => Config::infer().await.map_err(Box::new)?,
        };
        Ok(config)
    }
}

// === impl Cluster ===

impl Cluster {
    /// The cluster that `access` leads to.
    ///
    /// # Errors
    /// There is no kubeconfig, or something in it cannot be used.
    pub async fn reach(access: &Access) -> Result<Self, ReachCluster> {
        Ok(Self::of(access.client().await?, Pace::default()))
    }
}
