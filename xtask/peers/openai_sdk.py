"""The official OpenAI SDK for Python against our gateway: the same cases as openai-sdk.mjs.

Called by `cargo xtask peers` with the address and the token in the SDK's own variables, and with the file of what the
model behind the gateway was asked. Prints a line for each case and ends with 1 when one fails.
"""

import json
import os
import sys
import time
import traceback

import openai
from openai import OpenAI
from pydantic import BaseModel

client = OpenAI(max_retries=0, timeout=60)
PICTURE = (
    "data:image/png;base64,"
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False}
CHAT_TOOL = {"type": "function", "function": {"name": "weather", "description": "The weather in a city", "parameters": PARAMETERS}}
TOOL = {"type": "function", "name": "weather", "description": "The weather in a city", "parameters": PARAMETERS, "strict": False}
WEATHER = "What is the weather in Oslo?"
RESULT = '{"sky":"clear","temperature":"7 degrees"}'


class Cat(BaseModel):
    name: str
    lives: int


def user(content):
    return [{"role": "user", "content": content}]


def equal(seen, wanted):
    assert seen == wanted, f"{seen!r} is not {wanted!r}"


def model_was_asked(words):
    """The last request with these words. It is written down beside the answer, which may be here first."""
    for _ in range(50):
        with open(os.environ["MODEL_REQUESTS"], encoding="utf-8") as lines:
            asked = [line for line in lines if words in line and line.endswith("\n")]
        if asked:
            return json.loads(asked[-1])["body"]
        time.sleep(0.1)
    raise AssertionError(f"the model was never asked {words!r}")


def models_are_listed():
    names = [model.id for model in client.models.list()]
    assert "openclaw" in names and "openclaw/main" in names, names
    equal(client.models.retrieve("openclaw").id, "openclaw")
    equal(client.models.retrieve("openclaw/main").owned_by, "openclaw")


def a_completion():
    made = client.chat.completions.create(model="openclaw", messages=user("Hello"))
    choice = made.choices[0]
    equal((choice.message.role, choice.message.content, choice.finish_reason), ("assistant", "Good morning.", "stop"))
    equal((made.object, made.model), ("chat.completion", "openclaw"))
    assert made.usage.total_tokens == made.usage.prompt_tokens + made.usage.completion_tokens > 0, made.usage


def a_completion_with_a_history():
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "My name is Ada."},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "Hello once more"},
    ]
    made = client.chat.completions.create(model="openclaw/main", messages=messages)
    equal(made.choices[0].message.content, "Good morning.")
    asked = json.dumps(model_was_asked("Hello once more"))
    assert all(words in asked for words in ("Be brief.", "My name is Ada.", "Noted.")), asked


def a_streamed_completion():
    options = {"include_usage": True}
    stream = client.chat.completions.create(
        model="openclaw", messages=user("Say one word after the other"), stream=True, stream_options=options
    )
    chunks = list(stream)
    pieces = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices and chunk.choices[0].delta.content]
    equal("".join(pieces), "word " * 8 + "end.")
    assert len(pieces) > 2, f"all of it came in {len(pieces)} pieces"
    equal([chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1], "stop")
    assert chunks[-1].usage.total_tokens > 0, chunks[-1]


def a_completion_through_the_streaming_helper():
    with client.chat.completions.stream(model="openclaw", messages=user("Hello")) as stream:
        kinds = {event.type for event in stream}
        final = stream.get_final_completion()
    assert "content.delta" in kinds and "content.done" in kinds, kinds
    equal(final.choices[0].message.content, "Good morning.")


def a_picture_in_a_completion():
    content = [{"type": "text", "text": "What is in this picture?"}, {"type": "image_url", "image_url": {"url": PICTURE}}]
    made = client.chat.completions.create(model="openclaw", messages=user(content))
    equal(made.choices[0].message.content, "A red dot.")
    assert PICTURE in json.dumps(model_was_asked("in this picture")), "the model did not get the picture"


