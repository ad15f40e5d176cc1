//! The fake's gateway: sessions that can be taken up again, heartbeats, and the closes the platform makes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::world::{Session, TOKEN, ToLine, World, ids};

type Shared = Arc<Mutex<World>>;

pub(super) async fn upgrade(State(world): State<Shared>, socket: WebSocketUpgrade) -> Response {
    socket.on_upgrade(|socket| line(world, socket))
}

/// One line, from its first payload to its end.
async fn line(world: Shared, mut socket: WebSocket) {
    let (say, mut told) = unbounded_channel();
    let beat = lock(&world).manners.beat;
    if say.send(ToLine::Say(json!({ "op": 10, "d": { "heartbeat_interval": beat } }))).is_err() {
        return;
    }
    loop {
        // Nothing is lost: both sources keep what they have.
        tokio::select! {
            heard = socket.recv() => match heard {
                Some(Ok(Message::Text(text))) => {
                    let payload: Value = serde_json::from_str(&text).unwrap_or_default();
                    lock(&world).hear(&payload, &say);
                }
                Some(Ok(Message::Binary(_) | Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
            },
            word = told.recv() => if !carry(&mut socket, word).await { return },
        }
    }
}

async fn carry(socket: &mut WebSocket, word: Option<ToLine>) -> bool {
    let (message, goes_on) = match word {
        Some(ToLine::Say(payload)) => (Message::text(payload.to_string()), true),
        Some(ToLine::Close(code)) => (Message::Close(Some(CloseFrame { code, reason: "".into() })), false),
        None => return false,
    };
    socket.send(message).await.is_ok() && goes_on
}

impl World {
    fn hear(&mut self, payload: &Value, line: &UnboundedSender<ToLine>) {
        let body = &payload["d"];
        let answers = match payload["op"].as_u64() {
            Some(1) => {
                self.said.push(payload.clone());
                let acknowledged = self.manners.acknowledges;
                if acknowledged { vec![ToLine::Say(json!({ "op": 11 }))] } else { Vec::new() }
            }
            Some(2) => {
                self.said.push(without_token(payload));
                self.identify(body, line)
            }
            Some(6) => {
                self.said.push(without_token(payload));
                self.resume(body, line)
            }
            Some(3) => {
                self.said.push(payload.clone());
                Vec::new()
            }
            _ => vec![ToLine::Close(4001)],
        };
        for answer in answers {
            if line.send(answer).is_err() {
                return;
            }
        }
    }

    fn identify(&mut self, body: &Value, line: &UnboundedSender<ToLine>) -> Vec<ToLine> {
        if body["token"] != TOKEN {
            return vec![ToLine::Close(4004)];
        }
        let Some(intents) = body["intents"].as_u64() else { return vec![ToLine::Close(4013)] };
        if intents & self.manners.forbidden != 0 {
            return vec![ToLine::Close(4014)];
        }
        let name = format!("session-{}", self.id());
        let mut session = Session { events: Vec::new(), line: Some(line.clone()) };
        let us = self.users[ids::US].clone();
        session.tell(
            "READY",
            &json!({
                "v": 10, "user": us, "guilds": [{ "id": ids::GUILD, "unavailable": true }], "session_id": name,
                "resume_gateway_url": format!("ws://{}/gateway", self.address), "shard": [0, 1],
                "application": { "id": ids::APPLICATION, "flags": self.flags }, "private_channels": [],
                "relationships": [], "presences": [], "_trace": [],
            }),
        );
        let guild = self.whole_guild();
        session.tell("GUILD_CREATE", &guild);
        self.sessions.insert(name, session);
        Vec::new()
    }

    fn resume(&mut self, body: &Value, line: &UnboundedSender<ToLine>) -> Vec<ToLine> {
        if body["token"] != TOKEN {
            return vec![ToLine::Close(4004)];
        }
        let session = body["session_id"].as_str().and_then(|name| self.sessions.get_mut(name));
        let Some(session) = session else { return vec![ToLine::Say(json!({ "op": 9, "d": false }))] };
        let seen = body["seq"].as_u64().and_then(|seen| usize::try_from(seen).ok()).unwrap_or(usize::MAX);
        let Some(missed) = session.events.get(seen..) else { return vec![ToLine::Close(4007)] };
        let replay: Vec<ToLine> = missed.iter().cloned().map(ToLine::Say).collect();
        session.line = Some(line.clone());
        for event in replay {
            if line.send(event).is_err() {
                return Vec::new();
            }
        }
        session.tell("RESUMED", &json!({ "_trace": [] }));
        Vec::new()
    }
}

fn without_token(payload: &Value) -> Value {
    let mut payload = payload.clone();
    if let Some(body) = payload["d"].as_object_mut() {
        body.remove("token");
    }
    payload
}

fn lock(world: &Shared) -> MutexGuard<'_, World> {
    world.lock().unwrap_or_else(PoisonError::into_inner)
}
