//! Tests of users who log in with a token of the cluster. Each user sees what the token permits,
//! and a note about everything else.

use std::path::Path;

use portolan_kit::catalogd::Catalogd;
use portolan_kit::universe::sparse;
use portolan_kit::{Authority, TempFolder};
use portolan_rig::{Browser, Failure, Look, PATIENCE, Seen, Tab, World, until};
use serde_json::{Value, json};

use super::pages::page_errors;
use super::stage::{Console, INLAND, make_operator, spec, stage};
use crate::firstuse::console::token_of;
use crate::is_soak;
use crate::objects::make;
use crate::permitted::may;
use crate::process::resident;
use crate::resolver::world as crds;

/// The number of packages in a catalog and of versions in each package, in normal runs and in soak
/// tests.
const SMALL: (usize, usize) = (10, 3);
const LARGE: (usize, usize) = (400, 40);
/// A package of the catalog.
const IN_HUB: &str = "ship-0007";

/// A text on the login page.
const DOOR: &str = "Token of the cluster";

/// The number of additional operators and users in a soak test.
const OPERATORS: usize = 500;
const VISITORS: usize = 6;

#[tokio::test]
async fn limited_visitor_sees_only_permitted_objects_and_a_notice() -> Result<(), Failure> {
    let Some((world, browser)) = stage("console-guests").await? else {
        return Ok(());
    };
    make_operator(&world, "ferry").await?;
    let large = if is_soak() { LARGE } else { SMALL };
    let hub = Catalogd::of("hub", sparse(large.0, large.1, 34).to_json_lines()).await;
    serve_catalog(&world, &hub).await?;
    make(
        world.client(),
        &json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "elsewhere"}}),
    )
    .await?;
    make(world.client(), &plan(world.namespace(), "plan-here")).await?;
    make(world.client(), &plan("elsewhere", "plan-elsewhere")).await?;
    let reader = token_of(&world, "reader").await?;
    let_read(&world, "reader").await?;
    let nobody = token_of(&world, "nobody").await?;
    let other = token_of(&world, "other").await?;
    let_read(&world, "other").await?;
    let tenant = token_of(&world, "tenant").await?;
    let_tenant_see(&world).await?;
    for at in 0..if is_soak() { OPERATORS } else { 0 } {
        make_operator(&world, &format!("ship-{at}")).await?;
    }

    let (authority, folder) = (Authority::default(), TempFolder::empty());
    authority.vouch("localhost").write(&folder);
    let port = world.cluster().free_port();
    let kubeconfig = world.cluster().admit("console-host", None)?;
    let flags = [
        format!("--listen=127.0.0.1:{port}"),
        format!("--tls={}", folder.display()),
        "--host=localhost".to_owned(),
        "--allow-apply".to_owned(),
        INLAND.to_owned(),
    ];
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let console = Console::of(&kubeconfig, &flags).await?;
    let held = || resident(Path::new(&console.folder())).unwrap_or_default() / 1024;
    let place = format!("https://localhost:{port}");

    // The login page is as accessible as all other pages.
    let tab = arrived(&browser, &place, DOOR).await?;
    for is_dark in [false, true] {
        tab.look(Look {
            width: 390,
            is_dark,
        })
        .await?;
        let wrong = page_errors(&tab, &place).await?;
        // The browser reports the response 401 as an error, so this error is expected.
        let wrong = wrong.into_iter().filter(|it| !it.contains("status of 401"));
        assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
    }
    log_in(&tab, "a.b.c", "").await?;
    tab.until_text("does not know this token").await?;
    println!("{} MiB held without a visitor", held());

    log_in(&tab, &reader, "").await?;
    tab.until_text(&user(&world, "reader")).await?;
    tab.visit(&format!("{place}/operators")).await?;
    tab.until_text("ferry").await?;
    tab.visit(&format!("{place}/plans")).await?;
    tab.until_text("plan-here").await?;
    tab.until_text("plan-elsewhere").await?;
    assert_eq!(page_errors(&tab, &place).await?, Vec::<String>::new());
    tab.visit(&format!("{place}/search?q={IN_HUB}")).await?;
    tab.until_text("hub").await?;
    println!("{} MiB held with one visitor", held());
    // If a user may only read, the cluster rejects a change, and the page shows the message of the
    // cluster.
    tab.visit(&format!("{place}/preview?change=delete&operator=ferry"))
        .await?;
    tab.until_text("portolan delete ferry").await?;
    tab.click("form[action='/apply'] button").await?;
    tab.until_text("cannot delete resource").await?;
    assert_ne!(spec(&world, "ferry").await?, Value::Null);

    // The catalog is already in the cache and is not read again. Only users who may read the
    // catalog can see it.
    let tab = arrived(&browser, &place, DOOR).await?;
    log_in(&tab, &other, "").await?;
    tab.until_text(&user(&world, "other")).await?;
    tab.visit(&format!("{place}/search?q={IN_HUB}")).await?;
    tab.until_text("hub").await?;
    println!("{} MiB held with two visitors", held());

    let tab = arrived(&browser, &place, DOOR).await?;
    log_in(&tab, &nobody, "").await?;
    tab.until_text(&user(&world, "nobody")).await?;
    for path in ["/", "/operators", "/plans"] {
        tab.visit(&format!("{place}{path}")).await?;
        tab.until_text("forbidden").await?;
        let text = tab.text().await?;
        assert!(!text.contains("ferry") && !text.contains("plan-"), "{text}");
        let wrong = page_errors(&tab, &place).await?;
        assert_eq!(wrong, Vec::<String>::new(), "{path}");
    }
    for path in [
        "/catalogs".to_owned(),
        "/catalog?name=hub".to_owned(),
        format!("/search?q={IN_HUB}"),
        format!("/package?catalog=hub&name={IN_HUB}"),
    ] {
        tab.visit(&format!("{place}{path}")).await?;
        tab.until_text(&user(&world, "nobody")).await?;
        let links = "[...document.querySelectorAll('main a')].map((it) => it.href).join(' ')";
        let links = tab.evaluate(links).await?.to_string();
        assert!(!links.contains("hub"), "{path}: {links}");
    }

    // A user who can access only one namespace must enter the name of this namespace.
    let tab = arrived(&browser, &place, DOOR).await?;
    log_in(&tab, &tenant, world.namespace()).await?;
    tab.until_text(&user(&world, "tenant")).await?;
    tab.visit(&format!("{place}/plans")).await?;
    tab.until_text("plan-here").await?;
    let reported = format!("are shown only for namespace {}", world.namespace());
    tab.until_text(&reported).await?;
    let text = tab.text().await?;
    assert!(!text.contains("plan-elsewhere"), "{text}");
    println!("{} MiB held with four visitors", held());

    for at in 0..if is_soak() { VISITORS } else { 0 } {
        let name = format!("reader-{at}");
        let reader = token_of(&world, &name).await?;
        let_read(&world, &name).await?;
        let tab = arrived(&browser, &place, DOOR).await?;
        log_in(&tab, &reader, "").await?;
        tab.until_text(&user(&world, &name)).await?;
        tab.visit(&format!("{place}/operators")).await?;
        tab.until_text("ship-1").await?;
        tab.visit(&format!("{place}/search?q={IN_HUB}")).await?;
        tab.until_text("hub").await?;
        println!("{} MiB held with {} visitors", held(), at + 5);
    }
    let reads = hub.asked().iter().filter(|it| it.status == 200).count();
    assert_eq!(reads, 1, "{:?}", hub.asked());
    Ok(())
}

