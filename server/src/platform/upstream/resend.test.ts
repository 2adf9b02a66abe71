import { afterEach, describe, expect, test } from 'bun:test';
import type { Socket } from 'bun';
import { readText } from '../../lib/byte-source.ts';
import { answerOf, UpstreamConnections } from './connections.ts';

/** A connection as the server sees it: what it has read of the request that is under way. */
interface Peer {
  text: string;
  /** This request has been counted. */
  seen: boolean;
}

type Closing = (socket: Socket<Peer>, text: string) => void;

/** Answers whole requests until it is told to behave otherwise, and counts requests of which it read a single byte. */
function startServer() {
  const state = { read: 0, opened: 0, open: new Set<Socket<Peer>>(), closing: null as Closing | null };
  const server = Bun.listen<Peer>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        socket.data = { text: '', seen: false };
        state.opened += 1;
        state.open.add(socket);
      },
      data(socket, bytes) {
        const peer = socket.data;
        if (!peer.seen) state.read += 1;
        peer.seen = true;
        peer.text += bytes.toString('latin1');
        if (state.closing) state.closing(socket, peer.text);
        else if (peer.text.endsWith('}')) {
          socket.data = { text: '', seen: false };
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
        }
      },
      close: (socket) => void state.open.delete(socket),
      error() {},
    },
  });
  return { state, url: `http://127.0.0.1:${server.port}/v1`, stop: () => server.stop(true) };
}

const running: { stop(): unknown }[] = [];
afterEach(() => {
  for (const each of running.splice(0)) each.stop();
});

let nowMs = 0;
function world() {
  const server = startServer();
  const connections = new UpstreamConnections({ nowMs: () => nowMs });
  running.push(server, { stop: () => connections.close() });
  const send = (body = '{}') => connections.send({ url: server.url, method: 'POST', headers: {}, body });
  const ask = async (body?: string) => {
    const exchange = send(body);
    return readText(answerOf(exchange, await exchange.head).body);
  };
  return { server, send, ask };
}

const seen = ({ server }: ReturnType<typeof world>) => ({ read: server.state.read, opened: server.state.opened });

/** Leaves this many idle connections behind. */
async function warm({ server, ask }: Pick<ReturnType<typeof world>, 'server' | 'ask'>, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => ask()));
  expect(server.state.open.size).toBeGreaterThanOrEqual(Math.min(count, 2));
  server.state.read = 0;
  server.state.opened = 0;
}

const outcome = (asked: Promise<string>): Promise<string> =>
  asked.then(
    (text) => text,
    () => 'fault',
  );

const big = `{${'x'.repeat(4_000_000)}}`;
const half = 'HTTP/1.1 200 OK\r\ncontent-le';

describe('a request on a reused connection', () => {
  const closings: [string, Closing][] = [
    ['ended at its first byte', (socket) => void socket.end()],
    ['reset at its first byte', (socket) => void socket.terminate()],
    ['ended after its head', (socket, text) => text.includes('\r\n\r\n') && void socket.end()],
    ['ended after half of its body', (socket, text) => text.length > 2_000_000 && void socket.end()],
    ['reset after half of its body', (socket, text) => text.length > 2_000_000 && void socket.terminate()],
    ['ended after the whole', (socket, text) => text.endsWith('}') && void socket.end()],
    ['reset after the whole', (socket, text) => text.endsWith('}') && void socket.terminate()],
    [
      'ended after an interim answer',
      (socket, text) => {
        if (!text.endsWith('}')) return;
        socket.write('HTTP/1.1 102 Processing\r\n\r\n');
        socket.end();
      },
    ],
    [
      'ended after half of an answer’s head',
      (socket, text) => {
        if (!text.endsWith('}')) return;
        socket.write(half);
        socket.end();
      },
    ],
  ];
  test.each(closings)('%s: it is read once and fails, however many others are idle', async (_, closing) => {
    const it = world();
    await warm(it, 7);
    it.server.state.closing = closing;
    expect(await outcome(it.ask(big))).toBe('fault');
    expect(seen(it)).toEqual({ read: 1, opened: 0 });
  });

  test.each(closings)('%s: `fetch` also sends it once', async (_, closing) => {
    const { server } = world();
    const ask = async (body = '{}') => (await fetch(server.url, { method: 'POST', body, redirect: 'manual' })).text();
    await warm({ server, ask }, 7);
    server.state.closing = closing;
    expect(await outcome(ask(big))).toBe('fault');
    expect(server.state.read).toBe(1);
  });

  const whileIdle: [string, (socket: Socket<Peer>) => void][] = [
    ['ended', (socket) => void socket.end()],
    ['reset', (socket) => void socket.terminate()],
  ];

  test.each(whileIdle)('%s while idle is not used: the request uses a new one', async (_, close) => {
    const it = world();
    await warm(it, 7);
    for (const socket of it.server.state.open) close(socket);
    // The news lies in the kernel already: a few turns bring it in.
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    expect(await outcome(it.ask())).toBe('ok');
    expect(seen(it)).toEqual({ read: 1, opened: 1 });
  });

  test('reset unnoticed receives no byte: the request is sent again on a new one', async () => {
    const it = world();
    await warm(it, 7);
    // In the same turn, so that the news of it still lies in the kernel.
    for (const socket of it.server.state.open) socket.terminate();
    expect(await outcome(it.ask())).toBe('ok');
    expect(seen(it)).toEqual({ read: 1, opened: 1 });
  });

  test('closed unnoticed may have read it: a connection is probed before it is written to', async () => {
    const it = world();
    await warm(it, 7);
    for (const socket of it.server.state.open) socket.end();
    expect(await outcome(it.ask())).toBe('ok');
    expect(seen(it)).toEqual({ read: 1, opened: 1 });
  });

  test('with unrequested data is not used', async () => {
    const it = world();
    await warm(it, 1);
    for (const socket of it.server.state.open)
      socket.write('HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n');
    expect(await outcome(it.ask())).toBe('ok');
    expect(seen(it)).toEqual({ read: 1, opened: 1 });
  });

  test('whose server is dead is tried once on a new connection, and then fails', async () => {
    const it = world();
    await warm(it, 7);
    for (const socket of it.server.state.open) socket.terminate();
    it.server.state.closing = (socket) => void socket.terminate();
    expect(await outcome(it.ask())).toBe('fault');
    expect(seen(it)).toEqual({ read: 1, opened: 1 });
  });

  test('aborted while its connection is probed is not sent', async () => {
    const it = world();
    await warm(it, 1);
    const exchange = it.send();
    exchange.abort();
    await expect(exchange.head).rejects.toThrow('cancelled');
    expect(await it.ask()).toBe('ok');
    expect(seen(it)).toEqual({ read: 1, opened: 1 });
  });
});

test('a connection is not used longer than its server announced', async () => {
  let opened = 0;
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: () => {
        opened += 1;
      },
      data: (socket) =>
        void socket.write('HTTP/1.1 200 OK\r\nkeep-alive: timeout=5, max=100\r\ncontent-length: 2\r\n\r\nok'),
    },
  });
  const connections = new UpstreamConnections({ nowMs: () => nowMs });
  running.push({ stop: () => server.stop(true) }, { stop: () => connections.close() });
  const ask = async () => {
    const exchange = connections.send({ url: `http://127.0.0.1:${server.port}/`, method: 'POST', headers: {} });
    return readText(answerOf(exchange, await exchange.head).body);
  };
  await ask();
  nowMs += 3_900;
  await ask();
  expect(opened).toBe(1);
  nowMs += 4_000;
  expect(await ask()).toBe('ok');
  expect(opened).toBe(2);
});
