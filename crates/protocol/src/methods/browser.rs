//! `browser.request`: one call to the browser control service, here or on a node.
//!
//! Only the shapes. The body of the answer is the control service's own and passes through unread.
//! Which browser answers is decided by the handler.

use serde_json::{Map, Value};

use crate::method::methods;
use crate::shape::{Num, choices, object};

methods! {
    /// Passes a request to the browser control service and answers its body.
    BrowserRequest = "browser.request": BrowserRequestParams => Value;
}

choices! {
    /// The verb of a browser request.
    BrowserVerb { Get = "GET", Post = "POST", Delete = "DELETE" }
}

object! {
    /// Params of `browser.request`.
    open BrowserRequestParams {
        method: BrowserVerb,
        path: String,
        query?: Map<String, Value>,
        body?: Value,
        timeout_ms?: Num,
    }
}
