//! Tests which users may create, change and delete a plan that uses a ServiceAccount.

use kube::Api;
use kube::api::DeleteParams;
use portolan_api::plan::InstallPlan;
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::json;

use super::ground::{Ground, change, create, own, refusal, spec};

const POLICY: &str = "deploy/overlays/plans/validating-admission-policy.yaml";
const BINDING: &str = "deploy/overlays/plans/validating-admission-policy-binding.yaml";

/// A user who may write plans in the namespace of the test, and has no other permissions.
struct Tenant {
    user: String,
    plans: Api<InstallPlan>,
}

impl Tenant {
    async fn of(ground: &Ground) -> Result<Self, Failure> {
        let user = format!("tenant-of-{}", &*ground.namespace);
        ground.cluster.admit(&user, None)?;
        let client = ground.cluster.client_of(&user)?;
        let tenant = Self {
            user,
            plans: Api::namespaced(client, &ground.namespace),
        };
        let kubectl = ["create", "role", "plans", "--verb=create,get,patch,delete"];
        let resource = "--resource=installplans.plans.portolan.dev";
        tenant
            .has(ground, &[&kubectl[..], &[resource]].concat())
            .await?;
        Ok(tenant)
    }

    /// Creates a role with this kubectl command, and grants the role to the user. The third word of
    /// the command is the name of the role.
    async fn has(&self, ground: &Ground, create: &[&str]) -> Result<(), Failure> {
        let here = ["-n", &*ground.namespace];
        let words = [&here, create].concat();
        ground.kubectl().run(&words).await?;
        let (role, user) = (
            format!("--role={}", create[2]),
            format!("--user={}", self.user),
        );
        let bind = ["create", "rolebinding", create[2], &role, &user];
        ground.kubectl().run(&[&here, &bind[..]].concat()).await?;
        Ok(())
    }
}

/// Without the admission policy, a user who may write plans can use the permissions of each
/// ServiceAccount in the namespace. With the policy, the user must have permission to impersonate
/// the ServiceAccount.
#[tokio::test]
async fn only_users_who_may_impersonate_the_account_can_write_a_plan() -> Result<(), Failure> {
    let Some(ground) = own("permitted").await? else {
        return Ok(());
    };
    let tenant = Tenant::of(&ground).await?;
    create(&tenant.plans, "before", spec()).await?;
    guard(&ground, &tenant).await?;
    is_denied_changes_that_matter(&tenant).await?;
    permits_only_the_named_account(&ground, &tenant).await?;
    requires_an_account(&tenant).await?;

    // Now the user may impersonate the ServiceAccount.
    let suspend = json!({"spec": {"suspend": true}});
    change(&tenant.plans, "before", suspend).await?;
    let params = DeleteParams::default();
    tenant.plans.delete("before", &params).await?;
    plan_is_deleted_with_namespace_and_owner(&ground).await?;

    // The API server checks the types of the expressions in the policy, and must report no
    // warnings.
    let warnings = "jsonpath={.status.typeChecking.expressionWarnings}";
    let name = "validatingadmissionpolicy/portolan-plans-service-account";
    let get = ["get", name, "-o", warnings];
    assert_eq!(ground.kubectl().run(&get).await?, "");
    Ok(())
}

/// The policy denies changes that affect the controller, and deletions. It permits other changes.
async fn is_denied_changes_that_matter(tenant: &Tenant) -> Result<(), Failure> {
    let annotated = |key: &str| json!({"metadata": {"annotations": {key: "true"}}});
    let owner = json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "gone", "uid": "gone"}]);
    for refused in [
        json!({"spec": {"suspend": true}}),
        json!({"spec": {"collisions": "Adopt"}}),
        json!({"spec": {"lifecycle": {"onPlanDeletion": "Keep"}}}),
        annotated("plans.portolan.dev/abandon"),
        annotated("plans.portolan.dev/retry"),
        annotated("operators.portolan.dev/generation"),
        json!({"metadata": {"labels": {"app": "ferry"}}}),
        json!({"metadata": {"ownerReferences": owner}}),
    ] {
        let message = refusal(change(&tenant.plans, "before", refused).await);
        let sentence = "may not impersonate this ServiceAccount in namespace";
        assert!(message.contains(sentence), "{message}");
    }
    let params = DeleteParams::default();
    let message = refusal(tenant.plans.delete("before", &params).await);
    assert!(message.contains("; ask an administrator"), "{message}");

    let held = json!({"metadata": {"finalizers": ["a.example/b"]}});
    change(&tenant.plans, "before", held).await?;
    change(&tenant.plans, "before", annotated("note")).await?;
    let released = json!({"metadata": {"finalizers": null}});
    change(&tenant.plans, "before", released).await?;
    Ok(())
}

