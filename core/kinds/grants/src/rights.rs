//! Splits permissions into rights and merges them again. A right is a rule in one namespace, for
//! the ServiceAccount alone or for one subject that gets the rule through the content.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::installs::Permission;
use portolan_core_install::{Grant, Rule};

/// The maximum number of accesses in a rule that are compared one by one with other rules.
const MOST_ACCESSES: usize = 300;
/// The maximum number of comparisons for one right. If more comparisons would be needed, the whole
/// right counts as missing.
const MOST_COMPARISONS: usize = 10_000;

/// A rule that applies in one namespace or in the whole cluster.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Right {
    /// The namespace. None for the whole cluster.
    pub(crate) namespace: Option<String>,
    /// The subject that gets the right through a role or binding in the content. None if only the
    /// ServiceAccount of the Install gets the right.
    pub(crate) passed: Option<Passed>,
    pub(crate) rule: Rule,
}

/// A subject that gets a right through the content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Passed {
    pub(crate) subject: String,
    /// The role through which the subject gets the right. Empty if this role is in the content.
    pub(crate) role: String,
}

/// Splits permissions into rights. Each right is for one namespace and one subject.
pub(crate) fn rights(permissions: &[Permission]) -> Vec<Right> {
    let mut rights = Vec::new();
    for permission in permissions {
        for namespace in places(permission) {
            let right = |passed| Right {
                namespace: namespace.map(str::to_owned),
                passed,
                rule: rule(permission),
            };
            let passed = permission.subjects.iter().map(|subject| Passed {
                subject: subject.clone(),
                role: permission.role.clone(),
            });
            rights.extend(passed.map(|it| right(Some(it))));
            rights.extend(permission.subjects.is_empty().then(|| right(None)));
        }
    }
    rights
}

/// Returns the namespaces in which a permission applies. The only value is None if it applies in
/// the whole cluster.
pub(crate) fn places(permission: &Permission) -> Vec<Option<&str>> {
    if permission.namespaces.is_empty() {
        return vec![None];
    }
    let namespaces = permission.namespaces.iter();
    namespaces.map(|it| Some(it.as_str())).collect()
}

/// Returns the rule that a permission contains.
pub(crate) fn rule(permission: &Permission) -> Rule {
    let Permission {
        api_groups,
        resources,
        resource_names,
        non_resource_urls,
        verbs,
        namespaces: _,
        subjects: _,
        role: _,
    } = permission.clone();
    Rule {
        api_groups,
        resources,
        resource_names,
        non_resource_urls,
        verbs,
    }
}

/// Returns a permission that contains this rule. It is for the ServiceAccount alone and applies in
/// the whole cluster.
pub(crate) fn permission(rule: Rule) -> Permission {
    let Rule {
        api_groups,
        resources,
        resource_names,
        non_resource_urls,
        verbs,
    } = rule;
    Permission {
        api_groups,
        resources,
        resource_names,
        non_resource_urls,
        verbs,
        ..Permission::default()
    }
}

/// Merges rights into permissions for a status. Rights with the same rule become one permission,
/// which lists their subjects and namespaces.
pub(crate) fn permissions(rights: impl IntoIterator<Item = Right>) -> Vec<Permission> {
    let mut subjects: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    for Right {
        namespace,
        passed,
        rule,
    } in rights
    {
        let (subject, role) = match passed {
            Some(Passed { subject, role }) => (Some(subject), role),
            None => (None, String::new()),
        };
        // A right for the ServiceAccount alone and a right for a subject stay separate.
        let key = (rule, role, subject.is_some(), namespace);
        subjects.entry(key).or_default().extend(subject);
    }
    let mut namespaces: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    for ((rule, role, _, namespace), subjects) in subjects {
        let key = (rule, role, subjects, namespace.is_some());
        namespaces.entry(key).or_default().extend(namespace);
    }
    let merged = namespaces.into_iter();
    let merged = merged.map(|((rule, role, subjects, _), namespaces)| Permission {
        namespaces,
        subjects,
        role,
        ..permission(rule)
    });
    merged.collect()
}

/// Converts grants to rights for the ServiceAccount alone.
pub(crate) fn unpassed(grants: Vec<Grant>) -> impl Iterator<Item = Right> {
    grants.into_iter().map(|Grant { namespace, rule }| Right {
        namespace,
        passed: None,
        rule,
    })
}

/// Returns the parts of the wanted rights that the existing rights do not cover. If a wanted right
/// is for a subject, an existing right must be for the same subject through the same role.
pub(crate) fn lacking(wanted: &[Right], held: &[Right]) -> Vec<Right> {
    wanted
        .iter()
        .flat_map(|right| right.lacking(held))
        .collect()
}

/// Returns true if the given permissions cover all wanted permissions.
pub(crate) fn covers(given: &[Permission], wanted: &[Permission]) -> bool {
    lacking(&rights(wanted), &rights(given)).is_empty()
}

// === impl Right ===

