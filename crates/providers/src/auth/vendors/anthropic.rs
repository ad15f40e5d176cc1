//! Anthropic: people paste a setup token instead of signing in here. Sign-ins that were brought along are renewed.

use super::{ClientName, Renewal, SignInVendor, VendorUrls};

pub(super) fn vendor() -> SignInVendor {
    SignInVendor {
        provider: "anthropic",
        name: "Anthropic",
        client: ClientName::Public("9d1c250a-e61b-44d9-88ed-5944d1962f5e"),
        scope: "",
        way: None,
        renewal: Renewal::Json,
        urls: VendorUrls {
            token: "https://console.anthropic.com/v1/oauth/token".to_owned(),
            ..VendorUrls::default()
        },
    }
}
