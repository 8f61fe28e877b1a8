//! A tenant sees the operators that serve a namespace, and nothing of other namespaces.

use portolan_rig::Failure;

use super::page::follow;
use super::reader::Reader;
use crate::installed::stage::berth;

#[tokio::test]
async fn tenant_with_view_sees_operators_of_the_namespace() -> Result<(), Failure> {
    let Some(berth) = berth().await? else {
        return Ok(());
    };
    let reader = Reader::with_users(berth.cluster(), &["tess"]).await?;
    follow("tenant.md", reader).await
}
