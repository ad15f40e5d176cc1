// The sessions page of the original Control UI: sessions are listed, changed and deleted.

import { check, modelWasAsked, open, rests, say, shows, visit } from "./browser.mjs";

const key = "agent:main:browser";
const row = (page) => page.locator(".table-row", { hasText: key });

await visit("sessions", [
  ["a session of its own is made by a message", async (page) => {
    await open(page, `chat?session=${encodeURIComponent(key)}`);
    await rests(page);
    await say(page, "Hello from a session of its own");
    await shows(page, /I am the scripted model/, ".chat-thread");
    await rests(page);
  }],
  ["it is listed beside the main one", async (page) => {
    await open(page, "sessions");
    await row(page).waitFor();
    return (await row(page).locator(".session-key-cell").innerText()).trim();
  }],
  ["its thinking is changed and kept", async (page) => {
    await row(page).locator("select").first().selectOption("high");
    await shows(page, /Refresh/);
    await page.reload();
    await row(page).waitFor();
    const level = await row(page).locator("select").first().inputValue();
    check(level === "high", `the level is ${level}`);
    return level;
  }],
  ["the change reaches the model", async (page) => {
    await row(page).locator(".session-link").click();
    await rests(page);
    await say(page, "Hello with more thought");
    await shows(page, /Hello with more thought[^]*I am the scripted model/, ".chat-thread");
    await rests(page);
    const body = modelWasAsked().findLast((body) => JSON.stringify(body).includes("Hello with more thought"));
    check(body.reasoning_effort === "high", `the effort asked for is ${body.reasoning_effort}`);
    return body.reasoning_effort;
  }],
  ["its label is changed and kept", async (page) => {
    await open(page, "sessions");
    await row(page).locator("input").first().fill("From the page");
    await row(page).locator("input").first().press("Tab");
    await shows(page, /Refresh/);
    await page.reload();
    await row(page).waitFor();
    const label = await row(page).locator("input").first().inputValue();
    check(label === "From the page", `the label is ${label}`);
    return label;
  }],
  ["it is deleted", async (page) => {
    page.once("dialog", (dialog) => dialog.accept());
    await row(page).getByRole("button", { name: "Delete" }).click();
    await row(page).waitFor({ state: "detached" });
    await page.reload();
    await page.locator(".table-row", { hasText: "agent:main:main" }).waitFor();
    check((await row(page).count()) === 0, "it came back");
    return "and stays away";
  }],
]);
