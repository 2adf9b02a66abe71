import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { approvalsOf, startMcp } from '../mcp.fixture.ts';
import { redacted } from '../redact.ts';
import { type FrontTest, openFrontTest } from './front.fixture.ts';
import { messageIn } from './stream-messages.ts';

/* Ids of 64 bits and amounts with many digits pass through as they are written. */

let f: FrontTest;
const ending: (() => unknown)[] = [];
beforeAll(async () => {
  f = await openFrontTest();
});
afterAll(() => f.t.close());
afterEach(async () => {
  await f.tidy();
  for (const end of ending.splice(0)) await end();
});

const numbers = ['9007199254740993', '-12345678901234567890', '0.12345678901234567891', '1e400'];
const written = `[${numbers.join(',')}]`;

/** A server that writes such numbers, and notes what was written to it. */
function startExact(era: 'sessions' | 'modern', json: boolean) {
  const behind = startMcp(
    [{ name: 'count', answer: () => ({ content: [], structuredContent: { all: 'NUMBERS' } }) }],
    era,
    json,
  );
  const heard: string[] = [];
  const front = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const body = request.method === 'POST' ? await request.text() : undefined;
      if (body?.includes('"tools/call"')) heard.push(body);
      const { headers, method } = request;
      const answer = await fetch(behind.url, { method, headers, body });
      if (!body?.includes('"tools/call"')) return answer;
      const text = (await answer.text()).replaceAll('"NUMBERS"', written);
      const type = answer.headers.get('content-type')!;
      if (json || !type.includes('json')) return new Response(text, { headers: { 'content-type': type } });
      const lines = text.replaceAll(':[', ':\n[').split('\n');
      const events = `: soon\n\nid: 1\nevent: message\n${lines.map((line) => `data: ${line}\n`).join('')}\n`;
      return new Response(events, { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  ending.push(
    () => front.stop(true),
    () => behind.stop(),
  );
  return { ...behind, url: `http://127.0.0.1:${front.port}/mcp`, heard };
}

const asked = (more = '') =>
  `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"count","arguments":{"all":${written}}${more}}}`;
const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2025-06-18' };
const answerOf = async (path: string, body: string) => (await f.post(path, body, headers)).text();

test.each([
  ['sessions', true],
  ['sessions', false],
  ['modern', true],
  ['modern', false],
] as const)('to and from a server with %s (JSON: %p)', async (era, json) => {
  const server = startExact(era, json);
  const { name } = await f.connected(server);
  // The library for MCP reads what tells progress.
  for (const body of [asked(), asked(',"_meta":{"progressToken":1}')]) {
    expect(await answerOf(`/mcp/${name}`, body)).toContain(`"all":${written}`);
    expect(server.heard.at(-1)).toContain(`"all":${written}`);
  }
});

test('where a secret was repeated, and in what a server sends unprompted', () => {
  const text = `{"method":"notifications/message","params":{"data":["my secret",${numbers.join(',')}]}}`;
  const message = messageIn({ event: 'message', data: text });
  expect(JSON.stringify(message)).toBe(text);
  expect(JSON.stringify(redacted(message, ['my secret']))).toBe(text.replace('my secret', '[redacted]'));
});

test('an approval is for exactly these digits', async () => {
  const server = startExact('sessions', true);
  const { name } = await f.connected(server, {}, ['count']);
  expect(await answerOf(`/mcp/${name}`, asked())).toContain('approval');
  await approvalsOf(f.user).approveFirst();
  const other = asked().replace('9007199254740993', '9007199254740992');
  expect(await answerOf(`/mcp/${name}`, other)).toContain('approval');
  const shown = await (await f.user.call('/api/mcp/approvals')).text();
  const { data } = JSON.parse(shown) as { data: { approvals: { arguments_text: string }[] } };
  const texts = data.approvals.map((approval) => approval.arguments_text).join('\n');
  for (const number of numbers) for (const text of [shown, texts]) expect(text).toContain(number);
  expect(await answerOf(`/mcp/${name}`, asked())).toContain(`"all":${written}`);
});
