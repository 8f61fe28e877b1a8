//! Explains why a template cannot read an object, with the commands that grant the permission.

use kube::core::ApiResource;
use portolan_core_names::text::shell_word;
use portolan_core_templates::Lookup;

use super::reader::place;
use crate::Trouble;

/// The prefix of the user name of a ServiceAccount.
const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

/// Returns the message. If a permission is missing, the message contains commands that create a
/// Role with only this permission.
pub(super) fn denied(lookup: &Lookup, resource: &ApiResource, trouble: &Trouble) -> String {
    let (kind, place) = (&lookup.kind, place(lookup));
    let what = format!("{kind} {place}");
    let what = what.trim_end();
    match trouble {
        Trouble::Forbidden(why) => {
            let user = quoted(why).unwrap_or_default();
            format!(
                "{} cannot read {what}; to permit it, run: {}",
                if user.is_empty() { "it" } else { user },
                commands(lookup, resource, user)
            )
        }
        Trouble::Refused { .. }
        | Trouble::Silent(_)
        | Trouble::Unreachable(_)
        | Trouble::Missing(_)
        | Trouble::NotDumped(_)
        | Trouble::NotAsked { .. } => format!("{what} cannot be read: {trouble}"),
    }
}

/// Returns the commands that create the Role and its binding. For cluster-scoped objects, they
/// create a ClusterRole instead.
fn commands(lookup: &Lookup, resource: &ApiResource, user: &str) -> String {
    let Lookup {
        namespace, name, ..
    } = lookup;
    let ApiResource { plural, group, .. } = resource;
    let (role, of_role, place) = match &**namespace {
        "" => ("clusterrole", "clusterrole", String::new()),
        namespace => ("role", "role", format!(" -n {}", shell_word(namespace))),
    };
    let (holder, subject) = match user.strip_prefix(SERVICE_ACCOUNT) {
        Some(account) => {
            let name = account.rsplit(':').next().unwrap_or_default();
            (name, format!("--serviceaccount={account}"))
        }
        None => ("portolan", format!("--user={user:?}")),
    };
    let own = match &**name {
        "" => format!("{holder}-{plural}"),
        name => format!("{holder}-{plural}-{name}"),
    };
    // The author of the template chooses the names, so the names are untrusted input and must be
    // quoted.
    let own = shell_word(&own);
    let resource = match &**group {
        "" => plural.clone(),
        group => format!("{plural}.{group}"),
    };
    let resource = shell_word(&resource);
    let only = match &**name {
        "" => String::new(),
        name => format!(" --resource-name={}", shell_word(name)),
    };
    format!(
        "kubectl create {role} {own}{place} --verb=list,watch --resource={resource}{only} && kubectl create \
         {role}binding {own}{place} --{of_role}={own} {subject}"
    )
}

/// Returns the user in an error message of the API server. The message has the form `User "NAME"
/// cannot ...`. Returns None if the message contains no user.
fn quoted(why: &str) -> Option<&str> {
    let (_, behind) = why.split_once("User \"")?;
    Some(behind.split_once('"')?.0)
}

#[cfg(test)]
mod tests {
    use kube::core::GroupVersionKind;
    use rstest::rstest;

    use super::*;

    fn sentence(api_version: &str, kind: &str, [namespace, name]: [&str; 2], user: &str) -> String {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
        let lookup = Lookup {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        let why = format!("things is forbidden: User {user:?} cannot list resource");
        denied(&lookup, &resource, &Trouble::Forbidden(why))
    }

    #[rstest]
    #[case::of_an_account(
        sentence("v1", "ConfigMap", ["harbor", "allowed"], "system:serviceaccount:portolan:portolan-controller"),
        "system:serviceaccount:portolan:portolan-controller cannot read ConfigMap harbor/allowed; \
         to permit it, run: kubectl create role portolan-controller-configmaps-allowed -n harbor \
         --verb=list,watch \
         --resource=configmaps --resource-name=allowed && kubectl create rolebinding \
         portolan-controller-configmaps-allowed -n harbor --role=portolan-controller-configmaps-allowed \
         --serviceaccount=portolan:portolan-controller"
    )]
    #[case::of_a_person_for_a_list(
        sentence("operators.coreos.com/v1alpha1", "ClusterServiceVersion", ["harbor", ""], "jane"),
        "jane cannot read ClusterServiceVersion in harbor; to permit it, run: kubectl create role \
         portolan-clusterserviceversions -n harbor --verb=list,watch \
         --resource=clusterserviceversions.operators.coreos.com && kubectl create rolebinding \
         portolan-clusterserviceversions -n harbor --role=portolan-clusterserviceversions --user=\"jane\""
    )]
    #[case::in_no_namespace(
        sentence("v1", "Node", ["", "a"], "jane"),
        "jane cannot read Node a; to permit it, run: kubectl create clusterrole portolan-nodes-a \
         --verb=list,watch --resource=nodes --resource-name=a && kubectl create clusterrolebinding \
         portolan-nodes-a --clusterrole=portolan-nodes-a --user=\"jane\""
    )]
    fn forbidden_lookup_error_has_commands_that_grant_it(
        #[case] text: String,
        #[case] expected: &str,
    ) {
        assert_eq!(text, expected);
    }

    #[test]
    fn name_is_one_word_of_the_command_for_any_content() {
        let text = sentence("v1", "ConfigMap", ["a; b", "$(c)"], "jane");
        let commands = "kubectl create role 'portolan-configmaps-$(c)' -n 'a; b' --verb=list,watch \
                        --resource=configmaps --resource-name='$(c)' && kubectl create rolebinding \
                        'portolan-configmaps-$(c)' -n 'a; b' --role='portolan-configmaps-$(c)' --user=\"jane\"";
        assert!(text.ends_with(commands), "{text}");
    }

    #[test]
    fn other_lookup_errors_are_passed_through() {
        let lookup = Lookup {
            api_version: "v1".to_owned(),
            kind: "Secret".to_owned(),
            namespace: "harbor".to_owned(),
            name: "key".to_owned(),
        };
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Secret"));
        let trouble = Trouble::Refused {
            code: 500,
            message: "no".to_owned(),
        };
        assert_eq!(
            denied(&lookup, &resource, &trouble),
            "Secret harbor/key cannot be read: the API server answers 500: no"
        );
    }
}
