// A conversation in the original Control UI: an answer that streams, a tool, a long answer that is stopped, settings
// changed by command, and a new session.

import { check, lacks, modelWasAsked, open, rests, say, shows, visit } from "./browser.mjs";

const thread = ".chat-thread";
const stream = ".chat-bubble.streaming";

await visit("chat", [
  ["the chat of the main session", async (page) => {
    await open(page, "chat?session=agent%3Amain%3Amain");
    await shows(page, /The kernel is called Linux/, thread);
    await rests(page);
    return "what the command line said is there";
  }],
  ["an answer streams", async (page) => {
    await say(page, "Please tell a story");
    await page.locator(stream).waitFor();
    const early = await shows(page, /Then they walked on/, stream);
    check(!/That is the end/.test(early), "all of it came at once");
    const later = await shows(page, /(Then they walked on\. ){4}/, stream);
    await shows(page, /That is the end/, thread);
    await rests(page);
    return `${early.length}, then ${later.length} letters, then the end`;
  }],
  ["a tool and its card", async (page) => {
    await say(page, "Please read the note");
    await shows(page, /The note says that the door is green[^]*$/, thread);
    await rests(page);
    await page.reload();
    const card = page.locator(".chat-tool-card", { hasText: "The door is green" }).last();
    await card.waitFor();
    await card.click();
    await shows(page, /The door is green/, ".chat-sidebar, .chat-tool-card__inline");
    return (await card.innerText()).replaceAll("\n", " | ");
  }],
  ["a long answer is stopped", async (page) => {
    await say(page, "Please count for ever");
    await shows(page, /and one more/, stream);
    await page.getByRole("button", { name: "Stop" }).click();
    await rests(page);
    const kept = (await shows(page, /and one more/, thread)).match(/and one more/g).length;
    await page.waitForTimeout(1000);
    const after = (await shows(page, /and one more/, thread)).match(/and one more/g).length;
    check(kept === after, `it went on: ${kept}, then ${after}`);
    await page.reload();
    await shows(page, /and one more/, thread);
    await rests(page);
    return `${kept} pieces were kept, on the page and in the history`;
  }],
  ["/model is answered, and the next question goes there", async (page) => {
    await say(page, "/model scripted/other");
    await shows(page, /scripted\/other[^]*scripted\/other/, thread);
    await rests(page);
    await say(page, "Who is it now?");
    await shows(page, /Who is it now\?[^]*I am the scripted model/, thread);
    await rests(page);
    const { model } = modelWasAsked().findLast((body) => JSON.stringify(body).includes("Who is it now?"));
    check(model === "other", `the model asked is ${model}`);
    return model;
  }],
  ["/think is answered, and the next question is thought about", async (page) => {
    await say(page, "/think medium");
    await shows(page, /\/think medium[^]*medium/, thread);
    await rests(page);
    await say(page, "How deep is it now?");
    await shows(page, /How deep is it now\?[^]*I am the scripted model/, thread);
    await rests(page);
    const body = modelWasAsked().findLast((body) => JSON.stringify(body).includes("How deep is it now?"));
    check(body.reasoning_effort === "medium", `the effort asked for is ${body.reasoning_effort}`);
    return body.reasoning_effort;
  }],
  ["a new session", async (page) => {
    await page.getByRole("button", { name: "New session" }).click();
    await shows(page, /How deep is it now\?[^]*\/new[^]*I am the scripted model/, thread);
    await rests(page);
    // The page itself shows the old words until it asks for the history again.
    await page.reload();
    await shows(page, /I am the scripted model/, thread);
    await lacks(page, /How deep is it now/, thread);
    return "the old words are gone";
  }],
]);