impl Right {
    fn lacking(&self, held: &[Self]) -> Vec<Self> {
        let held = held.iter().filter(|it| it.counts_for(self));
        let held: Vec<_> = held.map(|it| &it.rule).collect();
        if held.iter().any(|it| it.covers(&self.rule)) {
            return Vec::new();
        }
        let count = self.rule.count();
        let comparisons = count.saturating_mul(held.len());
        if held.is_empty() || count > MOST_ACCESSES || comparisons > MOST_COMPARISONS {
            return vec![self.clone()];
        }
        let accesses = self.rule.accesses(self.namespace.as_deref());
        let count = accesses.len();
        let lacking = accesses
            .into_iter()
            .filter(|access| !held.iter().any(|it| it.allows(access)));
        let lacking: Vec<_> = lacking.collect();
        // If the existing rights cover no access of the rule, the rule is returned unchanged.
        if lacking.len() == count {
            return vec![self.clone()];
        }
        let lacking = Grant::all(lacking).into_iter();
        let lacking = lacking.map(|Grant { namespace, rule }| Self {
            namespace: namespace.or_else(|| self.namespace.clone()),
            passed: self.passed.clone(),
            rule,
        });
        lacking.collect()
    }

    /// Returns true if this right also counts for the namespace and the subject of the other right.
    /// The rules are not compared.
    pub(crate) fn counts_for(&self, other: &Self) -> bool {
        let is_there = self.namespace.is_none() || self.namespace == other.namespace;
        is_there && (other.passed.is_none() || self.passed == other.passed)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use similar_asserts::assert_eq;

    use super::*;

    fn set(text: &str) -> BTreeSet<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// Parses a right such as `get,list pods`: verbs, then resources, with commas between the
    /// words.
    fn right(namespace: &str, subject: &str, text: &str) -> Right {
        let (verbs, resources) = text.split_once(' ').expect("verbs and resources");
        Right {
            namespace: (!namespace.is_empty()).then(|| namespace.to_owned()),
            passed: (!subject.is_empty()).then(|| Passed {
                subject: subject.to_owned(),
                role: String::new(),
            }),
            rule: Rule {
                api_groups: [String::new()].into(),
                resources: set(&resources.replace(',', " ")),
                verbs: set(&verbs.replace(',', " ")),
                ..Rule::default()
            },
        }
    }

    #[rstest]
    #[case::no_rights(vec![], vec![("harbor", "", "get pods")], vec![("harbor", "", "get pods")])]
    #[case::right_in_the_cluster(vec![("", "", "* *")], vec![("harbor", "", "get pods")], vec![])]
    #[case::right_in_another_namespace(vec![("quay", "", "* *")], vec![("harbor", "", "get pods")], vec![("harbor", "", "get pods")])]
    #[case::right_in_only_one_namespace(vec![("harbor", "", "* *")], vec![("", "", "get pods")], vec![("", "", "get pods")])]
    #[case::wildcard_is_more_than_all_verbs(vec![("", "", "get pods")], vec![("", "", "* *")], vec![("", "", "* *")])]
    #[case::one_more_verb(vec![("", "", "get pods")], vec![("", "", "get,list pods")], vec![("", "", "list pods")])]
    #[case::covered_by_two_rules(
        vec![("", "", "get pods"), ("", "", "list pods")], vec![("", "", "get,list pods")], vec![]
    )]
    #[case::granting_a_right_covers_having_it(vec![("", "User ada", "get pods")], vec![("", "", "get pods")], vec![])]
    #[case::having_a_right_does_not_cover_granting_it(
        vec![("", "", "* *")], vec![("", "User ada", "get pods")], vec![("", "User ada", "get pods")]
    )]
    #[case::another_subject(
        vec![("", "User ada", "* *")], vec![("", "User eve", "get pods")], vec![("", "User eve", "get pods")]
    )]
    fn finds_missing_rights(
        #[case] held: Vec<(&str, &str, &str)>,
        #[case] wanted: Vec<(&str, &str, &str)>,
        #[case] expected: Vec<(&str, &str, &str)>,
    ) {
        let all = |texts: Vec<(&str, &str, &str)>| {
            let rights = texts
                .into_iter()
                .map(|(at, whom, text)| right(at, whom, text));
            rights.collect::<Vec<_>>()
        };
        assert_eq!(lacking(&all(wanted), &all(held)), all(expected));
    }

    /// Without the limit, one Install could use a CPU for several minutes.
    #[test]
    fn reports_whole_right_as_missing_above_the_comparison_limit() {
        let wanted = [right("", "", "a,b,c,d,e,f,g,h,i,j k,l,m,n,o,p,q,r,s,t")];
        let held = |count: usize| vec![right("", "", "a k"); count];
        assert_ne!(lacking(&wanted, &held(100)), wanted);
        assert_eq!(lacking(&wanted, &held(101)), wanted);
    }

    #[test]
    fn merges_namespaces_and_subjects_of_the_same_rule() {
        let rights = [
            right("", "", "get pods"),
            right("harbor", "", "get pods"),
            right("quay", "", "get pods"),
            right("harbor", "User ada", "get pods"),
            right("harbor", "User eve", "get pods"),
        ];
        let merged = permissions(rights.clone());
        let merged_pairs: Vec<_> = merged
            .iter()
            .map(|it| (it.namespaces.len(), it.subjects.len()))
            .collect();
        assert_eq!(merged_pairs, [(0, 0), (2, 0), (1, 2)]);
        let split: BTreeSet<_> = super::rights(&merged).into_iter().collect();
        assert_eq!(split, BTreeSet::from(rights));
    }
}
