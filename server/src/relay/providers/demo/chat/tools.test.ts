import { describe, expect, test } from 'bun:test';
import { chat, chatEvents, type Loose } from '../demo-call.test-support.ts';

const tool = (name: string, description: string, properties: object, required: string[]): Loose => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties, required } },
});
const weather = tool(
  'get_weather',
  'Get the current weather for a city',
  { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
  ['city'],
);
const search = tool(
  'web_search',
  'Search the web',
  { query: { type: 'string' }, limit: { type: 'integer', minimum: 1, maximum: 10 } },
  ['query', 'limit'],
);
const tools = [weather, search];
const calls = (body: Loose): { name: string; arguments: unknown }[] =>
  (body.choices[0].message.tool_calls ?? []).map((one: Loose) => ({
    name: one.function.name,
    arguments: JSON.parse(one.function.arguments),
  }));

describe('tools', () => {
  test('a matching tool is called with arguments from the text', async () => {
    const body = await chat('What is the weather in Paris in celsius?', { tools });
    expect(body.choices[0].finish_reason).toBe('tool_calls');
    expect(body.choices[0].message.content).toBeNull();
    expect(calls(body)).toEqual([{ name: 'get_weather', arguments: { city: 'Paris', unit: 'celsius' } }]);
    expect(body.choices[0].message.tool_calls[0].id).toMatch(/^call_\w{24}$/);
  });

  test('two places give two parallel calls, or one if parallel calls are disabled', async () => {
    const ask = 'What is the weather in Paris and in Rome?';
    expect(calls(await chat(ask, { tools })).map((one) => one.arguments)).toEqual([
      { city: 'Paris' },
      { city: 'Rome' },
    ]);
    expect(calls(await chat(ask, { tools, parallel_tool_calls: false }))).toHaveLength(1);
  });

  test('no tool is called if none matches or tool_choice is none', async () => {
    expect(calls(await chat('Tell me a joke', { tools }))).toEqual([]);
    expect(calls(await chat('weather in Paris', { tools, tool_choice: 'none' }))).toEqual([]);
  });

  test('required always calls a tool, and a named tool is called with valid arguments', async () => {
    expect(calls(await chat('Tell me a joke', { tools, tool_choice: 'required' }))).toHaveLength(1);
    const named = { type: 'function', function: { name: 'web_search' } };
    expect(calls(await chat('Find 40 jokes', { tools, tool_choice: named }))).toEqual([
      { name: 'web_search', arguments: { query: 'Find 40 jokes', limit: 10 } },
    ]);
  });

  test('the answer after a tool result uses the result', async () => {
    const first = await chat('What is the weather in Paris?', { tools });
    const asked = first.choices[0].message;
    const messages = [
      { role: 'user', content: 'What is the weather in Paris?' },
      asked,
      { role: 'tool', tool_call_id: asked.tool_calls[0].id, content: '{"temperature": 21, "sky": "clear"}' },
    ];
    const body = await chat(messages, { tools });
    expect(body.choices[0].finish_reason).toBe('stop');
    expect(body.choices[0].message.content).toContain('get_weather: temperature 21, sky clear');
  });

  test('arguments are streamed in pieces', async () => {
    const messages = [{ role: 'user', content: 'What is the weather in Paris and in Rome?' }];
    const events = (await chatEvents({ messages, tools })).filter((event) => event !== 'DONE');
    const joined = new Map<number, string>();
    for (const piece of events.flatMap((event) => event.choices[0].delta.tool_calls ?? [])) {
      joined.set(piece.index, (joined.get(piece.index) ?? '') + piece.function.arguments);
    }
    expect([...joined.values()].map((text) => JSON.parse(text))).toEqual([{ city: 'Paris' }, { city: 'Rome' }]);
    expect(events.at(-1).choices[0].finish_reason).toBe('tool_calls');
  });
});
