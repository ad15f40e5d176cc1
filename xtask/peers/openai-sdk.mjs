// The official OpenAI SDK for Node against our gateway: the same cases as openai_sdk.py.
//
// Called by `cargo xtask peers` with the address and the token in the SDK's own variables, and with the file of what
// the model behind the gateway was asked. Prints a line for each case and ends with 1 when one fails.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { default: OpenAI } = createRequire(`${process.env.SDK_FOLDER}/`)("openai");
const client = new OpenAI({ maxRetries: 0, timeout: 60_000 });
const picture =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
const about = { name: "weather", description: "The weather in a city", parameters };
const chatTool = { type: "function", function: about };
const tool = { type: "function", ...about, strict: false };
const weather = "What is the weather in Oslo?";
const result = '{"sky":"clear","temperature":"7 degrees"}';
const words = `${"word ".repeat(8)}end.`;
const catSchema = {
  type: "object",
  properties: { name: { type: "string" }, lives: { type: "number" } },
  required: ["name", "lives"],
  additionalProperties: false,
};

const user = (content) => [{ role: "user", content }];

async function all(stream) {
  const items = [];
  for await (const item of await stream) items.push(item);
  return items;
}

// The last whole line about it. The request is written down beside the answer, which may be here first.
async function modelWasAsked(part) {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const lines = readFileSync(process.env.MODEL_REQUESTS, "utf8").split("\n").slice(0, -1);
    const asked = lines.findLast((line) => line.includes(part));
    if (asked) return JSON.parse(asked).body;
    await new Promise((wake) => setTimeout(wake, 100));
  }
  assert.fail(`the model was never asked ${part}`);
}

async function toolResultReachedTheModel() {
  const turns = (await modelWasAsked("7 degrees")).messages;
  const answer = turns.find((turn) => turn.role === "tool");
  assert(answer && JSON.stringify(answer).includes("7 degrees"), `no tool's result among ${turns.map((turn) => turn.role)}`);
  const calls = turns.flatMap((turn) => turn.tool_calls ?? []).map((call) => call.id);
  assert(calls.includes(answer.tool_call_id), `the result of ${answer.tool_call_id} answers none of ${calls}`);
}

