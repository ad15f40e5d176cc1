//! Changes the text of a configuration file in place: comments, order, quotes and layout survive.
//!
//! Works on the concrete syntax tree of the text. Every edit is read back and compared with what it should mean
//! before it leaves this file, so a surprising layout can make an edit fail but never write something else.

use std::collections::{HashMap, VecDeque};

use jsonc_parser::cst::{
    CstArray, CstContainerNode, CstInputValue, CstLeafNode, CstNode, CstObject, CstObjectProp, CstRootNode,
    ObjectPropName,
};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, parse_to_ast};
use openclaw_schema::PathStep;
use serde_json::{Map, Value};

use super::merge::{self, has_id, id, merged};
use crate::KeyPath;
use crate::error::WriteError;
use crate::read::{options, parse};

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Applies a merge patch to a text.
pub(crate) fn patch(text: &str, patch: &Value) -> Result<String, WriteError> {
    let intended = merged(&value_of(text)?, patch);
    edited(text, &intended, |root| {
        if let Some(changes) = patch.as_object() {
            patch_object(root, changes);
        }
        Ok(())
    })
}

/// Makes a text mean `target`, changing only what differs.
pub(crate) fn become_value(text: &str, target: &Value) -> Result<String, WriteError> {
    edited(text, target, |root| {
        if let Some(target) = target.as_object() {
            become_object(root, target);
        }
        Ok(())
    })
}

/// Sets one value of a text.
pub(crate) fn set(text: &str, path: &KeyPath, value: &Value) -> Result<String, WriteError> {
    let intended = merge::set(&value_of(text)?, path, value.clone()).ok_or_else(|| cannot_follow(path))?;
    edited(text, &intended, |root| {
        let (first, rest) = path.steps().split_first().ok_or_else(|| cannot_follow(path))?;
        set_in(&CstNode::Container(CstContainerNode::Object(root.clone())), first, rest, value)
            .ok_or_else(|| cannot_follow(path))
    })
}

/// Removes one value of a text and the objects around it that become empty. `None` when it is not there.
pub(super) fn unset(text: &str, path: &KeyPath) -> Result<Option<String>, WriteError> {
    let mut intended = value_of(text)?;
    if !remove_value(&mut intended, path.steps()) {
        return Ok(None);
    }
    edited(text, &intended, |root| {
        remove_in(&CstNode::Container(CstContainerNode::Object(root.clone())), path.steps());
        Ok(())
    })
    .map(Some)
}

/// Gives an entry of an object another name. Its value, its place and its comments stay. `None` when it is not there.
pub(super) fn rename(text: &str, path: &KeyPath, name: &str) -> Result<Option<String>, WriteError> {
    let mut intended = value_of(text)?;
    let Some((PathStep::Key(key), above)) = path.steps().split_last() else { return Ok(None) };
    let Some(entries) = at_mut(&mut intended, above).and_then(Value::as_object_mut) else { return Ok(None) };
    let Some(value) = entries.shift_remove(key) else { return Ok(None) };
    entries.insert(name.to_owned(), value);
    edited(text, &intended, |root| {
        let object = above.iter().try_fold(root.clone(), |object, step| match step {
            PathStep::Key(key) => property(&object, key)?.object_value(),
            PathStep::Index(_) => None,
        });
        let entry = object.and_then(|object| property(&object, key)?.name());
        let quoted = Value::String(name.to_owned()).to_string();
        match entry.ok_or_else(|| cannot_follow(path))? {
            ObjectPropName::String(literal) => literal.set_raw_value(quoted),
            ObjectPropName::Word(word) => word.set_raw_value(quoted),
        }
        Ok(())
    })
    .map(Some)
}

/// A value below others, by names alone.
fn at_mut<'a>(root: &'a mut Value, steps: &[PathStep]) -> Option<&'a mut Value> {
    steps.iter().try_fold(root, |value, step| match step {
        PathStep::Key(key) => value.get_mut(key),
        PathStep::Index(_) => None,
    })
}

