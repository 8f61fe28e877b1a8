//! Sends the requests of one probe: for the serving status of a registry and for the list of its
//! packages.

use std::future::Future;
use std::time::Duration;

use portolan_core_health::Probe;
use portolan_proto::registry::ListPackageRequest;
use portolan_proto::registry::registry_client::RegistryClient;
use portolan_world::registry::{Address, Connection, Dialer, Unanswered, is_told, within};
use tokio::task::coop::consume_budget;
use tokio::time::{Instant, timeout_at};
use tonic::{Code, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use super::prober::Open;
use super::sentence;

/// The maximum number of packages of a registry. Real catalogs have fewer packages.
const MOST_PACKAGES: u32 = 100_000;

/// The maximum size of a message in bytes. Each message contains the name of one package.
const LONGEST_MESSAGE: usize = 4 << 20;

const CHECK: &str = "Health/Check";
const LIST_PACKAGES: &str = "Registry/ListPackages";

/// The requests of a probe over one connection. All requests must finish before the deadline.
struct Question<'l> {
    connection: &'l Connection,
    deadline: Instant,
    limit: Duration,
}

/// Probes a registry over this connection. Without a connection, opens a new connection. Returns
/// the connection with the number of packages. After an error, the connection is dropped.
pub(super) async fn ask(
    at: (&Address, &Dialer),
    open: Option<Open>,
    limit: Duration,
) -> Result<(Open, u32), Probe> {
    let deadline = Instant::now() + limit;
    let open = match open {
        Some(open) => open,
        None => connect(at, deadline).await?,
    };
    let question = Question {
        connection: &open.connection,
        deadline,
        limit,
    };
    question.ask_whether_it_serves().await?;
    let packages = question.count_packages().await?;
    Ok((open, packages))
}

async fn connect((address, dialer): (&Address, &Dialer), deadline: Instant) -> Result<Open, Probe> {
    match timeout_at(deadline, Connection::open(address, dialer)).await {
        Ok(Ok(connection)) => Ok(Open::now(connection)),
        Ok(Err(error)) => Err(sentence::unconnected(&error, CHECK)),
        Err(_) => Err(sentence::too_slow_to_connect()),
    }
}

// === impl Question ===

impl Question<'_> {
    /// Requests the serving status of the registry. If the registry does not report a status for
    /// the whole server, the probe continues, and only the list of packages decides.
    async fn ask_whether_it_serves(&self) -> Result<(), Probe> {
        let mut client = HealthClient::new(self.connection.channel());
        let request = HealthCheckRequest {
            service: String::new(),
        };
        match self.within(CHECK, client.check(request)).await? {
            Ok(answer) => match answer.into_inner().status() {
                ServingStatus::Serving | ServingStatus::Unknown | ServingStatus::ServiceUnknown => {
                    Ok(())
                }
                ServingStatus::NotServing => Err(Probe::NotServing),
            },
            Err(status) if has_no_say(&status) => Ok(()),
            Err(status) => Err(sentence::failed(CHECK, &status)),
        }
    }

    async fn count_packages(&self) -> Result<u32, Probe> {
        let client = RegistryClient::new(self.connection.channel());
        let mut client = client.max_decoding_message_size(LONGEST_MESSAGE);
        let count = async {
            let names = client.list_packages(ListPackageRequest {}).await?;
            let mut names = names.into_inner();
            let mut count = 0;
            while count <= MOST_PACKAGES && names.message().await?.is_some() {
                count += 1;
                // Lets the timer run, so that the deadline also applies if the next item is always
                // available immediately.
                consume_budget().await;
            }
            Ok(count)
        };
        match self.within(LIST_PACKAGES, count).await? {
            Ok(count) if count > MOST_PACKAGES => Err(Probe::Failing(format!(
                "{LIST_PACKAGES}: more than {MOST_PACKAGES} packages were received, more than any \
                 catalog has"
            ))),
            Ok(count) => Ok(count),
            Err(status) => Err(sentence::failed(LIST_PACKAGES, &status)),
        }
    }

    /// Returns the response of the registry to a call. A response that cannot be decoded is a
    /// failure of the registry.
    async fn within<T>(
        &self,
        call: &str,
        asked: impl Future<Output = Result<T, Status>>,
    ) -> Result<Result<T, Status>, Probe> {
        let answered = within(self.deadline, asked).await;
        answered.map_err(|unanswered| match unanswered {
            Unanswered::Silent => sentence::silent(call, self.limit),
            Unanswered::Unreadable => sentence::unreadable(call),
        })
    }
}

/// Returns true if the registry has no health service, or if its health service reports no status
/// for the whole server.
fn has_no_say(status: &Status) -> bool {
    matches!(status.code(), Code::Unimplemented | Code::NotFound) && is_told(status)
}
