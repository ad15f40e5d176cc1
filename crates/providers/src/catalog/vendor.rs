//! The form in which vendors and their models are written down: plain constants, one line for each model.
//!
//! Nothing here allocates or is read at start; `assemble` turns a vendor into facts when a catalog is built. The tables
//! themselves are in `vendors`.

use openclaw_ports::model::{ApiName, Compatibility, MaxTokensField, Prices, SignIn, ThinkingFormat};
use openclaw_types::ThinkingLevel::{self, High, Low, Medium, Minimal, XHigh};

/// One vendor or model server that the program knows by itself.
#[derive(Debug)]
pub struct Vendor {
    /// Its name in references.
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// The protocol of its models, unless a model says otherwise.
    pub api: ApiName,
    /// The root of its interface. Words in braces stand for what the environment fills in.
    pub base_url: &'static str,
    /// What it wants to see before it answers.
    pub sign_in: SignIn,
    /// Variables that may hold its key, the first that is set counts.
    pub variables: &'static [&'static str],
    /// Which models it answers for besides the listed ones.
    pub offers: Offers,
    /// The model to begin with, where one can be named.
    pub first_model: Option<&'static str>,
    /// What it does differently from what its address tells.
    pub quirks: &'static [Quirk],
    /// Its models, in the order people should see them.
    pub models: &'static [VendorModel],
}

/// Which models a vendor answers for besides the listed ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offers {
    /// Newer relatives of the listed ones.
    Relatives,
    /// Whatever it is asked for: a router with a list that changes daily.
    Anything,
    /// What a person put on a server of their own.
    OwnModels,
}

/// What a server does differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quirk {
    /// It does not know the developer role.
    NoDeveloperRole,
    /// It does not know the `store` field.
    NoStore,
    /// It does not take an effort of reasoning.
    NoEffort,
    /// It does not take `strict` tool schemas.
    NoStrict,
    /// It limits answers with `max_tokens`.
    MaxTokens,
    /// It is told to think with a `thinking` object.
    ThinkingObject,
    /// It wants its key as a bearer token, whatever the protocol's own header is.
    KeyAsBearer,
}

impl Quirk {
    /// Notes the quirk.
    pub(super) fn note(self, compatibility: &mut Compatibility) {
        match self {
            Self::NoDeveloperRole => compatibility.developer_role = false,
            Self::NoStore => compatibility.store = false,
            Self::NoEffort => compatibility.reasoning_effort = false,
            Self::NoStrict => compatibility.strict_tools = false,
            Self::MaxTokens => compatibility.max_tokens_field = MaxTokensField::MaxTokens,
            Self::ThinkingObject => compatibility.thinking_format = ThinkingFormat::Object,
            Self::KeyAsBearer => compatibility.key_as_bearer = true,
        }
    }
}

/// One model.
#[derive(Debug, Clone, Copy)]
pub struct VendorModel {
    /// The vendor's name for it.
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// The most it can read and write together.
    pub context: u64,
    /// The most it can write.
    pub output: u64,
    /// Whether it can see pictures.
    pub sees_images: bool,
    /// How hard it can think, besides not at all.
    pub thinking: &'static [ThinkingLevel],
    /// Whether it can be told how hard to think.
    pub steered: bool,
    /// What it costs, where that is known.
    pub prices: Option<Prices>,
    /// Its own protocol and address, where they are not its vendor's.
    pub door: Option<(ApiName, &'static str)>,
}

/// A budget or an effort in four steps.
pub(super) const FOUR: &[ThinkingLevel] = &[Minimal, Low, Medium, High];
/// The three efforts that most thinking models take.
pub(super) const THREE: &[ThinkingLevel] = &[Low, Medium, High];
/// The three efforts and one beyond.
pub(super) const BEYOND: &[ThinkingLevel] = &[Low, Medium, High, XHigh];
/// Every step there is.
pub(super) const FIVE: &[ThinkingLevel] = &[Minimal, Low, Medium, High, XHigh];
/// A little or much.
pub(super) const TWO: &[ThinkingLevel] = &[Low, High];
/// From the middle on.
pub(super) const UPPER: &[ThinkingLevel] = &[Medium, High];
/// From the middle on and beyond.
pub(super) const UPPER_BEYOND: &[ThinkingLevel] = &[Medium, High, XHigh];
/// The middle alone.
pub(super) const MIDDLE: &[ThinkingLevel] = &[Medium];
/// Much alone.
pub(super) const MUCH: &[ThinkingLevel] = &[High];
/// On or off.
pub(super) const SWITCH: &[ThinkingLevel] = &[Low];

/// A model that reads and writes text, at an unknown price.
pub(super) const fn model(id: &'static str, name: &'static str, context: u64, output: u64) -> VendorModel {
    VendorModel {
        id,
        name,
        context,
        output,
        sees_images: false,
        thinking: &[],
        steered: true,
        prices: None,
        door: None,
    }
}

impl VendorModel {
    /// It can see pictures.
    pub(super) const fn sees(mut self) -> Self {
        self.sees_images = true;
        self
    }

    /// It can think this hard.
    pub(super) const fn thinks(mut self, levels: &'static [ThinkingLevel]) -> Self {
        self.thinking = levels;
        self
    }

    /// It thinks, and cannot be told how hard.
    pub(super) const fn thinks_freely(mut self) -> Self {
        self.thinking = SWITCH;
        self.steered = false;
        self
    }

    /// It costs this much for a million tokens each: read, written, read from the cache, put into the cache.
    pub(super) const fn costs(mut self, input: f64, output: f64, cache_read: f64, cache_write: f64) -> Self {
        self.prices = Some(Prices { input, output, cache_read, cache_write });
        self
    }

    /// A call costs nothing, or a subscription pays for it.
    pub(super) const fn free(self) -> Self {
        self.costs(0.0, 0.0, 0.0, 0.0)
    }

    /// It is called elsewhere or otherwise than its vendor's other models.
    pub(super) const fn at(mut self, api: ApiName, base_url: &'static str) -> Self {
        self.door = Some((api, base_url));
        self
    }
}
