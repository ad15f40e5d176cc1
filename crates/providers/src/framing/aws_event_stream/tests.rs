//! Messages come out the same however the bytes are cut, and damage is noticed.

use proptest::prelude::*;

use super::{AwsEventStreamSplitter, AwsFramingError, MAX_FRAME_BYTES, crc32};

type Message = (Vec<(String, String)>, Vec<u8>);

/// A message with headers of text.
pub(crate) fn message(headers: &[(&str, &str)], payload: &[u8]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in headers {
        block.push(u8::try_from(name.len()).unwrap());
        block.extend(name.as_bytes());
        block.push(7);
        block.extend(u16::try_from(value.len()).unwrap().to_be_bytes());
        block.extend(value.as_bytes());
    }
    raw(&block, payload)
}

fn raw(headers: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut bytes = u32::try_from(16 + headers.len() + payload.len()).unwrap().to_be_bytes().to_vec();
    bytes.extend(u32::try_from(headers.len()).unwrap().to_be_bytes());
    bytes.extend(crc32(&bytes).to_be_bytes());
    bytes.extend(headers);
    bytes.extend(payload);
    bytes.extend(crc32(&bytes).to_be_bytes());
    bytes
}

fn split(pieces: &[&[u8]]) -> (Vec<Message>, Result<(), AwsFramingError>) {
    let mut splitter = AwsEventStreamSplitter::default();
    let mut found = Vec::new();
    for piece in pieces {
        let taken = splitter.push(piece, |message| {
            let headers = message.headers.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
            found.push((headers.collect(), message.payload.to_vec()));
        });
        if taken.is_err() {
            return (found, taken);
        }
    }
    (found, Ok(()))
}

fn owned(headers: &[(&str, &str)], payload: &[u8]) -> Message {
    (headers.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect(), payload.to_vec())
}

#[test]
fn the_checksum_is_the_well_known_one() {
    assert_eq!((crc32(b""), crc32(b"123456789")), (0, 0xcbf4_3926));
}

#[test]
fn messages_made_by_another_implementation_are_read() {
    // The smallest message there is, and one with a payload.
    let empty = hex::decode("000000100000000005c248eb7d98c8ff").unwrap();
    let json = hex::decode(
        "0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e\
         7b27666f6f273a27626172277d8d9c08b1",
    )
    .unwrap();
    let (found, taken) = split(&[&empty, &json]);
    let expected = [owned(&[], b""), owned(&[("content-type", "application/json")], b"{'foo':'bar'}")];
    assert_eq!((found.as_slice(), taken), (expected.as_slice(), Ok(())));
}

#[test]
fn headers_of_every_type_are_stepped_over() {
    let mut block = Vec::new();
    for (kind, value) in [
        (0_u8, vec![]),
        (1, vec![]),
        (2, vec![1]),
        (3, vec![1; 2]),
        (4, vec![1; 4]),
        (5, vec![1; 8]),
        (6, vec![0, 2, 1, 1]),
        (8, vec![1; 8]),
        (9, vec![1; 16]),
        (7, vec![0, 2, b'o', b'k']),
    ] {
        block.extend([1, b'a' + kind, kind]);
        block.extend(value);
    }
    let (found, taken) = split(&[&raw(&block, b"x")]);
    assert_eq!((found, taken), (vec![owned(&[("h", "ok")], b"x")], Ok(())));
}

#[test]
fn what_makes_no_sense_is_an_error_and_what_came_before_it_is_kept() {
    let good = message(&[("a", "b")], b"{}");
    let mut bad_prelude = good.clone();
    bad_prelude[0] ^= 1;
    let mut bad_payload = good.clone();
    let end = bad_payload.len() - 5;
    bad_payload[end] ^= 1;
    let prelude = |total: u32, headers: u32| {
        let mut bytes = total.to_be_bytes().to_vec();
        bytes.extend(headers.to_be_bytes());
        bytes.extend(crc32(&bytes).to_be_bytes());
        bytes
    };
    for (bad, error) in [
        (bad_prelude, AwsFramingError::Corrupt),
        (bad_payload, AwsFramingError::Corrupt),
        (prelude(15, 0), AwsFramingError::Misshapen),
        (prelude(20, 5), AwsFramingError::Misshapen),
        (prelude(u32::try_from(MAX_FRAME_BYTES).unwrap() + 1, 0), AwsFramingError::TooLarge),
        (raw(&[1, b'a', 10], b""), AwsFramingError::Misshapen),
        (raw(&[9, b'a'], b""), AwsFramingError::Misshapen),
        (raw(&[1, b'a', 7, 0, 9, b'x'], b""), AwsFramingError::Misshapen),
        (raw(&[1, 0xff, 7, 0, 1, b'x'], b""), AwsFramingError::Misshapen),
    ] {
        let (found, taken) = split(&[&good, &bad]);
        assert_eq!((found, taken), (vec![owned(&[("a", "b")], b"{}")], Err(error)), "{bad:?}");
    }
}

proptest! {
    #[test]
    fn cuts_do_not_matter(
        messages in prop::collection::vec(("[a-z]{1,9}", "[a-zé]{0,9}", prop::collection::vec(any::<u8>(), 0..40)), 0..6),
        cuts in prop::collection::vec(0usize..400, 0..8),
    ) {
        let bytes: Vec<u8> =
            messages.iter().flat_map(|(name, text, payload)| message(&[(name, text)], payload)).collect();
        let expected: Vec<Message> =
            messages.iter().map(|(name, text, payload)| owned(&[(name, text)], payload)).collect();
        let mut places: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        let pieces: Vec<&[u8]> = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        prop_assert_eq!(split(&pieces), (expected, Ok(())));
    }

    #[test]
    fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let (found, _) = split(&[&bytes]);
        prop_assert_eq!(found, Vec::new());
    }
}

#[test]
fn more_headers_than_the_protocol_allows_make_no_sense() {
    let stream = raw(&[0; 128 * 1024 + 1], b"");
    assert_eq!(split(&[&stream]), (Vec::new(), Err(AwsFramingError::Misshapen)));
}
