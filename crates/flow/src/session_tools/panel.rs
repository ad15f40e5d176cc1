//! Reads `components`: what people may press, choose and fill in below a message, in the form that scripts and agents write
//! it. Pure.
//!
//! `{ text?, blocks: [{ type: "text", text } | { type: "actions", buttons: [...] } | { type: "actions", select: {...} }],
//! modal?: { title, triggerLabel?, triggerStyle?, fields: [...] } }`.

use openclaw_types::{
    ButtonLook, FieldKind, FormField, Menu, MenuOf, MenuOption, PanelButton, PanelForm, PanelRow, Pressed,
};
use serde_json::Value;

/// What was asked for, before its words are read as Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PanelRequest {
    /// The words, which may be none.
    pub(super) text: String,
    pub(super) rows: Vec<PanelRow>,
    pub(super) form: Option<PanelForm>,
}

/// Reads it, or says what is wrong with it.
pub(super) fn read(written: &Value) -> Result<PanelRequest, String> {
    let parsed: Value;
    let written = match written {
        Value::String(text) => {
            parsed =
                serde_json::from_str(text).map_err(|error| format!("`components` is no JSON: {error}"))?;
            &parsed
        }
        other => other,
    };
    if !written.is_object() {
        return Err("`components` is an object with `blocks`, and `modal` where a form is wanted".to_owned());
    }
    let mut texts: Vec<&str> = word(written, "text").into_iter().collect();
    let mut rows = Vec::new();
    for block in list(written, "blocks") {
        match word(block, "type") {
            Some("text") => texts.extend(word(block, "text")),
            Some("actions") => rows.push(row(block)?),
            Some("separator") => {}
            other => {
                let name = other.unwrap_or("nothing");
                return Err(format!(
                    "a block of `components` is `text`, `actions` or `separator`, not {name}"
                ));
            }
        }
    }
    let form = written.get("modal").filter(|modal| !modal.is_null()).map(form).transpose()?;
    if rows.is_empty() && form.is_none() {
        return Err(
            "`components` has nothing to press: give `actions` among its `blocks`, or a `modal`".to_owned()
        );
    }
    Ok(PanelRequest { text: texts.join("\n\n"), rows, form })
}

fn row(block: &Value) -> Result<PanelRow, String> {
    let buttons = list(block, "buttons");
    match (buttons.is_empty(), block.get("select")) {
        (false, None) => Ok(PanelRow::Buttons(buttons.iter().map(button).collect::<Result<_, _>>()?)),
        (true, Some(select)) => Ok(PanelRow::Menu(menu(select)?)),
        _ => Err("an `actions` block has `buttons` or one `select`".to_owned()),
    }
}

fn button(written: &Value) -> Result<PanelButton, String> {
    let label = word(written, "label").or_else(|| word(written, "text")).ok_or("a button needs a `label`")?;
    if !list(written, "allowedUsers").is_empty() {
        return Err(
            "a button here can be pressed by everybody who may talk to the agent; leave `allowedUsers` out"
                .to_owned(),
        );
    }
    let address = word(written, "url");
    let does = match address {
        Some(address) if address.starts_with("https://") || address.starts_with("http://") => {
            Pressed::Opens(address.to_owned())
        }
        Some(address) => return Err(format!("\"{address}\" is no address of a page")),
        None => {
            let says = ["value", "callback_data", "data"].into_iter().find_map(|name| word(written, name));
            Pressed::Says(says.unwrap_or(label).to_owned())
        }
    };
    let look = match word(written, "style") {
        Some("link") if address.is_none() => return Err("a button that is a link needs a `url`".to_owned()),
        Some("link") => ButtonLook::Plain,
        style => look(style)?,
    };
    let off = written.get("disabled").and_then(Value::as_bool) == Some(true);
    Ok(PanelButton { label: label.to_owned(), look, does, off })
}

