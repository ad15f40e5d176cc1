//! Buttons, menus and forms as the API takes them. Pure.

use openclaw_types::{
    ButtonLook, FieldKind, FormField, Menu, MenuOf, MenuOption, Panel, PanelButton, PanelForm, PanelRow,
    Pressed,
};
use serde_json::{Value, json};

use super::body::{LONGEST_DATA, LONGEST_LABEL, MOST_IN_ROW};

/// What stands before the name of a form in the button that opens it.
const FORM_MARK: &str = "ocform#";

const LONGEST_HINT: usize = 150;
const LONGEST_OPTION: usize = 100;
const MOST_OPTIONS: usize = 25;
/// The limits of a form.
const LONGEST_TITLE: usize = 45;
const MOST_FIELDS: usize = 5;
const MOST_SHOWN: usize = 10;
const LONGEST_FIELD_HINT: usize = 100;

/// The rows below a message. The form is opened by its name.
pub(super) fn rows(panel: &Panel, form: Option<&str>) -> Result<Value, String> {
    let mut rows: Vec<Value> = Vec::new();
    for (number, row) in panel.rows.iter().enumerate() {
        rows.push(match row {
            PanelRow::Buttons(buttons) if (1..=MOST_IN_ROW).contains(&buttons.len()) => {
                in_row(buttons.iter().map(button).collect::<Result<_, _>>()?)
            }
            PanelRow::Buttons(_) => return Err("Discord takes one to five buttons in a row".to_owned()),
            PanelRow::Menu(menu) => in_row(vec![choice(menu, &format!("menu-{}", number + 1))?]),
        });
    }
    if let (Some(form), Some(name)) = (&panel.form, form) {
        checked(form)?;
        let opens = json!({
            "type": 2, "style": style(form.look), "label": short(&form.button, LONGEST_LABEL)?,
            "custom_id": format!("{FORM_MARK}{name}"),
        });
        rows.push(in_row(vec![opens]));
    }
    match rows.len() {
        1..=MOST_IN_ROW => Ok(Value::Array(rows)),
        _ => Err("Discord takes one to five rows below a message, the one of a form included".to_owned()),
    }
}

/// The name of the form that a button opens.
pub(in super::super) fn opened(custom_id: &str) -> Option<&str> {
    custom_id.strip_prefix(FORM_MARK)
}

/// The form as the platform shows it to who pressed the button.
pub(in super::super) fn window(form: &PanelForm, name: &str) -> Result<Value, String> {
    checked(form)?;
    let fields = form.fields.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    Ok(json!({ "custom_id": name, "title": short(&form.title, LONGEST_TITLE)?, "components": fields }))
}

fn checked(form: &PanelForm) -> Result<(), String> {
    match form.fields.len() {
        1..=MOST_FIELDS => form.fields.iter().try_for_each(|each| field(each).map(drop)),
        _ => Err(format!("a form on Discord has 1 to {MOST_FIELDS} fields")),
    }
}

fn in_row(controls: Vec<Value>) -> Value {
    json!({ "type": 1, "components": controls })
}

fn style(look: ButtonLook) -> u64 {
    match look {
        ButtonLook::Primary => 1,
        ButtonLook::Plain => 2,
        ButtonLook::Success => 3,
        ButtonLook::Danger => 4,
    }
}

fn button(button: &PanelButton) -> Result<Value, String> {
    let mut made = json!({ "type": 2, "label": short(&button.label, LONGEST_LABEL)? });
    match &button.does {
        Pressed::Says(data) => {
            made["style"] = json!(style(button.look));
            made["custom_id"] = json!(data);
        }
        Pressed::Opens(address) => {
            made["style"] = json!(5);
            made["url"] = json!(address);
        }
    }
    if button.off {
        made["disabled"] = json!(true);
    }
    Ok(made)
}

fn choice(menu: &Menu, name: &str) -> Result<Value, String> {
    let (kind, options) = match &menu.of {
        MenuOf::Options(options) => (3, Some(offered(options, MOST_OPTIONS)?)),
        MenuOf::People => (5, None),
        MenuOf::Roles => (6, None),
        MenuOf::PeopleAndRoles => (7, None),
        MenuOf::Rooms => (8, None),
    };
    let there = options.as_ref().map_or(MOST_OPTIONS, Vec::len);
    let most = usize::try_from(menu.most).unwrap_or(MOST_OPTIONS).clamp(1, there);
    let least = usize::try_from(menu.least).unwrap_or(0).min(most);
    let mut made = json!({ "type": kind, "custom_id": name, "min_values": least, "max_values": most });
    if let Some(options) = options {
        made["options"] = json!(options);
    }
    if let Some(hint) = &menu.hint {
        made["placeholder"] = json!(short(hint, LONGEST_HINT)?);
    }
    Ok(made)
}

fn offered(options: &[MenuOption], most: usize) -> Result<Vec<Value>, String> {
    if options.is_empty() || options.len() > most {
        return Err(format!("Discord takes 1 to {most} options"));
    }
    let mut seen: Vec<&str> = Vec::new();
    let option = |option: &MenuOption| {
        let long = option.value.len() > LONGEST_DATA || option.value.is_empty();
        let mut made = json!({ "label": short(&option.label, LONGEST_OPTION)?, "value": option.value });
        if let Some(about) = &option.about {
            made["description"] = json!(short(about, LONGEST_OPTION)?);
        }
        if long { Err(format!("the value of an option has 1 to {LONGEST_DATA} letters")) } else { Ok(made) }
    };
    for each in options {
        if seen.contains(&each.value.as_str()) {
            return Err(format!("two options have the value \"{}\"", each.value));
        }
        seen.push(&each.value);
    }
    options.iter().map(option).collect()
}

fn field(field: &FormField) -> Result<Value, String> {
    let words = |style: u64, hint: &Option<String>| -> Result<Value, String> {
        let mut made =
            json!({ "type": 4, "custom_id": field.name, "style": style, "required": field.required });
        if let Some(hint) = hint {
            made["placeholder"] = json!(short(hint, LONGEST_FIELD_HINT)?);
        }
        Ok(made)
    };
    let shown = |kind: u64, options: &[MenuOption]| -> Result<Value, String> {
        let options = offered(options, MOST_SHOWN)?;
        Ok(json!({ "type": kind, "custom_id": field.name, "options": options, "required": field.required }))
    };
    let inside = match &field.kind {
        FieldKind::Line(hint) => words(1, hint)?,
        FieldKind::Lines(hint) => words(2, hint)?,
        FieldKind::Menu(menu) => {
            let mut made = choice(menu, &field.name)?;
            made["required"] = json!(field.required);
            made
        }
        FieldKind::One(options) if options.len() < 2 => {
            return Err("a field with one of several answers has two at least".to_owned());
        }
        FieldKind::One(options) => shown(21, options)?,
        FieldKind::Some(options) => {
            let mut made = shown(22, options)?;
            made["min_values"] = json!(u64::from(field.required));
            made["max_values"] = json!(options.len());
            made
        }
    };
    let mut label = json!({ "type": 18, "label": short(&field.label, LONGEST_TITLE)?, "component": inside });
    if let Some(about) = &field.about {
        label["description"] = json!(short(about, LONGEST_OPTION)?);
    }
    Ok(label)
}

/// Words for people, cut where the platform would not take them.
fn short(text: &str, most: usize) -> Result<String, String> {
    match text.trim() {
        "" => Err("something to press or fill in has no words".to_owned()),
        text => Ok(text.chars().take(most).collect()),
    }
}
