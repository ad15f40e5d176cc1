// Slack as others wrote it: the simulator of the package `emulate`, with the official client as a person in it.
//
// Called by `cargo xtask peers`, which gives the folder of the packages. Prints `listening on <address>`; there a test
// asks who and what there is (GET /), says where signed events go (POST /events), and lets the person make calls with the
// official client (POST /call).

import { readdirSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const folder = process.env.PEER_FOLDER;
const require = createRequire(`${folder}/`);
const { WebClient } = require("@slack/web-api");
const core = await import(pathToFileURL(`${folder}/node_modules/@emulators/core/dist/index.js`).href);
const slack = await simulator(`${folder}/node_modules/emulate/dist`);

const secret = "signing-secret-of-the-peer";
const tokens = { bot: "xoxb-peer-bot", alice: "xoxp-peer-alice" };
let events = null;

// The one file of the package that holds this platform has a name made by its bundler.
async function simulator(dist) {
  for (const name of readdirSync(dist).filter((each) => /^dist-.*\.js$/.test(each))) {
    const module = await import(pathToFileURL(`${dist}/${name}`).href);
    if (module.slackPlugin) return module;
  }
  throw new Error("the package has no Slack any more");
}

function listen(server) {
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server.address().port)));
}

async function freePort() {
  const server = createHttpServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const port = await freePort();
const root = `http://127.0.0.1:${port}`;
const plugin = {
  ...slack.slackPlugin,
  register(app, store, _webhooks, ...rest) {
    let headers = () => ({});
    const webhooks = {
      setHeaderFactory: (factory) => { headers = factory; },
      getSubscriptions: () => [],
      getDeliveries: () => [],
      register() {},
      clear() {},
      async dispatch(event, _action, payload) {
        if (!events) return;
        const body = JSON.stringify(payload);
        const signed = headers({ event, body });
        const answer = await fetch(events, { method: "POST", body, headers: { "content-type": "application/json", ...signed } });
        if (!answer.ok) console.error(`an event was answered with ${answer.status}: ${body}`);
      },
    };
    return slack.slackPlugin.register(app, store, webhooks, ...rest);
  },
};
const known = Object.fromEntries(Object.entries(tokens).map(([login, token], id) => [token, { login, id: id + 1, scopes: [] }]));
const { app, store } = core.createServer(plugin, { port, baseUrl: root, tokens: known });
slack.slackPlugin.seed(store, root);
slack.seedFromConfig(store, root, {
  signing_secret: secret,
  users: [{ name: "alice", real_name: "Alice" }, { name: "bot", real_name: "Claw" }],
  channels: [{ name: "lab", topic: "Experiments" }],
  tokens: [
    { token: tokens.bot, type: "bot", user: "bot" },
    { token: tokens.alice, type: "user", user: "alice" },
  ],
});
core.serve({ fetch: app.fetch, port, hostname: "127.0.0.1" });

const alice = new WebClient(tokens.alice, { slackApiUrl: `${root}/api/`, retryConfig: { retries: 0 } });
const people = (await alice.users.list()).members;
const rooms = (await alice.conversations.list()).channels;
const id = (list, name) => list.find((each) => each.name === name).id;
const facts = {
  api: `${root}/api/`,
  token: tokens.bot,
  secret,
  alice: id(people, "alice"),
  bot: id(people, "bot"),
  lab: id(rooms, "lab"),
};

async function body(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString("utf8"));
}

async function answer(request) {
  if (request.method === "GET") return facts;
  const asked = await body(request);
  if (request.url === "/events") {
    events = asked.url;
    return { ok: true };
  }
  if (asked.method === "filesUploadV2") return alice.filesUploadV2(asked.arguments);
  return alice.apiCall(asked.method, asked.arguments);
}

const control = createHttpServer(async (request, response) => {
  let result;
  try {
    result = await answer(request);
  } catch (error) {
    result = error.data ?? { ok: false, error: String(error) };
  }
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(result));
});
console.log(`listening on http://127.0.0.1:${await listen(control)}`);