fn look(style: Option<&str>) -> Result<ButtonLook, String> {
    match style {
        None | Some("secondary") => Ok(ButtonLook::Plain),
        Some("primary") => Ok(ButtonLook::Primary),
        Some("success") => Ok(ButtonLook::Success),
        Some("danger") => Ok(ButtonLook::Danger),
        Some(other) => Err(format!("a button is primary, secondary, success, danger or link, not {other}")),
    }
}

fn menu(written: &Value) -> Result<Menu, String> {
    let of = match word(written, "type") {
        None | Some("string") => MenuOf::Options(options(written)?),
        Some("user") => MenuOf::People,
        Some("role") => MenuOf::Roles,
        Some("mentionable") => MenuOf::PeopleAndRoles,
        Some("channel") => MenuOf::Rooms,
        Some(other) => {
            return Err(format!(
                "a `select` is of type string, user, role, mentionable or channel, not {other}"
            ));
        }
    };
    bounded(of, written)
}

/// A menu with as much to choose as is written.
fn bounded(of: MenuOf, written: &Value) -> Result<Menu, String> {
    let number =
        |name: &str| written.get(name).and_then(Value::as_u64).and_then(|many| u32::try_from(many).ok());
    let (least, most) = (number("minValues").unwrap_or(1), number("maxValues").unwrap_or(1));
    if most == 0 || least > most {
        return Err("`maxValues` is 1 at least, and not less than `minValues`".to_owned());
    }
    Ok(Menu { of, hint: word(written, "placeholder").map(str::to_owned), least, most })
}

fn options(written: &Value) -> Result<Vec<MenuOption>, String> {
    let option = |one: &Value| {
        let label = one.as_str().or_else(|| word(one, "label")).ok_or("an option needs a `label`")?;
        Ok(MenuOption {
            label: label.to_owned(),
            value: word(one, "value").unwrap_or(label).to_owned(),
            about: word(one, "description").map(str::to_owned),
        })
    };
    let options: Vec<MenuOption> =
        list(written, "options").iter().map(option).collect::<Result<_, String>>()?;
    if options.is_empty() { Err("give the `options` to choose from".to_owned()) } else { Ok(options) }
}

fn form(written: &Value) -> Result<PanelForm, String> {
    let title = word(written, "title").ok_or("a `modal` needs a `title`")?;
    let fields: Vec<FormField> = list(written, "fields")
        .iter()
        .enumerate()
        .map(|(at, one)| field(at, one))
        .collect::<Result<_, _>>()?;
    if fields.is_empty() {
        return Err("a `modal` needs `fields`".to_owned());
    }
    Ok(PanelForm {
        title: title.to_owned(),
        button: word(written, "triggerLabel").unwrap_or(title).to_owned(),
        look: look(word(written, "triggerStyle"))?,
        fields,
    })
}

fn field(at: usize, written: &Value) -> Result<FormField, String> {
    let label = word(written, "label").ok_or("a field of a `modal` needs a `label`")?;
    let hint = || word(written, "placeholder").map(str::to_owned);
    let kind = match word(written, "type") {
        None | Some("text") if word(written, "style") == Some("paragraph") => FieldKind::Lines(hint()),
        None | Some("text") => FieldKind::Line(hint()),
        Some("radio") => FieldKind::One(options(written)?),
        Some("checkbox") => FieldKind::Some(options(written)?),
        Some("select") => FieldKind::Menu(bounded(MenuOf::Options(options(written)?), written)?),
        Some("user-select") => FieldKind::Menu(bounded(MenuOf::People, written)?),
        Some("role-select") => FieldKind::Menu(bounded(MenuOf::Roles, written)?),
        Some(other) => {
            return Err(format!(
                "a field is of type text, select, radio, checkbox, user-select or role-select, not {other}"
            ));
        }
    };
    Ok(FormField {
        name: word(written, "name").map_or_else(|| format!("field-{}", at + 1), str::to_owned),
        label: label.to_owned(),
        about: word(written, "description").map(str::to_owned),
        kind,
        required: written.get("required").and_then(Value::as_bool) != Some(false),
    })
}

