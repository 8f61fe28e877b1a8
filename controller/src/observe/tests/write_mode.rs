//! Tests for which policies the controller is read-only, and for which reasons.

use super::*;

#[tokio::test(start_paused = true)]
async fn other_status_writer_disables_all_writes() {
    let rival = with_status("config-policy-controller", &json!({}));
    let mut looking = ObservedStage::at(&rival, Rules::default()).await;
    let why = "config-policy-controller wrote the status of OperatorPolicy west/ferry, the last \
        time at 2026-01-01T12:00:00Z, so this controller is read-only; stop \
        config-policy-controller if it still runs, and then run this controller with --take-over";
    let read_only = WriteMode::ReadOnly(why.to_owned());
    assert_eq!(looking.observe("west/crane").write_mode, read_only);
    assert_eq!(looking.show(&harbor()).await, BOTH);
    assert_eq!(
        looking.observe("west/crane").write_mode,
        WriteMode::ReadWrite
    );
}

#[tokio::test(start_paused = true)]
async fn read_only_policy_reports_the_namespace_for_its_writes() {
    let rules = Rules {
        read_only: Some("it runs with --read-only"),
        ..Rules::default()
    };
    let world = open(harbor(), "open", "ferry");
    let mut looking = ObservedStage::at(&world, rules).await;
    let status = OperatorPolicyStatus {
        observed_generation: Some(1),
        resolved_subscription_label: Some("ferry.harbor".to_owned()),
        ..OperatorPolicyStatus::default()
    };
    let open = Key::new("west", "open");
    let touched = looking.informers.suppose(&open, status.clone());
    assert_eq!(touched, [Key::new("west", "ferry"), open.clone()].into());
    let observed = looking.observe("west/open");
    let name = observed.namespace.map(|state| state.name);
    assert_eq!(name.as_deref(), Some("harbor"));
    assert_eq!(observed.policy.status.as_ref(), Some(&status));
    let shown = looking.informers.observe(&open).map(|seen| seen.shown);
    let reported = shown.and_then(|shown| shown.status.clone());
    assert_eq!(reported, None, "no status was written");
    assert_eq!(looking.informers.suppose(&open, status), BTreeSet::new());
}

/// Returns a world with two policies. This field manager has written the status of the second
/// policy.
fn written_by(manager: &str) -> Kit {
    let world = policy(world(), "ferry", ("ferry", "ferries"));
    policy(world, "tug", ("tug", "tugs")).edit(|policy| {
        policy["metadata"]["managedFields"] = json!([{
            "manager": manager,
            "operation": "Update",
            "subresource": "status",
            "time": "2026-01-01T12:00:00Z",
        }]);
    })
}

/// An unknown client that has written one status may be a controller of this policy. Users and
/// backup tools are not controllers.
#[rstest]
#[case::unknown_writer_disables_writes_for_its_policy("fleet-agent", None, [false, true])]
#[case::kubectl_does_not("kubectl", None, [false, false])]
#[case::edit_by_a_user_has_no_effect("kubectl-edit", None, [false, false])]
#[case::patch_by_a_user_has_no_effect("kubectl-patch", None, [false, false])]
#[case::restored_backup_has_no_effect("velero-server", None, [false, false])]
#[case::another_controller_for_all("config-policy-controller", None, [true, true])]
#[case::controller_in_an_ignored_namespace_affects_only_its_policy(
    "config-policy-controller", Some("north"), [false, true]
)]
#[case::we_do_not("portolan", None, [false, false])]
#[tokio::test(start_paused = true)]
async fn only_other_controllers_make_policies_read_only(
    #[case] manager: &str,
    #[case] only_namespace: Option<&str>,
    #[case] read_only: [bool; 2],
) {
    let rules = Rules {
        only_namespace: only_namespace.map(str::to_owned),
        ..Rules::default()
    };
    let mut looking = ObservedStage::at(&written_by(manager), rules).await;
    let write_mode = ["west/ferry", "west/tug"]
        .map(|name| looking.observe(name).write_mode != WriteMode::ReadWrite);
    assert_eq!(write_mode, read_only);
}

/// The message of the error names this remedy.
#[tokio::test(start_paused = true)]
async fn policy_without_managed_fields_is_writable_again() {
    let before = written_by("fleet-agent");
    let after = written_by("fleet-agent").edit(|policy| {
        policy["metadata"]["managedFields"] = json!([]);
    });
    let mut looking = ObservedStage::at(&before, Rules::default()).await;
    assert_eq!(looking.show(&after).await, ["west/tug"]);
    assert_eq!(looking.observe("west/tug").write_mode, WriteMode::ReadWrite);
}

/// Returns a world with one version of the policy for ferry, as the API server returns it with or
/// without the field.
fn version(with: bool) -> Kit {
    policy(world(), "ferry", ("ferry", "ferries")).edit(|policy| {
        policy["metadata"]["resourceVersion"] = json!("7");
        if !with {
            let spec = policy["spec"].as_object_mut().expect("a spec");
            spec.remove("allowedCSVs");
        }
    })
}

fn is_written(looking: &mut ObservedStage) -> (bool, bool) {
    let seen = looking.informers.observe(&Key::new("west", "ferry"));
    let seen = seen.expect("a policy");
    let is_writable = seen.observed.write_mode == WriteMode::ReadWrite;
    (is_writable, seen.loses_fields)
}

/// The CRD was replaced by a CRD without a field. The stored policy still has the field until the
/// next write.
#[tokio::test(start_paused = true)]
async fn policy_that_the_api_server_returns_without_a_field_is_read_only() {
    for takes_over in [false, true] {
        let rules = Rules {
            takes_over,
            ..Rules::default()
        };
        let mut looking = ObservedStage::at(&version(true), rules).await;
        assert_eq!(is_written(&mut looking), (true, false));
        looking.show(&version(false)).await;
        assert_eq!(is_written(&mut looking), (false, true));
        looking.show(&version(true)).await;
        assert_eq!(is_written(&mut looking), (true, false));
    }
}

/// With `--take-over`, only policies in the established form are written.
#[tokio::test(start_paused = true)]
async fn policy_without_its_form_is_read_only_while_the_crd_lacks_fields() {
    let rules = Rules {
        takes_over: true,
        ..Rules::default()
    };
    let mut looking = ObservedStage::at(&version(false), rules).await;
    looking.informers.learn(Schema::Lacking);
    assert_eq!(is_written(&mut looking), (false, true));
    let established = version(false).edit(|policy| {
        policy["metadata"]["resourceVersion"] = json!("8");
        policy["spec"]["complianceType"] = json!("musthave");
    });
    looking.show(&established).await;
    assert_eq!(is_written(&mut looking), (true, true));
}

/// With `--take-over`, a policy that the API server returns with all fields of its form can be
/// written.
#[tokio::test(start_paused = true)]
async fn policy_without_its_form_is_read_only_while_the_crd_cannot_be_read() {
    let rules = Rules {
        takes_over: true,
        ..Rules::default()
    };
    let unreadable = || Schema::Unreadable("forbidden".to_owned());
    let mut pruned = ObservedStage::at(&version(false), rules.clone()).await;
    pruned.informers.learn(unreadable());
    assert_eq!(is_written(&mut pruned), (false, true));
    let mut whole = ObservedStage::at(&version(true), rules).await;
    whole.informers.learn(unreadable());
    assert_eq!(is_written(&mut whole), (true, true));
}