/// Whether a text has comments. One that cannot be parsed has none.
pub(super) fn has_comments(text: &str) -> bool {
    let collect = CollectOptions { comments: CommentCollectionStrategy::Separate, tokens: false };
    parse_to_ast(text.trim_start_matches(BYTE_ORDER_MARK), &collect, &options())
        .ok()
        .and_then(|tree| tree.comments)
        .is_some_and(|comments| !comments.is_empty())
}

fn edited(
    text: &str,
    intended: &Value,
    edit: impl FnOnce(&CstObject) -> Result<(), WriteError>,
) -> Result<String, WriteError> {
    let body = text.trim_start_matches(BYTE_ORDER_MARK);
    let tree = CstRootNode::parse(body, &options()).map_err(|error| WriteError::Unusable {
        message: format!("the configuration is not JSON5: {error}"),
    })?;
    let root = tree.object_value_or_create().ok_or_else(|| WriteError::Unusable {
        message: "the configuration is not an object, so it cannot be edited".to_owned(),
    })?;
    edit(&root)?;
    let out = format!("{}{tree}", &text[..text.len() - body.len()]);
    if value_of(&out).is_ok_and(|value| value == *intended) {
        return Ok(out);
    }
    Err(WriteError::Unusable {
        message: "this change cannot be made without rewriting the file; edit the file by hand".to_owned(),
    })
}

fn value_of(text: &str) -> Result<Value, WriteError> {
    parse(text, 0).map(|parsed| parsed.node.to_value()).map_err(|error| WriteError::Unusable {
        message: format!("the configuration is not JSON5: {}", error.message),
    })
}

fn cannot_follow(path: &KeyPath) -> WriteError {
    WriteError::Unusable {
        message: format!("{path} leads past the end of a list; see what is there with: openclaw config get"),
    }
}

fn patch_object(object: &CstObject, changes: &Map<String, Value>) {
    let known = properties(object);
    for (key, change) in changes {
        let found = known.get(key).map_or(&[][..], Vec::as_slice);
        match (found.last(), change) {
            (_, Value::Null) => found.iter().cloned().for_each(CstObjectProp::remove),
            (Some(property), Value::Object(inner)) => match property.object_value() {
                Some(object) => patch_object(&object, inner),
                None => property.set_value(input(&merged(&Value::Null, change))),
            },
            (Some(property), Value::Array(items)) => patch_array(property, items),
            (Some(property), _) => update(property, change),
            (None, _) => append(object, key, &merged_entry(change)),
        }
    }
}

/// A new value never holds the `null`s by which a patch removes.
fn merged_entry(change: &Value) -> Value {
    if change.is_object() { merged(&Value::Null, change) } else { change.clone() }
}

fn patch_array(property: &CstObjectProp, items: &[Value]) {
    let Some(array) = property.array_value() else {
        property.set_value(input(&Value::Array(items.to_vec())));
        return;
    };
    let before: Vec<Value> = array.elements().iter().map(node_value).collect();
    if !before.iter().all(has_id) {
        update(property, &Value::Array(items.to_vec()));
        return;
    }
    let mut entries: HashMap<String, CstNode> = before
        .iter()
        .zip(array.elements())
        .filter_map(|(value, node)| Some((id(value)?.to_owned(), node)))
        .collect();
    for item in items {
        let entry = id(item).and_then(|id| entries.get(id)).and_then(CstNode::as_object);
        match (entry, item.as_object()) {
            (Some(entry), Some(changes)) => patch_object(&entry, changes),
            _ => {
                let node = array.append(input(item));
                entries.extend(id(item).map(|id| (id.to_owned(), node)));
            }
        }
    }
}

