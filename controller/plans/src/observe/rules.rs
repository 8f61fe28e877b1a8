//! Answers many permission reviews of a ServiceAccount from its rules, instead of sending each
//! review.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::authorization::v1::SelfSubjectRulesReview;
use portolan_core_install::{Access, Answers, Ask, Rule};
use portolan_runtime::{FencedClient, WriteFailure};
use serde_json::json;

/// The maximum number of permissions that are reviewed with separate requests.
const MOST: usize = 300;
const PATH: &str = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
/// A name that no namespace can have. For this namespace, the API server returns only the
/// cluster-wide rules.
const NOWHERE: &str = "no.namespace";

/// If there are too many reviews in `asks`, answers them with the rules of the client's user.
/// Permissions that a rule allows are granted. Of the other permissions, the first few stay in
/// `asks` and are reviewed with requests, because another authorizer may allow them. The rest are
/// denied. API servers also use only rules to decide who may write a role.
pub(super) async fn answer(
    theirs: &FencedClient,
    asks: &mut BTreeSet<Ask>,
) -> Result<Answers, WriteFailure> {
    let reviews = asks.iter().filter_map(|ask| match ask {
        Ask::Review(access) => Some(access.clone()),
        _ => None,
    });
    let reviews: BTreeSet<Access> = reviews.collect();
    if reviews.len() <= MOST {
        return Ok(Answers::new());
    }
    let mut rules = BTreeMap::new();
    for access in &reviews {
        if !rules.contains_key(&access.namespace) {
            let found = rules_in(theirs, access.namespace.as_deref()).await?;
            rules.insert(access.namespace.clone(), found);
        }
    }
    let answers = answers(reviews, &rules);
    asks.retain(|ask| !matches!(ask, Ask::Review(access) if answers.contains_key(access)));
    Ok(answers)
}

/// Returns the answers to the reviews, from the rules of each namespace. Leaves out the reviews
/// that must be sent as requests.
fn answers(reviews: BTreeSet<Access>, rules: &BTreeMap<Option<String>, Vec<Rule>>) -> Answers {
    let is_allowed = |access: &Access| {
        let mut rules = rules.get(&access.namespace).into_iter().flatten();
        rules.any(|rule| rule.allows(access))
    };
    let (allowed, others): (Vec<_>, Vec<_>) = reviews.into_iter().partition(is_allowed);
    let denied = others.into_iter().skip(MOST).map(|it| (it, false));
    let allowed = allowed.into_iter().map(|it| (it, true));
    allowed.chain(denied).collect()
}

/// Reads the rules of the client's user in a namespace. Without a namespace, reads the cluster-wide
/// rules.
async fn rules_in(
    theirs: &FencedClient,
    namespace: Option<&str>,
) -> Result<Vec<Rule>, WriteFailure> {
    let question = json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview",
        "spec": {"namespace": namespace.unwrap_or(NOWHERE)},
    });
    let answer: SelfSubjectRulesReview = theirs.ask(PATH, &question).await?;
    let status = json!(answer.status);
    let rules = ["resourceRules", "nonResourceRules"].map(|field| status[field].as_array());
    let rules = rules.into_iter().flatten().flatten();
    Ok(rules.map(Rule::of).collect())
}

#[cfg(test)]
mod tests {
    use similar_asserts::assert_eq;

    use super::*;

    fn reviews(namespace: Option<&str>, count: usize) -> BTreeSet<Access> {
        let access = |at| Access {
            verb: "get".to_owned(),
            resource: format!("r{at:04}"),
            namespace: namespace.map(str::to_owned),
            ..Access::default()
        };
        (0..count).map(access).collect()
    }

    fn rules(namespace: Option<&str>) -> BTreeMap<Option<String>, Vec<Rule>> {
        let rule = json!({"apiGroups": [""], "resources": ["*"], "verbs": ["get"]});
        [(namespace.map(str::to_owned), vec![Rule::of(&rule)])].into()
    }

    #[test]
    fn rules_answer_all_reviews_that_they_allow() {
        let answers = answers(reviews(Some("harbor"), 30_000), &rules(Some("harbor")));
        assert_eq!(answers.len(), 30_000);
        assert!(answers.values().all(|is_allowed| *is_allowed));
    }

    #[test]
    fn rules_of_a_namespace_allow_nothing_cluster_wide() {
        let answers = answers(reviews(None, 1_000), &rules(Some("harbor")));
        assert_eq!(
            answers.len(),
            1_000 - MOST,
            "the first are asked for one by one"
        );
        assert!(answers.values().all(|is_allowed| !is_allowed));
    }
}