/// Opens the console. The page must show this text.
pub(super) async fn arrived(browser: &Browser, place: &str, word: &str) -> Result<Tab, Failure> {
    let tab = browser.tab().await?;
    until("the console to listen", PATIENCE, async || {
        Ok(match tab.visit(place).await {
            Ok(()) => Seen::Yes(()),
            Err(error) => Seen::NotYet(format!("{error:?}")),
        })
    })
    .await?;
    tab.until_text(word).await?;
    Ok(tab)
}

async fn log_in(tab: &Tab, token: &str, namespace: &str) -> Result<(), Failure> {
    for (id, text) in [("bearer", token), ("namespace", namespace)] {
        tab.evaluate(&format!("document.querySelector('#{id}').focus()"))
            .await?;
        tab.types(text).await?;
    }
    tab.press("Enter").await
}

/// Grants a ServiceAccount read access to everything.
pub(super) async fn let_read(world: &World, name: &str) -> Result<(), Failure> {
    let all = json!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}]);
    may(world.client(), &user(world, name), all).await
}

pub(super) fn user(world: &World, name: &str) -> String {
    format!("system:serviceaccount:{}:{name}", world.namespace())
}

/// Creates a ClusterCatalog and sets its status as catalogd would.
async fn serve_catalog(world: &World, hub: &Catalogd) -> Result<(), Failure> {
    let name = "clustercatalogs.olm.operatorframework.io";
    crds::define(world.client(), name, "ClusterCatalog", "Cluster", "v1").await?;
    let image = |text: &str| json!({"type": "Image", "image": {"ref": text}});
    let catalog = json!({
        "apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog",
        "metadata": {"name": "hub"}, "spec": {"source": image("registry.example/hub:v1")},
        "status": {
            "urls": {"base": hub.url()},
            "resolvedSource": image("registry.example/hub@sha256:1"),
        },
    });
    make(world.client(), &catalog).await
}

/// Returns an InstallPlan. No controller executes it in this test.
fn plan(namespace: &str, name: &str) -> Value {
    let cargo = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cargo"}});
    let stage = json!({"name": "all", "resources": [{"manifest": cargo}]});
    json!({
        "apiVersion": "plans.portolan.dev/v1alpha1", "kind": "InstallPlan",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"suspend": true, "serviceAccountName": "nobody", "stages": [stage]},
    })
}

async fn let_tenant_see(world: &World) -> Result<(), Failure> {
    let here = world.namespace();
    let group = "rbac.authorization.k8s.io";
    let rules =
        json!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}]);
    make(
        world.client(),
        &json!({
            "apiVersion": format!("{group}/v1"), "kind": "Role",
            "metadata": {"name": "tenant", "namespace": here}, "rules": rules,
        }),
    )
    .await?;
    make(
        world.client(),
        &json!({
            "apiVersion": format!("{group}/v1"), "kind": "RoleBinding",
            "metadata": {"name": "tenant", "namespace": here},
            "roleRef": {"apiGroup": group, "kind": "Role", "name": "tenant"},
            "subjects": [{"kind": "ServiceAccount", "name": "tenant", "namespace": here}],
        }),
    )
    .await
}
