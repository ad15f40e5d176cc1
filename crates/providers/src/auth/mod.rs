//! Credentials: what signs an agent in at a vendor, kept, renewed and unlocked only for the call that needs it.
//!
//! `sign_ins` answers the contract of `ports::model::Credentials` from the store, variables, the configuration and the
//! vendors' own files; `aws` and `google` read those files. `login` are the ways a person signs in, `vendors` what is
//! known about each as data, `oauth` the pieces they share. `import` reads and writes the original's files, `external`
//! finds the sign-ins of other programs, and `web` writes the calls that the transport makes.

mod aws;
mod external;
mod fault;
mod google;
mod import;
mod login;
mod oauth;
mod sign_ins;
mod vendors;
mod web;

#[cfg(test)]
mod testing;

pub use external::{OtherProgram, find_other_sign_ins};
pub use import::{
    AuthFile, FileRest, ImportError, ImportProblem, read_auth_map, read_auth_profiles, read_oauth_file,
    write_auth_profiles,
};
pub use login::{
    DeviceCode, LoginContext, LoginError, LoginPrompt, LoginReply, api_key_profile, login,
    paste_token_profile, setup_token_profile, token_profile_id,
};
pub use sign_ins::{SignInInputs, SignIns, SignInsParts};
pub use vendors::{ClientName, DeviceProof, Renewal, SignInVendor, SignInVendors, SignInWay, VendorUrls};
