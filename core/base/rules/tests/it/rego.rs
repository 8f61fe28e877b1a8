//! Rules: what they answer, how they are refused, and that none of them goes on for ever.

mod bombs;
mod bounds;
mod reference;
mod refusals;
