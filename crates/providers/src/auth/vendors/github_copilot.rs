//! GitHub Copilot: a code typed in on any device gives a GitHub token, which is traded for one of the service.

use super::{ClientName, DeviceProof, Renewal, SignInVendor, SignInWay, VendorUrls};

pub(super) fn vendor() -> SignInVendor {
    SignInVendor {
        provider: "github-copilot",
        name: "GitHub Copilot",
        client: ClientName::Public("Iv1.b507a08c87ecfe98"),
        scope: "read:user",
        way: Some(SignInWay::Device { proof: DeviceProof::None }),
        renewal: Renewal::CopilotExchange,
        urls: VendorUrls {
            token: "https://github.com/login/oauth/access_token".to_owned(),
            device: "https://github.com/login/device/code".to_owned(),
            exchange: "https://api.github.com/copilot_internal/v2/token".to_owned(),
            ..VendorUrls::default()
        },
    }
}
