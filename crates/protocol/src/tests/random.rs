//! Whatever arrives, the reader answers and does not fall over.

use proptest::prelude::*;
use serde_json::value::to_raw_value;
use serde_json::{Map, Value};

use crate::{ConnectParams, METHODS, Request, ServerFrame, close_reason};

fn any_json() -> impl Strategy<Value = Value> {
    let words = prop_oneof![
        Just("req"),
        Just("id"),
        Just("method"),
        Just("params"),
        Just("type"),
        Just("key"),
        Just("kind"),
        Just("at"),
        Just("sessionKey"),
        Just("client"),
        Just("maxProtocol"),
        Just("patch"),
        Just("schedule"),
        Just("message"),
        Just(""),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        words.clone().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        let entry = (words.clone(), inner.clone()).prop_map(|(key, value)| (key.to_owned(), value));
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(Value::from),
            prop::collection::vec(entry, 0..6).prop_map(|entries| Value::Object(Map::from_iter(entries))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Err(fault) = Request::parse(&bytes) {
            prop_assert!(!fault.to_string().is_empty());
        }
        if let Err(error) = ServerFrame::parse(&bytes) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn any_json_is_a_request_or_refused_with_a_reason(value in any_json()) {
        let text = value.to_string();
        match Request::parse(text.as_bytes()) {
            Ok(request) => prop_assert!(!request.id.is_empty() && !request.method.is_empty()),
            Err(fault) => {
                let (_, error) = fault.to_answer().expect("it is JSON");
                prop_assert!(error.message.starts_with("invalid request frame: at "));
            }
        }
    }

    #[test]
    fn any_params_of_any_method_are_read_or_refused_in_the_known_form(value in any_json(), pick in any::<prop::sample::Index>()) {
        let spec = &METHODS[pick.index(METHODS.len())];
        let raw = to_raw_value(&value).unwrap();
        if let Err(error) = spec.check_params(Some(&raw)) {
            let start = format!("invalid {} params: at ", spec.name);
            prop_assert!(error.message.starts_with(&start), "{}", error.message);
        }
        if let Err(error) = ConnectParams::decode(Some(&raw)) {
            prop_assert!(error.message.starts_with("invalid connect params: at "));
        }
    }

    #[test]
    fn any_reason_is_cut_to_what_fits_and_is_a_prefix(text in ".{0,200}") {
        let cut = close_reason(&text);
        prop_assert!(cut.len() <= 120 && text.starts_with(cut));
    }
}
