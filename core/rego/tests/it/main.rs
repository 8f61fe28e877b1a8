//! Rules: what they answer, how they are refused, and that none of them goes on for ever.

mod bombs;
mod reference;
mod refusals;
