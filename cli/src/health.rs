//! `portolan health`: shows the health of operators and catalogs.

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
use crate::print::{self, Detail, Format, OutputArgs, Page, Remark, Render, names, words};
use crate::scope::NamespaceArgs;

/// Show the health of all operators and catalogs, or the details of one operator or catalog.
///
/// Operators of all installers are listed: OLM v0 and OLM v1, Operators, Installs, and InstallPlans
/// of Portolan. The state in each row is Yes (healthy), No (needs attention) or NotYet (in progress
/// or unknown). The tables are sorted by name. The reasons for unhealthy rows are printed below the
/// tables, the most severe first. For a cluster, the command contacts the registries of catalogs.
/// With --world, the command uses the registry responses that `dump` saved.
///
/// Nothing is logged without --log. -o json prints one object with the lists `operators` and
/// `catalogs`. With NAME, -o json prints the gRPC response for that object. With --watch, the
/// command prints one gRPC event per line.
#[derive(Debug, Parser)]
#[command(
    override_usage = "portolan health [OPTIONS] [[NAMESPACE/]NAME|KIND/NAME]",
    after_help = exit::after_help!(
        "0  every object is healthy, in progress or unknown; with --watch: stopped by a signal",
        "1  an object is unhealthy";
        "portolan health",
        "portolan health -n harbor ferry",
        "portolan health catalog/shop -o json",
        "portolan health extension/ferry",
        "portolan health --watch --server http://127.0.0.1:50051",
        "portolan dump ./dump && portolan health --world ./dump"
    )
)]
pub(crate) struct HealthArgs {
    /// Object to describe: a ClusterServiceVersion, Subscription, Operator, ClusterExtension, Install,
    /// InstallPlan of Portolan, bundle or package, with or without its namespace. With KIND/NAME, the
    /// kind is csv, sub, package, operator, extension, install, plan or catalog (catsrc). Default:
    /// list all operators and catalogs.
    #[arg(value_name = "[NAMESPACE/]NAME|KIND/NAME")]
    name: Option<Named>,

    #[command(flatten)]
    whose: NamespaceArgs,

    /// Keep running, and print a row for each change, until Ctrl-C.
    #[arg(short, long)]
    watch: bool,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    facts: ObjectArgs,

    #[command(flatten)]
    _aside: IgnoredCatalogArgs,
}

/// The operators and catalogs whose health the command shows.
#[derive(Debug, Default, Serialize)]
struct Everything {
    operators: Vec<Operator>,
    catalogs: Vec<Catalog>,
    /// The kinds that could not be listed, each as a sentence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<String>,
    #[serde(skip)]
    is_in_doubt: bool,
    #[serde(skip)]
    namespace: String,
}

// === impl HealthArgs ===

impl HealthArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let (namespace, format) = (self.whose.namespace, self.output.format);
        let namespace = named::namespace(self.name.as_ref(), &namespace)?;
        let handle = self.name.map(Handle::of).transpose()?;
        let facts = &self.facts;
        // The positional argument names the operator. It sets one of these fields of the request.
        let connect = async || {
            let health = facts.health(&namespace).await?;
            Ok::<_, Failure>(health.with_positional(&[
                "name",
                "csv",
                "subscription",
                "package",
                "operator",
                "cluster_extension",
                "install",
                "install_plan",
            ]))
        };
        if self.watch {
            format.refuse_unless_streamed("--watch")?;
            let handle = handle.as_ref();
            let watched = async { watch::run(connect().await?, &namespace, handle, format).await };
            return watch::until_stopped(watched).await;
        }
        let mut health = connect().await?;
        match handle {
            Some(Handle::Operator(handle)) => {
                format.show(&operator(&mut health, &namespace, handle).await?)
            }
            Some(Handle::Catalog(name)) => {
                format.show(&catalog(&mut health, &namespace, name).await?)
            }
            None => {
                let listed = health.list_operators(&namespace).await;
                let listed = listed.map_err(|status| health.failure(&status))?;
                let catalogs = catalogs(&mut health, &namespace).await?;
                listed.unread.iter().for_each(|why| print::warn(why));
                format.show(&Everything {
                    is_in_doubt: health.is_in_doubt() || !listed.unread.is_empty(),
                    operators: listed.operators,
                    unread: listed.unread,
                    catalogs,
                    namespace,
                })
            }
        }
    }
}

impl Render for GetOperatorResponse {
    fn page(&self, detail: Detail) -> Page {
        one::render_operator(&self.operator.clone().unwrap_or_default(), detail)
    }

    fn names(&self) -> Option<Vec<String>> {
        let subject = self.operator.as_ref()?.subject.as_ref()?;
        Some(vec![names::object(subject)])
    }

    fn exit(&self) -> Exit {
        no_if_one_is_bad(self.operator.as_ref().map(Judged::from))
    }
}

impl Render for GetCatalogResponse {
    fn page(&self, detail: Detail) -> Page {
        one::render_catalog(&self.catalog.clone().unwrap_or_default(), detail)
    }

    fn names(&self) -> Option<Vec<String>> {
        let subject = self.catalog.as_ref()?.subject.as_ref()?;
        Some(vec![names::object(subject)])
    }

    fn exit(&self) -> Exit {
        no_if_one_is_bad(self.catalog.as_ref().map(Judged::from))
    }
}

impl Render for Everything {
    fn page(&self, detail: Detail) -> Page {
        table::render(self, detail)
    }

    fn remark(&self, _: Format) -> Option<Remark> {
        let nothing = || Remark::Note(no_operators(&self.namespace));
        self.operators.is_empty().then(nothing)
    }

    fn exit(&self) -> Exit {
        no_if_one_is_bad(self.verdicts()).unless_in_doubt(self.is_in_doubt)
    }

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
    fn verdicts(&self) -> impl Iterator<Item = Judged<'_>> {
        let operators = self.operators.iter().map(Judged::from);
        operators.chain(self.catalogs.iter().map(Judged::from))
    }
}

/// Returns the message that no operators are installed in a namespace or in the cluster. For a
/// namespace, the message mentions that cluster-scoped objects are not listed.
fn no_operators(namespace: &str) -> String {
    let found = format!("No operators found{}.", words::within(namespace));
    match namespace {
        "" => found,
        _ => format!("{found} Omit -n to include Operators, ClusterExtensions and Installs."),
    }
}

/// Returns the catalogs. A user who may list operators may still not list catalogs, which are in
/// other namespaces. In this case, prints a warning and returns no catalogs.
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

/// Returns true if the service is running, but reports that it cannot read the objects.
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

/// Returns `No` if an object has the state No. NotYet is not a failure, because operations in
/// progress complete without an action.
fn no_if_one_is_bad<'a>(judged: impl IntoIterator<Item = Judged<'a>>) -> Exit {
    let mut judged = judged.into_iter();
    Exit::no_if(judged.any(|judged| judged.state == State::No))
}
