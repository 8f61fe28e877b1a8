//! A way to the API server that leads through the kit's proxy, for one client and nobody else.

use std::sync::Arc;
use std::time::Duration;

use kube::{Client, Config};
use portolan_kit::proxy::{Action, Proxy, Upstream};
use portolan_rig::{ADMIN, Cluster, Failure};
use tokio::sync::Notify;

use crate::is_soak;

/// At how many of its writes the controller of a story is killed without a soak.
const KILLS: usize = 5;
/// More writes than a story has.
const MANY: usize = 200;

/// Speaks to the API server in the name of the administrator.
pub(crate) async fn proxy(cluster: &Cluster) -> Result<Proxy, Failure> {
    proxy_of(cluster, ADMIN).await
}

/// The same in the name of a user who was admitted.
pub(crate) async fn proxy_of(cluster: &Cluster, user: &str) -> Result<Proxy, Failure> {
    let user = cluster.identity(user)?;
    let proof = Some((user.certificate.as_str(), user.key.as_str()));
    let upstream = Upstream::tls(&cluster.address(), &user.authority, proof);
    Ok(Proxy::before(upstream).await)
}

/// A client that waits no longer than `deadline` for a byte, and has no retries to hide that.
pub(crate) fn client(proxy: &Proxy, deadline: Duration) -> Result<Client, Failure> {
    let address = proxy.url();
    let mut config = Config::new(address.parse().map_err(Failure::read(address))?);
    config.read_timeout = Some(deadline);
    config.reset_reader_on_write = true;
    config.default_retry = false;
    Ok(Client::try_from(config)?)
}

/// Has a write land of which nobody hears, and nothing after it, as of a process that is gone.
pub(crate) fn kill_at(proxy: &Proxy, at: usize, landed: &Arc<Notify>) {
    let [lands, goes_on] = [landed.clone(), landed.clone()];
    proxy.at_write(at, Action::call_after(move || lands.notify_one()));
    // Of writes at the same time one may fail before the other has landed, which ends both.
    proxy.at_write(at + 1, Action::call(move || goes_on.notify_one()));
    proxy.at_write(at, Action::CutAfter);
    (at + 1..at + MANY).for_each(|later| proxy.at_write(later, Action::CutBefore));
}

/// The writes at which the controller of a story is killed, once each: in the soak at every single one,
/// without it at some, from the first to the last.
pub(crate) fn kills(writes: usize) -> impl Iterator<Item = usize> {
    let step = if is_soak() { 1 } else { writes.div_ceil(KILLS) };
    (1..=writes).step_by(step)
}
