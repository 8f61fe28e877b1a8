//! Selects the cluster, and the user for requests to it.

use std::path::PathBuf;

use clap::Args;
use http::Uri;
use http::header::USER_AGENT;
use kube::client::ClientBuilder;
use kube::config::{AuthInfo, KubeConfigOptions, Kubeconfig, KubeconfigError};
use kube::{Client, Config};
use thiserror::Error;
use tower::BoxError;
use tower::util::MapErrLayer;

use super::agent::agent;
use super::ask::innermost;
use super::{Cluster, Pace};

/// The flags that select the cluster. The default is the cluster that kubectl would use. Without a
/// kubeconfig, the default is the cluster in which this process runs as a Pod.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct Access {
    /// Path of the kubeconfig. Default: the kubeconfig of kubectl.
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// Context of the kubeconfig. Default: the current context.
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,

    /// Impersonate this user, as kubectl does with --as
    #[arg(long = "as", value_name = "USER", hide_short_help = true)]
    pub user: Option<String>,

    /// Also impersonate this group. Can be given more than once.
    #[arg(
        long = "as-group",
        value_name = "GROUP",
        requires = "user",
        hide_short_help = true
    )]
    pub groups: Vec<String>,
}

/// The reason why a cluster cannot be used. This error occurs before the cluster is contacted.
#[derive(Debug, Error)]
pub enum ReachCluster {
    /// The kubeconfig is invalid.
    #[error("cannot read the kubeconfig")]
    Kubeconfig(#[from] Box<KubeconfigError>),
    /// There is no kubeconfig, and the process does not run in a Pod.
    #[error("no cluster found: no kubeconfig can be read, and this process does not run in a Pod")]
    Nowhere(#[source] Box<KubeconfigError>),
    /// The kubeconfig refers to an invalid file or value, such as a missing certificate file.
    #[error("cannot prepare the connection to the cluster")]
    Client(#[from] Box<kube::Error>),
}

/// The error for an API server that did not respond.
#[derive(Debug, Error)]
#[error("{server}: {why}")]
struct Unanswered {
    server: Uri,
    /// The innermost cause, because the outer errors are less specific.
    why: String,
}

// === impl Access ===

impl Access {
    /// Returns true if any of these flags is set.
    pub fn is_given(&self) -> bool {
        let Self {
            kubeconfig,
            context,
            user,
            groups: _,
        } = self;
        kubeconfig.is_some() || context.is_some() || user.is_some()
    }

    /// Returns the contexts in the kubeconfig. Empty if the kubeconfig cannot be read.
    pub fn contexts(&self) -> Vec<String> {
        let known = self.file().map(|file| file.contexts);
        let known = known.unwrap_or_default().into_iter();
        known.map(|context| context.name).collect()
    }

    /// Returns the current context of the kubeconfig. Returns None if the kubeconfig cannot be read
    /// or has no current context.
    pub fn current_context(&self) -> Option<String> {
        let current = self.file()?.current_context;
        current.filter(|name| !name.is_empty())
    }

    /// Returns a description of the selected cluster for users: the context and the address of the
    /// API server, such as `harbor at https://10.0.0.1:6443`. Returns None if the kubeconfig does
    /// not contain the context.
    pub fn cluster(&self) -> Option<String> {
        let file = self.file()?;
        let name = self.context.clone().or(file.current_context)?;
        let context = file.contexts.into_iter().find(|it| it.name == name)?;
        let cluster = context.context?.cluster;
        let cluster = file.clusters.into_iter().find(|it| it.name == cluster)?;
        let server: Uri = cluster.cluster?.server?.parse().ok()?;
        // The description contains only the host, because the URL may contain a password.
        let host = server.host()?;
        let port = server
            .port()
            .map_or_else(String::new, |port| format!(":{port}"));
        let scheme = server.scheme_str().unwrap_or("https");
        Some(format!("{name} at {scheme}://{host}{port}"))
    }

    fn file(&self) -> Option<Kubeconfig> {
        let read = match &self.kubeconfig {
            Some(path) => Kubeconfig::read_from(path),
            None => Kubeconfig::read(),
        };
        read.ok()
    }

    /// Returns a client for the selected cluster, for callers that also write objects. Does not
    /// contact the cluster.
    ///
    /// # Errors
    /// Returns an error if the kubeconfig is missing or unusable.
    pub async fn client(&self) -> Result<Client, ReachCluster> {
        client_of(self.config().await?)
    }

    /// Returns a client for the same API server that uses only this token. Credentials in the
    /// kubeconfig are not sent.
    ///
    /// # Errors
    /// Returns an error if the kubeconfig is missing or unusable.
    pub async fn client_of_bearer(&self, token: &str) -> Result<Client, ReachCluster> {
        let mut config = self.config().await?;
        config.auth_info = AuthInfo {
            token: Some(token.to_owned().into()),
            ..AuthInfo::default()
        };
        client_of(config)
    }

    /// Returns the configuration of a client for the selected cluster.
    ///
    /// # Errors
    /// Returns an error if the kubeconfig is missing or unreadable.
    pub async fn config(&self) -> Result<Config, ReachCluster> {
        let Self {
            kubeconfig,
            context,
            user,
            groups,
        } = self;
        let options = KubeConfigOptions {
            context: context.clone(),
            ..KubeConfigOptions::default()
        };
        let mut config = match (kubeconfig, context) {
            (Some(path), _) => {
                let file = Kubeconfig::read_from(path).map_err(Box::new)?;
                Config::from_custom_kubeconfig(file, &options)
                    .await
                    .map_err(Box::new)?
            }
            (None, Some(_)) => Config::from_kubeconfig(&options).await.map_err(Box::new)?,
            (None, None) => match Config::from_kubeconfig(&options).await {
                Ok(config) => config,
                // If there is neither a kubeconfig nor a Pod environment, the error describes the
                // kubeconfig, because users know the kubeconfig.
                Err(why) => {
                    Config::incluster().map_err(|_| ReachCluster::Nowhere(Box::new(why)))?
                }
            },
        };
        if let Some(user) = user {
            config.auth_info = AuthInfo {
                impersonate: Some(user.clone()),
                impersonate_groups: Some(groups.clone()),
                impersonate_uid: None,
                impersonate_user_extra: None,
                ..config.auth_info
            };
        }
        config.headers.push((USER_AGENT, agent()));
        Ok(config)
    }
}

fn client_of(config: Config) -> Result<Client, ReachCluster> {
    let server = config.cluster_url.clone();
    let builder = ClientBuilder::try_from(config).map_err(Box::new)?;
    let naming = MapErrLayer::new(move |error| named(&server, error));
    Ok(builder.with_layer(&naming).build())
}

/// Adds the address of the API server to an error. kube's own errors, such as a failed login, are
/// not wrapped, because kube checks their type.
fn named(server: &Uri, error: BoxError) -> BoxError {
    if error.is::<kube::Error>() {
        return error;
    }
    Box::new(Unanswered {
        server: server.clone(),
        why: innermost(&*error),
    })
}

// === impl Cluster ===

impl Cluster {
    /// Creates the world of the cluster that `access` selects.
    ///
    /// # Errors
    /// Returns an error if the kubeconfig is missing or unusable.
    pub async fn reach(access: &Access) -> Result<Self, ReachCluster> {
        Ok(Self::of(access.client().await?, Pace::default()))
    }

    /// Creates the world of the cluster that `access` selects, with only this token as credentials.
    ///
    /// # Errors
    /// Returns an error if the kubeconfig is missing or unusable.
    pub async fn reach_as_bearer(access: &Access, token: &str) -> Result<Self, ReachCluster> {
        let client = access.client_of_bearer(token).await?;
        Ok(Self::of(client, Pace::default()))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use portolan_kit::TempFolder;
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    const KUBECONFIG: &str = r#"{
        "apiVersion": "v1", "kind": "Config", "current-context": "a",
        "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
        "clusters": [{"name": "a", "cluster": {"server": "http://127.0.0.1:1"}}],
        "users": [{"name": "a", "user": {}}]
    }"#;

    #[tokio::test]
    async fn requests_name_the_program_and_its_version() {
        let folder = TempFolder::empty();
        let file = folder.join("kubeconfig");
        fs::write(&file, KUBECONFIG).expect("a file");
        let access = Access {
            kubeconfig: Some(file),
            ..Access::default()
        };
        let config = access.config().await.expect("a kubeconfig");
        let [(name, agent)] = &config.headers[..] else {
            panic!("one header: {:?}", config.headers);
        };
        assert_eq!(name, USER_AGENT);
        let expected = concat!("portolan/", env!("CARGO_PKG_VERSION"));
        assert_eq!(agent, expected);
    }

    #[rstest]
    #[case::current_context(None, Some("a at http://127.0.0.1:1"))]
    #[case::password_is_not_shown(Some("b"), Some("b at https://api.test"))]
    #[case::context_is_missing(Some("c"), None)]
    fn names_the_context_and_the_server(
        #[case] context: Option<&str>,
        #[case] expected: Option<&str>,
    ) {
        let folder = TempFolder::empty();
        let file = folder.join("kubeconfig");
        let mut config: serde_json::Value = serde_json::from_str(KUBECONFIG).expect("JSON");
        let second = json!({"name": "b", "context": {"cluster": "b", "user": "a"}});
        let contexts = config["contexts"].as_array_mut().expect("a list");
        contexts.push(second);
        let server = "https://admin:secret@api.test/path";
        let clusters = config["clusters"].as_array_mut().expect("a list");
        clusters.push(json!({"name": "b", "cluster": {"server": server}}));
        fs::write(&file, config.to_string()).expect("a file");
        let access = Access {
            kubeconfig: Some(file),
            context: context.map(str::to_owned),
            ..Access::default()
        };
        assert_eq!(access.cluster().as_deref(), expected);
    }
}
