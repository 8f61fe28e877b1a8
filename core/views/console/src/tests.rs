mod gates;
mod lists;
mod pages;
mod places;
mod readiness;
mod views;
