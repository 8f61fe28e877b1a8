//! Tests of the console behind an authenticating proxy. The proxy adds the token of the user to
//! each request, so the console shows no login page.

use portolan_kit::proxy::{Proxy, Upstream};
use portolan_kit::{Authority, TempFolder};
use portolan_rig::{Failure, Tab};
use serde_json::{Value, json};

use super::pages::page_errors;
use super::stage::{Console, INLAND, make_operator, spec, stage};
use super::visitors::{arrived, let_read, user};
use crate::firstuse::console::token_of;
use crate::permitted::may;

/// The host name in the URL of the browser.
const NAME: &str = "localhost";

#[tokio::test]
async fn users_of_a_proxy_need_no_token() -> Result<(), Failure> {
    let Some((world, browser)) = stage("console-proxied").await? else {
        return Ok(());
    };
    make_operator(&world, "ferry").await?;
    make_operator(&world, "buoy").await?;
    let reader = token_of(&world, "reader").await?;
    let_read(&world, "reader").await?;
    let writer = token_of(&world, "writer").await?;
    let all = json!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]);
    may(world.client(), &user(&world, "writer"), all).await?;

    // Each of the two users has a proxy. Both proxies have the address that the console expects.
    let authority = Authority::default();
    let (inner, port) = (TempFolder::empty(), world.cluster().free_port());
    authority.vouch(NAME).write(&inner);
    let upstream = format!("https://{NAME}:{port}");
    let upstream = || Upstream::tls(&upstream, authority.pem(), None);
    let identity = authority.vouch(NAME);
    let of_reader = Proxy::vouched(upstream().as_bearer(&reader), &identity).await;
    let of_writer = Proxy::vouched(upstream().as_bearer(&writer), &identity).await;
    let of_nobody = Proxy::vouched(upstream().as_bearer("a.b.c"), &identity).await;
    let host = |proxy: &Proxy| format!("{NAME}:{}", proxy.address().port());
    let kubeconfig = world.cluster().admit("console-behind-proxy", None)?;
    let flags = [
        format!("--listen=127.0.0.1:{port}"),
        format!("--tls={}", inner.display()),
        format!("--host={}", host(&of_reader)),
        format!("--host={}", host(&of_writer)),
        format!("--host={}", host(&of_nobody)),
        "--allow-apply".to_owned(),
        INLAND.to_owned(),
    ];
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let _console = Console::of(&kubeconfig, &flags).await?;

    let place = format!("https://{}", host(&of_reader));
    let tab = arrived(&browser, &place, &user(&world, "reader")).await?;
    let shown = tab.text().await?;
    assert!(!shown.contains("Token of the cluster"), "{shown}");
    tab.visit(&format!("{place}/operators")).await?;
    tab.until_text("ferry").await?;
    assert_eq!(page_errors(&tab, &place).await?, Vec::<String>::new());
    assert_eq!(tab.evaluate("document.cookie").await?, "");
    // The header of a user does not replace the header of the proxy.
    let says = "fetch('/operators', {headers: {Authorization: 'Bearer x'}})\
         .then((it) => it.text())";
    let reported = tab.evaluate(says).await?;
    let reported = reported.as_str().unwrap_or_default();
    assert!(reported.contains(&user(&world, "reader")), "{reported}");
    let refused = applied(&tab, &place, "ferry").await?;
    assert!(refused.contains("cannot delete resource"), "{refused}");
    assert_ne!(spec(&world, "ferry").await?, Value::Null);

    // Users with write access make changes with the forms of these pages.
    let place = format!("https://{}", host(&of_writer));
    let tab = arrived(&browser, &place, &user(&world, "writer")).await?;
    applied(&tab, &place, "buoy").await?;
    tab.until_text("Nothing is written yet.").await?;
    assert_ne!(spec(&world, "buoy").await?, Value::Null);
    tab.click("form[action='/apply'] button").await?;
    tab.until_text("All of it is written.").await?;
    assert_eq!(spec(&world, "buoy").await?, Value::Null);

    // An invalid token is rejected, even if the proxy sends it.
    let place = format!("https://{}", host(&of_nobody));
    let tab = arrived(&browser, &place, "does not know this token").await?;
    let shown = tab.text().await?;
    assert!(!shown.contains("ferry"), "{shown}");
    Ok(())
}

/// Sends a dry run of the deletion of an Operator.
async fn applied(tab: &Tab, place: &str, operator: &str) -> Result<String, Failure> {
    tab.visit(&format!(
        "{place}/preview?change=delete&operator={operator}"
    ))
    .await?;
    tab.until_text(&format!("portolan delete {operator}"))
        .await?;
    tab.click("form[action='/apply'] button").await?;
    tab.until(
        "the answer",
        "location.pathname === '/apply' && document.readyState === 'complete'",
    )
    .await?;
    tab.text().await
}
