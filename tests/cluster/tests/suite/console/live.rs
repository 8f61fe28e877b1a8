//! Tests that open pages show changes of a cluster.

use portolan_rig::Failure;

use super::pages::page_errors;
use super::stage::{Console, make_operator, say_ready, stage};

#[tokio::test]
async fn status_change_appears_on_an_open_page_without_a_reload() -> Result<(), Failure> {
    let Some((world, browser)) = stage("console-live").await? else {
        return Ok(());
    };
    make_operator(&world, "ferry").await?;
    let kubeconfig = world.cluster().kubeconfig();
    let console = Console::of(&kubeconfig, &[]).await?;
    let tab = browser.tab().await?;
    let place = console.enter(&tab).await?;
    tab.visit(&format!("{place}/operators")).await?;
    tab.until_text("The controller has not reconciled the Operator yet")
        .await?;
    tab.evaluate("window.stays = 'here'").await?;
    // The page shows the address of the cluster, and that its content is current.
    let server = world.cluster().address();
    tab.until_text(&format!(" at {server}")).await?;
    tab.until_text("Live").await?;
    let read_at = "document.getElementById('read-at').textContent";
    tab.evaluate(&format!("window.readAt = {read_at}")).await?;

    say_ready(&world, "ferry", "False", "the mast is broken").await?;
    tab.until_text("the mast is broken").await?;
    say_ready(&world, "ferry", "True", "the mast is mended").await?;
    tab.until_text("the mast is mended").await?;
    make_operator(&world, "lighthouse").await?;
    tab.until_text("lighthouse").await?;
    assert_eq!(tab.evaluate("window.stays").await?, "here");
    let is_newer = format!("{read_at} > window.readAt");
    tab.until("a newer time", &is_newer).await?;
    assert_eq!(page_errors(&tab, &place).await?, Vec::<String>::new());

    drop(console);
    tab.until_text("Disconnected since").await
}
