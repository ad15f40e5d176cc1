// A bot written with grammY against our fake Bot API: what our own account does, done by a client that others wrote. What
// it finds strange about the fake fails here; what the fake finds strange about it would show in its complaints.
import assert from "node:assert/strict";
import http from "node:http";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(path.join(process.env.PEER_FOLDER, "package.json"));
const { Bot, GrammyError, InlineKeyboard, InputFile, webhookCallback } = require("grammy");

const root = process.env.FAKE_ROOT;
const token = "4242:fake-token-for-tests";
const ana = { id: 7001, is_bot: false, first_name: "Ana", username: "ana_lima" };
const alone = { id: 7001, type: "private", first_name: "Ana", username: "ana_lima" };
const garden = { id: -1001900, type: "supergroup", title: "Garden", username: "garden_group" };
const told = ["message", "edited_message", "channel_post", "callback_query", "message_reaction", "my_chat_member", "poll_answer"];

async function control(what, body) {
  const answer = await fetch(`${root}/control/${what}`, body && { method: "POST", body: JSON.stringify(body) });
  assert.equal(answer.status, 200);
  return answer.json();
}
const happen = (update) => control("happen", update);
const fail = (method, code, words, parameters) => control("fail", { method, code, words, parameters });
const seen = () => control("seen");
let number = 100;
const message = (more, chat = alone) => ({ message: { message_id: ++number, date: 1760000000, chat, from: ana, ...more } });

// What the bot hears, in order.
const heard = [];
const waiters = [];
function hear(what) {
  const waiter = waiters.shift();
  waiter ? waiter(what) : heard.push(what);
}
const next = () => (heard.length ? Promise.resolve(heard.shift()) : new Promise((done) => waiters.push(done)));

function makeBot() {
  const bot = new Bot(token, { client: { apiRoot: root } });
  bot.command("start", (context) => hear(["command", context.match]));
  bot.on("message:text", (context) => hear(["text", context.message.text, context.chat.id]));
  bot.on("message:photo", async (context) => hear(["photo", (await context.getFile()).file_path]));
  bot.on("edited_message:text", (context) => hear(["edited", context.editedMessage.text]));
  bot.on("callback_query:data", async (context) => {
    await context.answerCallbackQuery();
    hear(["press", context.callbackQuery.data]);
  });
  bot.on("message_reaction", (context) => hear(["reaction", context.reactions().emojiAdded]));
  bot.on("my_chat_member", (context) => hear(["standing", context.myChatMember.new_chat_member.status]));
  bot.on("poll_answer", (context) => hear(["vote", context.pollAnswer.option_ids]));
  return bot;
}

async function refusal(work) {
  try {
    await work();
  } catch (error) {
    assert.ok(error instanceof GrammyError, String(error));
    return error;
  }
  throw new Error("the call was not refused");
}

async function hears(bot) {
  const running = bot.start({ allowed_updates: told });
  await happen(message({ text: "hello" }));
  assert.deepEqual(await next(), ["text", "hello", 7001]);
  await happen(message({ text: "/start now", entities: [{ type: "bot_command", offset: 0, length: 6 }] }));
  assert.deepEqual(await next(), ["command", "now"]);
  await happen(message({ text: "to all" }, garden));
  assert.deepEqual(await next(), ["text", "to all", -1001900]);
  await happen({ edited_message: { message_id: 5, date: 1760000000, edit_date: 1760000001, chat: alone, from: ana, text: "changed" } });
  assert.deepEqual(await next(), ["edited", "changed"]);
  await happen({ callback_query: { id: "9", from: ana, chat_instance: "1", data: "yes", message: message({ text: "choose" }).message } });
  assert.deepEqual(await next(), ["press", "yes"]);
  await happen({ message_reaction: { chat: alone, message_id: 5, user: ana, date: 1760000000, old_reaction: [], new_reaction: [{ type: "emoji", emoji: "👍" }] } });
  assert.deepEqual(await next(), ["reaction", ["👍"]]);
  await control("file", { id: "F1", path: "photos/file_1.jpg", text: "picture" });
  await happen(message({ photo: [{ file_id: "F1", file_unique_id: "U1", width: 9, height: 9 }] }));
  assert.deepEqual(await next(), ["photo", "photos/file_1.jpg"]);
  const file = await fetch(`${root}/file/bot${token}/photos/file_1.jpg`);
  assert.equal(await file.text(), "picture");
  await bot.stop();
  await running;
  assert.equal((await seen()).waiting, 0);
}

