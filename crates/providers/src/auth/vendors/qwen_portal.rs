//! Qwen: a code typed in on any device, with a proof. The answer also says where the account is served.

use super::{ClientName, DeviceProof, Renewal, SignInVendor, SignInWay, VendorUrls};

pub(super) fn vendor() -> SignInVendor {
    SignInVendor {
        provider: "qwen-portal",
        name: "Qwen",
        client: ClientName::Public("f0304373b74a44d2b584a3fb70ca9e56"),
        scope: "openid profile email model.completion",
        way: Some(SignInWay::Device { proof: DeviceProof::Challenge }),
        renewal: Renewal::Form,
        urls: VendorUrls {
            token: "https://chat.qwen.ai/api/v1/oauth2/token".to_owned(),
            device: "https://chat.qwen.ai/api/v1/oauth2/device/code".to_owned(),
            ..VendorUrls::default()
        },
    }
}
