//! A proxy between one client and the API server, which makes requests fail.

use std::sync::Arc;
use std::time::Duration;

use kube::{Client, Config};
use portolan_kit::proxy::{Action, Proxy, Upstream};
use portolan_rig::{ADMIN, Cluster, Failure};
use tokio::sync::Notify;

use crate::is_soak;

/// The number of writes at which the controller is killed, in tests that are not soak tests.
const KILLS: usize = 5;
/// A number that is larger than the number of writes in a run.
const MANY: usize = 200;

/// Returns a proxy that sends all requests as the administrator.
pub(crate) async fn proxy(cluster: &Cluster) -> Result<Proxy, Failure> {
    proxy_of(cluster, ADMIN).await
}

/// Returns a proxy that sends all requests as a user that the test has admitted.
pub(crate) async fn proxy_of(cluster: &Cluster, user: &str) -> Result<Proxy, Failure> {
    let user = cluster.identity(user)?;
    let proof = Some((user.certificate.as_str(), user.key.as_str()));
    let upstream = Upstream::tls(&cluster.address(), &user.authority, proof);
    Ok(Proxy::before(upstream).await)
}

/// Returns a client without retries. A request fails if no byte arrives within `deadline`.
pub(crate) fn client(proxy: &Proxy, deadline: Duration) -> Result<Client, Failure> {
    let address = proxy.url();
    let mut config = Config::new(address.parse().map_err(Failure::read(address))?);
    config.read_timeout = Some(deadline);
    config.reset_reader_on_write = true;
    config.default_retry = false;
    Ok(Client::try_from(config)?)
}

/// Simulates a client that dies: the API server executes the write number `at`, but the client gets
/// no response, and all later writes fail.
pub(crate) fn kill_at(proxy: &Proxy, at: usize, landed: &Arc<Notify>) {
    let [lands, goes_on] = [landed.clone(), landed.clone()];
    proxy.at_write(at, Action::call_after(move || lands.notify_one()));
    // Two writes can run at the same time. If the later write fails first, this also ends the
    // client.
    proxy.at_write(at + 1, Action::call(move || goes_on.notify_one()));
    proxy.at_write(at, Action::CutAfter);
    (at + 1..at + MANY).for_each(|later| proxy.at_write(later, Action::CutBefore));
}

/// Returns the numbers of the writes at which a test kills its controller, one for each run. In a
/// soak test, these are all writes. Otherwise they are a selection with the first and the last
/// write.
pub(crate) fn kills(writes: usize) -> impl Iterator<Item = usize> {
    let step = if is_soak() { 1 } else { writes.div_ceil(KILLS) };
    (1..=writes).step_by(step)
}
