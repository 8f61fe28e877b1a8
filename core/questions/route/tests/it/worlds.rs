//! Compares the plans of numbered random worlds with the reference.

use std::fmt::Write as _;
use std::ops::Range;

use portolan_core_route::{Certainty, Goal, Plan, Question, RouteStep, Suggestion, plan};

use crate::dice::Dice;
use crate::kit::Shop;
use crate::reference::{Cost, Reference, State};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// A random world, with the text from which it is built.
struct World {
    text: String,
    lines: Vec<String>,
}

/// The number of worlds with each result. The test uses it to check that all kinds of worlds occur.
#[derive(Debug, Default)]
struct Tally {
    worlds: u32,
    reached: u32,
    moved: u32,
    lockstep: u32,
    part_way: u32,
    suggestions: u32,
}

/// Returns the numbers of the worlds to check. These are the first 2,000 worlds, or the worlds in
/// `PORTOLAN_WORLDS`, such as `0..10000`.
#[expect(clippy::disallowed_methods, reason = "a soak test checks more of them")]
fn numbers() -> Range<u64> {
    let Ok(asked) = std::env::var("PORTOLAN_WORLDS") else {
        return 0..2_000;
    };
    let (from, to) = asked.split_once("..").expect("numbers, such as 0..10000");
    from.parse().expect("a number")..to.parse().expect("a number")
}

fn world(number: u64) -> World {
    let mut dice = Dice::of(number);
    let count = 1 + dice.roll(100) / 8 % 4;
    let versions = if count == 4 { 3 } else { 2 + dice.roll(3) };
    let is_tight = dice.is_in(50);
    let mut text = String::new();
    for name in &NAMES[..count] {
        package(
            &mut dice,
            (name, &NAMES[..count]),
            versions,
            is_tight,
            &mut text,
        );
    }
    let mut lines: Vec<_> = NAMES[..count]
        .iter()
        .map(|name| line(&mut dice, name, versions))
        .collect();
    if dice.is_in(25) {
        let minor = dice.roll(versions);
        let _ = writeln!(text, "x: 1.0.0 requires a >=1.0.0 <=1.{minor}.0");
        let _ = writeln!(
            text,
            "x: 1.0.0 provides g.test/v1/{}",
            dice.pick(&["P", "Q"])
        );
        lines.push("other x 1.0.0".to_owned());
    }
    World { text, lines }
}

fn package(
    dice: &mut Dice,
    (name, all): (&str, &[&str]),
    versions: usize,
    is_tight: bool,
    text: &mut String,
) {
    for minor in 0..versions {
        let _ = write!(text, "{name}: 1.{minor}.0");
        if minor > 0 && dice.is_in(85) {
            let _ = write!(text, " replaces 1.{}.0", minor - 1);
        }
        text.push('\n');
        if minor > 1 && dice.is_in(35) {
            let _ = writeln!(
                text,
                "{name}: 1.{minor}.0 covers >=1.{}.0 <1.{minor}.0",
                dice.roll(minor)
            );
        }
        if dice.is_in(10) {
            let _ = writeln!(text, "{name}: 1.{minor}.0 deprecated \"old\"");
        }
        for other in all.iter().filter(|other| **other != name) {
            if dice.is_in(if is_tight { 55 } else { 25 }) {
                let range = range(dice, versions, minor, is_tight);
                let _ = writeln!(text, "{name}: 1.{minor}.0 requires {other} {range}");
            }
        }
        if dice.is_in(12) {
            let api = dice.pick(&["P", "Q"]);
            let verb = dice.pick(&["provides", "provides", "requires"]);
            let _ = writeln!(text, "{name}: 1.{minor}.0 {verb} g.test/v1/{api}");
        }
    }
}

/// Generates a version range. The range often contains the version with the same minor number.
fn range(dice: &mut Dice, versions: usize, minor: usize, is_tight: bool) -> String {
    let any = dice.roll(versions);
    let near = if is_tight { minor } else { any };
    match dice.roll(4) {
        0 => format!("=1.{near}.0"),
        1 => format!(">=1.{near}.0"),
        2 => format!(">=1.{}.0 <=1.{near}.0", near.saturating_sub(1)),
        _ => format!("<=1.{any}.0"),
    }
}

