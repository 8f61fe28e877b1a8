//! The objects with which other installers already manage packages on the cluster.

use portolan_api::inventory::{InstalledOperator, Manager};
use serde::Serialize;

use crate::change::Change;
use crate::members::{Members, OperatorMember};

/// An object that manages a package and is not an Operator. While this object exists, an Operator
/// for the package installs nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PackageOwner {
    pub package: String,
    #[serde(serialize_with = "manager")]
    pub manager: Manager,
    /// The object, such as `ClusterServiceVersion harbor/ferry.v1.0.0`.
    pub object: String,
    /// True if the installer has installed a part of the package.
    pub is_installed: bool,
}

impl PackageOwner {
    /// Returns the object that manages the package. Returns None if its installer does not prevent
    /// an Operator from installing the package, or if the package is unknown.
    pub fn of(operator: &InstalledOperator) -> Option<Self> {
        let is_owner = match operator.manager {
            Manager::Olm | Manager::ClusterExtension => true,
            Manager::Operator | Manager::Install | Manager::Plan => false,
        };
        (is_owner && !operator.package.is_empty()).then(|| Self {
            package: operator.package.clone(),
            manager: operator.manager,
            object: operator.title(),
            is_installed: operator.is_installed,
        })
    }

    /// Returns the command with which the Operator takes over the package. Returns None if there is
    /// no such command.
    pub fn remedy(&self) -> Option<String> {
        let is_adoptable = self.manager == Manager::Olm && self.is_installed;
        is_adoptable.then(|| format!("portolan adopt {}", self.package))
    }

    /// Returns the warning about the Operator with this name.
    pub fn warning(&self, operator: &str) -> String {
        let Self {
            package, object, ..
        } = self;
        let fact = format!("{object} already manages package {package}");
        match (self.manager, self.remedy()) {
            (Manager::Olm, Some(remedy)) => {
                format!(
                    "{fact}: Operator {operator} does nothing; to adopt the installation \
                 instead: {remedy}"
                )
            }
            (Manager::Olm, None) => format!(
                "{fact}: OLM would install the package, and Operator {operator} would do nothing; \
                 delete \
                 {object} first"
            ),
            (
                Manager::ClusterExtension | Manager::Operator | Manager::Install | Manager::Plan,
                _,
            ) => format!("{fact}: Operator {operator} does nothing; delete {object} first"),
        }
    }
}

/// Adds to each change the object that prevents it. An Operator that adopts the installation of OLM
/// is not prevented by this installation.
pub(crate) fn add(changes: &mut [Change], members: &Members, owners: &[PackageOwner]) {
    let added = changes.iter_mut().filter(|it| it.version.is_some());
    for change in added {
        let mut all = members.all.values();
        if let Some(member) = all.find(|member| member.name == change.name) {
            let mut owners = owners.iter().filter(|it| it.package == member.package);
            change.owner = owners.find(|it| !is_adopted(member, it)).cloned();
        }
    }
}

fn is_adopted(member: &OperatorMember, owner: &PackageOwner) -> bool {
    let adopts = member.existing.as_ref();
    let adopts = adopts.is_some_and(|it| it.object["spec"]["adopt"] == true);
    adopts && owner.remedy().is_some()
}

fn manager<S: serde::Serializer>(manager: &Manager, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(manager.as_str())
}

#[cfg(test)]
mod tests {
    use portolan_core_names::{GroupKind, ObjectRef};
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn owner(manager: Manager, is_installed: bool) -> PackageOwner {
        let object = match (manager, is_installed) {
            (Manager::Olm, true) => "ClusterServiceVersion harbor/ferry.v1.0.0",
            (Manager::Olm, false) => "Subscription harbor/ferry",
            (
                Manager::ClusterExtension | Manager::Operator | Manager::Install | Manager::Plan,
                _,
            ) => "ClusterExtension ferry",
        };
        PackageOwner {
            package: "ferry".to_owned(),
            manager,
            object: object.to_owned(),
            is_installed,
        }
    }

    #[rstest]
    #[case::olm(
        owner(Manager::Olm, true),
        "ClusterServiceVersion harbor/ferry.v1.0.0 already manages package ferry: Operator boat \
         does nothing; to adopt the installation instead: portolan adopt ferry"
    )]
    #[case::olm_before_it_installs(
        owner(Manager::Olm, false),
        "Subscription harbor/ferry already manages package ferry: OLM would install the package, \
         and Operator boat would do nothing; delete Subscription harbor/ferry first"
    )]
    #[case::olm_v1(
        owner(Manager::ClusterExtension, true),
        "ClusterExtension ferry already manages package ferry: Operator boat does nothing; delete ClusterExtension ferry first"
    )]
    fn warning_names_the_object_and_the_remedy(
        #[case] owner: PackageOwner,
        #[case] expected: &str,
    ) {
        assert_eq!(owner.warning("boat"), expected);
    }

    #[test]
    fn returns_owner_only_for_other_installers_of_a_known_package() {
        let owners = Manager::ALL.map(|manager| {
            let object = ObjectRef::new(GroupKind::new("group", "Kind"), "harbor", "ferry");
            let mut operator = InstalledOperator::new(manager, object);
            let unknown = PackageOwner::of(&operator);
            operator.package = "ferry".to_owned();
            (unknown, PackageOwner::of(&operator).map(|it| it.object))
        });
        let named = Some("Kind harbor/ferry".to_owned());
        let expected = [named.clone(), None, named, None, None].map(|named| (None, named));
        assert_eq!(owners, expected);
    }

    #[test]
    fn owner_serializes_the_name_of_its_installer() {
        let json = serde_json::to_value(owner(Manager::Olm, true)).expect("JSON");
        let expected = json!({
            "package": "ferry",
            "manager": "OLM",
            "object": "ClusterServiceVersion harbor/ferry.v1.0.0",
            "isInstalled": true,
        });
        assert_eq!(json, expected);
    }
}
