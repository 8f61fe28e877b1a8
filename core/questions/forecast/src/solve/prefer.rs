//! Searches for the solution that OLM prefers.
//!
//! Choices wait in a queue. The search takes the first choice and guesses its next candidate. The
//! search then appends the choices that this candidate requires to the queue. If a guess fails
//! immediately, the search undoes the guess, and puts the choice back to the front of the queue
//! with its next candidate. If all candidates of a choice have failed, the search skips the choice.
//! A skipped choice stays skipped while earlier guesses change. The search tries it again only if
//! the guess that added it changes. OLM searches in the same way, including these details.

use std::collections::{BTreeSet, VecDeque};

use super::trail::Trail;
use super::{GaveUp, Var, refute};

/// A choice: one of these candidates must be chosen.
#[derive(Debug, Clone)]
struct Choice {
    /// The index of the next candidate to guess.
    next: usize,
    candidates: Vec<Var>,
}

#[derive(Debug)]
struct Guess {
    choice: Choice,
    /// The guessed candidate. None if a candidate was already chosen, or if all candidates failed.
    guessed: Option<Var>,
    /// The length of the trail before the guess.
    mark: usize,
    /// The number of choices that the guess added to the queue.
    brought: usize,
}

#[derive(Debug)]
struct Search<'t, 'f> {
    trail: &'t mut Trail<'f>,
    line: VecDeque<Choice>,
    guesses: Vec<Guess>,
    guessed: BTreeSet<Var>,
}

/// Finds the solution that OLM chooses. A solution must exist.
pub(super) fn choose(trail: &mut Trail<'_>) -> Result<BTreeSet<Var>, GaveUp> {
    // A solution exists, so the clauses alone cause no contradiction.
    let _ = trail.start()?;
    let anchors = trail.formula.anchors().into_iter();
    let line = anchors.map(|anchor| Choice {
        next: 0,
        candidates: vec![anchor],
    });
    let mut search = Search {
        line: line.collect(),
        trail,
        guesses: Vec::new(),
        guessed: BTreeSet::new(),
    };
    let model = search.run()?;
    let guessed = search.guessed;
    without_extras(trail, guessed, &model)
}

// === impl Search ===

impl Search<'_, '_> {
    fn run(&mut self) -> Result<Vec<Var>, GaveUp> {
        let mut is_hopeless = false;
        loop {
            if self.line.is_empty() && !is_hopeless {
                match refute::complete(self.trail)? {
                    Ok(model) => return Ok(model),
                    Err(_) => is_hopeless = true,
                }
            }
            if is_hopeless {
                // Undoing a skipped choice changes no variable, so the search would fail again. It
                // undoes guesses until a guessed candidate is undone.
                is_hopeless = !self.take_back();
            } else {
                is_hopeless = self.guess()?;
            }
        }
    }

    /// Guesses a candidate for the first choice in the queue. Returns true if the guess fails
    /// immediately.
    fn guess(&mut self) -> Result<bool, GaveUp> {
        let Some(choice) = self.line.pop_front() else {
            return Ok(false);
        };
        let is_made = choice
            .candidates
            .iter()
            .any(|var| self.guessed.contains(var));
        let candidate = choice.candidates.get(choice.next).copied();
        let guessed = candidate.filter(|_| !is_made);
        let mut guess = Guess {
            choice,
            guessed,
            mark: self.trail.mark(),
            brought: 0,
        };
        let mut is_hopeless = false;
        if let Some(var) = guessed {
            for candidates in self.trail.formula.choices(var) {
                if !candidates.is_empty() {
                    guess.brought += 1;
                    let candidates = candidates.to_vec();
                    self.line.push_back(Choice {
                        next: 0,
                        candidates,
                    });
                }
            }
            self.guessed.insert(var);
            is_hopeless = self.trail.assume(var, true)?.is_err();
        }
        self.guesses.push(guess);
        Ok(is_hopeless)
    }

    /// Undoes the last guess. Returns true if this guess had a candidate, or if no guess exists.
    fn take_back(&mut self) -> bool {
        let Some(guess) = self.guesses.pop() else {
            return true;
        };
        let Guess {
            mut choice,
            guessed,
            mark,
            brought,
        } = guess;
        if let Some(var) = guessed {
            self.guessed.remove(&var);
            self.trail.back(mark);
            choice.next += 1;
        }
        self.line.truncate(self.line.len() - brought);
        self.line.push_front(choice);
        guessed.is_some()
    }
}

/// Returns a solution with all guessed variables, and with as few other variables as possible.
///
/// Other variables are necessary only if the search skipped a choice. In this case, OLM selects
/// arbitrary bundles.
fn without_extras(
    trail: &mut Trail<'_>,
    mut kept: BTreeSet<Var>,
    model: &[Var],
) -> Result<BTreeSet<Var>, GaveUp> {
    let mut extras: BTreeSet<Var> = model
        .iter()
        .copied()
        .filter(|var| !kept.contains(var))
        .collect();
    for extra in extras.clone().into_iter().rev() {
        let _ = trail.start()?;
        let may_be = |var: &Var| *var != extra && (kept.contains(var) || extras.contains(var));
        let mut is_enough = true;
        for var in 0..trail.formula.vars {
            is_enough &= trail.assume(var, may_be(&var))?.is_ok();
        }
        if is_enough {
            extras.remove(&extra);
        }
    }
    kept.append(&mut extras);
    Ok(kept)
}