def a_tool_in_a_completion():
    messages = user(WEATHER)
    made = client.chat.completions.create(model="openclaw", messages=messages, tools=[CHAT_TOOL])
    message = made.choices[0].message
    equal(made.choices[0].finish_reason, "tool_calls")
    call = message.tool_calls[0]
    equal((call.type, call.function.name, json.loads(call.function.arguments)), ("function", "weather", {"city": "Oslo"}))
    messages += [message, {"role": "tool", "tool_call_id": call.id, "content": RESULT}]
    made = client.chat.completions.create(model="openclaw", messages=messages, tools=[CHAT_TOOL])
    equal((made.choices[0].message.content, made.choices[0].finish_reason), ("It is 7 degrees in Oslo.", "stop"))
    tool_result_reached_the_model()


def tool_result_reached_the_model():
    turns = model_was_asked("7 degrees")["messages"]
    result = next((turn for turn in turns if turn["role"] == "tool"), None)
    assert result and "7 degrees" in json.dumps(result), f"no tool's result among {[turn['role'] for turn in turns]}"
    calls = [call["id"] for turn in turns for call in turn.get("tool_calls") or []]
    assert result["tool_call_id"] in calls, f"the result of {result['tool_call_id']} answers none of {calls}"


def a_tool_in_a_streamed_completion():
    with client.chat.completions.stream(model="openclaw", messages=user(WEATHER), tools=[CHAT_TOOL]) as stream:
        for _ in stream:
            pass
        final = stream.get_final_completion()
    call = final.choices[0].message.tool_calls[0]
    equal((final.choices[0].finish_reason, call.function.name), ("tool_calls", "weather"))
    equal(json.loads(call.function.arguments), {"city": "Oslo"})


def a_typed_completion():
    made = client.chat.completions.parse(
        model="openclaw", messages=user("What is the name of the cat?"), response_format=Cat
    )
    equal(made.choices[0].message.parsed, Cat(name="Misha", lives=9))


def a_response():
    made = client.responses.create(model="openclaw", input="Hello", instructions="Be kind.", metadata={"from": "a test"})
    equal((made.output_text, made.status, made.object), ("Good morning.", "completed", "response"))
    equal((made.metadata, made.error), ({"from": "a test"}, None))
    assert made.usage.total_tokens == made.usage.input_tokens + made.usage.output_tokens > 0, made.usage
    assert "Be kind." in json.dumps(model_was_asked("Be kind.")), "the instructions are lost"


def a_streamed_response():
    events = list(client.responses.create(model="openclaw", input="Say one word after the other", stream=True))
    pieces = [event.delta for event in events if event.type == "response.output_text.delta"]
    equal("".join(pieces), "word " * 8 + "end.")
    equal((events[0].type, events[-1].type), ("response.created", "response.completed"))
    equal(events[-1].response.output_text, "word " * 8 + "end.")
    equal([event.sequence_number for event in events], list(range(len(events))))


def a_response_through_the_streaming_helper():
    with client.responses.stream(model="openclaw", input="Say one word after the other") as stream:
        for _ in stream:
            pass
        final = stream.get_final_response()
    equal((final.output_text, final.status), ("word " * 8 + "end.", "completed"))


def a_picture_in_a_response():
    content = [{"type": "input_text", "text": "What is in this picture?"}, {"type": "input_image", "image_url": PICTURE, "detail": "auto"}]
    made = client.responses.create(model="openclaw", input=user(content))
    equal(made.output_text, "A red dot.")
    assert PICTURE in json.dumps(model_was_asked("in this picture")), "the model did not get the picture"


def a_tool_in_a_response():
    turns = user(WEATHER)
    made = client.responses.create(model="openclaw", input=turns, tools=[TOOL])
    call = next(item for item in made.output if item.type == "function_call")
    equal((call.name, json.loads(call.arguments)), ("weather", {"city": "Oslo"}))
    turns += made.output
    turns.append({"type": "function_call_output", "call_id": call.call_id, "output": RESULT})
    made = client.responses.create(model="openclaw", input=turns, tools=[TOOL])
    equal((made.output_text, made.status), ("It is 7 degrees in Oslo.", "completed"))
    tool_result_reached_the_model()


