//! Resolves `$include`: a file name, or a list of them, at any object of the configuration.
//!
//! Included objects are merged in order, then the keys beside `$include` on top: objects merge, arrays are joined,
//! anything else is replaced. Files must lie inside the directory of the main file, links followed. A file that cannot
//! be used is one issue; everything else still loads. Depth, number and size of files are limited.

use std::path::{Path, PathBuf};

use openclaw_schema::PathStep;
use serde_json::Value;

use super::node::{Node, NodeFields, NodeKind, Origin, Sources};
use super::parse::{self, MAX_DEPTH};
use crate::ConfigIssue;
use crate::environment::lexically_absolute;
use crate::key_path::dotted;

/// The key that includes.
const INCLUDE_KEY: &str = "$include";
/// How deep files may include files.
const MAX_INCLUDE_DEPTH: usize = 10;
/// How large an included file may be.
const MAX_FILE_BYTES: u64 = 2 * 1024 * 1024;
/// How many files one configuration may read, each reading counted.
const MAX_FILES: usize = 256;
/// How much text one configuration may read in all.
const MAX_TOTAL_BYTES: usize = 16 * 1024 * 1024;

/// Resolves every include below `root`.
pub(crate) fn expand(root: Node, main: &Path, sources: &mut Sources) -> Expanded {
    let directory = main.parent().unwrap_or(Path::new("/")).to_path_buf();
    let real_directory = std::fs::canonicalize(&directory).unwrap_or_else(|_| directory.clone());
    let mut work = Work { directory, real_directory, sources, issues: Vec::new(), duplicates: Vec::new() };
    let chain = vec![main.to_path_buf()];
    let node = work.node(root, &chain, &mut Vec::new());
    Expanded { node, issues: work.issues, duplicates: work.duplicates }
}

/// The configuration with all includes resolved.
pub(crate) struct Expanded {
    pub(crate) node: Node,
    pub(crate) issues: Vec<ConfigIssue>,
    /// Keys that stand twice in an object of an included file: source, offset, name.
    pub(crate) duplicates: Vec<(usize, usize, String)>,
}

struct Work<'a> {
    directory: PathBuf,
    real_directory: PathBuf,
    sources: &'a mut Sources,
    issues: Vec<ConfigIssue>,
    duplicates: Vec<(usize, usize, String)>,
}