async function speaks(api) {
  const sent = await api.sendMessage(7001, "<b>bold</b> &lt;", {
    parse_mode: "HTML",
    reply_markup: new InlineKeyboard().text("Yes", "yes").text("No", "no"),
    reply_parameters: { message_id: 5, allow_sending_without_reply: true },
    link_preview_options: { is_disabled: true },
  });
  assert.equal(sent.text, "bold <");
  assert.deepEqual(sent.entities, [{ type: "bold", offset: 0, length: 4 }]);
  const edited = await api.editMessageText(7001, sent.message_id, "<i>other</i>", { parse_mode: "HTML" });
  assert.equal(edited.text, "other");
  assert.match((await refusal(() => api.editMessageText(7001, sent.message_id, "<i>other</i>", { parse_mode: "HTML" }))).description, /not modified/);
  await api.deleteMessage(7001, sent.message_id);
  assert.match((await refusal(() => api.deleteMessage(7001, sent.message_id))).description, /not found/);
  const topic = await api.createForumTopic(-1001900, "Roses");
  const there = await api.sendMessage(-1001900, "in a topic", { message_thread_id: topic.message_thread_id });
  assert.equal(there.message_thread_id, topic.message_thread_id);
  assert.match((await refusal(() => api.sendMessage(-1001900, "general", { message_thread_id: 1 }))).description, /thread not found/);
  await api.sendChatAction(-1001900, "typing", { message_thread_id: 1 });
  await api.setMessageReaction(7001, 5, [{ type: "emoji", emoji: "👍" }]);
  await api.raw.sendMessageDraft({ chat_id: 7001, draft_id: 1, text: "so far" });
  const poll = await api.sendPoll(-1001900, "Tea?", [{ text: "yes" }, { text: "no" }], { is_anonymous: false });
  assert.equal(poll.poll.options.length, 2);
  await api.setMyCommands([{ command: "think", description: "Thinks" }]);
  assert.deepEqual(await api.getMyCommands(), [{ command: "think", description: "Thinks" }]);
}

