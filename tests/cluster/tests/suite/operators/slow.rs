//! Tests services that respond late or with an error. The controller reports this, and leaves no
//! action incomplete. The upgrade continues when the services work again.

use std::time::Duration;

use portolan_kit::proxy::Proxy;
use portolan_rig::Failure;

use super::stage::{harbor_with_policies, spec_at, version};

const ROUTES: &str = "POST /portolan.resolver.v1.Resolver/PlanRoute";
const REVIEWS: &str = "POST /portolan.approval.v1.Approval/ReviewUpgrade";
const LATE: Duration = Duration::from_secs(2);
/// The number of failing responses. It is large, because the client retries after a short time.
const OFTEN: usize = 1000;

#[tokio::test]
async fn slow_or_failing_services_only_delay_a_hop() -> Result<(), Failure> {
    let versions = ["1.0.0", "1.1.0", "1.2.0"].map(|it| version("ferry", it));
    let Some(mut harbor) = harbor_with_policies("operators-slow", &versions).await? else {
        return Ok(());
    };
    harbor.operator("ferry", spec_at("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    harbor.kill();
    let resolver = Proxy::before(harbor.resolver()).await;
    let approval = Proxy::before(harbor.approval().expect("approval must run")).await;
    let (to_resolver, to_approval) = (resolver.url(), approval.url());
    harbor.start_asking_both(&to_resolver, &to_approval).await?;

    resolver.delay(ROUTES, LATE);
    approval.delay(REVIEWS, LATE);
    harbor.operator("ferry", spec_at("1.1.0")).await?;
    harbor.until_installed("ferry", "1.1.0").await?;
    let asked = (resolver.count(ROUTES), approval.count(REVIEWS));
    assert!(asked.0 > 0 && asked.1 > 0, "{asked:?}");

    resolver.clear();
    approval.clear();
    resolver.answer(ROUTES, 500, OFTEN);
    harbor.operator("ferry", spec_at("1.2.0")).await?;
    let unknown = ["Installing", "False", "ResolverUnavailable"];
    let message = harbor.until("ferry", unknown).await?;
    assert!(message.contains("resolver"), "{message}");
    assert_eq!(plans(&harbor.plan_names().await?), ["ferry-1", "ferry-2"]);
    approval.answer(REVIEWS, 500, OFTEN);
    resolver.clear();
    let unavailable = ["Installing", "Unknown", "PolicyServiceUnavailable"];
    let message = harbor.until("ferry", unavailable).await?;
    assert!(message.contains("ferry.v1.2.0"), "{message}");
    let held = ("ferry-3".to_owned(), true);
    let all = harbor.plan_names().await?;
    assert!(all.contains(&held), "{all:?}");
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.1.0"));

    approval.clear();
    harbor.until_installed("ferry", "1.2.0").await
}

fn plans(all: &[(String, bool)]) -> Vec<&str> {
    all.iter().map(|(name, _)| name.as_str()).collect()
}
