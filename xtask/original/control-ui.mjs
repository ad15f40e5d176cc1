// Opens the original Control UI in a real browser against our gateway and looks at what a person would look at.
//
// Called by `cargo xtask test --original` with the page's address and the gateway's token in the environment. Prints
// one line for each page, saves a screenshot of each, and exits with 1 when a page lacks its data or the console
// shows an error that is not expected below.

import { createRequire } from "node:module";

const { chromium } = createRequire(`${process.env.SCRATCH}/`)("playwright-core");
const address = process.env.CONTROL_UI_ADDRESS;
const token = process.env.CONTROL_UI_TOKEN;
const shots = process.env.CONTROL_UI_SHOTS;

// What each page must show once it has its data.
const pages = [
  { path: "overview", wanted: [/Connected|OK/i, /Uptime/i] },
  { path: "instances", wanted: [/gateway/i, /control-ui|webchat/i] },
  { path: "config", wanted: [/gateway/i, /Save|Apply/i] },
  { path: "logs", wanted: [/listening|gateway/i] },
];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
const trouble = [];
// The page asks a foreign server for fonts, and its own security policy (the original's, which we send too) refuses
// that. It does so with the original gateway as well.
const expected = (text) => text.includes("fonts.googleapis.com") && text.includes("Content Security Policy");
page.on("pageerror", (error) => trouble.push(`page error: ${error.message}`));
page.on("console", (message) => message.type() === "error" && !expected(message.text()) && trouble.push(`console: ${message.text()}`));
page.on("response", (response) => response.status() >= 400 && trouble.push(`${response.status()} ${response.url()}`));
const frames = [];
page.on("websocket", (socket) => {
  socket.on("framesent", ({ payload }) => frames.push(`> ${payload}`));
  socket.on("framereceived", ({ payload }) => frames.push(`< ${payload}`));
});

// The page takes the token from the fragment once, and keeps it.
await page.goto(`${address}/overview#token=${encodeURIComponent(token)}`);
let failed = false;
for (const { path, wanted } of pages) {
  if (path !== "overview") await page.goto(`${address}/${path}`);
  let missing = wanted;
  for (let attempt = 0; attempt < 50 && missing.length > 0; attempt += 1) {
    const text = await page.locator("body").innerText();
    missing = wanted.filter((pattern) => !pattern.test(text));
    if (missing.length > 0) await page.waitForTimeout(200);
  }
  await page.waitForTimeout(500);
  await page.screenshot({ path: `${shots}/${path}.png` });
  console.log(`${path}: ${missing.length === 0 ? "ok" : `lacks ${missing.join(", ")}`}`);
  failed ||= missing.length > 0;
}
await browser.close();
for (const line of trouble) console.log(line);
if (process.env.CONTROL_UI_FRAMES) for (const frame of frames) console.log(frame.slice(0, 400));
process.exit(failed || trouble.length > 0 ? 1 : 0);
