// The original Control UI in a real browser against our gateway: what every script beside this file needs.
//
// `visit` opens a page with the token, runs the steps it is given, prints a line for each, keeps a screenshot of each
// and all frames of the protocol, and ends with 1 when a step fails or the console shows an error that is not expected
// below.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const { chromium } = createRequire(`${process.env.SCRATCH}/`)("playwright-core");
const address = process.env.CONTROL_UI_ADDRESS;
const token = process.env.CONTROL_UI_TOKEN;
const shots = process.env.CONTROL_UI_SHOTS;
const patience = 30_000;

// The page asks a foreign server for fonts, and its own security policy (the original's, which we send too) refuses
// that. It does so with the original gateway as well.
const expected = (text) => text.includes("fonts.googleapis.com") && text.includes("Content Security Policy");

export async function visit(name, steps) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync"],
  });
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  page.setDefaultTimeout(patience);
  const trouble = [];
  const frames = [];
  watch(page, trouble, frames);
  // The page takes the token from the fragment once, and keeps it.
  await page.goto(`${address}/overview#token=${encodeURIComponent(token)}`);
  await shows(page, /Connected|OK/i);
  let failed = 0;
  for (const [index, [what, act]] of steps.entries()) {
    try {
      const seen = await act(page);
      console.log(`ok   ${what}${seen ? `: ${seen}` : ""}`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL ${what}: ${error.message}`);
    }
    await page.screenshot({ path: `${shots}/${name}-${index + 1}.png` });
  }
  await browser.close();
  for (const line of trouble) console.log(line);
  writeFileSync(`${shots}/${name}.frames.txt`, frames.join("\n"));
  process.exit(failed > 0 || trouble.length > 0 ? 1 : 0);
}

function watch(page, trouble, frames) {
  page.on("pageerror", (error) => trouble.push(`page error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !expected(message.text())) trouble.push(`console: ${message.text()}`);
  });
  page.on("response", (response) => response.status() >= 400 && trouble.push(`${response.status()} ${response.url()}`));
  page.on("websocket", (socket) => {
    socket.on("framesent", ({ payload }) => frames.push(`> ${payload}`));
    socket.on("framereceived", ({ payload }) => frames.push(`< ${payload}`));
  });
}

/// Opens a page of the Control UI.
export async function open(page, path) {
  await page.goto(`${address}/${path}`);
}

/// Waits until a part of the page has text that fits.
export async function shows(page, pattern, part = "body") {
  let text = "";
  for (const end = Date.now() + patience; Date.now() < end; await page.waitForTimeout(100)) {
    text = (await page.locator(part).allInnerTexts()).join("\n");
    if (pattern.test(text)) return text;
  }
  throw new Error(`${part} lacks ${pattern}; it has: ${text.slice(-800)}`);
}

/// Waits until no part of the page has text that fits.
export async function lacks(page, pattern, part = "body") {
  for (const end = Date.now() + patience; Date.now() < end; await page.waitForTimeout(100)) {
    const text = (await page.locator(part).allInnerTexts()).join("\n");
    if (!pattern.test(text)) return;
  }
  throw new Error(`${part} still has ${pattern}`);
}

/// Writes a message and sends it.
export async function say(page, text) {
  await page.locator(".chat-compose textarea").fill(text);
  await page.getByRole("button", { name: /^Send/ }).click();
}

/// Waits until the page is at rest: it offers a new session where it offered to stop.
export async function rests(page) {
  await page.getByRole("button", { name: "New session" }).waitFor();
}

/// What the model behind our gateway was asked so far.
export function modelWasAsked() {
  const lines = readFileSync(process.env.MODEL_REQUESTS, "utf8").split("\n");
  return lines.filter((line) => line.endsWith("}")).map((line) => JSON.parse(line).body);
}

export function check(fact, complaint) {
  if (!fact) throw new Error(complaint);
}
