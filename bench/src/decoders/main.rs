//! How fast the decoders of all protocols read a long answer, and how often they ask for memory while they do.
//!
//! A long answer is a recorded one whose words come again and again. It arrives in pieces as large as a network's, and
//! the events are taken away after each piece, as a host does. Called by `cargo xtask bench`.

use std::time::Instant;

use anyhow::{Context, ensure};
use bench::Row;
use openclaw_ports::model::{ApiName, ModelEvent};
use openclaw_providers::codec;
use openclaw_testkit::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

const STREAM_BYTES: usize = 10 * 1024 * 1024;
const PIECE_BYTES: usize = 4096;
const ROUNDS: usize = 5;

/// A recorded answer: how it is cut into frames, and what marks the frames that come again and again.
struct Recording {
    api: ApiName,
    bytes: &'static [u8],
    frames: Frames,
    words: &'static str,
}

#[derive(Clone, Copy)]
enum Frames {
    /// Separated by this.
    After(&'static str),
    /// Each begins with its length.
    Counted,
}

macro_rules! recorded {
    ($path:literal) => {
        include_bytes!(concat!("../../../crates/providers/src/apis/", $path))
    };
}

const RECORDINGS: &[Recording] = &[
    Recording {
        api: ApiName::AnthropicMessages,
        bytes: recorded!("anthropic_messages/fixtures/text.sse"),
        frames: Frames::After("\n\n"),
        words: "\"text_delta\"",
    },
    Recording {
        api: ApiName::OpenaiCompletions,
        bytes: recorded!("openai_completions/fixtures/reasoning_content.sse"),
        frames: Frames::After("\n\n"),
        words: "\"delta\":{\"content\":\" <think>",
    },
    Recording {
        api: ApiName::OpenaiResponses,
        bytes: recorded!("openai_responses/fixtures/reasoning_then_call.sse"),
        frames: Frames::After("\n\n"),
        words: "response.output_text.delta",
    },
    Recording {
        api: ApiName::GoogleGenerativeAi,
        bytes: recorded!("google_generative_ai/fixtures/thoughts_and_text.sse"),
        frames: Frames::After("\r\n\r\n"),
        words: "[{\"text\": \"It is \"}]",
    },
    Recording {
        api: ApiName::BedrockConverseStream,
        bytes: recorded!("bedrock_converse_stream/fixtures/text.bin"),
        frames: Frames::Counted,
        words: "contentBlockDelta",
    },
    Recording {
        api: ApiName::Ollama,
        bytes: recorded!("ollama/fixtures/thoughts_and_text.ndjson"),
        frames: Frames::After("\n"),
        words: "\"content\":\"It is \"",
    },
    Recording {
        api: ApiName::GithubCopilot,
        bytes: recorded!("github_copilot/fixtures/completions.sse"),
        frames: Frames::After("\n\n"),
        words: "\"content\":\"Hi\"",
    },
];

fn main() -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for recording in RECORDINGS {
        let name = recording.api.as_str();
        let reading = best(recording).with_context(|| format!("the stream of {name}"))?;
        rows.push(Row::new(format!("{name}, decoding"), reading.megabytes_per_second, "MB/s", ""));
        rows.push(Row::new(format!("{name}, events"), reading.events_per_second, "1/s", ""));
        rows.push(Row::new(format!("{name}, allocations"), reading.allocations, "1/event", "6"));
    }
    bench::report(&rows, std::env::args().nth(1).as_deref())
}

struct Reading {
    megabytes_per_second: f64,
    events_per_second: f64,
    allocations: f64,
}

/// The fastest of several rounds: the others were disturbed.
fn best(recording: &Recording) -> anyhow::Result<Reading> {
    let stream = recording.long()?;
    let mut fastest: Option<Reading> = None;
    for _ in 0..ROUNDS {
        let reading = read(recording.api, &stream)?;
        if fastest.as_ref().is_none_or(|best| best.megabytes_per_second < reading.megabytes_per_second) {
            fastest = Some(reading);
        }
    }
    fastest.context("nothing was measured")
}

#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#[expect(clippy::cast_precision_loss, reason = "numbers for people")]
fn read(api: ApiName, stream: &[u8]) -> anyhow::Result<Reading> {
    let mut decoder = codec(api).decoder();
    let (mut events, mut count, mut ended) = (Vec::new(), 0_usize, false);
    let mut take_away = |events: &mut Vec<ModelEvent>| {
        count += events.len();
        ended |= events.iter().any(|event| matches!(event, ModelEvent::Done(_)));
        events.clear();
    };
    let before = CountingAllocator::allocations();
    let started = Instant::now();
    for piece in stream.chunks(PIECE_BYTES) {
        decoder.push(piece, &mut events);
        take_away(&mut events);
    }
    decoder.finish(&mut events);
    take_away(&mut events);
    let seconds = started.elapsed().as_secs_f64();
    let allocations = CountingAllocator::allocations() - before;
    ensure!(ended && count > stream.len() / 1000, "it ended early or not well");
    Ok(Reading {
        megabytes_per_second: stream.len() as f64 / 1e6 / seconds,
        events_per_second: count as f64 / seconds,
        allocations: allocations as f64 / count as f64,
    })
}

impl Recording {
    /// The recorded answer with its words again and again.
    fn long(&self) -> anyhow::Result<Vec<u8>> {
        let frames = self.cut()?;
        let (mut stream, mut grown) = (Vec::new(), false);
        for frame in frames {
            let repeats = contains(frame, self.words.as_bytes());
            stream.extend_from_slice(frame);
            while repeats && stream.len() < STREAM_BYTES {
                stream.extend_from_slice(frame);
                grown = true;
            }
        }
        ensure!(grown, "no frame holds {:?}", self.words);
        Ok(stream)
    }

    fn cut(&self) -> anyhow::Result<Vec<&'static [u8]>> {
        let Frames::After(separator) = self.frames else { return counted(self.bytes) };
        let text = std::str::from_utf8(self.bytes)?;
        Ok(text.split_inclusive(separator).map(str::as_bytes).collect())
    }
}

fn counted(mut bytes: &'static [u8]) -> anyhow::Result<Vec<&'static [u8]>> {
    let mut frames = Vec::new();
    while let Some(length) = bytes.first_chunk::<4>() {
        let length = usize::try_from(u32::from_be_bytes(*length))?;
        let (frame, rest) = bytes.split_at_checked(length).context("a frame is cut")?;
        frames.push(frame);
        bytes = rest;
    }
    Ok(frames)
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}