impl Work<'_> {
    /// Resolves the includes of a value of the last file in `chain`.
    fn node(&mut self, node: Node, chain: &[PathBuf], path: &mut Vec<PathStep>) -> Node {
        if path.len() > MAX_DEPTH {
            self.refuse(node.origin, path, format!("included files nest deeper than {MAX_DEPTH} levels"));
            return Node { kind: NodeKind::Scalar(Value::Null), ..node };
        }
        let Node { kind, origin } = node;
        let kind = match kind {
            NodeKind::Scalar(value) => NodeKind::Scalar(value),
            NodeKind::List(items) => NodeKind::List(
                items
                    .into_iter()
                    .enumerate()
                    .map(|(index, item)| self.child(item, PathStep::Index(index), chain, path))
                    .collect(),
            ),
            NodeKind::Object(fields) => return self.object(fields, origin, chain, path),
        };
        Node { kind, origin }
    }

    fn child(&mut self, node: Node, step: PathStep, chain: &[PathBuf], path: &mut Vec<PathStep>) -> Node {
        path.push(step);
        let done = self.node(node, chain, path);
        path.pop();
        done
    }

    fn object(
        &mut self,
        fields: NodeFields,
        origin: Origin,
        chain: &[PathBuf],
        path: &mut Vec<PathStep>,
    ) -> Node {
        let mut include = None;
        let mut own = NodeFields::default();
        for (name, node) in fields.into_entries() {
            if name == INCLUDE_KEY {
                include = Some(node);
            } else {
                let node = self.child(node, PathStep::Key(name.clone()), chain, path);
                own.insert(name, node);
            }
        }
        let has_own = own.iter().next().is_some();
        let own = Node { kind: NodeKind::Object(own), origin };
        let Some(include) = include else { return own };
        let include_origin = include.origin;
        match self.included(include, chain, path) {
            None => own,
            Some(included) if !has_own => included,
            Some(included) if matches!(included.kind, NodeKind::Object(_)) => merge(included, own),
            Some(_) => {
                let message = "keys stand beside $include, but the included file does not hold an object";
                self.refuse(include_origin, path, message.to_owned());
                own
            }
        }
    }

    /// The merged content of an `$include` value, or `None` when nothing of it could be used.
    fn included(&mut self, include: Node, chain: &[PathBuf], path: &mut Vec<PathStep>) -> Option<Node> {
        let origin = include.origin;
        let names: Vec<Node> = match include.kind {
            NodeKind::List(items) => items,
            _ => vec![include],
        };
        let mut merged = None;
        for name in names {
            let NodeKind::Scalar(Value::String(text)) = &name.kind else {
                self.refuse(
                    name.origin,
                    path,
                    "$include takes a file name or a list of file names".to_owned(),
                );
                continue;
            };
            match self.load(text, name.origin, chain, path) {
                Ok(node) => {
                    merged = Some(match merged {
                        Some(before) => merge(before, node),
                        None => node,
                    });
                }
                Err(Refusal { origin, message }) => self.refuse(origin, path, message),
            }
        }
        merged.map(|node| Node { origin: Origin { key: origin.key, ..node.origin }, ..node })
    }

    fn load(
        &mut self,
        name: &str,
        origin: Origin,
        chain: &[PathBuf],
        path: &mut Vec<PathStep>,
    ) -> Result<Node, Refusal> {
        let fail = |message: String| Refusal { origin, message };
        let file = self.inside(name, chain).map_err(fail)?;
        if chain.contains(&file) {
            let names: Vec<String> =
                chain.iter().chain([&file]).map(|path| path.display().to_string()).collect();
            return Err(fail(format!("files include each other in a circle: {}", names.join(" → "))));
        }
        if chain.len() > MAX_INCLUDE_DEPTH {
            return Err(fail(format!("{name} is included more than {MAX_INCLUDE_DEPTH} files deep")));
        }
        if self.sources.paths().count() >= MAX_FILES || self.sources.bytes() >= MAX_TOTAL_BYTES {
            return Err(fail(format!("{name} was not read: too many or too large files are included")));
        }
        let text = read_limited(&file).map_err(|reason| fail(format!("cannot include {name}: {reason}")))?;
        let source = self.sources.add(file.clone(), text);
        let parsed = parse::parse(self.sources.text(source), source).map_err(|error| Refusal {
            origin: Origin { source, key: error.offset, value: error.offset },
            message: format!("the included file {name} is not JSON5: {}", error.message),
        })?;
        self.duplicates.extend(parsed.duplicates.into_iter().map(|(offset, name)| (source, offset, name)));
        let mut longer = chain.to_vec();
        longer.push(file);
        Ok(self.node(parsed.node, &longer, path))
    }

    /// The absolute path of an included file, when it lies inside the configuration's directory.
    fn inside(&self, name: &str, chain: &[PathBuf]) -> Result<PathBuf, String> {
        let base = chain.last().and_then(|file| file.parent()).unwrap_or(&self.directory);
        let file = lexically_absolute(base, Path::new(name));
        let outside = || format!("{name} lies outside {}; move it there", self.directory.display());
        if !file.starts_with(&self.directory) {
            return Err(outside());
        }
        match std::fs::canonicalize(&file) {
            Ok(real) if real.starts_with(&self.real_directory) => Ok(file),
            Ok(_) => Err(outside()),
            Err(error) => Err(format!("cannot include {name}: {error}")),
        }
    }

    fn refuse(&mut self, origin: Origin, path: &[PathStep], message: String) {
        self.issues.push(ConfigIssue {
            path: dotted(path),
            message,
            hint: Some("fix or remove the $include".to_owned()),
            place: self.sources.place(origin.source, origin.value),
        });
    }
}

struct Refusal {
    origin: Origin,
    message: String,
}

fn read_limited(file: &Path) -> Result<String, String> {
    let metadata = std::fs::metadata(file).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    if metadata.len() > MAX_FILE_BYTES {
        return Err(format!("it has more than {MAX_FILE_BYTES} bytes"));
    }
    std::fs::read_to_string(file).map_err(|error| error.to_string())
}

/// Puts `above` on top of `below`.
fn merge(below: Node, above: Node) -> Node {
    let kind = match (below.kind, above.kind) {
        (NodeKind::List(mut first), NodeKind::List(second)) => {
            first.extend(second);
            NodeKind::List(first)
        }
        (NodeKind::Object(mut fields), NodeKind::Object(more)) => {
            for (name, node) in more.into_entries() {
                match fields.get_mut(&name) {
                    Some(slot) => {
                        let placeholder = Node { kind: NodeKind::Scalar(Value::Null), origin: node.origin };
                        let before = std::mem::replace(slot, placeholder);
                        *slot = merge(before, node);
                    }
                    None => {
                        fields.insert(name, node);
                    }
                }
            }
            NodeKind::Object(fields)
        }
        (_, kind) => kind,
    };
    Node { kind, origin: above.origin }
}