/// Gives a property a value; what is already so stays as it is written.
fn update(property: &CstObjectProp, value: &Value) {
    match (property.value(), value) {
        (Some(CstNode::Container(CstContainerNode::Object(object))), Value::Object(target)) => {
            become_object(&object, target);
        }
        (Some(CstNode::Container(CstContainerNode::Array(array))), Value::Array(target)) => {
            become_array(&array, target);
        }
        (Some(node), _) if node_value(&node) == *value => {}
        _ => property.set_value(input(value)),
    }
}

fn become_object(object: &CstObject, target: &Map<String, Value>) {
    let known = properties(object);
    for property in object.properties() {
        if property.decoded_name().is_some_and(|name| !target.contains_key(&name)) {
            property.remove();
        }
    }
    for (key, value) in target {
        match known.get(key).and_then(|found| found.last()) {
            Some(property) => update(property, value),
            None => append(object, key, value),
        }
    }
}

/// Keeps the entries that stay, in their order, and removes, changes or inserts the others.
fn become_array(array: &CstArray, target: &[Value]) {
    let mut entries: VecDeque<(Value, CstNode)> =
        array.elements().into_iter().map(|node| (node_value(&node), node)).collect();
    let same =
        |value: &Value, wanted: &Value| value == wanted || (id(wanted).is_some() && id(value) == id(wanted));
    let aligned = entries.len() == target.len() && !target.iter().any(has_id);
    for (at, wanted) in target.iter().enumerate() {
        let found = if aligned { Some(0) } else { entries.iter().position(|(value, _)| same(value, wanted)) };
        let Some(found) = found else {
            array.insert(at, input(wanted));
            continue;
        };
        for (_, skipped) in entries.drain(..found) {
            skipped.remove();
        }
        if let Some((_, node)) = entries.pop_front() {
            update_element(&node, wanted);
        }
    }
    for (_, extra) in entries {
        extra.remove();
    }
}

fn update_element(node: &CstNode, value: &Value) {
    match (node, value) {
        (CstNode::Container(CstContainerNode::Object(object)), Value::Object(target)) => {
            become_object(object, target);
        }
        (CstNode::Container(CstContainerNode::Array(array)), Value::Array(target)) => {
            become_array(array, target)
        }
        _ if node_value(node) == *value => {}
        _ => replace(node, value),
    }
}

fn replace(node: &CstNode, value: &Value) {
    let value = input(value);
    match node.clone() {
        CstNode::Container(CstContainerNode::Object(node)) => node.replace_with(value),
        CstNode::Container(CstContainerNode::Array(node)) => node.replace_with(value),
        CstNode::Leaf(CstLeafNode::StringLit(node)) => node.replace_with(value),
        CstNode::Leaf(CstLeafNode::NumberLit(node)) => node.replace_with(value),
        CstNode::Leaf(CstLeafNode::BooleanLit(node)) => node.replace_with(value),
        CstNode::Leaf(CstLeafNode::NullKeyword(node)) => node.replace_with(value),
        CstNode::Leaf(CstLeafNode::WordLit(node)) => node.replace_with(value),
        _ => None,
    };
}

/// Sets the value at `step` and then `rest` below `node`. `None` when the path cannot be followed.
fn set_in(node: &CstNode, step: &PathStep, rest: &[PathStep], value: &Value) -> Option<()> {
    let place = match node {
        CstNode::Container(CstContainerNode::Array(array)) => {
            let index = merge::index(step)?;
            let elements = array.elements();
            if index == elements.len() {
                array.append(input(&built(rest, value)?));
                return Some(());
            }
            elements.get(index)?.clone()
        }
        CstNode::Container(CstContainerNode::Object(object)) => {
            let PathStep::Key(key) = step else { return None };
            match property(object, key) {
                None => {
                    append(object, key, &built(rest, value)?);
                    return Some(());
                }
                Some(found) if rest.is_empty() => {
                    update(&found, value);
                    return Some(());
                }
                Some(found) => found.value()?,
            }
        }
        _ => return None,
    };
    match rest.split_first() {
        None => update_element(&place, value),
        Some((next, after)) if is_container_for(&place, next) => return set_in(&place, next, after, value),
        Some(_) => replace(&place, &built(rest, value)?),
    }
    Some(())
}

