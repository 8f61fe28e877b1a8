//! Tests operators that are upgraded together.

use portolan_rig::{Failure, PATIENCE, Seen, until};

use super::stage::{harbor, spec_at, version};

/// Each operator requires the same version of the other operator. So neither operator can be
/// upgraded alone.
#[tokio::test]
async fn lockstep_plans_both_exist_before_either_is_applied() -> Result<(), Failure> {
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
        harbor.operator(name, spec_at("1.0.0")).await?;
    }
    for name in ["ferry", "rope"] {
        harbor.until_installed(name, "1.0.0").await?;
    }
    // The blocked Operator reports the other operator.
    harbor.operator("ferry", spec_at("1.1.0")).await?;
    let message = harbor
        .until("ferry", ["Installing", "False", "WaitingForDependencies"])
        .await?;
    assert!(message.contains("rope"), "{message}");

    // The Operators request different versions. They are upgraded together as far as possible.
    harbor.operator("rope", spec_at("1.2.0")).await?;
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
    let message = harbor
        .until("rope", ["Installing", "False", "WaitingForDependencies"])
        .await?;
    assert!(message.contains("ferry"), "{message}");
    harbor
        .until("ferry", ["Installing", "False", "UpToDate"])
        .await?;
    // When both Operators request the same version, the upgrade continues automatically.
    harbor.operator("ferry", spec_at("1.2.0")).await?;
    for name in ["ferry", "rope"] {
        harbor.until_installed(name, "1.2.0").await?;
    }
    Ok(())
}
