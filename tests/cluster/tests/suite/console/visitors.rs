//! Visitors who bring tokens of a cluster: each sees what the token may see, and is told what they do not see.

use std::path::Path;
use std::time::Duration;

use portolan_kit::{Authority, TempFolder};
use portolan_rig::{Browser, Failure, Look, PATIENCE, Seen, Tab, World, until};
use serde_json::{Value, json};

use super::pages::looked_at;
use super::stage::{Console, INLAND, define, make_operator, spec};
use crate::firstuse::console::token_of;
use crate::firstuse::may;
use crate::operators::stage::make;
use crate::process::resident;
use crate::{is_soak, own_cluster};

/// How many operators and visitors more there are in a soak.
const OPERATORS: usize = 500;
const VISITORS: usize = 6;

#[tokio::test]
async fn who_may_see_little_sees_little_and_is_told_so() -> Result<(), Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(());
    };
    let Some(browser) = Browser::open().await? else {
        return Ok(());
    };
    let world = World::on(cluster, "console-guests").await?;
    define(&world).await?;
    make_operator(&world, "ferry").await?;
    make(
        world.client(),
        &json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "elsewhere"}}),
    )
    .await?;
    make(world.client(), &plan(world.namespace(), "plan-here")).await?;
    make(world.client(), &plan("elsewhere", "plan-elsewhere")).await?;
    let reader = token_of(&world, "reader").await?;
    let all = json!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}]);
    may(world.client(), &user(&world, "reader"), all).await?;
    let nobody = token_of(&world, "nobody").await?;
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

    // The page that asks for a token is one like all others.
    let tab = arrived(&browser, &place).await?;
    for is_dark in [false, true] {
        tab.look(Look {
            width: 390,
            is_dark,
        })
        .await?;
        let wrong = looked_at(&tab, &place).await?;
        // That nobody is known yet is an error for the browser.
        let wrong = wrong.into_iter().filter(|it| !it.contains("status of 401"));
        assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
    }
    log_in(&tab, "a.b.c", "").await?;
    tab.until_it_says("does not know this token").await?;
    println!("{} MiB held without a visitor", held());

    log_in(&tab, &reader, "").await?;
    tab.until_it_says(&user(&world, "reader")).await?;
    tab.visit(&format!("{place}/operators")).await?;
    tab.until_it_says("ferry").await?;
    tab.visit(&format!("{place}/plans")).await?;
    tab.until_it_says("plan-here").await?;
    tab.until_it_says("plan-elsewhere").await?;
    assert_eq!(looked_at(&tab, &place).await?, Vec::<String>::new());
    // Who may only read is refused by the cluster, in its words.
    tab.visit(&format!("{place}/preview?change=delete&operator=ferry"))
        .await?;
    tab.until_it_says("portolan delete ferry").await?;
    tab.click("form[action='/apply'] button").await?;
    tab.until_it_says("cannot delete resource").await?;
    assert_ne!(spec(&world, "ferry").await?, Value::Null);

    let tab = arrived(&browser, &place).await?;
    log_in(&tab, &nobody, "").await?;
    tab.until_it_says(&user(&world, "nobody")).await?;
    for path in ["/", "/operators", "/plans"] {
        tab.visit(&format!("{place}{path}")).await?;
        tab.until_it_says("forbidden").await?;
        let text = tab.text().await?;
        assert!(!text.contains("ferry") && !text.contains("plan-"), "{text}");
        let wrong = looked_at(&tab, &place).await?;
        assert_eq!(wrong, Vec::<String>::new(), "{path}");
    }

    // Who may see one namespace names it.
    let tab = arrived(&browser, &place).await?;
    log_in(&tab, &tenant, world.namespace()).await?;
    tab.until_it_says(&user(&world, "tenant")).await?;
    tab.visit(&format!("{place}/plans")).await?;
    tab.until_it_says("plan-here").await?;
    let told = format!("only what is in {} is shown", world.namespace());
    tab.until_it_says(&told).await?;
    let text = tab.text().await?;
    assert!(!text.contains("plan-elsewhere"), "{text}");
    println!("{} MiB held with three visitors", held());

    for at in 0..if is_soak() { VISITORS } else { 0 } {
        let name = format!("reader-{at}");
        let reader = token_of(&world, &name).await?;
        let all =
            json!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}]);
        may(world.client(), &user(&world, &name), all).await?;
        let tab = arrived(&browser, &place).await?;
        log_in(&tab, &reader, "").await?;
        tab.until_it_says(&user(&world, &name)).await?;
        tab.visit(&format!("{place}/operators")).await?;
        tab.until_it_says("ship-1").await?;
        println!("{} MiB held with {} visitors", held(), at + 4);
        // Nobody tries tokens so fast.
        tokio::time::sleep(Duration::from_secs(10)).await;
    }
    Ok(())
}

/// Somebody whom nobody knows, at the door.
async fn arrived(browser: &Browser, place: &str) -> Result<Tab, Failure> {
    let tab = browser.tab().await?;
    until("the console to listen", PATIENCE, async || {
        Ok(match tab.visit(place).await {
            Ok(()) => Seen::Yes(()),
            Err(error) => Seen::NotYet(format!("{error:?}")),
        })
    })
    .await?;
    tab.until_it_says("Token of the cluster").await?;
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

fn user(world: &World, name: &str) -> String {
    format!("system:serviceaccount:{}:{name}", world.namespace())
}

/// A plan that nobody carries out.
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
