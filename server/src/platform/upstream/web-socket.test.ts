import { heapStats } from 'bun:jsc';
import { afterAll, expect, test } from 'bun:test';
import { readOutgoingProxy } from '../../lib/outgoing-proxy.ts';
import { until } from '../../lib/until.fixture.ts';
import { localhostTls } from '../../video/localhost-tls.fixture.ts';
import { agreeingServer, serverFrame } from './agreeing-server.fixture.ts';
import { rawServer } from './raw-server.fixture.ts';
import { someProxy } from './some-proxy.fixture.ts';
import { RefusedUpgrade, UpstreamWebSocket } from './web-socket.ts';
import { clientFrame, FrameFault, FrameReader, opcodes } from './web-socket-frames.ts';

function read(bytes: Buffer, cutEvery: number, mostBytes = 1_000_000): [string, string][] {
  const found: [string, string][] = [];
  const reader = new FrameReader(
    {
      message: (payload, binary) => found.push([binary ? 'binary' : 'text', payload.toString()]),
      control: (opcode, payload) => found.push([`${opcode}`, payload.toString()]),
    },
    mostBytes,
  );
  for (let at = 0; at < bytes.length; at += cutEvery) reader.push(bytes.subarray(at, at + cutEvery));
  return found;
}

test('frames are read however they are split, and messages assembled', () => {
  const long = 'é'.repeat(40_000);
  const bytes = Buffer.concat([
    serverFrame(opcodes.text, Buffer.from('tea'), false),
    serverFrame(opcodes.ping, Buffer.from('p')),
    serverFrame(opcodes.more, Buffer.from(' and'), false),
    serverFrame(opcodes.more, Buffer.from(' cake')),
    serverFrame(opcodes.binary, Buffer.from('x'.repeat(200))),
    serverFrame(opcodes.text, Buffer.from(long)),
    serverFrame(opcodes.text, Buffer.alloc(0)),
  ]);
  const expected: [string, string][] = [
    ['9', 'p'],
    ['text', 'tea and cake'],
    ['binary', 'x'.repeat(200)],
    ['text', long],
    ['text', ''],
  ];
  for (const cutEvery of [1, 2, 3, 7, 1_000, bytes.length]) expect(read(bytes, cutEvery)).toEqual(expected);
});

