//! Signing in for real: a vendor on a socket, a browser that is a socket too, and a person played by the test.

mod browsing;
mod typing;

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use openclaw_types::Secret;
use tokio::sync::Notify;

use super::{DeviceCode, LoginPrompt, LoginReply};

/// A person who sees everything and answers what the test says.
pub(super) struct Person {
    reply: Option<LoginReply>,
    url: Mutex<Option<String>>,
    shown: Arc<Notify>,
    codes: Mutex<Vec<DeviceCode>>,
}

impl Person {
    /// Someone who answers questions with a function of the address they saw.
    pub(super) fn answering(reply: LoginReply) -> Self {
        Self { reply: Some(reply), url: Mutex::default(), shown: Arc::default(), codes: Mutex::default() }
    }

    /// Someone who leaves questions open.
    pub(super) fn silent() -> Self {
        Self { reply: None, url: Mutex::default(), shown: Arc::default(), codes: Mutex::default() }
    }

    /// The address they were shown, once they were.
    pub(super) async fn url(&self) -> String {
        self.shown.notified().await;
        self.url.lock().unwrap().clone().unwrap()
    }

    /// The codes they were shown.
    pub(super) fn codes(&self) -> Vec<DeviceCode> {
        self.codes.lock().unwrap().clone()
    }
}

#[async_trait]
impl LoginPrompt for Person {
    async fn show_url(&self, url: &str) {
        *self.url.lock().unwrap() = Some(url.to_owned());
        self.shown.notify_one();
    }

    async fn show_code(&self, code: &DeviceCode) {
        self.codes.lock().unwrap().push(code.clone());
    }

    async fn ask(&self, _question: &str) -> LoginReply {
        match &self.reply {
            Some(reply) => reply.clone(),
            None => std::future::pending().await,
        }
    }
}

pub(super) fn pasted(text: &str) -> LoginReply {
    LoginReply::Text(Secret::new(text.to_owned()))
}
