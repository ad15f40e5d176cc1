//! Every input that a search once found worth keeping, and every recorded answer, still keeps its promises.
//!
//! One test for each target, so that a failure names it. No search happens here: that is `cargo xtask fuzz`.
#![expect(clippy::unwrap_used, reason = "a test fails loudly, at the line that is wrong")]

use std::path::{Path, PathBuf};

use fuzz::Target;
use openclaw_testkit::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}

#[track_caller]
fn replay(name: &str) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = Target::named(name).unwrap();
    let kept = files(&here.join("corpus").join(name));
    assert!(!kept.is_empty(), "the corpus of {name} is missing");
    let recorded = here.join("../crates/providers/src/apis").join(name.replace('-', "_")).join("fixtures");
    for file in kept.into_iter().chain(files(&recorded)) {
        let data = std::fs::read(&file).unwrap();
        if let Err(panic) = std::panic::catch_unwind(|| target.check(&data)) {
            eprintln!("broken by {}", file.display());
            std::panic::resume_unwind(panic);
        }
    }
}

macro_rules! targets {
    ($($test:ident = $name:literal;)*) => {
        $(#[test]
        fn $test() {
            replay($name);
        })*

        #[test]
        fn every_target_is_replayed() {
            let known: Vec<&str> = Target::all().into_iter().map(Target::name).collect();
            assert_eq!(known, [$($name),*]);
        }
    };
}

targets! {
    anthropic_messages_keeps_its_promises = "anthropic-messages";
    openai_completions_keeps_its_promises = "openai-completions";
    openai_responses_keeps_its_promises = "openai-responses";
    google_generative_ai_keeps_its_promises = "google-generative-ai";
    bedrock_converse_stream_keeps_its_promises = "bedrock-converse-stream";
    ollama_keeps_its_promises = "ollama";
    github_copilot_keeps_its_promises = "github-copilot";
    lines_keep_their_promises = "framing-lines";
    server_sent_events_keep_their_promises = "framing-sse";
    aws_event_streams_keep_their_promises = "framing-aws-event-stream";
    markdown_keeps_its_promises = "markdown";
}
