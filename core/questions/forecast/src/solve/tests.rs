//! Tests the test cases of OLM's solver, one line for each case, and small random cases.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use rstest::rstest;

use super::{GaveUp, Outcome, solve};
use crate::Reason;
use crate::formula::{Formula, Rule, Var};

const PATIENCE: u64 = 1_000_000;

/// Parses statements about variables that are named by letters: `a must`, `a never`, `a needs b c`,
/// `one of a b`.
fn formula(text: &str) -> (Formula, Vec<String>) {
    let mut formula = Formula::default();
    let mut names: BTreeMap<&str, Var> = BTreeMap::new();
    let words = text
        .split([' ', ';'])
        .filter(|word| word.chars().all(|c| !c.is_whitespace()));
    let keywords = ["", "must", "never", "needs", "one", "of", "there"];
    for word in words.filter(|word| !keywords.contains(word)) {
        names.entry(word).or_insert_with(|| formula.var());
    }
    for statement in text
        .split(';')
        .map(str::trim)
        .filter(|text| !text.is_empty())
    {
        let words: Vec<_> = statement.split_whitespace().collect();
        let vars = |words: &[&str]| words.iter().map(|word| names[word]).collect::<Vec<_>>();
        let rule = match words.as_slice() {
            [_, "there"] => continue,
            [var, "must"] => Rule::Must(names[var]),
            [var, "never"] => Rule::Never(names[var]),
            [var, "needs", choices @ ..] => Rule::AnyOf(names[var], vars(choices)),
            ["one", "of", all @ ..] => Rule::AtMostOne(vars(all)),
            _ => panic!("{statement:?} is no statement"),
        };
        formula.add(rule, label(statement));
    }
    let mut listed = vec![String::new(); names.len()];
    for (name, var) in names {
        listed[var] = name.to_owned();
    }
    (formula, listed)
}

/// Returns a reason with this text.
fn label(text: &str) -> Reason {
    Reason::SubscriptionExists {
        subscription: text.to_owned(),
    }
}

fn chosen(text: &str) -> Result<String, Vec<Reason>> {
    let (formula, names) = formula(text);
    match solve(&formula, PATIENCE).expect("patience must be enough") {
        Outcome::Chosen(vars) => {
            let vars: BTreeSet<_> = vars.iter().map(|var| names[*var].as_str()).collect();
            Ok(Vec::from_iter(vars).join(" "))
        }
        Outcome::Unsatisfiable(reasons) => Err(reasons),
    }
}

#[rstest]
#[case::nothing_is_asked("", "")]
#[case::unneeded_variable_is_not_selected("a there", "")]
#[case::mandatory_variable_is_chosen("a must", "a")]
#[case::dependency_is_satisfied("b must; b needs a", "a b")]
#[case::dependency_of_a_dependency_is_satisfied("b needs a; c must; c needs b", "a b c")]
#[case::both_needs_are_met("c must; c needs a; c needs b", "a b c")]
#[case::the_first_choice_is_taken("one of a b; c must; c needs a b", "a c")]
#[case::only_the_first_choice_is_taken("c must; c needs a b", "a c")]
#[case::first_choice_in_the_list_is_preferred("one of a b; c must; c needs b a", "b c")]
#[case::needs_of_unselected_variables_do_not_matter("a needs x y; b must; b needs y x", "b y")]
#[case::at_most_one_forces_the_other("a must; a needs x y; one of x y; b must; b needs y", "a b y")]
#[case::one_variable_satisfies_two_dependencies("a must; a needs y; b must; b needs x y", "a b y")]
#[case::one_variable_satisfies_two_dependencies_with_choices(
    "a must; a needs y z m; b must; b needs x y",
    "a b y"
)]
#[case::preference_costs_an_extra("a must; a needs x y; b must; b needs y", "a b x y")]
#[case::only_the_last_choice_works(
    "a must; a needs i j; one of i p; one of i q; one of j p;
     b must; b needs k l; one of k p; one of k q; one of l p;
     c must; c needs p q",
    "a b c j l q"
)]
#[case::preference_counts_for_every_need("a must; a needs p q; a needs x y", "a p x")]
#[case::need_met_by_itself_selects_nothing_else("a must; a needs b a", "a")]
fn chooses_the_same_bundles_as_olm(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(chosen(text), Ok(expected.to_owned()));
}

