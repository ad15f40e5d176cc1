//! What framings promise: the same frames however the bytes are cut, or the same error.

use std::fmt::Debug;

use openclaw_providers::framing::{AwsEventStreamSplitter, LineSplitter, SseEvent, SseSplitter};

use crate::cuts;
use crate::mend::mended;

pub(crate) fn lines(data: &[u8]) {
    same_in_all_ways(data, |pieces| {
        let (mut splitter, mut found) = (LineSplitter::default(), Vec::new());
        for piece in pieces {
            if let Err(error) = splitter.push(piece, |line| found.push(line.to_vec())) {
                return (found, Some(error));
            }
        }
        found.extend(splitter.finish());
        for line in &found {
            assert!(!line.contains(&b'\n'), "a line holds a line end");
        }
        (found, None)
    });
}

pub(crate) fn sse(data: &[u8]) {
    same_in_all_ways(data, |pieces| {
        let owned = |event: SseEvent<'_>| (event.name.map(str::to_owned), event.data.to_owned());
        let (mut splitter, mut found) = (SseSplitter::default(), Vec::new());
        for piece in pieces {
            if let Err(error) = splitter.push(piece, |event| found.push(owned(event))) {
                return (found, Some(error));
            }
        }
        found.extend(splitter.finish().map(owned));
        (found, None)
    });
}

pub(crate) fn aws_event_stream(data: &[u8]) {
    for data in [data.to_vec(), mended(data)] {
        same_in_all_ways(&data, |pieces| {
            let (mut splitter, mut found) = (AwsEventStreamSplitter::default(), Vec::new());
            for piece in pieces {
                let taken = splitter.push(piece, |message| {
                    let headers: Vec<(String, String)> = message
                        .headers
                        .iter()
                        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
                        .collect();
                    found.push((headers, message.payload.to_vec()));
                });
                if let Err(error) = taken {
                    return (found, Some(error));
                }
            }
            (found, None)
        });
    }
}

fn same_in_all_ways<T: PartialEq + Debug>(data: &[u8], split: impl Fn(&[&[u8]]) -> T) {
    let mut ways = cuts::ways(data).into_iter();
    let whole = ways.next().map(|pieces| split(&pieces));
    for pieces in ways {
        assert_eq!(Some(split(&pieces)), whole, "cuts matter");
    }
}
