mod forged;
mod harbor;
mod mutated;
mod visits;
