//! Which tools there are.

use openclaw_ports::tool::{Effect, ToolGroup};

use super::{ToolHandles, tools};
use crate::testing::{World, WrittenWeb};

#[test]
fn a_tool_without_its_handle_is_not_there() {
    let names =
        |handles: &ToolHandles| tools(handles).iter().map(|tool| tool.descriptor().name).collect::<Vec<_>>();
    let world = World::new();
    assert_eq!(names(&world.handles()), ["read", "write", "edit", "apply_patch", "grep", "find", "ls"]);
    let with_web = ToolHandles { web: Some(WrittenWeb::new([])), ..world.handles() };
    assert_eq!(names(&with_web)[7..], ["web_search", "web_fetch"]);
}

#[test]
fn tools_that_change_something_say_so_and_all_have_an_object_for_arguments() {
    let world = World::new();
    let handles = ToolHandles { web: Some(WrittenWeb::new([])), ..world.handles() };
    for tool in tools(&handles) {
        let descriptor = tool.descriptor();
        let changes = matches!(descriptor.name, "write" | "edit" | "apply_patch");
        assert_eq!(descriptor.effect == Effect::Changes, changes, "{}", descriptor.name);
        assert_eq!(descriptor.parameters["type"], "object", "{}", descriptor.name);
        assert!(matches!(descriptor.group, ToolGroup::Files | ToolGroup::Web), "{}", descriptor.name);
    }
}