async function sendsFiles(api) {
  const file = () => new InputFile(Buffer.from("the bytes"), "file.bin");
  const results = [
    await api.sendPhoto(7001, file(), { caption: "<i>shown</i>", parse_mode: "HTML" }),
    await api.sendDocument(7001, file()),
    await api.sendVoice(7001, file()),
    await api.sendVideoNote(7001, file()),
    await api.sendAnimation(7001, file()),
    await api.sendSticker(7001, "STICKER-ID"),
  ];
  assert.equal(results[0].caption, "shown");
  const again = await api.editMessageCaption(7001, results[0].message_id, { caption: "<b>other</b>", parse_mode: "HTML" });
  assert.deepEqual([again.caption, again.caption_entities], ["other", [{ type: "bold", offset: 0, length: 5 }]]);
  const same = await refusal(() => api.editMessageCaption(7001, results[0].message_id, { caption: "<b>other</b>", parse_mode: "HTML" }));
  assert.match(same.description, /not modified/);
  const album = await api.sendMediaGroup(7001, ["a", "b", "c"].map((name) => ({ type: "document", media: new InputFile(Buffer.from(name), `${name}.txt`) })));
  assert.deepEqual([album.length, new Set(album.map((each) => each.media_group_id)).size], [3, 1]);
  const mixed = [{ type: "photo", media: "F1" }, { type: "document", media: "F1" }];
  assert.match((await refusal(() => api.sendMediaGroup(7001, mixed))).description, /can't be mixed/);
  const carried = (await seen()).calls.filter((call) => call.files.length > 0 && call.method !== "sendMediaGroup").slice(-5);
  assert.deepEqual([...new Set(carried.map((call) => call.files[0].bytes))], [9]);
}

async function isRefused(api) {
  assert.match((await refusal(() => api.sendMessage(7001, "<b>open", { parse_mode: "HTML" }))).description, /can't parse entities/);
  assert.match((await refusal(() => api.sendMessage(7001, "x".repeat(4097)))).description, /too long/);
  await fail("sendMessage", 429, "Too Many Requests: retry after 3", { retry_after: 3 });
  const slow = await refusal(() => api.sendMessage(7001, "too fast"));
  assert.deepEqual([slow.error_code, slow.parameters], [429, { retry_after: 3 }]);
  await fail("sendMessage", 400, "Bad Request: group chat was upgraded to a supergroup chat", { migrate_to_chat_id: -1001904 });
  assert.equal((await refusal(() => api.sendMessage(-555, "moved"))).parameters.migrate_to_chat_id, -1001904);
  const stranger = new Bot("1:wrong", { client: { apiRoot: root } });
  assert.equal((await refusal(() => stranger.api.getMe())).error_code, 401);
}

async function isBrought(bot) {
  const secret = "our_secret-1";
  const handle = webhookCallback(bot, "http", { secretToken: secret });
  const server = http.createServer(handle);
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${server.address().port}/hook`;
  await bot.api.setWebhook(url, { secret_token: secret, allowed_updates: told });
  assert.equal((await bot.api.getWebhookInfo()).url, url);
  assert.equal((await refusal(() => bot.api.getUpdates())).error_code, 409);
  await happen(message({ text: "brought" }));
  assert.deepEqual(await next(), ["text", "brought", 7001]);
  const strange = await fetch(url, { method: "POST", body: "{}", headers: { "content-type": "application/json" } });
  assert.equal(strange.status, 401);
  await bot.api.deleteWebhook();
  server.close();
}

// The story of the fake, which our own account lives through too. What is asked for is written in its `scenario`.
async function lives() {
  const bot = new Bot(token, { client: { apiRoot: root } });
  const pause = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));
  const deeds = {
    hello: async (context) => {
      const hi = () => context.reply("hi", { reply_parameters: { message_id: context.msgId, allow_sending_without_reply: true } });
      await hi().catch(async (error) => {
        assert.equal(error.error_code, 429);
        await pause(error.parameters.retry_after);
        await hi();
      });
    },
    ask: (context) => context.reply("May I?", { reply_markup: new InlineKeyboard().text("Yes", "yes").text("No", "no") }),
    file: (context) => context.replyWithDocument(new InputFile(Buffer.from("some bytes"), "a.txt"), { caption: "look" }),
    album: async (context) => {
      const picture = (name, more) => ({ type: "photo", media: new InputFile(Buffer.from(name), name), ...more });
      const [first] = await context.replyWithMediaGroup([picture("one.png", { caption: "both" }), picture("two.png")]);
      await bot.api.editMessageCaption(first.chat.id, first.message_id, { caption: "<b>*both*</b> &amp; more", parse_mode: "HTML" });
    },
    poll: (context) => context.replyWithPoll("Tea?", [{ text: "yes" }, { text: "no" }], { is_anonymous: false }),
    topic: async () => {
      const topic = await bot.api.createForumTopic(garden.id, "Roses");
      await bot.api.sendMessage(garden.id, "in it", { message_thread_id: topic.message_thread_id });
    },
    like: async (context) => {
      await context.react("👍");
      await context.react([]);
    },
    oops: async (context) => {
      const sent = await context.reply("wrong");
      await bot.api.deleteMessage(sent.chat.id, sent.message_id);
    },
  };
  bot.on("message:text", (context) => deeds[context.message.text](context));
  bot.on("message:photo", async (context) => {
    const file = await fetch(`${root}/file/bot${token}/${(await context.getFile()).file_path}`);
    await context.reply(await file.text());
  });
  bot.on("callback_query:data", async (context) => {
    await context.answerCallbackQuery();
    await context.editMessageText("Approved");
  });
  const running = bot.start({ allowed_updates: told });
  assert.equal((await control("play", {})).wrong, null);
  await bot.stop();
  await running;
}

await lives();
const bot = makeBot();
await bot.init();
assert.equal(bot.botInfo.username, "claw_bot");
await hears(bot);
await speaks(bot.api);
await sendsFiles(bot.api);
await isRefused(bot.api);
const brought = makeBot();
await brought.init();
await isBrought(brought);
assert.deepEqual((await seen()).complaints, []);
console.log("grammY lives through the story, hears, speaks, sends files, is refused and is brought updates by the fake");
process.exit(0);