test('protocol violations and oversized data are rejected', () => {
  const text = Buffer.from('tea');
  const cases: [bytes: Buffer, code: number][] = [
    [Buffer.from([0xc1, 0]), 1002],
    [Buffer.from([0x81, 0x80, 0, 0, 0, 0]), 1002],
    [Buffer.from([0x83, 0]), 1002],
    [serverFrame(opcodes.more, text), 1002],
    [Buffer.concat([serverFrame(opcodes.text, text, false), serverFrame(opcodes.text, text)]), 1002],
    [serverFrame(opcodes.ping, text, false), 1002],
    [serverFrame(opcodes.ping, Buffer.alloc(126)), 1002],
    [serverFrame(opcodes.text, Buffer.alloc(201)), 1009],
    [Buffer.from([0x81, 127, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), 1009],
    [
      Buffer.concat([
        serverFrame(opcodes.text, Buffer.alloc(101), false),
        serverFrame(opcodes.more, Buffer.alloc(100)),
      ]),
      1009,
    ],
    [serverFrame(opcodes.text, Buffer.from([0xff, 0xfe])), 1007],
    [
      Buffer.concat([
        serverFrame(opcodes.text, Buffer.from([0xc3]), false),
        serverFrame(opcodes.more, Buffer.from('x')),
      ]),
      1007,
    ],
  ];
  const codeOf = (bytes: Buffer): number => {
    try {
      return read(bytes, bytes.length, 200).length;
    } catch (error) {
      if (error instanceof FrameFault) return error.code;
      throw error;
    }
  };
  expect(cases.map(([bytes]) => codeOf(bytes))).toEqual(cases.map(([, code]) => code));
});

test('a character may be split across frames, and a frame may be empty', () => {
  const e = Buffer.from('é');
  const cut = [
    serverFrame(opcodes.text, e.subarray(0, 1), false),
    serverFrame(opcodes.more, Buffer.alloc(0), false),
    serverFrame(opcodes.more, e.subarray(1)),
  ];
  expect(read(Buffer.concat(cut), 1)).toEqual([['text', 'é']]);
});

test('a message in a million frames uses memory for its bytes only', () => {
  const count = 1_000_000;
  const pieces = Buffer.alloc(3 * count);
  for (let i = 0; i < count; i += 1) pieces.set([opcodes.more, 1, 97], 3 * i);
  const found: number[] = [];
  const reader = new FrameReader({ message: ({ length }) => found.push(length), control: () => {} }, count + 1);
  reader.push(serverFrame(opcodes.text, Buffer.from('x'), false));
  const kept = (): number => {
    Bun.gc(true);
    return heapStats().objectCount;
  };
  const before = kept();
  for (let at = 0; at < pieces.length; at += 60_000) reader.push(Buffer.from(pieces.subarray(at, at + 60_000)));
  expect(kept() - before).toBeLessThan(count / 10);
  reader.push(serverFrame(opcodes.more, Buffer.alloc(0)));
  expect(found).toEqual([count + 1]);
});

test('sent data is masked, and equal when unmasked', () => {
  for (const length of [0, 1, 3, 4, 5, 125, 126, 127, 65_535, 65_536, 65_539]) {
    const payload = Buffer.from(Array.from({ length }, (_, i) => i & 255));
    const frame = clientFrame(opcodes.binary, payload);
    const head = length <= 125 ? 2 : length < 65_536 ? 4 : 10;
    expect([frame[0], frame[1]! & 0x80, frame.length]).toEqual([0x82, 0x80, head + 4 + length]);
    const mask = frame.subarray(head, head + 4);
    const seen = frame.subarray(head + 4).map((byte, i) => byte ^ mask[i & 3]!);
    expect(Buffer.from(seen).equals(payload)).toBe(true);
  }
});

const answers: Record<string, string> = {
  '/chunked': 'HTTP/1.1 403 No\r\ntransfer-encoding: chunked\r\nx-a: b\r\n\r\n3\r\nwhy\r\n0\r\n\r\n',
  '/until-close': 'HTTP/1.1 429 Slow\r\n\r\nslow',
  '/unasked': 'HTTP/1.1 101 Ok\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: AAAA\r\n\r\n',
  '/not-http': 'SSH-2.0-x\r\n\r\n',
  '/early': 'HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 404 Gone\r\ncontent-length: 4\r\n\r\ngone',
};
const raw = rawServer(({ socket }, count) => {
  socket.write(Object.values(answers)[count - 1]!);
  if (count === 2) socket.end();
});
afterAll(() => raw.stop());

test('a refused upgrade reports the reason', async () => {
  const outcomes: unknown[] = [];
  for (const path of Object.keys(answers)) {
    const asking = UpstreamWebSocket.connect(
      { url: raw.url + path, headers: {}, mostBytes: 10 },
      new AbortController().signal,
    );
    const error = await asking.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    outcomes.push(error instanceof RefusedUpgrade ? [error.status, error.body] : (error as Error).message);
  }
  expect(outcomes).toEqual([
    [403, 'why'],
    [429, 'slow'],
    'the upstream did not agree to a WebSocket',
    'the upstream does not support HTTP/1.1',
    [404, 'gone'],
  ]);
});

test('a paused socket is not read, and an aborted one is not connected', async () => {
  const server = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    fetch: (request, self) => (self.upgrade(request) ? undefined : new Response()),
    websocket: {
      backpressureLimit: 1024 ** 3,
      open: (socket) => {
        for (let i = 0; i < 200; i += 1) socket.send('x'.repeat(200_000));
      },
      message: (socket, data) => void socket.send(`back ${data}`),
    },
  });
  const url = `http://127.0.0.1:${server.port}/`;
  const leaving = new AbortController();
  leaving.abort(new Error('left'));
  const request = { url, headers: {}, mostBytes: 1_000_000 };
  expect(UpstreamWebSocket.connect(request, leaving.signal)).rejects.toThrow('left');
  const socket = await UpstreamWebSocket.connect(request, new AbortController().signal);
  const heard: string[] = [];
  let end: [number, string] | undefined;
  socket.listen({
    message: (payload) => {
      heard.push(payload.toString());
      if (heard.length === 1) socket.pause();
    },
    heard: () => {},
    closed: (code, reason) => {
      end = [code, reason];
    },
  });
  socket.resume();
  await until('the first is heard', () => heard.length === 1);
  await Bun.sleep(50);
  expect(heard).toHaveLength(1);
  socket.resume();
  await until('all are heard', () => heard.length === 200);
  socket.send('tea');
  await until('it is answered', () => heard.length === 201);
  expect(heard[200]).toBe('back tea');
  socket.close(1000, 'enough');
  expect(end).toEqual([1000, 'enough']);
  await server.stop(true);
});

