//! Tutorial: one user requests an Install, and another user approves it. The Install is updated and
//! removed.

use portolan_rig::Failure;

use super::page::follow;
use super::reader::Reader;
use crate::installs::stage::yard;

/// The permissions of two users. Both may change Installs. Only bob has permissions in the
/// namespace harbor.
const USERS: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: installs}
rules: [{apiGroups: [operators.coreos.com], resources: [installs], verbs: ['*']}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: installs}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: installs}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: alice}
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: bob}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: bob, namespace: harbor}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: admin}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: bob}]
";

#[tokio::test]
async fn install_is_requested_by_one_user_and_approved_by_another() -> Result<(), Failure> {
    let Some(yard) = yard().await? else {
        return Ok(());
    };
    yard.applies(USERS).await?;
    let reader = Reader::with_users(yard.cluster(), &["alice", "bob"]).await?;
    follow("install.md", reader).await
}
