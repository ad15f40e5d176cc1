//! Tools that models call: one folder for each family, and the registry that lists them.
