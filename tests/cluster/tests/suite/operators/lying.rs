//! Tests a resolver with false responses that arrive in time and are well-formed. No installation
//! starts, and the controller reports the contradiction. The upgrade continues when the responses
//! are correct again.

use portolan_kit::proxy::Proxy;
use portolan_rig::Failure;

use super::stage::{Other, harbor, spec_at, version};

const ROUTES: &str = "POST /portolan.resolver.v1.Resolver/PlanRoute";
const BUNDLES: &str = "POST /portolan.resolver.v1.Resolver/GetBundle";

#[tokio::test]
async fn wrong_answers_of_the_resolver_start_no_upgrade() -> Result<(), Failure> {
    let versions = ["1.0.0", "1.1.0"].map(|it| version("ferry", it));
    let Some(mut harbor) = harbor("operators-lying", &versions).await? else {
        return Ok(());
    };
    harbor.operator("ferry", spec_at("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    harbor.kill();
    let at_rest = harbor.plan_names().await?;
    let resolver = Proxy::before(harbor.resolver()).await;

    // The route contains a bundle that does not exist.
    let detour = ["1.0.0", "1.0.5", "1.1.0"].map(|it| version("ferry", it));
    let detour = Other::knowing(&detour, |catalog| catalog).await?;
    resolver.divert(ROUTES, detour.address.as_str());
    harbor.start_asking_at(&resolver.url()).await?;
    harbor.operator("ferry", spec_at("1.1.0")).await?;
    let refused = ["Installing", "False", "BundleNotInstallable"];
    let message = harbor.until("ferry", refused).await?;
    assert!(message.contains("ferry.v1.0.5"), "{message}");
    assert_eq!(harbor.plan_names().await?, at_rest);

    // The bundle has another version than in the route.
    harbor.kill();
    resolver.clear();
    let renamed = |catalog: String| catalog.replace("version: 1.1.0", "version: 1.0.9");
    let renamed = Other::knowing(&versions, renamed).await?;
    resolver.divert(BUNDLES, renamed.address.as_str());
    harbor.start().await?;
    let unknown = ["Installing", "False", "ResolverUnavailable"];
    let message = harbor.until("ferry", unknown).await?;
    assert!(message.contains("is not plausible"), "{message}");
    assert!(message.contains("version 1.0.9"), "{message}");
    assert_eq!(harbor.plan_names().await?, at_rest);

    // With correct responses, the upgrade continues.
    harbor.kill();
    resolver.clear();
    harbor.start().await?;
    harbor.until_installed("ferry", "1.1.0").await?;
    assert_eq!(harbor.plan_names().await?.len(), at_rest.len() + 1);
    Ok(())
}