fn list<'a>(written: &'a Value, name: &str) -> &'a [Value] {
    written.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn word<'a>(written: &'a Value, name: &str) -> Option<&'a str> {
    written.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn buttons_menus_and_a_form_are_read() {
        let written = json!({
            "text": "Choose a path",
            "blocks": [
                { "type": "text", "text": "It matters." },
                { "type": "actions", "buttons": [
                    { "label": "Approve", "style": "success", "value": "approve:1" },
                    { "label": "Docs", "style": "link", "url": "https://a.example" },
                ] },
                { "type": "actions", "select": {
                    "type": "string", "placeholder": "Pick", "maxValues": 2, "options": ["a", { "label": "B", "value": "b" }],
                } },
                { "type": "separator" },
            ],
            "modal": { "title": "Details", "triggerLabel": "Open", "fields": [
                { "type": "text", "label": "Requester", "name": "who" },
                { "label": "Why", "style": "paragraph", "required": false },
                { "type": "role-select", "label": "Team" },
            ] },
        });
        let asked = read(&written).unwrap();
        assert_eq!(asked.text, "Choose a path\n\nIt matters.");
        let button =
            |label: &str, look, does| PanelButton { label: label.to_owned(), look, does, off: false };
        let option =
            |label: &str, value: &str| MenuOption { label: label.into(), value: value.into(), about: None };
        let offered = MenuOf::Options(vec![option("a", "a"), option("B", "b")]);
        assert_eq!(
            asked.rows,
            [
                PanelRow::Buttons(vec![
                    button("Approve", ButtonLook::Success, Pressed::Says("approve:1".into())),
                    button("Docs", ButtonLook::Plain, Pressed::Opens("https://a.example".into())),
                ]),
                PanelRow::Menu(Menu { of: offered, hint: Some("Pick".into()), least: 1, most: 2 }),
            ]
        );
        let form = asked.form.unwrap();
        let fields: Vec<(&str, &str, bool)> =
            form.fields.iter().map(|one| (one.name.as_str(), one.label.as_str(), one.required)).collect();
        assert_eq!(
            fields,
            [("who", "Requester", true), ("field-2", "Why", false), ("field-3", "Team", true)]
        );
        assert_eq!(form.fields[1].kind, FieldKind::Lines(None));
        assert_eq!(read(&json!(written.to_string())).unwrap().rows, asked.rows, "as text as well");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let actions = |buttons: Value| json!({ "blocks": [{ "type": "actions", "buttons": buttons }] });
        let rows = [
            (json!([]), "an object"),
            (json!("{"), "no JSON"),
            (json!({ "text": "only words" }), "nothing to press"),
            (json!({ "blocks": [{ "type": "media-gallery" }] }), "media-gallery"),
            (actions(json!([{ "style": "danger" }])), "label"),
            (actions(json!([{ "label": "x", "style": "loud" }])), "loud"),
            (actions(json!([{ "label": "x", "style": "link" }])), "url"),
            (actions(json!([{ "label": "x", "url": "javascript:x" }])), "no address"),
            (actions(json!([{ "label": "x", "allowedUsers": ["1"] }])), "allowedUsers"),
            (json!({ "blocks": [{ "type": "actions", "select": { "type": "thing" } }] }), "thing"),
            (
                json!({ "blocks": [{ "type": "actions", "select": { "options": ["a"], "minValues": 3 } }] }),
                "maxValues",
            ),
            (json!({ "modal": { "title": "x", "fields": [] } }), "fields"),
            (json!({ "modal": { "title": "x", "fields": [{ "type": "date", "label": "x" }] } }), "date"),
        ];
        for (written, word) in rows {
            let said = read(&written).unwrap_err();
            assert!(said.contains(word), "{said:?} says nothing of {word:?}");
        }
    }
}
