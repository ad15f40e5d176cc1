//! What our transcript keeps of the vendor's items, and how it is read again.
//!
//! The signature of a text is its item's id, or a small object when the item has a phase; that of a thought is the
//! whole reasoning item as JSON; the id of a tool call is the call's id, a bar, and the item's id. Transcripts of the
//! original program hold the same.

use openclaw_types::{Text, Thinking, ToolCallId};

use super::wire::{OutputItem, ReasoningItem, TextSignature};

/// The longest id of an item that the vendor takes back.
const MAX_ITEM_ID: usize = 64;

/// The signature of a text; nothing when its item has no name.
pub(super) fn of_text(item: &OutputItem) -> Option<String> {
    let id = item.id.clone().filter(|id| !id.is_empty())?;
    match &item.phase {
        None => Some(id),
        phase => serde_json::to_string(&TextSignature { v: 1, id, phase: phase.clone() }).ok(),
    }
}

/// The item's id and phase behind the signature of a text.
pub(super) fn read_text(text: &Text) -> (Option<String>, Option<String>) {
    let Some(signature) = text.signature.as_deref() else { return (None, None) };
    let (id, phase) = match serde_json::from_str::<TextSignature>(signature) {
        Ok(signature) => (signature.id, signature.phase),
        Err(_) => (signature.to_owned(), None),
    };
    let known = |phase: &String| matches!(phase.as_str(), "commentary" | "final_answer");
    (Some(id).filter(|id| is_item_id(id, "msg")), phase.filter(known))
}

/// The reasoning item behind the signature of a thought, if the vendor can make something of it: nothing is stored
/// there, so a bare id would point nowhere.
pub(super) fn read_thinking(thinking: &Thinking) -> Option<ReasoningItem> {
    let mut item: ReasoningItem = serde_json::from_str(thinking.signature.as_deref()?).ok()?;
    item.encrypted_content = item.encrypted_content.filter(|sealed| !sealed.is_empty());
    let readable = item.content.as_ref().is_some_and(|content| !content.is_empty());
    (item.encrypted_content.is_some() || readable).then_some(item)
}

/// Our id of a call: both of the vendor's where they fit, else what there is.
pub(super) fn of_call(item: &OutputItem) -> Option<ToolCallId> {
    let call = item.call_id.as_deref().filter(|id| !id.is_empty());
    let own = item.id.as_deref().filter(|id| !id.is_empty());
    match (call, own) {
        (Some(call), Some(own)) => {
            ToolCallId::new(format!("{call}|{own}")).or_else(|_| ToolCallId::new(call)).ok()
        }
        (Some(only), None) | (None, Some(only)) => ToolCallId::new(only).ok(),
        (None, None) => None,
    }
}

/// The item's id inside our id of a call, if the vendor takes it back.
pub(super) fn read_call(id: &ToolCallId) -> Option<String> {
    let (_, item) = id.as_str().split_once('|')?;
    is_item_id(item, "fc").then(|| item.to_owned())
}

fn is_item_id(id: &str, start: &str) -> bool {
    id.starts_with(start)
        && id.len() <= MAX_ITEM_ID
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}
