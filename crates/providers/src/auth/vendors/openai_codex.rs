//! ChatGPT subscriptions: in the browser, with the public client of the vendor's own command line.

use super::{ClientName, Renewal, SignInVendor, SignInWay, VendorUrls};

pub(super) fn vendor() -> SignInVendor {
    SignInVendor {
        provider: "openai-codex",
        name: "ChatGPT (Codex)",
        client: ClientName::Public("app_EMoamEEZ73f0CkXaXp7hrann"),
        scope: "openid profile email offline_access",
        way: Some(SignInWay::Browser {
            callback_path: "/auth/callback",
            extra: &[
                ("id_token_add_organizations", "true"),
                ("codex_cli_simplified_flow", "true"),
                ("originator", "openclaw"),
            ],
        }),
        renewal: Renewal::Form,
        urls: VendorUrls {
            authorize: "https://auth.openai.com/oauth/authorize".to_owned(),
            token: "https://auth.openai.com/oauth/token".to_owned(),
            callback_port: 1455,
            ..VendorUrls::default()
        },
    }
}