/// The controllers of Kubernetes may delete plans, although they may not impersonate the
/// ServiceAccount.
async fn plan_is_deleted_with_namespace_and_owner(ground: &Ground) -> Result<(), Failure> {
    let here = &*ground.namespace;
    let kubectl = ground.kubectl();
    kubectl
        .run(&["-n", here, "create", "configmap", "owner"])
        .await?;
    let uid = [
        "get",
        "configmap",
        "owner",
        "-o",
        "jsonpath={.metadata.uid}",
    ];
    let uid = kubectl.run(&[&["-n", here], &uid[..]].concat()).await?;
    create(&ground.plans(), "owned", spec()).await?;
    let owner = json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid}]);
    let owner = json!({"metadata": {"ownerReferences": owner}});
    change(&ground.plans(), "owned", owner).await?;
    kubectl
        .run(&["-n", here, "delete", "configmap", "owner"])
        .await?;
    let wait = ["wait", "--for=delete", "pplan/owned", "--timeout=180s"];
    kubectl.run(&[&["-n", here], &wait[..]].concat()).await?;

    let other = format!("{here}-other");
    kubectl.run(&["create", "namespace", &other]).await?;
    let plans = Api::namespaced(ground.client.clone(), &other);
    create(&plans, "plan", spec()).await?;
    // The command waits until the namespace and the plan in it are deleted.
    kubectl
        .run(&["delete", "namespace", &other, "--timeout=180s"])
        .await?;
    Ok(())
}

/// The message of the denial contains the command that grants the permission. A user with
/// permission for one ServiceAccount can use only this ServiceAccount.
async fn permits_only_the_named_account(ground: &Ground, tenant: &Tenant) -> Result<(), Failure> {
    let message = refusal(create(&tenant.plans, "a", spec()).await);
    let (here, user) = (&*ground.namespace, &tenant.user);
    let sentence = format!(
        "spec.serviceAccountName is installer, and user {user} may not impersonate this \
         ServiceAccount in namespace {here}; name another one, or ask an administrator for the \
         permission: kubectl -n {here} create role impersonate-installer --verb=impersonate \
         --resource=serviceaccounts --resource-name=installer, and a rolebinding of it to that user"
    );
    assert!(message.contains(&sentence), "{message}");

    let command = message.split("kubectl -n ").nth(1);
    let command = command.and_then(|rest| rest.split(", and").next());
    let command: Vec<_> = command.expect("a command").split(' ').skip(1).collect();
    tenant.has(ground, &command).await?;
    until("the role to be in effect", PATIENCE, async || {
        Ok(match create(&tenant.plans, "a", spec()).await {
            Ok(_) => Seen::Yes(()),
            Err(kube::Error::Api(status)) => Seen::NotYet(status.message.clone()),
            Err(error) => return Err(error.into()),
        })
    })
    .await?;
    let mut other = spec();
    other["serviceAccountName"] = json!("admin");
    let message = refusal(create(&tenant.plans, "b", other).await);
    let sentence = "spec.serviceAccountName is admin, and user ";
    assert!(message.contains(sentence), "{message}");
    Ok(())
}

/// For a plan without a ServiceAccount or without a spec, only the CRD reports an error, and not
/// the policy.
async fn requires_an_account(tenant: &Tenant) -> Result<(), Failure> {
    let missing = "spec.serviceAccountName: Required value";
    for (spec, sentence) in [
        (json!({"stages": spec()["stages"]}), missing),
        (json!({}), missing),
        (json!(null), "spec: Required value"),
        (
            json!({"serviceAccountName": 1, "stages": spec()["stages"]}),
            "must be of type string",
        ),
        (
            json!({"serviceAccountName": "", "stages": spec()["stages"]}),
            "should match",
        ),
    ] {
        let message = refusal(create(&tenant.plans, "c", spec).await);
        assert!(message.contains(sentence), "{message}");
        assert!(!message.contains("impersonate"), "{message}");
    }
    Ok(())
}

/// Applies the admission policy of the overlay.
async fn guard(ground: &Ground, tenant: &Tenant) -> Result<(), Failure> {
    let apply = ["apply", "-f", POLICY, "-f", BINDING];
    ground.kubectl().run(&apply).await?;
    let mut tries = 0;
    until("the policy to be in force", PATIENCE, async || {
        tries += 1;
        Ok(
            match create(&tenant.plans, &format!("try-{tries}"), spec()).await {
                Ok(_) => Seen::NotYet("a plan is accepted".to_owned()),
                Err(kube::Error::Api(status)) if status.code == 403 => Seen::Yes(()),
                Err(error) => return Err(error.into()),
            },
        )
    })
    .await
}
