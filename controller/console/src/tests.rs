mod crowds;
mod forged;
mod guests;
mod harbor;
mod mutated;
mod services;
mod visits;
