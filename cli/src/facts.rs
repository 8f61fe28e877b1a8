//! Selects the source of the facts for a query: a running service, a cluster, a folder or catalogs.
//!
//! The flags are the same for all queries to one service. Only this module decides which service
//! answers a query.

mod catalogs;
mod connected;
mod objects;
mod own_operators;
mod policies;
mod read;
mod requests;
mod upgrade_terms;
mod world;

use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use portolan_proto::DESCRIPTORS;
use portolan_proto::diagnosis::v1::diagnosis_client::DiagnosisClient;
use portolan_shell::Credentials;
use portolan_shell::client::{self, Connection, Terms};
use portolan_world::{Access, Cluster, Files, ReachCluster};

pub(crate) use self::catalogs::{CatalogArgs, in_this_process};
pub(crate) use self::connected::{
    ApprovalConnection, DiagnosisConnection, HealthConnection, RequestContext, ResolverConnection,
};
use self::connected::{Client, Connected};
pub(crate) use self::objects::{
    DiagnosisArgs, IgnoredCatalogArgs, ObjectArgs, another_place, installed_api, left_out,
};
pub(crate) use self::own_operators::{OperatorArgs, decide_operators, default_operator_terms};
pub(crate) use self::policies::{LocalServices, PolicyArgs, decide_policies};
pub(crate) use self::read::{read_view, read_view_silently};
pub(crate) use self::upgrade_terms::{UpgradeTermArgs, default_approval, time};
pub(crate) use self::world::WorldArgs;
use crate::failure::Failure;

/// The maximum time to wait for one response of a service. The limit is short, because a user waits
/// for the response.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// The environment variable with the default server. It is used for each service without its own
/// variable.
const SERVER: &str = "PORTOLAN_SERVER";

/// Connects to the cluster that the flags select. Returns an error with the message `absent` if no
/// cluster is configured.
pub(crate) async fn connect_cluster(
    access: &Access,
    absent: impl Display,
) -> Result<Cluster, Failure> {
    let cluster = Cluster::reach(access).await.map(Cluster::from_outside);
    cluster.map_err(|error| match error {
        ReachCluster::Nowhere(_) => Failure::refused_to(absent, &error),
        ReachCluster::Kubeconfig(_) | ReachCluster::Client(_) => Failure::refused(error),
    })
}

/// Returns a world with the files of `--world`.
pub(crate) fn files(path: &Path) -> Result<Files, Failure> {
    files_by(path, "--world")
}

/// Returns a world with the files in an argument with this name. A world usually waits for files
/// that do not exist yet. In an argument, a missing path is an error.
pub(crate) fn files_by(path: &Path, argument: &str) -> Result<Files, Failure> {
    if path == Path::new("-") {
        return Err(Failure::usage(format!(
            "{argument} - cannot read a pipe, because the input is read more than once; use a regular file",
        )));
    }
    match fs::metadata(path) {
        Ok(_) => Ok(Files::at(path)),
        Err(error) => {
            let act = format!("cannot read {} ({argument})", path.display());
            Err(Failure::refused_to(act, &error))
        }
    }
}

/// The flags for the certificate of a server, and for the credentials of the caller.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct TrustArgs {
    #[command(flatten)]
    credentials: Credentials,

    /// Expected name in the certificate of an https:// server, if this name differs from the host
    /// of the URL, as with `kubectl port-forward`.
    #[arg(
        long,
        env = "PORTOLAN_SERVER_NAME",
        value_name = "NAME",
        hide_short_help = true
    )]
    server_name: Option<String>,
}

/// The service that answers a query: a running server, or a service in this process.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Endpoint {
    /// A server: its URL, its certificate authorities, and the credentials of the client.
    Server(String, TrustArgs),
    /// A service in this process, which reads the facts itself.
    Local,
}

/// Connects to a running server.
fn remote<C: Client>(url: &str, trust: &TrustArgs) -> Result<Connected<C>, Failure> {
    let TrustArgs {
        credentials,
        server_name,
    } = trust.clone();
    let terms = Terms::queries(DESCRIPTORS, DEADLINE).with(credentials);
    let connection = client::remote(url, terms.named(server_name)).map_err(Failure::refused)?;
    Ok(Connected::new(connection, Some(url.to_owned())))
}

/// Connects to the diagnosis service from the flags or the environment. Returns None if this
/// process must answer, because no server is specified or because other flags select the facts.
pub(crate) fn diagnosis_server(
    server: Option<&str>,
    trust: &TrustArgs,
    are_facts_given: bool,
) -> Result<Option<DiagnosisConnection>, Failure> {
    match Endpoint::of::<DiagnosisClient<Connection>>(server, trust, are_facts_given) {
        Endpoint::Server(url, trust) => remote(&url, &trust).map(Some),
        Endpoint::Local => Ok(None),
    }
}

/// Adds the URL scheme to a server that has the form HOST:PORT.
fn with_scheme(server: String, trust: &TrustArgs) -> String {
    let port = server.rsplit_once(':').map(|(_, port)| port);
    let has_port = port.is_some_and(|port| port.parse::<u16>().is_ok());
    if server.contains("://") || !has_port {
        return server;
    }
    let scheme = match trust.credentials.ca {
        Some(_) => "https",
        None => "http",
    };
    format!("{scheme}://{server}")
}

/// Returns the server from the environment variable of a service. Without this variable, returns
/// the server from the variable of all services.
fn usual_server(own: &str, variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut urls = [own, SERVER].into_iter().filter_map(variable);
    urls.find(|url| !url.is_empty())
}

// === impl Endpoint ===

impl Endpoint {
    /// Selects the endpoint. The server of the flag takes precedence. Next, if flags select other
    /// facts, a service in this process answers. Otherwise the environment selects the server.
    /// Without a server, a service in this process answers.
    fn of<C: Client>(server: Option<&str>, trust: &TrustArgs, are_facts_given: bool) -> Self {
        let url = match (server, are_facts_given) {
            (Some(url), _) => Some(url.to_owned()),
            (None, true) => None,
            (None, false) => usual_server(C::VARIABLE, |name| std::env::var(name).ok()),
        };
        url.map_or(Self::Local, |url| {
            Self::Server(with_scheme(url, trust), trust.clone())
        })
    }

    /// Connects to the endpoint. `local` creates the service in this process.
    async fn connect<C: Client>(
        self,
        local: impl Future<Output = Result<Connection, Failure>>,
    ) -> Result<Connected<C>, Failure> {
        match self {
            Self::Server(url, trust) => remote(&url, &trust),
            Self::Local => Ok(Connected::new(local.await?, None)),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::none(&[], None)]
    #[case::of_all_services(&[("PORTOLAN_SERVER", "a")], Some("a"))]
    #[case::of_the_service(&[("PORTOLAN_SERVER", "a"), ("PORTOLAN_HEALTH", "b")], Some("b"))]
    #[case::of_another_service(&[("PORTOLAN_RESOLVER", "b")], None)]
    #[case::empty(&[("PORTOLAN_SERVER", "a"), ("PORTOLAN_HEALTH", "")], Some("a"))]
    fn environment_variable_of_service_overrides_default_server(
        #[case] variables: &[(&str, &str)],
        #[case] expected: Option<&str>,
    ) {
        let value = |name: &str| {
            let mut found = variables.iter().filter(|(key, _)| *key == name);
            found.next().map(|(_, value)| (*value).to_owned())
        };
        let server = usual_server("PORTOLAN_HEALTH", value);
        assert_eq!(server.as_deref(), expected);
    }
}