test('endless pings of a server that reads nothing use no memory', async () => {
  const pings = Buffer.concat(Array.from({ length: 1_000 }, () => serverFrame(opcodes.ping, Buffer.alloc(125))));
  const server = await agreeingServer((peer) => {
    for (let i = 0; i < 200; i += 1) peer.write(pings);
    peer.write(serverFrame(opcodes.text, Buffer.from('over')));
  });
  const request = { url: server.url, headers: {}, mostBytes: 1_000 };
  const socket = await UpstreamWebSocket.connect(request, new AbortController().signal);
  let over = false;
  socket.listen({
    ...{ heard: () => {}, closed: () => {} },
    message: () => {
      over = true;
    },
  });
  socket.resume();
  await until('all are read', () => over);
  expect(socket.unsentBytes).toBeLessThan(1_000);
  socket.close(1000);
  server.stop();
});

test('environment proxies are used, and certificates are verified through them', async () => {
  const proxy = await someProxy();
  const websocket = {
    message: (socket: Bun.ServerWebSocket, data: string | Buffer) => void socket.send(`back ${data}`),
  };
  const fetch = (request: Request, self: Bun.Server<undefined>) => (self.upgrade(request) ? undefined : new Response());
  const open = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch, websocket });
  const secure = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch, websocket, tls: localhostTls });
  const known = proxy.url('ann:p%40ss@');
  const plain = `http://127.0.0.1:${open.port}/`;
  const overTls = `https://localhost:${secure.port}/`;
  const both = { HTTP_PROXY: known, HTTPS_PROXY: known };
  const unchecked = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const cases: [url: string, environment: Record<string, string>, outcome: unknown, asked: string[]][] = [
    [plain, both, 'back tea', ['127.0.0.1']],
    [plain, { ...both, NO_PROXY: '127.0.0.1' }, 'back tea', []],
    [overTls, { ...both, ...unchecked }, 'back tea', ['localhost']],
    [overTls, unchecked, 'back tea', []],
    [overTls, both, expect.stringMatching(/self.signed|certificate/i), ['localhost']],
    [plain, { HTTP_PROXY: proxy.url('') }, 'the proxy returned 407', ['127.0.0.1']],
    ['http://never.test/', both, 'the call was cancelled', ['never.test']],
  ];
  for (const [url, environment, outcome, asked] of cases) {
    proxy.asked.length = 0;
    const leaving = new AbortController();
    const outgoingProxy = readOutgoingProxy(environment);
    const asking = UpstreamWebSocket.connect({ url, headers: {}, mostBytes: 100, outgoingProxy }, leaving.signal);
    const said = asking.then(
      (socket) =>
        new Promise<string>((told) => {
          socket.listen({ heard: () => {}, closed: () => {}, message: (payload) => told(payload.toString()) });
          socket.resume();
          // Who is connected is not given up any more.
          leaving.abort();
          socket.send('tea');
        }).finally(() => socket.close(1000)),
      (error: Error) => error.message,
    );
    if (url.includes('never'))
      void until('the proxy is asked', () => proxy.asked.length > 0).then(() => leaving.abort());
    expect<unknown>([url, environment, await said]).toEqual([url, environment, outcome]);
    expect(proxy.asked).toEqual(asked);
  }
  proxy.stop();
  await open.stop(true);
  await secure.stop(true);
});
