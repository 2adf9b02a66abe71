import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { startMcp } from '../mcp.fixture.ts';
import { type FrontTest, openFrontTest } from './front.fixture.ts';

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

const eventStream = { 'content-type': 'text/event-stream' };
const primed = (id: string) => `retry: 40\nid: ${id}\ndata: \n\n`;

/** What a server sends for a call before it closes the stream, and to a client that comes back for the rest. */
interface Way {
  call?: (answer: string) => BodyInit;
  back: (after: string, answer: string) => Response;
}

const rest = (id: string, answer: string) =>
  new Response(`id: ${id}\nevent: message\ndata: ${answer}\n\n`, { headers: eventStream });
const breaking = (answer: string): BodyInit => {
  const pieces = [primed('e1'), `id: e2\ndata: ${answer.slice(0, 20)}`];
  return new ReadableStream({
    async pull(controller) {
      const piece = pieces.shift();
      await Bun.sleep(20);
      if (piece === undefined) controller.error(new Error('broken'));
      else controller.enqueue(new TextEncoder().encode(piece));
    },
  });
};

const ways: Record<string, Way> = {
  'closed by the server': { back: (_, answer) => rest('e2', answer) },
  'closed twice': {
    back: (after, answer) =>
      after === 'e1' ? new Response(primed('e2'), { headers: eventStream }) : rest('e3', answer),
  },
  'broken within an event': { call: breaking, back: (_, answer) => rest('e2', answer) },
};
const lost: Record<string, Way> = {
  'that a server does not keep': { back: () => new Response(null, { status: 405 }) },
  'of a session that has ended': { back: () => new Response(null, { status: 404 }) },
  'that never brings an answer': { back: (after) => new Response(primed(`${after}x`), { headers: eventStream }) },
  'that was never numbered': { call: () => ': soon\n\n', back: (_, answer) => rest('e2', answer) },
};

/** A server of 2025 whose stream ends before the answer to a call. */
function closing({ call = () => primed('e1'), back }: Way) {
  const behind = startMcp([{ name: 'work', answer: () => 'all done' }]);
  const cameBack: string[] = [];
  let answer = '';
  const front = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    error: () => new Response(null, { status: 500 }),
    async fetch(request) {
      const { headers, method } = request;
      const after = headers.get('last-event-id');
      if (method === 'GET' && after !== null) {
        cameBack.push(after);
        return back(after, answer);
      }
      const body = method === 'POST' ? await request.text() : undefined;
      const given = await fetch(behind.url, { method, headers, body });
      if (!body?.includes('"tools/call"')) return given;
      answer = await given.text();
      return new Response(call(answer), { headers: eventStream });
    },
  });
  ending.push(
    () => front.stop(true),
    () => behind.stop(),
  );
  return { calls: behind.calls, url: `http://127.0.0.1:${front.port}/mcp`, cameBack };
}

/** A client of the gateway, and a chat or run: they reach the server in different ways. */
const callers: Record<string, (name: string) => Promise<{ text: string; isError: boolean }>> = {
  'a client': async (name) => {
    const { client } = await f.clientOf(`/mcp/${name}`, 'legacy');
    const { content, isError = false } = await client
      .callTool({ name: 'work', arguments: {} })
      .catch((error) => ({ content: [{ text: String(error) }], isError: true }));
    return { text: (content as { text: string }[])[0]!.text, isError: isError === true };
  },
  'a chat': (name) =>
    f.t.app.mcp.tools.call(
      { userId: f.user.id, keyId: null },
      `${name}__work`,
      {},
      {
        signal: new AbortController().signal,
        approved: true,
      },
    ),
};

describe.each(Object.keys(callers))('a call of %s', (caller) => {
  const call = callers[caller]!;

  test.each(Object.keys(ways))('whose stream is %s is answered by the rest of it', async (kind) => {
    const server = closing(ways[kind]!);
    const { name } = await f.connected(server);
    expect(await call(name)).toMatchObject({ text: 'all done', isError: false });
    expect(server.calls).toHaveLength(1);
    expect(server.cameBack[0]).toBe('e1');
  });

  test.each(Object.keys(lost))('fails with a stream %s, and is not repeated', async (kind) => {
    const server = closing(lost[kind]!);
    const { name } = await f.connected(server, { timeout_ms: 2_000 });
    const { text, isError } = await call(name);
    expect([isError, text]).toEqual([true, expect.stringContaining('closed the connection')]);
    expect(server.calls).toHaveLength(1);
    expect(server.cameBack.length).toBeLessThan(10);
  });
});
