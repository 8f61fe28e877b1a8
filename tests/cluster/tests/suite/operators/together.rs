//! Operators that move together.

use portolan_rig::{Failure, PATIENCE, Seen, until};

use super::stage::{harbor, version, wish};

/// Each requires the other in the same version: neither can move alone.
#[tokio::test]
async fn both_plans_are_there_before_either_is_applied() -> Result<(), Failure> {
    let versions = [
        version("ferry", "1.0.0").requiring("rope", "1.0.0"),
        version("ferry", "1.1.0").requiring("rope", "1.1.0"),
        version("ferry", "1.2.0").requiring("rope", "1.2.0"),
        version("rope", "1.0.0").requiring("ferry", "1.0.0"),
        version("rope", "1.1.0").requiring("ferry", "1.1.0"),
        version("rope", "1.2.0").requiring("ferry", "1.2.0"),
    ];
    let Some(harbor) = harbor("operators-lockstep", &versions).await? else {
        return Ok(());
    };
    for name in ["ferry", "rope"] {
        harbor.operator(name, wish("1.0.0")).await?;
    }
    for name in ["ferry", "rope"] {
        harbor.until_installed(name, "1.0.0").await?;
    }
    // One alone cannot go, and is told who is in its way.
    harbor.operator("ferry", wish("1.1.0")).await?;
    let said = harbor
        .until("ferry", ["Installing", "False", "WaitingForDependencies"])
        .await?;
    assert!(said.contains("rope"), "{said}");

    // Two pins that disagree go as far as they agree, and the one that gets no further says so.
    harbor.operator("rope", wish("1.2.0")).await?;
    until("both to be at 1.1.0", PATIENCE, async || {
        let plans = harbor.plan_names().await?;
        let of = |name: &str| plans.iter().find(|(plan, _)| plan == name);
        let [ferry, rope] = ["ferry-2", "rope-2"].map(of);
        for (one, other) in [(ferry, rope), (rope, ferry)] {
            let has_begun = one.is_some_and(|(_, is_suspended)| !is_suspended);
            assert!(!has_begun || other.is_some(), "{plans:?}");
        }
        let mut is_there = true;
        for name in ["ferry", "rope"] {
            let status = harbor.status(name).await?;
            is_there &= status["versions"]["installed"] == "1.1.0";
        }
        Ok(if is_there {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{plans:?}"))
        })
    })
    .await?;
    for name in ["ferry", "rope"] {
        harbor.until_installed(name, "1.1.0").await?;
        assert_eq!(harbor.runs(name).await?.as_deref(), Some("1.1.0"));
    }
    let said = harbor
        .until("rope", ["Installing", "False", "WaitingForDependencies"])
        .await?;
    assert!(said.contains("ferry"), "{said}");
    harbor
        .until("ferry", ["Installing", "False", "UpToDate"])
        .await?;
    // Once they agree, nobody has to help.
    harbor.operator("ferry", wish("1.2.0")).await?;
    for name in ["ferry", "rope"] {
        harbor.until_installed(name, "1.2.0").await?;
    }
    Ok(())
}
