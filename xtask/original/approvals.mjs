// The approval dialog of the original Control UI: a command that needs a person is allowed, and denied.

import { check, lacks, open, rests, say, shows, visit } from "./browser.mjs";

const thread = ".chat-thread";
const card = ".exec-approval-card";

const decide = (button, outcome) => async (page) => {
  await say(page, "Please ask before you run it");
  const asked = await shows(page, /printf 'asked %s' first/, card);
  await page.screenshot({ path: `${process.env.CONTROL_UI_SHOTS}/approvals-${button.replace(" ", "-")}.png` });
  await page.locator(card).getByRole("button", { name: button }).click();
  await page.locator(card).waitFor({ state: "detached" });
  await shows(page, outcome, thread);
  await rests(page);
  return asked.replaceAll("\n", " | ");
};

await visit("approvals", [
  ["a chat for it", async (page) => {
    await open(page, "chat?session=agent%3Amain%3Aapprovals");
    await rests(page);
  }],
  ["a denied command does not run", decide("Deny", /The person does not want that/)],
  ["an allowed command runs", decide("Allow once", /The command ran after a person was asked/)],
  ["what was allowed once is asked again", decide("Deny", /ran after a person[^]*The person does not want that/)],
  ["the result is in the tool's card", async (page) => {
    await page.reload();
    await shows(page, /asked first/, `${thread} .chat-tool-card`);
    await lacks(page, /Exec approval needed/);
    check((await page.locator(card).count()) === 0, "a question is left");
  }],
]);
