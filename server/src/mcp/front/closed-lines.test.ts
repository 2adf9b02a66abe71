import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import type { Socket } from 'bun';
import { connectClient } from '../mcp.fixture.ts';
import { echo, type FrontTest, openFrontTest } from './front.fixture.ts';

/* A server may close a connection at any moment; a call that it cannot have read is not lost by that. */

let f: FrontTest;
beforeAll(async () => {
  f = await openFrontTest();
});
afterAll(() => f.t.close());
afterEach(() => f.tidy());

interface Wire {
  other: Socket<Wire> | null;
  waiting: Buffer[];
}

/** Stands before a server and passes bytes on, over connections that a test can end. */
function startWire(target: string) {
  const open = new Set<Socket<Wire>>();
  const { port } = new URL(target);
  const inner: Bun.SocketHandler<Wire> = {
    data: (socket, bytes) => void socket.data.other?.write(bytes),
    close: (socket) => void socket.data.other?.end(),
    error: () => {},
  };
  const listener = Bun.listen<Wire>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: async (socket) => {
        socket.data = { other: null, waiting: [] };
        open.add(socket);
        const data = { other: socket, waiting: [] };
        socket.data.other = await Bun.connect<Wire>({ hostname: '127.0.0.1', port: Number(port), data, socket: inner });
        for (const bytes of socket.data.waiting) socket.data.other.write(bytes);
      },
      data: (socket, bytes) => {
        const { other, waiting } = socket.data;
        if (other) other.write(bytes);
        else waiting.push(Buffer.from(bytes));
      },
      close: (socket) => {
        open.delete(socket);
        socket.data.other?.end();
      },
      error: () => {},
    },
  });
  return { url: `http://127.0.0.1:${listener.port}/mcp`, open, stop: () => listener.stop(true) };
}

test('a connection that was just closed loses no call and repeats none', async () => {
  const server = f.start([echo]);
  const wire = startWire(server.url);
  const { name } = await f.connected({ ...server, url: wire.url });
  const { client } = await connectClient(f.t, `/mcp/${name}`, f.key, 'legacy');
  const call = (text: string) => client.callTool({ name: 'echo', arguments: { text } });
  await call('warm');
  for (let turn = 0; turn < 20; turn += 1) {
    const calls = server.calls.length;
    expect(wire.open.size).toBeGreaterThan(0);
    // In the same turn as the call, so that nobody has heard of it.
    for (const socket of wire.open) socket.end();
    expect(await call(`${turn}`)).toMatchObject({
      content: [{ type: 'text', text: expect.stringContaining(`${turn}`) }],
    });
    expect(server.calls.length).toBe(calls + 1);
  }
  await client.close();
  wire.stop();
});
