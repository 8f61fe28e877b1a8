//! A resolver that answers soon and well-formed, and not what is so: nothing is begun on its word, it is told what does
//! not fit, and it goes on by itself once the answers are good.

use portolan_kit::proxy::Proxy;
use portolan_rig::Failure;

use super::stage::{Other, harbor, version, wish};

const ROUTES: &str = "POST /portolan.resolver.v1.Resolver/PlanRoute";
const BUNDLES: &str = "POST /portolan.resolver.v1.Resolver/GetBundle";

#[tokio::test]
async fn what_a_resolver_says_that_is_not_so_begins_nothing() -> Result<(), Failure> {
    let versions = ["1.0.0", "1.1.0"].map(|it| version("ferry", it));
    let Some(mut harbor) = harbor("operators-lying", &versions).await? else {
        return Ok(());
    };
    harbor.operator("ferry", wish("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    harbor.kill();
    let at_rest = harbor.plan_names().await?;
    let resolver = Proxy::before(harbor.resolver()).await;

    // Its way has a bundle that is nowhere.
    let detour = ["1.0.0", "1.0.5", "1.1.0"].map(|it| version("ferry", it));
    let detour = Other::knowing(&detour, |catalog| catalog).await?;
    resolver.divert(ROUTES, detour.address.as_str());
    harbor.start_asking_at(&resolver.url()).await?;
    harbor.operator("ferry", wish("1.1.0")).await?;
    let refused = ["Installing", "False", "BundleRefused"];
    let said = harbor.until("ferry", refused).await?;
    assert!(said.contains("ferry.v1.0.5"), "{said}");
    assert_eq!(harbor.plan_names().await?, at_rest);

    // The bundle on its way is another version than it said.
    harbor.kill();
    resolver.clear();
    let renamed = |catalog: String| catalog.replace("version: 1.1.0", "version: 1.0.9");
    let renamed = Other::knowing(&versions, renamed).await?;
    resolver.divert(BUNDLES, renamed.address.as_str());
    harbor.start().await?;
    let unknown = ["Installing", "False", "CatalogsUnknown"];
    let said = harbor.until("ferry", unknown).await?;
    assert!(said.contains("cannot be so"), "{said}");
    assert!(said.contains("version 1.0.9"), "{said}");
    assert_eq!(harbor.plan_names().await?, at_rest);

    // Who has a good answer goes on, where it was.
    harbor.kill();
    resolver.clear();
    harbor.start().await?;
    harbor.until_installed("ferry", "1.1.0").await?;
    assert_eq!(harbor.plan_names().await?.len(), at_rest.len() + 1);
    Ok(())
}