def an_earlier_response_goes_on():
    first = client.responses.create(model="openclaw", input="My name is Grace.")
    client.responses.create(model="openclaw", input="Hello after that", previous_response_id=first.id)
    assert "My name is Grace." in json.dumps(model_was_asked("Hello after that")), "the earlier words are lost"
    asking = client.responses.create(model="openclaw", input=WEATHER, tools=[TOOL])
    call = next(item for item in asking.output if item.type == "function_call")
    result = {"type": "function_call_output", "call_id": call.call_id, "output": RESULT}
    made = client.responses.create(model="openclaw", input=[result], tools=[TOOL], previous_response_id=asking.id)
    equal(made.output_text, "It is 7 degrees in Oslo.")
    tool_result_reached_the_model()


def a_tool_in_a_streamed_response():
    with client.responses.stream(model="openclaw", input=WEATHER, tools=[TOOL]) as stream:
        done = [event for event in stream if event.type == "response.function_call_arguments.done"]
        final = stream.get_final_response()
    equal([json.loads(event.arguments) for event in done], [{"city": "Oslo"}])
    equal([item.name for item in final.output if item.type == "function_call"], ["weather"])


def a_typed_response():
    made = client.responses.parse(model="openclaw", input="What is the name of the cat?", text_format=Cat)
    equal(made.output_parsed, Cat(name="Misha", lives=9))


def a_wrong_key():
    other = OpenAI(api_key="not-the-token", max_retries=0)
    for ask in (
        lambda: other.models.list(),
        lambda: other.chat.completions.create(model="openclaw", messages=user("Hello")),
        lambda: other.responses.create(model="openclaw", input="Hello"),
        lambda: list(other.responses.create(model="openclaw", input="Hello", stream=True)),
    ):
        error = refused(openai.AuthenticationError, ask)
        assert error.status_code == 401 and error.type, error.body


def an_agent_that_does_not_exist():
    model = "openclaw/nobody"
    for ask in (
        lambda: client.chat.completions.create(model=model, messages=user("Hello")),
        lambda: client.responses.create(model=model, input="Hello"),
        lambda: list(client.chat.completions.create(model=model, messages=user("Hello"), stream=True)),
    ):
        error = refused(openai.APIStatusError, ask)
        assert error.status_code in (400, 404) and error.type == "invalid_request_error", (error.status_code, error.body)
        assert "nobody" in error.message, error.message
    refused(openai.NotFoundError, lambda: client.models.retrieve(model))


def a_request_without_words():
    refused(openai.BadRequestError, lambda: client.chat.completions.create(model="openclaw", messages=[]))
    refused(openai.BadRequestError, lambda: client.responses.create(model="openclaw", input=[]))


def refused(kind, ask):
    try:
        answer = ask()
    except kind as error:
        return error
    raise AssertionError(f"answered {answer!r} instead of {kind.__name__}")


CASES = [
    models_are_listed,
    a_completion,
    a_completion_with_a_history,
    a_streamed_completion,
    a_completion_through_the_streaming_helper,
    a_picture_in_a_completion,
    a_tool_in_a_completion,
    a_tool_in_a_streamed_completion,
    a_typed_completion,
    a_response,
    a_streamed_response,
    a_response_through_the_streaming_helper,
    a_picture_in_a_response,
    a_tool_in_a_response,
    an_earlier_response_goes_on,
    a_tool_in_a_streamed_response,
    a_typed_response,
    a_wrong_key,
    an_agent_that_does_not_exist,
    a_request_without_words,
]

failed = 0
for case in CASES:
    try:
        case()
        print(f"   ok   {case.__name__}")
    except Exception as error:
        failed += 1
        place = traceback.extract_tb(error.__traceback__)[1]
        print(f"   FAIL {case.__name__}, line {place.lineno}: {type(error).__name__}: {error}")
print(f"{len(CASES) - failed} passed, {failed} failed")
sys.exit(1 if failed else 0)