const cases = {
  async "models are listed"() {
    const names = (await all(client.models.list())).map((model) => model.id);
    assert(names.includes("openclaw") && names.includes("openclaw/main"), names.join());
    assert.equal((await client.models.retrieve("openclaw")).id, "openclaw");
    assert.equal((await client.models.retrieve("openclaw/main")).owned_by, "openclaw");
  },
  async "a completion"() {
    const made = await client.chat.completions.create({ model: "openclaw", messages: user("Hello") });
    const [{ message, finish_reason }] = made.choices;
    assert.deepEqual([message.role, message.content, finish_reason], ["assistant", "Good morning.", "stop"]);
    assert.deepEqual([made.object, made.model], ["chat.completion", "openclaw"]);
    assert.equal(made.usage.total_tokens, made.usage.prompt_tokens + made.usage.completion_tokens);
  },
  async "a streamed completion"() {
    const chunks = await all(client.chat.completions.create({
      model: "openclaw", messages: user("Say one word after the other"), stream: true, stream_options: { include_usage: true },
    }));
    const pieces = chunks.map((chunk) => chunk.choices[0]?.delta.content).filter(Boolean);
    assert.equal(pieces.join(""), words);
    assert(pieces.length > 2, `all of it came in ${pieces.length} pieces`);
    assert.equal(chunks.filter((chunk) => chunk.choices.length > 0).at(-1).choices[0].finish_reason, "stop");
    assert(chunks.at(-1).usage.total_tokens > 0);
  },
  async "a completion through the streaming helper"() {
    const stream = client.chat.completions.stream({ model: "openclaw", messages: user("Say one word after the other") });
    assert.equal(await stream.finalContent(), words);
    assert.equal((await stream.finalChatCompletion()).choices[0].finish_reason, "stop");
  },
  async "a picture in a completion"() {
    const content = [{ type: "text", text: "What is in this picture?" }, { type: "image_url", image_url: { url: picture } }];
    const made = await client.chat.completions.create({ model: "openclaw", messages: user(content) });
    assert.equal(made.choices[0].message.content, "A red dot.");
    assert(JSON.stringify(await modelWasAsked("in this picture")).includes(picture), "the model did not get the picture");
  },
  async "a tool in a completion"() {
    const messages = user(weather);
    let made = await client.chat.completions.create({ model: "openclaw", messages, tools: [chatTool] });
    const [{ message, finish_reason }] = made.choices;
    assert.equal(finish_reason, "tool_calls");
    const [call] = message.tool_calls;
    assert.deepEqual([call.function.name, JSON.parse(call.function.arguments)], ["weather", { city: "Oslo" }]);
    messages.push(message, { role: "tool", tool_call_id: call.id, content: result });
    made = await client.chat.completions.create({ model: "openclaw", messages, tools: [chatTool] });
    assert.equal(made.choices[0].message.content, "It is 7 degrees in Oslo.");
    await toolResultReachedTheModel();
  },
  async "tools that the helper runs by itself"() {
    const asked = [];
    const run = (city) => {
      asked.push(city);
      return result;
    };
    const runnable = { type: "function", function: { ...about, parse: JSON.parse, function: run } };
    const runner = client.chat.completions.runTools({ model: "openclaw", messages: user(weather), tools: [runnable] });
    assert.equal(await runner.finalContent(), "It is 7 degrees in Oslo.");
    assert.deepEqual(asked, [{ city: "Oslo" }]);
  },
  async "a tool in a streamed completion"() {
    const stream = client.chat.completions.stream({ model: "openclaw", messages: user(weather), tools: [chatTool] });
    const [{ message, finish_reason }] = (await stream.finalChatCompletion()).choices;
    assert.equal(finish_reason, "tool_calls");
    assert.deepEqual(JSON.parse(message.tool_calls[0].function.arguments), { city: "Oslo" });
  },
  async "a typed completion"() {
    const made = await client.chat.completions.parse({
      model: "openclaw",
      messages: user("What is the name of the cat?"),
      response_format: { type: "json_schema", json_schema: { name: "cat", strict: true, schema: catSchema }, $brand: "auto-parseable-response-format", $parseRaw: JSON.parse },
    });
    assert.equal(made.choices[0].message.content, '{"name":"Misha","lives":9}');
  },
  async "a response"() {
    const made = await client.responses.create({ model: "openclaw", input: "Hello", instructions: "Be kind.", metadata: { from: "a test" } });
    assert.deepEqual([made.output_text, made.status, made.error], ["Good morning.", "completed", null]);
    assert.deepEqual(made.metadata, { from: "a test" });
    assert.equal(made.usage.total_tokens, made.usage.input_tokens + made.usage.output_tokens);
  },
  async "a streamed response"() {
    const events = await all(client.responses.create({ model: "openclaw", input: "Say one word after the other", stream: true }));
    const pieces = events.filter((event) => event.type === "response.output_text.delta").map((event) => event.delta);
    assert.equal(pieces.join(""), words);
    assert.deepEqual([events[0].type, events.at(-1).type], ["response.created", "response.completed"]);
    assert.deepEqual(events.map((event) => event.sequence_number), [...events.keys()]);
  },
  async "a response through the streaming helper"() {
    const stream = client.responses.stream({ model: "openclaw", input: "Say one word after the other" });
    const final = await stream.finalResponse();
    assert.deepEqual([final.output_text, final.status], [words, "completed"]);
  },
  async "a picture in a response"() {
    const content = [{ type: "input_text", text: "What is in this picture?" }, { type: "input_image", image_url: picture, detail: "auto" }];
    const made = await client.responses.create({ model: "openclaw", input: user(content) });
    assert.equal(made.output_text, "A red dot.");
    assert(JSON.stringify(await modelWasAsked("in this picture")).includes(picture), "the model did not get the picture");
  },
  async "a tool in a response"() {
    const input = user(weather);
    let made = await client.responses.create({ model: "openclaw", input, tools: [tool] });
    const call = made.output.find((item) => item.type === "function_call");
    assert.deepEqual([call.name, JSON.parse(call.arguments)], ["weather", { city: "Oslo" }]);
    input.push(...made.output, { type: "function_call_output", call_id: call.call_id, output: result });
    made = await client.responses.create({ model: "openclaw", input, tools: [tool] });
    assert.deepEqual([made.output_text, made.status], ["It is 7 degrees in Oslo.", "completed"]);
    await toolResultReachedTheModel();
  },
  async "an earlier response goes on"() {
    const first = await client.responses.create({ model: "openclaw", input: "My name is Grace." });
    await client.responses.create({ model: "openclaw", input: "Hello after that", previous_response_id: first.id });
    assert(JSON.stringify(await modelWasAsked("Hello after that")).includes("My name is Grace."), "the earlier words are lost");
    const asking = await client.responses.create({ model: "openclaw", input: weather, tools: [tool] });
    const call = asking.output.find((item) => item.type === "function_call");
    const input = [{ type: "function_call_output", call_id: call.call_id, output: result }];
    const made = await client.responses.create({ model: "openclaw", input, tools: [tool], previous_response_id: asking.id });
    assert.equal(made.output_text, "It is 7 degrees in Oslo.");
    await toolResultReachedTheModel();
  },
  async "a tool in a streamed response"() {
    const stream = client.responses.stream({ model: "openclaw", input: weather, tools: [tool] });
    const calls = (await stream.finalResponse()).output.filter((item) => item.type === "function_call");
    assert.deepEqual(calls.map((call) => [call.name, JSON.parse(call.arguments)]), [["weather", { city: "Oslo" }]]);
  },
  async "a wrong key"() {
    const other = new OpenAI({ apiKey: "not-the-token", maxRetries: 0 });
    const asks = [
      () => other.models.list(),
      () => other.chat.completions.create({ model: "openclaw", messages: user("Hello") }),
      () => other.responses.create({ model: "openclaw", input: "Hello" }),
      () => other.responses.create({ model: "openclaw", input: "Hello", stream: true }),
    ];
    for (const ask of asks) {
      await assert.rejects(ask, (error) => error instanceof OpenAI.AuthenticationError && error.status === 401 && Boolean(error.type));
    }
  },
  async "an agent that does not exist"() {
    const model = "openclaw/nobody";
    const asks = [
      () => client.chat.completions.create({ model, messages: user("Hello") }),
      () => client.responses.create({ model, input: "Hello" }),
      () => client.chat.completions.create({ model, messages: user("Hello"), stream: true }),
    ];
    for (const ask of asks) {
      await assert.rejects(ask, (error) => [400, 404].includes(error.status) && error.type === "invalid_request_error" && error.message.includes("nobody"));
    }
    await assert.rejects(() => client.models.retrieve(model), OpenAI.NotFoundError);
  },
  async "a request without words"() {
    await assert.rejects(() => client.chat.completions.create({ model: "openclaw", messages: [] }), OpenAI.BadRequestError);
    await assert.rejects(() => client.responses.create({ model: "openclaw", input: [] }), OpenAI.BadRequestError);
  },
};

let failed = 0;
for (const [name, run] of Object.entries(cases)) {
  try {
    await run();
    console.log(`   ok   ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`   FAIL ${name}\n${error.stack}`);
  }
}
console.log(`${Object.keys(cases).length - failed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
