import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { More } from '../mcp.fixture.ts';
import { accepted, askableClient, newestPost } from './between.fixture.ts';
import { type FrontTest, openFrontTest } from './front.fixture.ts';
import { ask } from './speaks.fixture.ts';

/* Clients of 2026-07-28 before servers of 2025 that ask them something while they read a resource or write a prompt. */

let f: FrontTest;
beforeAll(async () => {
  f = await openFrontTest();
});
afterAll(() => f.t.close());
afterEach(() => f.tidy());

const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
const nameOf = async (context: ServerContext): Promise<string> => {
  const said = await ask(context, 'elicitation/create', { message: 'Who?', requestedSchema });
  return (said as { content: { name: string } }).content.name;
};

/** How often each was asked for. */
let [read, written] = [0, 0];
const curious: More = {
  capabilities: { resources: {}, prompts: {} },
  set: (server) => {
    server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
      read += 1;
      return { contents: [{ uri, text: `for ${await nameOf(context)}` }] };
    });
    server.setRequestHandler('prompts/get', async (_, context) => {
      written += 1;
      const text = `Dear ${await nameOf(context)}`;
      return { messages: [{ role: 'user', content: { type: 'text', text } }] };
    });
  },
};
async function begun(): Promise<string> {
  const server = f.start([{ name: 'idle' }], 'sessions', false, curious);
  const { name } = await f.connected(server, { offers: ['resources', 'prompts'] });
  [read, written] = [0, 0];
  return `/mcp/${name}`;
}

test('resources and prompts are answered with the question and continue with its answer', async () => {
  const client = await askableClient([f.t], { path: await begun(), key: f.key, mode: 'auto' }, () => accepted('Ada'));
  const { contents } = await client.readResource({ uri: 'file:///letter' });
  expect(contents).toMatchObject([{ uri: 'file:///letter', text: 'for Ada' }]);
  const { messages } = await client.getPrompt({ name: 'letter' });
  expect(messages).toMatchObject([{ content: { text: 'Dear Ada' } }]);
  expect([read, written]).toEqual([1, 1]);
  await client.close();
});

test('a client that supports no questions is not asked, and a state is valid only for its own request', async () => {
  const path = await begun();
  const mute = newestPost(f.t, path, f.key, {});
  const refused = await mute.ask('prompts/get', { name: 'letter' });
  expect(refused.answer).toMatchObject({ error: { code: -32_601 } });
  const { ask: post } = newestPost(f.t, path, f.key);
  const first = await post('resources/read', { uri: 'file:///letter' });
  const [key] = Object.keys(first.inputRequests);
  const back = { ...first, inputResponses: { [key!]: accepted('Eve') } };
  for (const [method, params] of [
    ['resources/read', { uri: 'file:///other' }],
    ['prompts/get', { name: 'file:///letter' }],
  ] as const)
    expect((await post(method, params, back)).answer).toMatchObject({ error: { code: -32_602 } });
  const { answer } = await post('resources/read', { uri: 'file:///letter' }, back);
  expect(answer).toMatchObject({ result: { contents: [{ text: 'for Eve' }] } });
  expect((await post('resources/read', { uri: 'file:///letter' }, back)).answer).toMatchObject({
    error: { message: expect.stringContaining('ask again') },
  });
  expect(read).toBe(1);
});
