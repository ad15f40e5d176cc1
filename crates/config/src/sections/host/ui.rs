//! The `ui` section: how the web page looks.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

/// How the web page looks.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UiSection {
    /// The accent colour, as RRGGBB.
    #[schemars(regex(pattern = r"^#?[0-9a-fA-F]{6}$"))]
    pub seam_color: Option<String>,
    /// How the assistant is presented.
    pub assistant: Option<UiAssistant>,
}

/// How the assistant is presented.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UiAssistant {
    /// Its name.
    #[schemars(length(max = 50))]
    pub name: Option<String>,
    /// Its picture: an address, a path in the workspace, a letter or an emoji.
    #[schemars(length(max = 200))]
    pub avatar: Option<String>,
}
