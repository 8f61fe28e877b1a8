//! Services that answer late, or with what is no answer: that is told, nothing is begun by halves, and it goes
//! on by itself.

use std::time::Duration;

use portolan_kit::proxy::Proxy;
use portolan_rig::Failure;

use super::stage::{harbor_with_policies, version, wish};

const ROUTES: &str = "POST /portolan.resolver.v1.Resolver/PlanRoute";
const REVIEWS: &str = "POST /portolan.approval.v1.Approval/ReviewUpgrade";
const LATE: Duration = Duration::from_secs(2);
/// So often something is no answer; whoever asks tries it again soon.
const OFTEN: usize = 1000;

#[tokio::test]
async fn who_answers_late_or_nonsense_holds_a_hop_and_breaks_nothing() -> Result<(), Failure> {
    let versions = ["1.0.0", "1.1.0", "1.2.0"].map(|it| version("ferry", it));
    let Some(mut harbor) = harbor_with_policies("operators-slow", &versions).await? else {
        return Ok(());
    };
    harbor.operator("ferry", wish("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    harbor.kill();
    let resolver = Proxy::before(harbor.resolver()).await;
    let approval = Proxy::before(harbor.approval().expect("approval must run")).await;
    let (to_resolver, to_approval) = (resolver.url(), approval.url());
    harbor.start_asking_both(&to_resolver, &to_approval).await?;

    resolver.delay(ROUTES, LATE);
    approval.delay(REVIEWS, LATE);
    harbor.operator("ferry", wish("1.1.0")).await?;
    harbor.until_installed("ferry", "1.1.0").await?;
    let asked = (resolver.count(ROUTES), approval.count(REVIEWS));
    assert!(asked.0 > 0 && asked.1 > 0, "{asked:?}");

    resolver.clear();
    approval.clear();
    resolver.answer(ROUTES, 500, OFTEN);
    harbor.operator("ferry", wish("1.2.0")).await?;
    let unknown = ["Installing", "False", "CatalogsUnknown"];
    let said = harbor.until("ferry", unknown).await?;
    assert!(said.contains("resolver"), "{said}");
    assert_eq!(plans(&harbor.plan_names().await?), ["ferry-1", "ferry-2"]);
    approval.answer(REVIEWS, 500, OFTEN);
    resolver.clear();
    let unavailable = ["Installing", "Unknown", "ConsentUnavailable"];
    let said = harbor.until("ferry", unavailable).await?;
    assert!(said.contains("ferry.v1.2.0"), "{said}");
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
