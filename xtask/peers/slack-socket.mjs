// Slack's official clients against our fake: what we test our own account with has to satisfy them first.
//
// Called by `cargo xtask peers` with the folder of the packages and the fake's address. Prints a line for each case and
// ends with 1 when one fails.

import assert from "node:assert/strict";
import { createRequire } from "node:module";

const require = createRequire(`${process.env.PEER_FOLDER}/`);
const { WebClient } = require("@slack/web-api");
const { SocketModeClient } = require("@slack/socket-mode");
const slackApiUrl = process.env.FAKE_ROOT;
const options = { slackApiUrl, retryConfig: { retries: 0 } };
const client = new WebClient("xoxb-fake-bot", options);

async function check(name, work) {
  await work();
  console.log(`   ${name}`);
}

setTimeout(() => { console.error("the fake did not do its part in time"); process.exit(1); }, 60_000).unref();

await check("messages come over Socket Mode, and go on after a line that ends", async () => {
  const socket = new SocketModeClient({ appToken: "xapp-fake-app", clientOptions: options, logLevel: "error" });
  const heard = [];
  const done = new Promise((resolve) => {
    socket.on("message", async ({ event, ack }) => {
      heard.push(event.text);
      await ack();
      if (heard.length === 3) resolve();
    });
  });
  await socket.start();
  await done;
  await socket.disconnect();
  assert.deepEqual(heard, ["message 1", "message 2", "message 3"]);
});

await check("who we are, who they are and where", async () => {
  assert.equal((await client.auth.test()).user_id, "U0CLAW");
  assert.equal((await client.users.info({ user: "U0ANA" })).user.profile.display_name, "Ana");
  assert.equal((await client.conversations.info({ channel: "C0ROOM" })).channel.name, "room");
  assert.equal((await client.conversations.open({ users: "U0ANA" })).channel.id, "D0ANA");
});

await check("messages are written, found, changed and taken back", async () => {
  const metadata = { event_type: "openclaw_message", event_payload: { key: "k/1" } };
  const { ts } = await client.chat.postMessage({ channel: "C0ROOM", text: "one", metadata });
  await client.chat.update({ channel: "C0ROOM", ts, text: "two" });
  const { messages } = await client.conversations.history({ channel: "C0ROOM", include_all_metadata: true });
  assert.deepEqual([messages[0].text, messages[0].metadata], ["two", metadata]);
  await client.chat.delete({ channel: "C0ROOM", ts });
  await assert.rejects(client.chat.delete({ channel: "C0ROOM", ts }), /message_not_found/);
});

await check("answers are streamed", async () => {
  const stream = client.chatStream({ channel: "C0ROOM", thread_ts: "5.000001", recipient_user_id: "U0ANA", recipient_team_id: "T0FAKE", buffer_size: 1 });
  await stream.append({ markdown_text: "one " });
  await stream.append({ markdown_text: "two " });
  await stream.stop({ markdown_text: "three" });
  const { messages } = await client.conversations.replies({ channel: "C0ROOM", ts: "5.000001" });
  assert.equal(messages.at(-1).markdown_text, "one two three");
});

await check("files are brought", async () => {
  await client.filesUploadV2({ channel_id: "C0ROOM", filename: "note.txt", content: "bytes", initial_comment: "read" });
  const { messages } = await client.conversations.history({ channel: "C0ROOM" });
  assert.deepEqual([messages[0].text, messages[0].files[0].title], ["read", "note.txt"]);
});

await check("what Slack does not know is refused", async () => {
  await assert.rejects(client.apiCall("chat.postMessage", { channel: "C0ROOM", text: "x", colour: "red" }), /invalid_arguments/);
  await assert.rejects(new WebClient("xoxb-nobody", options).auth.test(), /invalid_auth/);
});
