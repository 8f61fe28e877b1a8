//! The objects that an administrator creates before Operators can be installed.

use k8s_openapi::api::core::v1::{Namespace, ServiceAccount};
use kube::{Api, Client};
use portolan_api::plan::ENABLED;
use portolan_core_names::text::shell_word;

/// The objects that InstallPlans of Operators need and that are missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MissingForPlans {
    namespace: bool,
    /// True if the namespace lacks the label that enables InstallPlans.
    label: bool,
    /// True if the ServiceAccount that installs Operators is missing.
    installer: bool,
}

// === impl MissingForPlans ===

impl MissingForPlans {
    /// Checks which objects are missing.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub async fn read(client: &Client, namespace: &str, installer: &str) -> kube::Result<Self> {
        let namespaces: Api<Namespace> = Api::all(client.clone());
        let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), namespace);
        let (found, account) =
            tokio::join!(namespaces.get_opt(namespace), accounts.get_opt(installer));
        let (found, account) = (found?, account?);
        let labels = found.as_ref().and_then(|it| it.metadata.labels.as_ref());
        let label = labels.and_then(|labels| labels.get(ENABLED.name()));
        Ok(Self {
            namespace: found.is_none(),
            label: label.is_none_or(|value| value != "true"),
            installer: account.is_none(),
        })
    }

    /// Returns true if the namespace is missing.
    pub fn has_no_namespace(self) -> bool {
        self.namespace
    }

    /// Returns the commands that create the missing objects. The ServiceAccount gets all
    /// permissions, because a bundle can require any permission.
    pub fn commands(self, namespace: &str, installer: &str) -> Vec<String> {
        let (namespace, installer) = (shell_word(namespace), shell_word(installer));
        let create = format!("kubectl create namespace {namespace}");
        let label = format!(
            "kubectl label namespace {namespace} {}=true",
            ENABLED.name()
        );
        let account = format!("kubectl create serviceaccount {installer} --namespace {namespace}");
        let binding = format!(
            "kubectl create clusterrolebinding {installer} --clusterrole=cluster-admin \
             --serviceaccount={namespace}:{installer}"
        );
        let commands = [
            (self.namespace, create),
            (self.label, label),
            (self.installer, account),
            (self.installer, binding),
        ];
        let needed = commands.into_iter().filter(|(is_missing, _)| *is_missing);
        needed.map(|(_, command)| command).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_create_only_missing_objects() {
        let commands =
            |missing: MissingForPlans| missing.commands("portolan", "portolan-installer");
        assert_eq!(commands(MissingForPlans::default()), [""; 0]);
        let account = "kubectl create serviceaccount portolan-installer --namespace portolan";
        let binding = "kubectl create clusterrolebinding portolan-installer \
                       --clusterrole=cluster-admin --serviceaccount=portolan:portolan-installer";
        let installer = MissingForPlans {
            installer: true,
            ..MissingForPlans::default()
        };
        assert_eq!(commands(installer), [account, binding]);
        let all = MissingForPlans {
            namespace: true,
            label: true,
            installer: true,
        };
        let namespace = "kubectl create namespace portolan";
        let label = "kubectl label namespace portolan plans.portolan.dev/enabled=true";
        assert_eq!(commands(all), [namespace, label, account, binding]);
    }
}
