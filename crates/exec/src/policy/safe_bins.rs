//! Programs that run unlisted because they only read their input: by name, from trusted folders, with harmless words.
//!
//! The built-in profiles say what each may be given; the configuration may replace or add some. A name without a
//! profile is not safe, whatever the list says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use openclaw_config::{ExecSettings, SafeBinRule};

use crate::command_line::LocatedStep;

/// The programs, folders and profiles that hold for an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SafeBins {
    names: BTreeSet<String>,
    folders: Vec<PathBuf>,
    profiles: BTreeMap<String, Profile>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Profile {
    rule: SafeBinRule,
    /// Letters of options without a value.
    switches: &'static str,
    /// Options whose value is optional: it stands behind `=` or not at all.
    attached: &'static [&'static str],
    /// Options that take the next two words.
    pairs: &'static [&'static str],
}

/// What a program is known to understand. An option that is said to take the next word and does not would hide the name of
/// a file, so each has to have its value in every implementation.
struct Known {
    name: &'static str,
    positional: (u64, u64),
    switches: &'static str,
    values: &'static [&'static str],
    attached: &'static [&'static str],
    pairs: &'static [&'static str],
    denied: &'static [&'static str],
}

const NOTHING: Known =
    Known { name: "", positional: (0, 0), switches: "", values: &[], attached: &[], pairs: &[], denied: &[] };

#[rustfmt::skip]
const KNOWN: [Known; 9] = [
    Known { name: "jq", positional: (0, 1), switches: "rcesnSaMCj", pairs: &["--arg", "--argjson"],
        denied: &["--argfile", "--rawfile", "--slurpfile", "--from-file", "--library-path", "-L", "-f"], ..NOTHING },
    Known { name: "grep", positional: (0, 0), switches: "icvnowxqhHEFGPsbzZ",
        values: &["--regexp", "--max-count", "--after-context", "--before-context", "-e", "-m", "-A", "-B"],
        attached: &["--context", "--devices", "--binary-files", "--label", "--color", "--colour"],
        denied: &["--file", "--exclude-from", "--dereference-recursive", "--directories", "--recursive", "-f", "-d",
            "-r", "-R"], ..NOTHING },
    Known { name: "cut", positional: (0, 0), switches: "snz",
        values: &["--bytes", "--characters", "--fields", "--delimiter", "--output-delimiter", "-b", "-c", "-f", "-d"],
        ..NOTHING },
    Known { name: "sort", positional: (0, 0), switches: "bdfghiMnrRVcCmsuz",
        values: &["--key", "--field-separator", "--buffer-size", "--parallel", "--batch-size", "-k", "-t", "-S"],
        denied: &["--compress-program", "--files0-from", "--output", "--random-source", "--temporary-directory", "-T",
            "-o"], ..NOTHING },
    Known { name: "uniq", positional: (0, 0), switches: "cdDuiz",
        values: &["--skip-fields", "--skip-chars", "--check-chars", "-f", "-s", "-w"],
        attached: &["--group", "--all-repeated"], ..NOTHING },
    Known { name: "head", positional: (0, 0), switches: "qvz0123456789",
        values: &["--lines", "--bytes", "-n", "-c"], ..NOTHING },
    Known { name: "tail", positional: (0, 0), switches: "qvz0123456789",
        values: &["--lines", "--bytes", "--sleep-interval", "--max-unchanged-stats", "--pid", "-n", "-c"], ..NOTHING },
    Known { name: "tr", positional: (1, 2), switches: "cCdst", ..NOTHING },
    Known { name: "wc", positional: (0, 0), switches: "clmwL", denied: &["--files0-from"], ..NOTHING },
];

impl SafeBins {
    /// What holds for an agent.
    #[must_use]
    pub(crate) fn of(settings: &ExecSettings) -> Self {
        let known = KNOWN.iter().map(|known| (known.name.to_owned(), Profile::from(known)));
        let written = settings.safe_bin_profiles.iter();
        let written = written.map(|(name, rule)| (name.clone(), Profile::from(rule)));
        let folders = settings.safe_bin_dirs.iter().map(Path::new);
        Self {
            names: settings.safe_bins.clone(),
            folders: folders
                .flat_map(|folder| [Some(folder.to_owned()), folder.canonicalize().ok()])
                .flatten()
                .collect(),
            profiles: known.chain(written).collect(),
        }
    }