fn line(dice: &mut Dice, name: &str, versions: usize) -> String {
    let at = dice.roll(versions);
    let from = if dice.is_in(20) {
        "none".to_owned()
    } else {
        format!("1.{}.0", at.min(dice.roll(versions)))
    };
    let to = dice.roll(versions).max(at);
    let mut line = match dice.roll(10) {
        0 => return format!("{name} {from} stays"),
        1 | 2 => format!("{name} {from} -> any"),
        3 => format!("{name} {from} -> <=1.{to}.0"),
        4 => format!("{name} {from} -> 1.{}.0", dice.roll(versions)),
        _ => format!("{name} {from} -> 1.{to}.0"),
    };
    if dice.is_in(15) {
        let flags = [
            "ignores dependencies",
            "direct upgrades",
            "downgrades",
            "ignores conflicts",
        ];
        line = format!("{line}; {}", dice.pick(&flags));
    }
    line
}

// === impl World ===

impl World {
    fn question(&self) -> Question {
        let lines: Vec<_> = self.lines.iter().map(String::as_str).collect();
        Shop::of(&self.text).question(&lines)
    }
}

/// Checks that the plan is valid after every step, ends in the final state of the reference, and
/// has no higher cost.
fn is_right(question: &Question, tally: &mut Tally) -> Result<(), String> {
    let reference = Reference::of(question);
    let plan = plan(question).map_err(|refused| refused.to_string())?;
    let (end, cost) = walked(question, &reference, &plan)?;
    let (best, least) = reference.best();
    if plan
        .routes
        .iter()
        .any(|route| route.certainty != Certainty::Best)
    {
        return Err(format!("it gave up:\n{plan}"));
    }
    if (&end, cost) != (&best, least) {
        return Err(format!(
            "{plan}\nends at {end:?} for {cost:?}; best is {best:?} for {least:?}"
        ));
    }
    for (operator, at) in end.iter().enumerate() {
        let is_blocked = blockage(question, &plan, operator).is_some();
        if is_blocked == reference.is_granted(operator, at) {
            return Err(format!(
                "{plan}\ntells the wrong thing of operator {operator}"
            ));
        }
    }
    let steps = plan.routes.iter().flat_map(|route| &route.steps);
    tally.worlds += 1;
    tally.reached += u32::from(plan.is_reached());
    tally.moved += u32::from(cost.1 > 0);
    tally.lockstep += u32::from(steps.clone().any(|step| step.moves.len() > 1));
    tally.part_way += u32::from(!plan.is_reached() && cost.1 > 0);
    Ok(())
}

/// Follows the steps of a plan, and checks each step. Returns the last state and the cost.
fn walked(
    question: &Question,
    reference: &Reference<'_>,
    plan: &Plan,
) -> Result<(State, Cost), String> {
    let mut state = reference.start().clone();
    let mut cost = (0, 0, 0);
    for step in plan.routes.iter().flat_map(|route| &route.steps) {
        for made in &step.moves {
            let at = place(question, &made.package);
            if state[at] != made.from {
                return Err(format!("{made} does not start at {:?}", state[at]));
            }
            state[at] = Some(made.to.name.clone());
            cost.0 += u32::from(made.is_override);
            cost.1 += 1;
            cost.2 += u32::from(made.to.deprecation.is_some());
        }
        if !reference.is_sound(&state) {
            return Err(format!("after {step} it is not sound:\n{plan}"));
        }
        if !is_whole(question, reference, step, &state) {
            return Err(format!("a part of {step} is sound alone:\n{plan}"));
        }
    }
    Ok((state, cost))
}

/// Returns true if no proper subset of a step's moves is valid. Checks this by undoing subsets of
/// the moves.
fn is_whole(
    question: &Question,
    reference: &Reference<'_>,
    step: &RouteStep,
    after: &State,
) -> bool {
    let all = (1u32 << step.moves.len()) - 1;
    !(1..all).any(|undone| {
        let mut state = after.clone();
        for (bit, made) in step.moves.iter().enumerate() {
            if undone & (1 << bit) != 0 {
                state[place(question, &made.package)] = made.from.clone();
            }
        }
        reference.is_sound(&state)
    })
}

