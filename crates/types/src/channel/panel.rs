//! Words with something to press, choose and fill in below them, where a platform has that.
//!
//! What people do with it comes back as a press: a button with what it carries, a menu with what was chosen, a form with its
//! fields, one to a line.

use serde::{Deserialize, Serialize};

use crate::RichText;

/// Words with controls below them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Panel {
    /// The words.
    pub text: RichText,
    /// What is below them, row by row.
    pub rows: Vec<PanelRow>,
    /// What a button below all of them opens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<PanelForm>,
}

/// A row of controls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PanelRow {
    /// Buttons side by side.
    Buttons(Vec<PanelButton>),
    /// One menu.
    Menu(Menu),
}

/// A button.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PanelButton {
    /// What it says.
    pub label: String,
    /// What it looks like.
    pub look: ButtonLook,
    /// What pressing it does.
    pub does: Pressed,
    /// Whether it cannot be pressed.
    #[serde(default)]
    pub off: bool,
}

/// What a button looks like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ButtonLook {
    /// Like all others.
    #[default]
    Plain,
    /// As the one that is meant.
    Primary,
    /// As one that agrees.
    Success,
    /// As one that cannot be taken back.
    Danger,
}

/// What pressing a button does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Pressed {
    /// These words come back to us.
    Says(String),
    /// A page opens; nothing comes back.
    Opens(String),
}

/// A menu to choose from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Menu {
    /// What it offers.
    pub of: MenuOf,
    /// What it says while nothing is chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// How much has to be chosen at least.
    pub least: u32,
    /// How much may be chosen at most.
    pub most: u32,
}

/// What a menu offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MenuOf {
    /// These.
    Options(Vec<MenuOption>),
    /// The people there.
    People,
    /// Their roles.
    Roles,
    /// People and roles.
    PeopleAndRoles,
    /// The rooms there.
    Rooms,
}

/// Something that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MenuOption {
    /// What it says.
    pub label: String,
    /// What comes back.
    pub value: String,
    /// More about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

/// A form that a button opens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PanelForm {
    /// What stands above it.
    pub title: String,
    /// What the button says.
    pub button: String,
    /// What the button looks like.
    #[serde(default)]
    pub look: ButtonLook,
    /// What is filled in.
    pub fields: Vec<FormField>,
}

/// A field of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FormField {
    /// What it is called when it comes back.
    pub name: String,
    /// What stands above it.
    pub label: String,
    /// More about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// What goes into it.
    pub kind: FieldKind,
    /// Whether it has to be filled in.
    pub required: bool,
}

/// What goes into a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FieldKind {
    /// A line of words, with what it says while it is empty.
    Line(Option<String>),
    /// Several lines.
    Lines(Option<String>),
    /// A choice from a menu.
    Menu(Menu),
    /// One of a few, all of them shown.
    One(Vec<MenuOption>),
    /// Some of a few, all of them shown.
    Some(Vec<MenuOption>),
}
