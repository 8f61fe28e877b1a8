//! Formats a whole answer in a few lines, so that tests can compare all of its content.

use portolan_core_solver::{
    Granted, Lacking, Operator, OperatorChange, Optimality, Resolution, Solution,
};

pub(crate) fn answer_lines(answer: &Resolution) -> Vec<String> {
    match answer {
        Resolution::Solved(solution) => solved(solution),
        Resolution::Refused(conflict) => conflict.to_string().lines().map(String::from).collect(),
        Resolution::GaveUp { steps } => vec![format!("gave up after {steps} steps")],
    }
}

fn solved(solution: &Solution) -> Vec<String> {
    let Solution {
        wishes,
        operators,
        optimality,
        lacking,
    } = solution;
    let mut lines: Vec<_> = operators.iter().map(operator).collect();
    for (at, granted) in wishes.iter().enumerate() {
        match granted {
            Granted::By {
                operator,
                passed_over,
            } => {
                assert!(operators[*operator].wishes.contains(&at));
                let better = passed_over.as_ref();
                lines.extend(better.map(|why| format!("request {at} has nothing better:\n{why}")));
            }
            Granted::Refused(conflict) => {
                lines.push(format!("request {at} is refused:\n{conflict}"))
            }
            Granted::GaveUp => lines.push(format!("request {at} given up")),
        }
    }
    lines.extend(lacking.iter().map(
        |Lacking {
             installed,
             requirement,
         }| { format!("{} lacks {requirement} already", installed.name) },
    ));
    let mut lines: Vec<_> = lines
        .iter()
        .flat_map(|text| text.lines().map(String::from))
        .collect();
    match optimality {
        Optimality::Best => {}
        Optimality::NoSingleChangeBetters { steps } => lines.push(format!("after {steps} steps")),
    }
    lines
}

/// Formats an operator as `install a.v1.0.0 of a 1.0.0 from one/stable for 0`, and each of its
/// needs in one line.
fn operator(operator: &Operator) -> String {
    let Operator {
        catalog,
        package,
        bundle,
        version,
        channel,
        change,
        wishes,
        deprecation,
        needs,
    } = operator;
    let change = match change {
        OperatorChange::Install => "install".to_owned(),
        OperatorChange::Move { from, hops } => format!("move {from} by {hops} to"),
        OperatorChange::Stay => "keep".to_owned(),
    };
    let mut line = format!("{change} {bundle}");
    for (word, value) in [
        (" of ", package.as_ref().map(ToString::to_string)),
        (" ", version.as_ref().map(ToString::to_string)),
        (" from ", catalog.as_ref().map(ToString::to_string)),
        ("/", channel.as_ref().map(ToString::to_string)),
        (
            " deprecated: ",
            deprecation.as_ref().map(ToString::to_string),
        ),
    ] {
        line.extend(value.into_iter().flat_map(|value| [word.to_owned(), value]));
    }
    if !wishes.is_empty() {
        let wishes: Vec<_> = wishes.iter().map(ToString::to_string).collect();
        line += &format!(" for {}", wishes.join(", "));
    }
    for need in needs {
        line += &format!("\n  needs {} by {}", need.requirement, need.by);
    }
    line
}