    /// Whether a command only reads its input and may run unlisted.
    pub(super) fn covers(&self, step: &LocatedStep) -> bool {
        let Some(executable) = step.executable.as_ref().filter(|_| step.carries.is_none()) else {
            return false;
        };
        let trusted = |path: &Path| {
            path.parent().is_some_and(|folder| self.folders.iter().any(|known| known == folder))
        };
        let name = executable.found.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let profile = self.profiles.get(name).filter(|_| self.names.contains(name));
        let arguments = step.step.words.get(1..).unwrap_or_default();
        trusted(&executable.found)
            && trusted(&executable.real)
            && profile.is_some_and(|profile| profile.allows(arguments) && harmless_program(name, arguments))
    }
}

impl From<&Known> for Profile {
    fn from(known: &Known) -> Self {
        let owned = |flags: &[&str]| flags.iter().map(|flag| (*flag).to_owned()).collect();
        let (min_positional, most) = known.positional;
        let rule = SafeBinRule {
            min_positional,
            max_positional: Some(most),
            value_flags: owned(known.values),
            denied_flags: owned(known.denied),
        };
        Self { rule, switches: known.switches, attached: known.attached, pairs: known.pairs }
    }
}

impl From<&SafeBinRule> for Profile {
    fn from(rule: &SafeBinRule) -> Self {
        Self { rule: rule.clone(), switches: "", attached: &[], pairs: &[] }
    }
}

impl Profile {
    fn allows(&self, arguments: &[String]) -> bool {
        let mut positional = 0;
        let mut rest = arguments.iter().map(String::as_str);
        while let Some(argument) = rest.next() {
            let fine = match argument {
                // The standard input, where a word is the name of a file; one of the words elsewhere.
                "-" if self.rule.max_positional == Some(0) => true,
                "-" => {
                    positional += 1;
                    true
                }
                "--" => return self.counts(positional + rest.clone().count()) && rest.all(is_plain),
                long if long.starts_with("--") => self.long(long, &mut rest),
                short if short.starts_with('-') => self.short(short, &mut rest),
                word => {
                    positional += 1;
                    is_plain(word)
                }
            };
            if !fine {
                return false;
            }
        }
        self.counts(positional)
    }

    fn counts(&self, positional: usize) -> bool {
        let positional = u64::try_from(positional).unwrap_or(u64::MAX);
        positional >= self.rule.min_positional
            && self.rule.max_positional.is_none_or(|most| positional <= most)
    }

    /// A long option has to be known in full; a shortened one might be another.
    fn long<'a>(&self, option: &str, rest: &mut impl Iterator<Item = &'a str>) -> bool {
        let (name, value) =
            option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        if self.rule.denied_flags.iter().any(|flag| flag == name) {
            return false;
        }
        if self.attached.contains(&name) {
            return value.is_none_or(is_plain);
        }
        if self.pairs.contains(&name) {
            return value.is_none() && (0..2).all(|_| rest.next().is_some_and(is_plain));
        }
        self.rule.value_flags.iter().any(|flag| flag == name)
            && value.or_else(|| rest.next()).is_some_and(is_plain)
    }

    fn short<'a>(&self, cluster: &str, rest: &mut impl Iterator<Item = &'a str>) -> bool {
        for (index, letter) in cluster.char_indices().skip(1) {
            let flag = format!("-{letter}");
            if self.rule.denied_flags.contains(&flag) {
                return false;
            }
            if self.rule.value_flags.contains(&flag) {
                let inline = cluster.get(index + letter.len_utf8()..).filter(|value| !value.is_empty());
                return inline.or_else(|| rest.next()).is_some_and(is_plain);
            }
            if !self.switches.contains(letter) {
                return false;
            }
        }
        true
    }
}

/// A word that names no file and no set of files.
fn is_plain(word: &str) -> bool {
    !word.starts_with('~') && !word.contains("..") && !word.contains(['/', '*', '?', '[', ']'])
}

/// `jq` programs can read modules and variables.
fn harmless_program(name: &str, arguments: &[String]) -> bool {
    let reaches_out = |word: &String| {
        ["import", "include", "env", "ENV", "input_filename", "modulemeta"]
            .iter()
            .any(|call| word.contains(call))
    };
    name != "jq" || !arguments.iter().any(reaches_out)
}
