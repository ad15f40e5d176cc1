//! Signatures against vectors that were not made here: AWS's published test suite for version 4, and one request to
//! Bedrock as AWS's own SDK for JavaScript signs it. The keys are the examples of the documentation.

use std::collections::BTreeMap;

use openclaw_ports::model::{FaultReason, ModelFault};
use openclaw_types::{Secret, UnixMillis};

use super::{AwsCredentials, AwsRequest, AwsScope, aws_region, sign_aws};

/// 2015-08-30 12:36:00 UTC.
const SUITE_TIME: UnixMillis = UnixMillis(1_440_938_160_000);
const LETTERS: &str = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

fn credentials(token: Option<&str>) -> AwsCredentials {
    AwsCredentials {
        access_key: "AKIDEXAMPLE".to_owned(),
        secret_key: Secret::new("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".to_owned()),
        session_token: token.map(|token| Secret::new(token.to_owned())),
    }
}

fn headers(pairs: &[(&str, &str)]) -> BTreeMap<String, Secret<String>> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), Secret::new((*value).to_owned()))).collect()
}

fn check(request: (&str, &str, &[(&str, &str)], &str), signed: &str, signature: &str) {
    let (method, path, given, body) = request;
    let url = format!("https://example.amazonaws.com{path}");
    let given = headers(given);
    let request = AwsRequest { method, url: &url, headers: &given, body: body.as_bytes() };
    let scope = AwsScope { region: "us-east-1", service: "service", at: SUITE_TIME };
    let added = sign_aws(&request, &credentials(None), &scope).unwrap();
    let proof = format!(
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
         SignedHeaders={signed}, Signature={signature}"
    );
    let expected = headers(&[("authorization", proof.as_str()), ("x-amz-date", "20150830T123600Z")]);
    assert!(added == expected, "{method} {path}: {}", added["authorization"].reveal());
}

#[test]
fn paths_are_signed_without_detours_and_escaped() {
    let root = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31";
    let letters = format!("/{LETTERS}");
    for (path, signature) in [
        ("/", root),
        ("", root),
        ("/example1/example2/../..", root),
        ("/example/..", root),
        ("/./", root),
        ("//", root),
        ("/./example", "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5"),
        ("//example//", "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"),
        ("/example space/", "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"),
        ("/ሴ", "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        (&letters, "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
    ] {
        check(("GET", path, &[], ""), "host;x-amz-date", signature);
    }
}

#[test]
fn queries_are_signed_in_order_and_escaped_once() {
    let letters = format!("/?{LETTERS}={LETTERS}");
    let utf8 = "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04";
    for (path, signature) in [
        ("/?Param1=value1", "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
        ("/?Param2=value2&Param1=value1", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        ("/?Param1=value2&Param1=Value1", "eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1"),
        ("/?Param1=value2&Param1=value1", "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"),
        ("/?ሴ=bar", utf8),
        ("/?%E1%88%B4=bar", utf8),
        (&letters, "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
    ] {
        check(("GET", path, &[], ""), "host;x-amz-date", signature);
    }
}

#[test]
fn headers_are_signed_with_single_spaces_and_those_that_change_on_the_way_are_not() {
    let form = "application/x-www-form-urlencoded";
    check(
        ("GET", "/", &[("my-header1", " value1"), ("my-header2", " \"a   b   c\"")], ""),
        "host;my-header1;my-header2;x-amz-date",
        "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
    );
    check(
        ("GET", "/", &[("my-header1", "value2,value2,value1")], ""),
        "host;my-header1;x-amz-date",
        "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea",
    );
    check(
        ("POST", "/", &[("My-Header1", "VALUE1")], ""),
        "host;my-header1;x-amz-date",
        "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d",
    );
    check(
        (
            "POST",
            "/",
            &[("content-type", form), ("content-length", "13"), ("user-agent", "x")],
            "Param1=value1",
        ),
        "content-type;host;x-amz-date",
        "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    );
}

#[test]
fn a_lent_key_brings_its_token_along() {
    let token = "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";
    let none = BTreeMap::new();
    let request =
        AwsRequest { method: "POST", url: "https://example.amazonaws.com/", headers: &none, body: b"" };
    let scope = AwsScope { region: "us-east-1", service: "service", at: SUITE_TIME };
    let added = sign_aws(&request, &credentials(Some(token)), &scope).unwrap();
    let proof = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
                 SignedHeaders=host;x-amz-date;x-amz-security-token, \
                 Signature=85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead";
    let expected = headers(&[
        ("authorization", proof),
        ("x-amz-date", "20150830T123600Z"),
        ("x-amz-security-token", token),
    ]);
    assert!(added == expected);
}

#[test]
fn a_call_of_a_model_is_signed_as_the_vendors_own_library_signs_it() {
    let given = headers(&[
        ("content-type", "application/json"),
        ("accept", "application/vnd.amazon.eventstream"),
        ("user-agent", "x"),
    ]);
    let url = "https://bedrock-runtime.eu-west-1.amazonaws.com/model/\
               eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream";
    let request = AwsRequest { method: "POST", url, headers: &given, body: br#"{"messages":[]}"# };
    // 2026-11-15 23:00:01.5 UTC.
    let scope = AwsScope { region: "eu-west-1", service: "bedrock", at: UnixMillis(1_794_783_601_500) };
    let added = sign_aws(&request, &credentials(Some("lent/token==")), &scope).unwrap();
    let proof = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261115/eu-west-1/bedrock/aws4_request, \
                 SignedHeaders=accept;content-type;host;x-amz-date;x-amz-security-token, \
                 Signature=1cead85ea3f8f864692c2fc8a91ed0866e458e3ba6283dba40a59a194bf0b4a3";
    let expected = headers(&[
        ("authorization", proof),
        ("x-amz-date", "20261115T230001Z"),
        ("x-amz-security-token", "lent/token=="),
    ]);
    assert!(added == expected, "{}", added["authorization"].reveal());
}

#[test]
fn what_cannot_be_signed_says_why() {
    let none = BTreeMap::new();
    let signed = |url: &str, at| {
        let request = AwsRequest { method: "POST", url, headers: &none, body: b"" };
        let scope = AwsScope { region: "us-east-1", service: "bedrock", at: UnixMillis(at) };
        sign_aws(&request, &credentials(None), &scope)
    };
    for (url, why) in [
        ("bedrock", "the request cannot be signed: the address has no scheme"),
        ("https:///x", "the request cannot be signed: the address has no host"),
    ] {
        assert_eq!(signed(url, 0), Err(ModelFault::new(FaultReason::Format, why)));
    }
    assert!(signed("https://host", i64::MAX).is_err());
}

#[test]
fn no_secret_shows_in_a_debug_print() {
    let shown = format!("{:?}", credentials(Some("lent")));
    assert!(!shown.contains("wJalr") && !shown.contains("lent"), "{shown}");
}

#[test]
fn an_address_of_the_vendor_names_its_region() {
    for (url, region) in [
        ("https://bedrock-runtime.eu-west-1.amazonaws.com/", Some("eu-west-1")),
        ("https://bedrock-runtime.cn-north-1.amazonaws.com.cn", Some("cn-north-1")),
        ("https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com", Some("us-gov-west-1")),
        ("http://localhost:8080", None),
        ("nonsense", None),
    ] {
        assert_eq!(aws_region(url), region, "{url}");
    }
}
