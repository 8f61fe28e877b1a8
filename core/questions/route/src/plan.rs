//! Plans the routes for a question.

use crate::answer::{Certainty, End, Move, Plan, Route, RouteStep};
use crate::component::{Component, State, jumps};
use crate::explain::Explainer;
use crate::lockstep::{self, Locksteps};
use crate::problem::{Problem, TrackId};
use crate::question::{Question, Refused};
use crate::search::{Search, SearchResult};
use crate::target;
use crate::track::PlaceId;

/// Plans the routes of all operators of a question.
///
/// # Guarantees
///
/// - After each step, all requirements of the installed bundles are satisfied. Requirements that
///   were violated at the start are an exception until their operator moves.
/// - No operator becomes newer than its requirement allows.
/// - The route leads to the best sound state that can be reached. States are compared by the
///   satisfied requirements in the order of the operators, and then by the bundle of each operator.
/// - Of all routes to this state, the route has the fewest moves that only an override permits,
///   then the fewest moves, then the fewest deprecated bundles, then the newest bundles.
/// - Moves are made together only if no subset of them is sound, and if no single move leads
///   further.
///
/// # Errors
///
/// Returns an error if a package occurs twice, or if a package does not have a requested channel.
pub fn plan(question: &Question) -> Result<Plan, Refused> {
    question.validate()?;
    let problem = Problem::of(question);
    let moving = Component::all(&problem);
    let of_operator = |track: TrackId| {
        let component = moving.iter().find(|one| one.tracks.contains(&track));
        match component {
            Some(component) if component.tracks[0] == track => Some(component.clone()),
            Some(_) => None,
            None => Some(Component::still(track)),
        }
    };
    let components: Vec<_> = (0..question.operators.len())
        .filter_map(of_operator)
        .collect();
    let solved = components.iter().map(|component| {
        let mut budget = question.budget.states;
        solve(&problem, component, &mut budget)
    });
    let solved: Vec<_> = solved.collect();
    let explainer = Explainer {
        question,
        problem: &problem,
        end: end(&problem, &components, &solved),
    };
    let routes = components.iter().zip(&solved);
    let routes = routes.map(|(component, solved)| route(&explainer, component, solved));
    Ok(Plan {
        routes: routes.collect(),
    })
}

/// Returns the places of all operators after their routes.
fn end(
    problem: &Problem<'_>,
    components: &[Component],
    solved: &[(SearchResult, Locksteps)],
) -> State {
    let mut end = problem.start();
    for (component, (found, _)) in components.iter().zip(solved) {
        for track in &component.tracks {
            end[*track] = found.end[*track];
        }
    }
    end.into()
}

/// Returns the best route of a component. Subtracts the states that the search visited from the
/// budget.
pub(crate) fn solve(
    problem: &Problem<'_>,
    component: &Component,
    budget: &mut u32,
) -> (SearchResult, Locksteps) {
    let locksteps = Locksteps::of(problem, component);
    let target = target::best(problem, component, *budget);
    let parts = (problem, component, &locksteps);
    let worth = |state: &_| target::worth(problem, component, state);
    let found = Search::run(parts, &target, budget, worth);
    (found, locksteps)
}

fn route(
    explainer: &Explainer<'_, '_>,
    component: &Component,
    (found, locksteps): &(SearchResult, Locksteps),
) -> Route {
    let Explainer {
        question, problem, ..
    } = explainer;
    let ends = component.tracks.iter().map(|track| {
        let at = found.end[*track];
        let place = problem.tracks[*track].place(at);
        let is_granted = problem.tracks[*track].is_goal(at);
        let blockage = || Box::new(explainer.blockage(*track, found.is_best));
        End {
            package: question.operators[*track].name().clone(),
            bundle: place.name().cloned(),
            version: place.version().cloned(),
            blockage: (!is_granted).then(blockage),
            wanted: explainer.wanted(*track, is_granted),
        }
    });
    let left_out = locksteps.left_out.iter();
    let steps = found.steps.iter();
    let states = question.budget.states;
    Route {
        ends: ends.collect(),
        steps: steps.map(|step| self::step(problem, step)).collect(),
        certainty: if found.is_best {
            Certainty::Best
        } else {
            Certainty::BudgetSpent { states }
        },
        only_single: left_out
            .map(|track| question.operators[*track].name().clone())
            .collect(),
    }
}

fn step(problem: &Problem<'_>, moves: &[lockstep::Move]) -> RouteStep {
    RouteStep {
        moves: moves.iter().map(|made| moved(problem, *made)).collect(),
    }
}

fn moved(problem: &Problem<'_>, (track, from, to): lockstep::Move) -> Move {
    let mut jumps = jumps(problem, track, from);
    let jump = jumps.find(|jump| jump.to == to);
    let jump = jump.expect("a move must be one of the tried moves");
    let place = |at: PlaceId| problem.tracks[track].place(at);
    let node = place(to).node();
    Move {
        package: problem.operators[track].name().clone(),
        from: place(from).name().cloned(),
        to: node
            .expect("a move must lead to a bundle of the catalog")
            .clone(),
        edges: jump.edges,
        is_override: jump.is_override,
        is_downgrade: place(to).age() < place(from).age(),
    }
}
