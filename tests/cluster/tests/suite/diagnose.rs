//! What a diagnosis says of operators, as the real OLM lets them down and as it takes them up again.
//!
//! A story brings its namespace into a state and waits until that is diagnosed, by who looks at the
//! same cluster in this process. Then it is a user: it asks the built program, does the first thing
//! that the program says, exactly as it is printed, and waits until the operator is well. What kubectl
//! gets of the same moment, with the catalogs beside it, has to say the same.

mod calm;
mod catalogs;
mod diagnoses;
mod groups;
mod hops;
mod others;
mod pairs;
mod plans;
mod pods;
mod requirements;
mod rollouts;
mod stage;
mod table;
mod user;
mod wishes;