fn is_container_for(node: &CstNode, step: &PathStep) -> bool {
    match node {
        CstNode::Container(CstContainerNode::Array(_)) => true,
        CstNode::Container(CstContainerNode::Object(_)) => matches!(step, PathStep::Key(_)),
        _ => false,
    }
}

/// A value inside the new objects and arrays that a path asks for.
fn built(path: &[PathStep], value: &Value) -> Option<Value> {
    path.iter().rev().try_fold(value.clone(), |inner, step| match step {
        PathStep::Key(key) => Some(Value::Object(Map::from_iter([(key.clone(), inner)]))),
        PathStep::Index(0) => Some(Value::Array(vec![inner])),
        PathStep::Index(_) => None,
    })
}

fn remove_in(node: &CstNode, path: &[PathStep]) {
    let Some((step, rest)) = path.split_first() else { return };
    match node {
        CstNode::Container(CstContainerNode::Object(object)) => {
            let PathStep::Key(key) = step else { return };
            let Some(found) = property(object, key) else { return };
            if let (Some(inner), false) = (found.value(), rest.is_empty()) {
                remove_in(&inner, rest);
                if !is_empty_object(&inner) {
                    return;
                }
            }
            remove_all(object, key);
        }
        CstNode::Container(CstContainerNode::Array(array)) => {
            let Some(element) = merge::index(step).and_then(|index| array.elements().get(index).cloned())
            else {
                return;
            };
            if !rest.is_empty() {
                remove_in(&element, rest);
                if !is_empty_object(&element) {
                    return;
                }
            }
            element.remove();
        }
        _ => {}
    }
}

/// The same for a value. Says whether something was removed.
fn remove_value(value: &mut Value, path: &[PathStep]) -> bool {
    let Some((step, rest)) = path.split_first() else { return false };
    let is_empty = |value: &Value| value.as_object().is_some_and(Map::is_empty);
    match value {
        Value::Object(map) => {
            let PathStep::Key(key) = step else { return false };
            let Some(inner) = map.get_mut(key) else { return false };
            if !rest.is_empty() {
                if !remove_value(inner, rest) {
                    return false;
                }
                if !is_empty(inner) {
                    return true;
                }
            }
            map.shift_remove(key).is_some()
        }
        Value::Array(items) => {
            let Some(index) = merge::index(step).filter(|index| *index < items.len()) else { return false };
            if !rest.is_empty() {
                if !remove_value(&mut items[index], rest) {
                    return false;
                }
                if !is_empty(&items[index]) {
                    return true;
                }
            }
            items.remove(index);
            true
        }
        _ => false,
    }
}

fn is_empty_object(node: &CstNode) -> bool {
    node.as_object().is_some_and(|object| object.properties().is_empty())
}

/// The property that counts: the last of its name.
fn property(object: &CstObject, key: &str) -> Option<CstObjectProp> {
    object.properties().into_iter().rfind(|property| property.decoded_name().as_deref() == Some(key))
}

/// All properties by name. A name that stands twice has both, in their order.
fn properties(object: &CstObject) -> HashMap<String, Vec<CstObjectProp>> {
    let mut known: HashMap<String, Vec<CstObjectProp>> = HashMap::new();
    for property in object.properties() {
        if let Some(name) = property.decoded_name() {
            known.entry(name).or_default().push(property);
        }
    }
    known
}

fn remove_all(object: &CstObject, key: &str) {
    properties(object).remove(key).into_iter().flatten().for_each(CstObjectProp::remove);
}

fn append(object: &CstObject, key: &str, value: &Value) {
    object.append(key, input(value));
}

/// The value of a node, by reading its text again: one reader decides what text means.
fn node_value(node: &CstNode) -> Value {
    parse(&node.to_string(), 0).map_or(Value::Null, |parsed| parsed.node.to_value())
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(map) => {
            CstInputValue::Object(map.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}