#[rstest]
#[case::must_and_never("a must; a never", &["a must", "a never"])]
#[case::two_musts_in_conflict("a must; b must; one of a b", &["a must", "b must", "one of a b"])]
#[case::two_mandatory_variables_exclude_each_other(
    "a must; a needs x y; one of x y; x must; y must",
    &["one of x y", "x must", "y must"]
)]
#[case::need_without_provider("a must; a needs", &["a must", "a needs"])]
#[case::irrelevant_rules_are_no_reasons(
    "z must; z needs y; a must; a needs b c; b never; c needs",
    &["a must", "a needs b c", "b never", "c needs"]
)]
fn failures_contain_a_minimal_set(#[case] text: &str, #[case] expected: &[&str]) {
    let expected = expected.iter().map(|text| label(text)).collect();
    assert_eq!(chosen(text), Err(expected));
}

#[test]
fn search_stops_after_its_budget() {
    let (formula, _) = formula("a must; a needs b c; b needs d e; one of d e");
    assert_eq!(solve(&formula, 5), Err(GaveUp));
}

/// Generates clauses over a few variables.
fn rules() -> impl Strategy<Value = Vec<Rule>> {
    let var = || 0..7_usize;
    let rule = prop_oneof![
        1 => var().prop_map(Rule::Must),
        1 => var().prop_map(Rule::Never),
        6 => (var(), distinct(0..=3)).prop_map(|(var, choices)| Rule::AnyOf(var, choices)),
        4 => distinct(2..=3).prop_map(Rule::AtMostOne),
    ];
    proptest::collection::vec(rule, 0..12)
}

fn distinct(size: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<Var>> {
    proptest::sample::subsequence((0..7).collect::<Vec<_>>(), size).prop_shuffle()
}

fn built(rules: &[Rule]) -> Formula {
    let mut formula = Formula::default();
    (0..7).for_each(|_| {
        formula.var();
    });
    for (at, rule) in rules.iter().enumerate() {
        formula.add(rule.clone(), label(&format!("{at:02}")));
    }
    formula
}

fn holds(rule: &Rule, there: &BTreeSet<Var>) -> bool {
    match rule {
        Rule::Must(var) => there.contains(var),
        Rule::Never(var) => !there.contains(var),
        Rule::AnyOf(var, choices) => {
            !there.contains(var) || choices.iter().any(|choice| there.contains(choice))
        }
        Rule::AtMostOne(vars) => vars.iter().filter(|var| there.contains(var)).count() < 2,
    }
}

/// Returns true if some assignment satisfies all rules.
fn can_hold<'r>(rules: impl Iterator<Item = &'r Rule> + Clone) -> bool {
    (0..128_u32).any(|bits| {
        let there: BTreeSet<Var> = (0..7).filter(|var| bits >> var & 1 == 1).collect();
        rules.clone().all(|rule| holds(rule, &there))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn answer_satisfies_the_rules_or_is_unsatisfiable(rules in rules()) {
        let outcome = solve(&built(&rules), PATIENCE).expect("patience must be enough");
        match outcome {
            Outcome::Chosen(there) => {
                prop_assert!(rules.iter().all(|rule| holds(rule, &there)));
            }
            Outcome::Unsatisfiable(reasons) => {
                let is_named = |at: usize| reasons.contains(&label(&format!("{at:02}")));
                let core: Vec<_> = (0..rules.len()).filter(|at| is_named(*at)).collect();
                prop_assert!(!can_hold(core.iter().map(|at| &rules[*at])));
                for left_out in &core {
                    let rest = core.iter().filter(|at| *at != left_out);
                    prop_assert!(can_hold(rest.map(|at| &rules[*at])));
                }
            }
        }
    }
}