fn place(question: &Question, package: &portolan_core_names::PackageName) -> usize {
    let mut operators = question.operators.iter();
    let found = operators.position(|one| one.package.package().name == *package);
    found.expect("an operator of the question")
}

fn blockage<'p>(
    question: &Question,
    plan: &'p Plan,
    operator: usize,
) -> Option<&'p portolan_core_route::RouteBlockage> {
    let name = &question.operators[operator].package.package().name;
    plan.blockages().find(|blockage| blockage.package == *name)
}

/// Checks that each suggestion allows the blocked operator to satisfy its requirement.
fn helps(question: &Question, tally: &mut Tally) -> Result<(), String> {
    let plan = plan(question).map_err(|refused| refused.to_string())?;
    for blocked in plan.blockages() {
        if blocked.causes.is_empty() {
            return Err(format!("{blocked}\nhas no cause"));
        }
        for suggestion in &blocked.suggestions {
            let Some(changed) = changed(question, &plan, blocked, suggestion) else {
                continue;
            };
            tally.suggestions += 1;
            let after = self::plan_of(&changed)?;
            let mut still = after.blockages().map(|one| &one.package);
            if still.any(|one| *one == blocked.package) {
                return Err(format!(
                    "{blocked}\nis not helped by {suggestion:?}:\n{after}\nbefore:\n{plan}"
                ));
            }
        }
    }
    Ok(())
}

fn plan_of(question: &Question) -> Result<Plan, String> {
    plan(question).map_err(|refused| refused.to_string())
}

/// Returns the question after a suggestion is applied. Operators that satisfy their requirements
/// come first. Returns None if the suggestion cannot be applied here.
fn changed(
    question: &Question,
    plan: &Plan,
    blocked: &portolan_core_route::RouteBlockage,
    suggestion: &Suggestion,
) -> Option<Question> {
    let mut changed = question.clone();
    match suggestion {
        Suggestion::Let { package, to } | Suggestion::Wish { package, to } => {
            let range = to.to_string().parse().expect("a version is a range");
            let at = place(question, package);
            changed.operators[at].wish = Goal::Range(range);
        }
        Suggestion::Lift { package, overrides } => {
            let lifted = &mut changed.operators[place(question, package)].overrides;
            lifted.ignore_dependencies |= overrides.ignore_dependencies;
            lifted.direct_upgrades |= overrides.direct_upgrades;
            lifted.downgrades |= overrides.downgrades;
            lifted.ignore_conflicts |= overrides.ignore_conflicts;
        }
        Suggestion::Add(_) => return None,
    }
    let is_blocked = |name| plan.blockages().any(|one| one.package == name);
    changed.operators.sort_by_key(|operator| {
        let name = operator.package.package().name.clone();
        (is_blocked(name.clone()), name != blocked.package)
    });
    Some(changed)
}

/// Checks every world. Panics with the number and the text of the first world that fails.
fn each_world(mut holds: impl FnMut(&Question) -> Result<(), String>) {
    for number in numbers() {
        let world = world(number);
        let question = world.question();
        if let Err(why) = holds(&question) {
            let World { text, lines } = world;
            panic!("world {number}: {why}\n\n{text}\n{}", lines.join("\n"));
        }
    }
}

#[test]
fn plans_match_the_reference_in_result_and_cost() {
    let mut tally = Tally::default();
    each_world(|question| is_right(question, &mut tally));
    println!("{tally:?}");
    let Tally {
        worlds,
        reached,
        moved,
        lockstep,
        part_way,
        ..
    } = tally;
    let kinds = [reached, worlds - reached, moved, lockstep, part_way];
    assert!(kinds.iter().all(|kind| kind * 40 > worlds), "{tally:?}");
}

#[test]
fn every_suggestion_unblocks_the_operator() {
    let mut tally = Tally::default();
    each_world(|question| helps(question, &mut tally));
    assert!(tally.suggestions > 100, "{tally:?}");
}

#[test]
fn small_search_budget_never_gives_an_invalid_route() {
    each_world(|question| {
        for states in [0, 1, 3, 10] {
            let mut question = question.clone();
            question.budget.states = states;
            let reference = Reference::of(&question);
            let plan = plan_of(&question)?;
            walked(&question, &reference, &plan)?;
        }
        Ok(())
    });
}
