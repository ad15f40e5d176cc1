// Looks at the pages of the original Control UI that show data of our gateway.

import { check, open, shows, visit } from "./browser.mjs";

const look = (path, ...wanted) => [
  path,
  async (page) => {
    await open(page, path);
    for (const pattern of wanted) await shows(page, pattern);
  },
];

await visit("pages", [
  look("overview", /Connected|OK/i, /Uptime/i),
  look("instances", /gateway/i, /control-ui|webchat/i),
  look("sessions", /agent:main:main/),
  look("config", /gateway/i, /Save|Apply/i),
  look("logs", /listening|gateway/i),
  ["usage", async (page) => {
    await open(page, "usage");
    await page.getByRole("button", { name: "Refresh" }).click();
    const text = await shows(page, /[1-9]\d* sessions? in range/);
    return text.match(/\d+ sessions? in range/)[0];
  }],
  ["agents: a file of the workspace is read, changed and kept", async (page) => {
    await open(page, "agents");
    await page.getByRole("button", { name: "Files" }).click();
    await page.getByText("TOOLS.md").first().click();
    const text = page.locator("main textarea").first();
    await text.waitFor();
    const before = await text.inputValue();
    await text.fill(`${before}\nWritten on the page.\n`);
    await page.getByRole("button", { name: "Save", exact: true }).last().click();
    await page.waitForTimeout(1000);
    await page.reload();
    await page.getByRole("button", { name: "Files" }).click();
    await page.getByText("TOOLS.md").first().click();
    await text.waitFor();
    check((await text.inputValue()).includes("Written on the page."), "the change was not kept");
    return `${before.length} letters and a line more`;
  }],
  ["agents: tools", async (page) => {
    await page.getByRole("button", { name: "Tools", exact: true }).click();
    await shows(page, /Tool Access[^]*Read\s+core[^]*Processes\s+core/);
  }],
  ["nodes: programs that may run are listed", async (page) => {
    await open(page, "nodes");
    const approvals = page.locator("section.card", { hasText: "Exec approvals" });
    await approvals.getByRole("button", { name: "main", exact: true }).click();
    await shows(page, /uname/, "section.card");
  }],
]);
