//! Tests a field that two field managers write.

use kube::api::{Patch, PatchParams};
use portolan_core_operatorpolicy::{Action, Contest};
use portolan_rig::{Failure, Kind};
use serde_json::json;

use super::author::{Author, done, subscription};
use crate::operatorpolicy::bare::bare;

#[tokio::test]
async fn manager_that_reverts_a_field_three_times_is_reported() -> Result<(), Failure> {
    let Some(bare) = bare("contest").await? else {
        return Ok(());
    };
    let author = Author::of(&bare);
    let manifest = subscription(&bare, json!({"channel": "stable"}));
    done(&author.does(Action::Create(manifest.clone())).await);
    let by = PatchParams {
        field_manager: Some("argocd-controller".to_owned()),
        ..PatchParams::default()
    };
    let mut contests = Vec::new();
    for _ in 0..3 {
        assert_eq!(author.writer.contests(&bare.namespace), contests);
        let flip = Patch::Merge(json!({"spec": {"channel": "beta"}}));
        bare.objects(Kind::Subscription)
            .patch("hull", &by, &flip)
            .await?;
        done(&author.does(Action::Apply(manifest.clone())).await);
        contests = author.writer.contests(&bare.namespace);
    }
    let expected = Contest {
        kind: "Subscription",
        name: "hull".to_owned(),
        field: "spec.channel".to_owned(),
        manager: "argocd-controller".to_owned(),
    };
    assert_eq!(contests, vec![expected]);
    Ok(())
}
