//! Tests that the audit log contains the users that write objects.

use portolan_kit::catalog;
use portolan_rig::{ADMIN, Failure, PATIENCE, Record, Seen, until};

use crate::world;

#[tokio::test]
async fn audit_log_records_the_user_of_each_write() -> Result<(), Failure> {
    let Some(world) = world("audit").await? else {
        return Ok(());
    };
    let folder = catalog("gong: 1.0.0").installable().temp();
    let served = world.catalog("fleet", &folder).await?;
    let gong = world.operator("gong");
    gong.subscribe(&served, "stable", None).await?;
    let plan = gong.plan("gong.v1.0.0").await?;
    gong.approve(&plan).await?;
    gong.until_phase("gong.v1.0.0", "Succeeded").await?;

    let here = || Ok::<_, Failure>(world.cluster().audit()?.within(world.namespace()).writes());
    let approvals = until("the approval to be recorded", PATIENCE, async || {
        let approvals = here()?.of("installplans").by(ADMIN);
        Ok(if approvals.is_empty() {
            Seen::NotYet(format!("{:?}", here()?.records().last()))
        } else {
            Seen::Yes(approvals)
        })
    })
    .await?;

    let [approval] = approvals.records() else {
        panic!("one approval was expected: {approvals:?}");
    };
    let Record {
        verb, name, code, ..
    } = approval;
    assert_eq!((verb.as_str(), name, *code), ("patch", &plan, 200));
    assert!(
        here()?
            .of("installplans")
            .verb("create")
            .by(ADMIN)
            .is_empty()
    );
    assert_eq!(
        here()?
            .of("installplans")
            .verb("create")
            .by("catalog")
            .len(),
        1
    );
    assert!(
        !here()?
            .of("deployments")
            .verb("create")
            .by("olm")
            .is_empty()
    );
    Ok(())
}
