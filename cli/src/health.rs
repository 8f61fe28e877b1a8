//! `portolan health`: the health of operators and catalogs.

mod handle;
mod judged;
mod one;
#[cfg(test)]
mod samples;
mod table;
mod watch;

use clap::Parser;
use portolan_proto::health::v1::verdict::State;
use portolan_proto::health::v1::{
    Catalog, GetCatalogRequest, GetCatalogResponse, GetOperatorRequest, GetOperatorResponse,
    ListCatalogsRequest, Operator, get_operator_request,
};
use serde::Serialize;
use tonic::{Code, Status};

use self::handle::Handle;
use self::judged::Judged;
use crate::exit::{self, Exit};
use crate::facts::{HealthConnection, IgnoredCatalogArgs, ObjectArgs};
use crate::failure::Failure;
use crate::named::{self, Named};
use crate::print::names::{self, Names};
use crate::print::{self, OutputArgs, words};
use crate::scope::NamespaceArgs;

/// Show the health of operators and catalogs, or everything about one of them.
///
/// Yes is healthy. No needs attention. NotYet is in progress, or cannot be known from here. The tables
/// are sorted by name; below them is why something is not healthy, the worst first. Registries are
/// contacted on a cluster only; with --world the answers are those that `dump` recorded.
///
/// Nothing is logged unless --log is given. -o json prints one object with the lists `operators` and
/// `catalogs`; with NAME, the gRPC answer about that one; with --watch, one gRPC event a line.
#[derive(Debug, Parser)]
#[command(
    override_usage = "portolan health [OPTIONS] [[NAMESPACE/]NAME|KIND/NAME]",
    after_help = exit::after_help!(
        "0  everything is well, or not yet: something is under way, or cannot be known; with \
         --watch, it was told to stop",
        "1  something is not well";
        "portolan health",
        "portolan health -n harbor ferry",
        "portolan health catalog/shop -o json",
        "portolan health --watch --server http://127.0.0.1:50051",
        "portolan dump ./dump && portolan health --world ./dump"
    )
)]
pub(crate) struct HealthArgs {
    /// What to describe: the name of a ClusterServiceVersion, a Subscription or a package, or that
    /// behind its namespace; or KIND/NAME as kubectl writes it, where a kind is csv, sub, package or catalog (catsrc).
    /// Everything is listed if none is given.
    #[arg(value_name = "[NAMESPACE/]NAME|KIND/NAME")]
    name: Option<Named>,

    #[command(flatten)]
    whose: NamespaceArgs,

    /// Go on, with a row for each change, until Ctrl-C.
    #[arg(short, long)]
    watch: bool,

    #[command(flatten)]
    form: OutputArgs,

    #[command(flatten)]
    facts: ObjectArgs,

    #[command(flatten)]
    _aside: IgnoredCatalogArgs,
}

/// All that is judged.
#[derive(Debug, Serialize)]
struct Everything {
    operators: Vec<Operator>,
    catalogs: Vec<Catalog>,
}

// === impl HealthArgs ===

impl HealthArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let (namespace, form) = (self.whose.namespace, self.form);
        let namespace = named::namespace(self.name.as_ref(), &namespace)?;
        let handle = self.name.map(Handle::of).transpose()?;
        let facts = &self.facts;
        // Whatever of an operator is asked for, it is the argument without a flag.
        let connect = async || {
            let health = facts.health(&namespace).await?;
            Ok::<_, Failure>(health.with_positional(&["name", "csv", "subscription", "package"]))
        };
        if self.watch {
            form.of_many("--watch")?;
            let handle = handle.as_ref();
            let watched = async { watch::run(connect().await?, &namespace, handle, form).await };
            return watch::until_stopped(watched).await;
        }
        let mut health = connect().await?;
        match handle {
            Some(Handle::Operator(handle)) => {
                let answer = operator(&mut health, &namespace, handle).await?;
                let operator = answer.operator.clone().unwrap_or_default();
                form.print(&answer, &[], |_, detail| {
                    one::render_operator(&operator, detail)
                })?;
                Ok(no_if_one_is_bad([(&operator).into()]))
            }
            Some(Handle::Catalog(name)) => {
                let answer = catalog(&mut health, &namespace, name).await?;
                let catalog = answer.catalog.clone().unwrap_or_default();
                form.print(&answer, &[], |_, detail| {
                    one::render_catalog(&catalog, detail)
                })?;
                Ok(no_if_one_is_bad([(&catalog).into()]))
            }
            None => {
                let operators = health.operators(&namespace).await;
                let everything = Everything {
                    operators: operators.map_err(|status| health.failure(&status))?,
                    catalogs: catalogs(&mut health, &namespace).await?,
                };
                if everything.operators.is_empty() {
                    print::note(&no_operators(&namespace));
                }
                form.print(&everything, &[], table::render)?;
                Ok(no_if_one_is_bad(everything.judged()).unless_in_doubt(health.is_in_doubt()))
            }
        }
    }
}

impl Names for Everything {
    fn names(&self) -> Option<Vec<String>> {
        let operators = self.operators.iter().map(|each| each.subject.as_ref());
        let catalogs = self.catalogs.iter().map(|each| each.subject.as_ref());
        Some(
            operators
                .chain(catalogs)
                .flatten()
                .map(names::object)
                .collect(),
        )
    }
}

// === impl Everything ===

impl Everything {
    fn judged(&self) -> impl Iterator<Item = Judged<'_>> {
        let operators = self.operators.iter().map(Judged::from);
        operators.chain(self.catalogs.iter().map(Judged::from))
    }
}

fn no_operators(namespace: &str) -> String {
    format!("No operators found{}.", words::within(namespace))
}

/// The catalogs. A user who may see operators may be unable to see catalogs, which are in other
/// namespaces: this is printed as a warning, and only the catalogs are missing then.
async fn catalogs(health: &mut HealthConnection, namespace: &str) -> Result<Vec<Catalog>, Failure> {
    let request = ListCatalogsRequest {
        namespace: namespace.to_owned(),
    };
    match health.try_query(request).await {
        Ok(answer) => Ok(answer.catalogs),
        Err(status) if is_unseen(&status) => {
            print::warn(status.message());
            Ok(Vec::new())
        }
        Err(status) => Err(health.failure(&status)),
    }
}

/// Whether a service that is there says that something cannot be looked at.
fn is_unseen(status: &Status) -> bool {
    status.code() == Code::Unavailable && std::error::Error::source(status).is_none()
}

async fn operator(
    health: &mut HealthConnection,
    namespace: &str,
    handle: get_operator_request::Handle,
) -> Result<GetOperatorResponse, Failure> {
    let request = GetOperatorRequest {
        namespace: namespace.to_owned(),
        handle: Some(handle),
    };
    health.query(request).await
}

async fn catalog(
    health: &mut HealthConnection,
    namespace: &str,
    name: String,
) -> Result<GetCatalogResponse, Failure> {
    let request = GetCatalogRequest {
        namespace: namespace.to_owned(),
        name,
    };
    health.query(request).await
}

/// Only a No is bad news for a script: what is under way comes to an end by itself.
fn no_if_one_is_bad<'a>(judged: impl IntoIterator<Item = Judged<'a>>) -> Exit {
    let mut judged = judged.into_iter();
    Exit::no_if(judged.any(|judged| judged.state == State::No))
}
