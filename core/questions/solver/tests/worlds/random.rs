//! Checks thousands of random worlds: worlds with fixed numbers, and worlds that differ in each
//! run.

use portolan_core_catalog::{Catalog, Reading};
use portolan_core_solver::{
    Budget, Granted, InstalledOperator, Question, Resolution, Universe, resolve,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::answers::{is_honest, is_right};
use crate::board::Board;
use crate::dice::tape;
use crate::generate::{self, Supply};
use crate::world::{Offer, World, universe};

/// The number of worlds with fixed numbers for each kind of supply, in addition to the worlds that
/// differ in each run.
const WORLDS: u64 = 12_000;

fn answer(universe: &Universe, question: &Question) -> Result<Resolution, String> {
    resolve(universe, question).map_err(|unsound| unsound.to_string())
}

fn with_world(world: &World, why: String) -> String {
    format!("{why}\n\nin this world:\n{world}")
}

fn solves(world: &World) -> Result<Resolution, String> {
    let offers = world.offers();
    let board = Board::of(world, &offers);
    let answer = answer(&universe(&offers), &world.question());
    let answer = answer.map_err(|why| with_world(world, why))?;
    is_right(&board, &answer).map_err(|why| with_world(world, why))?;
    Ok(answer)
}

/// Checks the answers of a solver with a small budget. Returns the number of incomplete answers.
fn is_honest_in_a_hurry(world: &World) -> Result<usize, String> {
    let mut hurried = 0;
    let offers = world.offers();
    let (board, universe) = (Board::of(world, &offers), universe(&offers));
    for steps in [0, 1, 2, 3, 5, 8] {
        let mut question = world.question();
        question.budget = Budget { steps };
        let answer = answer(&universe, &question).map_err(|why| with_world(world, why))?;
        is_honest(&board, &answer)
            .map_err(|why| with_world(world, format!("within {steps} steps: {why}")))?;
        hurried += usize::from(is_right(&board, &answer).is_err());
    }
    Ok(hurried)
}

/// Checks that the answer is the same, byte for byte. Neither the order of the objects nor
/// unrelated objects may affect the answer.
fn is_steady(world: &World) -> Result<(), String> {
    let (offers, question) = (world.offers(), world.question());
    let plain = answer(&universe(&offers), &question)?;
    let mut shuffled = question.clone();
    shuffled.installed.reverse();
    let backwards = Universe::of(offers.iter().rev().map(|offer| {
        let mut source = offer.source();
        source.packages.reverse();
        source
    }));
    let mut crowded = question.clone();
    let stranger = "stranger.v1.0.0".parse().expect("the name must parse");
    crowded.installed.push(InstalledOperator::named(stranger));
    let mut wider = world.offers();
    wider[0]
        .catalog
        .packages
        .extend(unrelated().catalog.packages);
    for (why, universe, question) in [
        ("in another order", &backwards, &shuffled),
        ("with a stranger installed", &universe(&offers), &crowded),
        ("with one more package", &universe(&wider), &question),
    ] {
        let other = answer(universe, question)?;
        if format!("{other:?}") != format!("{plain:?}") {
            let why = format!("{why}: {other:#?}\nwhich was {plain:#?}");
            return Err(with_world(world, why));
        }
    }
    Ok(())
}

fn unrelated() -> Offer {
    let text = portolan_kit::catalog("remote-unrelated-thing: 1.0.0 provides far.test/v1/Off");
    let reading = Reading::of("unrelated.json", text.to_json_lines().as_bytes());
    let mut offer = World::of("").offers().remove(0);
    offer.catalog = Catalog::of([reading]);
    offer
}

/// The number of worlds of each kind. The test uses it to check that all kinds occur.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    solved: usize,
    with_refusals: usize,
    refused: usize,
}

impl Tally {
    fn count(&mut self, answer: &Resolution) {
        match answer {
            Resolution::Solved(solution) => {
                let mut requests = solution.wishes.iter();
                if requests.all(|granted| matches!(granted, Granted::By { .. })) {
                    self.solved += 1
                } else {
                    self.with_refusals += 1
                }
            }
            Resolution::Refused(_) => self.refused += 1,
            Resolution::GaveUp { .. } => {}
        }
    }
}

/// Checks all worlds up to a number. Reports the numbers of the worlds that fail, and the reason of
/// the first failure.
fn each_world(worlds: u64, mut holds: impl FnMut(&World) -> Result<(), String>) {
    let mut wrong = Vec::new();
    for supply in [Supply::Scarce, Supply::Plenty] {
        for number in 0..worlds {
            if let Err(why) = holds(&generate::world(&tape(number), supply)) {
                wrong.push((format!("{supply:?} {number}"), why));
            }
        }
    }
    if let [(first, why), others @ ..] = wrong.as_slice() {
        let names: Vec<_> = others.iter().map(|(name, _)| name).take(20).collect();
        panic!("{first}: {why}\n{} others: {names:?}", others.len());
    }
}

#[test]
fn finds_best_solution_or_minimal_conflict_in_generated_worlds() {
    let mut tally = Tally::default();
    each_world(WORLDS, |world| {
        solves(world).map(|answer| tally.count(&answer))
    });
    println!("{tally:?}");
    let least = usize::try_from(WORLDS / 20).expect("it must be a number");
    assert!(tally.solved > least && tally.with_refusals > least && tally.refused > least);
}

#[test]
fn answers_do_not_depend_on_order_or_unrelated_catalogs() {
    each_world(WORLDS / 4, is_steady);
}

#[test]
fn low_step_limit_never_gives_a_wrong_result() {
    let mut hurried = 0;
    each_world(WORLDS / 4, |world| {
        is_honest_in_a_hurry(world).map(|more| hurried += more)
    });
    assert!(hurried > 100, "there are {hurried} answers without a proof");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn finds_best_solution_or_minimal_conflict_in_any_world(tape in vec(any::<u8>(), 0..400)) {
        let world = generate::world(&tape, Supply::Scarce);
        prop_assert!(solves(&world).is_ok(), "{}", solves(&world).unwrap_err());
        prop_assert!(is_steady(&world).is_ok(), "{}", is_steady(&world).unwrap_err());
    }

    #[test]
    fn finds_best_solution_for_any_world_with_many_bundles(tape in vec(any::<u8>(), 0..400)) {
        let world = generate::world(&tape, Supply::Plenty);
        prop_assert!(solves(&world).is_ok(), "{}", solves(&world).unwrap_err());
    }
}
