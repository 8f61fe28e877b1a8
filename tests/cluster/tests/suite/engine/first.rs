//! The page about plans, typed as it is written.

use std::path::Path;
use std::process::Command;

use portolan_rig::Failure;

use super::stage::{define, opened};
use crate::own_cluster;
use crate::program::output;

/// Each command of the page does what the page says.
#[tokio::test]
async fn the_first_plan_of_the_page_is_carried_out() -> Result<(), Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(());
    };
    define(&cluster.client()?).await?;
    let _controller = opened(&cluster, "plans").await?;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/install-plans.md");
    let page = std::fs::read_to_string(&path);
    let page = page.map_err(Failure::touch(format!("read {}", path.display())))?;
    let blocks = blocks(&page);
    assert_eq!(blocks.len(), 4, "the commands of the page");
    let script = blocks.join("\n");

    let mut command = Command::new("sh");
    let binaries = cluster.binaries().folder().to_owned();
    let path = std::env::var("PATH").unwrap_or_default();
    command
        .args(["-euc", &script])
        .env("PATH", format!("{}:{path}", binaries.display()))
        .env("KUBECONFIG", cluster.kubeconfig());
    let output = output(command).await?;
    let [printed, said] = [output.stdout, output.stderr]
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    println!("engine: {printed}");
    assert!(output.status.success(), "{said}");
    let missing = r#"in namespace harbor: {"apiGroups":[""],"resources":["configmaps","serviceaccounts"],"verbs":["create","delete","get","patch"]}"#;
    assert!(printed.contains(missing), "{printed}");
    assert!(printed.contains("ferry-1   Ready"), "{printed}");
    Ok(())
}

/// The blocks of a page that are for a shell.
fn blocks(page: &str) -> Vec<&str> {
    let parts = page.split("```sh\n").skip(1);
    parts.filter_map(|part| part.split("```").next()).collect()
}
