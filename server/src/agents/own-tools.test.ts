import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Client } from '@modelcontextprotocol/client';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { until } from '../lib/until.fixture.ts';
import { connectClient } from '../mcp/mcp.fixture.ts';
import { toolTable } from './tool-table.ts';

let t: TestApp;
let user: Member;
let client: Client;

beforeAll(async () => {
  t = await openTestApp({ env: { DEMO_PROVIDER: 'on' } });
  await t.setOption('RateLimitEnabled', false);
  await t.setOption('QuotaForNewUser', 5_000_000);
  await t.app.start();
  user = await t.user();
  ({ client } = await connectClient(t, '/mcp/svc', await user.key()));
});
afterAll(async () => {
  await client.close();
  await t.close();
});

async function call(name: string, args: Record<string, unknown> = {}, by = client) {
  const { content, structuredContent, isError = false } = await by.callTool({ name, arguments: args });
  const [block] = content as { type: string; text: string }[];
  return { text: block!.text, isError, structuredContent };
}
const answered = async (name: string, args: Record<string, unknown> = {}) => {
  const { text, isError, structuredContent } = await call(name, args);
  expect([text, isError]).toEqual([text, false]);
  // The same for programs as for readers.
  expect(structuredContent).toEqual(JSON.parse(text));
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, each checked where it is read
  return JSON.parse(text) as any;
};

test('every tool is listed with a schema of its arguments', async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(toolTable.map(({ name }) => name));
  for (const { inputSchema } of tools)
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
});

test("ask_model uses the caller's models and charges the caller", async () => {
  const { data } = await answered('list_models');
  expect(data.map(({ id }: { id: string }) => id)).toContain('demo/chat');
  const { text, isError } = await call('ask_model', { model: 'demo/chat', message: 'Hello', system: 'Be short.' });
  expect([isError, text.length > 0]).toEqual([false, true]);
  expect(await call('ask_model', { model: 'demo/nothing', message: 'Hello' })).toMatchObject({ isError: true });
  const { client: narrow } = await connectClient(t, '/mcp/svc', await user.key({ models: ['demo/embed'] }));
  expect(await call('ask_model', { model: 'demo/chat', message: 'Hello' }, narrow)).toMatchObject({ isError: true });
  await narrow.close();
});

test('knowledge is stored and found only by its owner', async () => {
  const entry = { category: 'preference', title: 'Drinks', content: 'I drink green tea.', keywords: ['tea'] };
  expect(await answered('store_knowledge', entry)).toMatchObject({ data: { title: 'Drinks' } });
  expect((await answered('search_knowledge', { query: 'green tea' })).data).toMatchObject([{ title: 'Drinks' }]);
  const { client: stranger } = await connectClient(t, '/mcp/svc', await (await t.user()).key());
  const { text } = await call('search_knowledge', { query: 'green tea' }, stranger);
  expect(JSON.parse(text).data).toEqual([]);
  await stranger.close();
});

test('a run is started, followed, stopped and steered', async () => {
  const { session_id } = await answered('start_run', { goal: 'Plan a tea party for four', max_cost: 1 });
  expect(await answered('follow_run', { session_id })).toMatchObject({ session_id });
  const stopped = await call('stop_run', { session_id });
  // It may have been quicker than we are.
  if (!stopped.isError) {
    const { checkpoint_id } = JSON.parse(stopped.text).data;
    if (checkpoint_id) await answered('steer_run', { session_id, checkpoint_id, instructions: 'Only two guests.' });
  }
  await until('it has come to an end', async () => (await answered('follow_run', { session_id })).status !== 'running');
  expect(await call('follow_run', { session_id: 'somebody-elses' })).toMatchObject({ isError: true });
});

test('a video is started and followed; usage is read', async () => {
  const { id } = await answered('make_video', { model: 'demo/video', prompt: 'waves at night' });
  expect(await answered('follow_video', { id })).toMatchObject({ id });
  expect((await answered('read_usage', { group_by: 'model' })).success).toBe(true);
});

test('wrong, missing and unknown arguments are reported, and nothing is done', async () => {
  for (const [name, args] of [
    ['ask_model', { model: 'demo/chat' }],
    ['ask_model', { model: 'demo/chat', message: 'x', colour: 'red' }],
    ['search_knowledge', { query: 7 }],
    ['read_usage', { group_by: 'colour' }],
  ] as const)
    expect(await call(name, args)).toMatchObject({ isError: true });
  // By the name that the tool has for it.
  expect((await call('start_run', { goal: ' ' })).text).toStartWith('goal: ');
  await expect(client.callTool({ name: 'rule_the_world', arguments: {} })).rejects.toThrow('Unknown tool');
});
