//! Rules about the shape of the code that no compiler holds: layers, sizes, names, documents, fixtures.
//!
//! Every rule is a function from the tree to a list of complaints; a complaint names the place and what to do.

mod documents;
mod layers;
mod names;
mod siblings;
mod sizes;
mod tree;

use anyhow::bail;

pub(crate) fn run() -> anyhow::Result<()> {
    let tree = tree::read()?;
    let mut complaints = Vec::new();
    complaints.extend(layers::check()?);
    complaints.extend(sizes::check(&tree));
    complaints.extend(names::check(&tree));
    complaints.extend(siblings::check(&tree));
    complaints.extend(documents::check(&tree));
    if complaints.is_empty() {
        return Ok(());
    }
    complaints.sort();
    bail!("tidy found {} thing(s):\n  {}", complaints.len(), complaints.join("\n  "))
}
