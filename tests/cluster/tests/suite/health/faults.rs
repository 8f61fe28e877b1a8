//! Tests API servers that stop, freeze, or close watches.

use std::time::{Duration, Instant};

use portolan_core_health::HealthCode;
use portolan_rig::{Cluster, Component, Failure};

use super::news::{Wanted, operator};
use super::serving::Serving;
use super::watcher::Watcher;
use super::written;
use crate::{detour, own_cluster};

const FROZEN: Duration = Duration::from_secs(60);
const WATCHES: &str = "GET /?watch=";
const LISTS: &str = "GET /?limit=";

#[tokio::test]
async fn answers_without_delay_during_api_server_outage() -> Result<(), Failure> {
    let Some(own) = own_cluster().await? else {
        return Ok(());
    };
    let namespace = own.namespace("outage").await?;
    written::define_olm(&own.client()?).await?;
    written::operator(&own.client()?, &namespace, "buoy").await?;
    let serving = Serving::of_cluster(&own, "health").await?;
    let mut watcher = serving.watch(&namespace).await;
    watcher.until(&operator("buoy"), Wanted::Well).await;

    api_server_restarts(&own, &serving, &namespace, &mut watcher).await?;
    sees_a_crash(&own, &namespace, &mut watcher).await?;
    api_server_freezes(&own, &serving, &namespace).await?;
    sees_a_crash(&own, &namespace, &mut watcher).await?;
    watcher.agrees(&serving).await;
    watches_expire(&own, &namespace).await
}

/// If an operator can no longer be observed, it is neither healthy nor unhealthy.
async fn api_server_restarts(
    own: &Cluster,
    serving: &Serving,
    namespace: &str,
    watcher: &mut Watcher,
) -> Result<(), Failure> {
    let of = operator("buoy");
    let unseen = Wanted::not_yet(HealthCode::NotObserved);
    let killed = async { own.kill(Component::ApiServer) };
    watcher.reports(&of, unseen, killed).await?;
    let asked = serving.operator(namespace, "buoy").await;
    let state = asked.expect("it must be answered").verdict;
    assert_ne!(state.expect("it was judged").state().as_str_name(), "YES");
    let revived = own.revive(Component::ApiServer);
    watcher.reports(&of, Wanted::Well, revived).await?;
    let reported = watcher.since_mark();
    println!("health: after a restart: {reported:#?}");
    let is_ill = |line: &String| line.starts_with("Subscription") && line.contains(" NO:");
    assert!(!reported.iter().any(is_ill), "{reported:#?}");
    Ok(())
}

/// For a client, a frozen API server looks like an API server without events.
async fn api_server_freezes(
    own: &Cluster,
    serving: &Serving,
    namespace: &str,
) -> Result<(), Failure> {
    own.freeze(Component::ApiServer)?;
    let (begun, mut asked) = (Instant::now(), 0);
    while begun.elapsed() < FROZEN {
        let answer = serving.operator(namespace, "buoy").await;
        answer.expect("an answer must not wait for the API server");
        asked += 1;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    println!("health: {asked} answers while the API server was frozen");
    own.thaw(Component::ApiServer)
}

/// Checks that the watch still reports changes, also changes of objects below a Deployment.
async fn sees_a_crash(
    own: &Cluster,
    namespace: &str,
    watcher: &mut Watcher,
) -> Result<(), Failure> {
    // Creates a new client, because older clients may have broken connections.
    let (of, pods) = (operator("buoy"), own.pods(namespace)?);
    let crashing = Wanted::no(HealthCode::CrashLooping);
    let crashing = watcher.reports(&of, crashing, pods.crash_looping("operator=buoy"));
    crashing.await?;
    let ready = pods.ready("operator=buoy");
    watcher.reports(&of, Wanted::Well, ready).await?;
    Ok(())
}

/// The API server closes all watches. No watch can be resumed, because the API server responds with
/// 410.
async fn watches_expire(own: &Cluster, namespace: &str) -> Result<(), Failure> {
    let proxy = detour::proxy(own).await?;
    let (kubeconfig, _folder) = written::through(&proxy);
    let serving = Serving::by(&kubeconfig).await?;
    let mut watcher = serving.watch(namespace).await;
    watcher.until(&operator("buoy"), Wanted::Well).await;

    let lists = proxy.count(LISTS);
    proxy.answer(WATCHES, 410, proxy.count(WATCHES));
    assert!(proxy.cut(WATCHES) > 0, "{:?}", proxy.requests());
    sees_a_crash(own, namespace, &mut watcher).await?;
    let again = proxy.count(LISTS) - lists;
    println!("health: {again} lists after all watches expired");
    assert!(again > 0, "what expired must be listed again");
    watcher.agrees(&serving).await;
    Ok(())
}
