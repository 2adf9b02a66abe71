import { connect } from 'node:net';
import type { TestApp } from '../../app.fixture.ts';
import type { Clock } from '../../lib/clock.ts';
import { until } from '../../lib/until.fixture.ts';
import { socketHandlers } from '../../platform/http/sockets.ts';
import { openRelayTest, type RelayTest, type UsageEntry } from '../endpoints/relay.fixture.ts';
import { addUpstream } from '../scripted-upstream.fixture.ts';
import type { Json } from '../wire/conversation.ts';

type Vendor = Bun.ServerWebSocket<{ path: string; headers: Headers }>;

/** A vendor whose sessions do as they are told. */
export interface ScriptedVendor {
  url: string;
  /** Heads of the upgrades that were asked for. */
  asked: { path: string; headers: Headers }[];
  /** What clients sent, in order. */
  heard: Json[];
  /** Of all sessions since `settle`. */
  sockets: Vendor[];
  /** Answers an upgrade with something else. */
  refuse: ((request: Request) => Response | Promise<Response> | undefined) | undefined;
  /** The first thing that a session says; undefined for nothing. */
  greeting: string | undefined;
  onEvent: (socket: Vendor, event: Json) => void;
  close(): Promise<void>;
}

export function scriptedVendor(): ScriptedVendor {
  const vendor: ScriptedVendor = {
    ...{ url: '', asked: [], heard: [], sockets: [], refuse: undefined, onEvent: () => {} },
    greeting,
    close: () => server.stop(true),
  };
  const server = Bun.serve<{ path: string; headers: Headers }>({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    fetch: async (request, self) => {
      const { pathname, search } = new URL(request.url);
      const asked = { path: pathname + search, headers: new Headers(request.headers) };
      vendor.asked.push(asked);
      const refusal = await vendor.refuse?.(request);
      if (refusal) return refusal;
      return self.upgrade(request, { data: asked }) ? undefined : new Response(null, { status: 400 });
    },
    websocket: {
      maxPayloadLength: 32 * 1024 * 1024,
      backpressureLimit: 256 * 1024 * 1024,
      open: (socket) => {
        vendor.sockets.push(socket);
        if (vendor.greeting !== undefined) socket.send(vendor.greeting);
      },
      message: (socket, data) => {
        const event = JSON.parse(data.toString()) as Json;
        vendor.heard.push(event);
        vendor.onEvent(socket, event);
      },
    },
  });
  vendor.url = `http://127.0.0.1:${server.port}/v1`;
  return vendor;
}

export const listen = (test: TestApp) =>
  Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: test.app.fetch, websocket: socketHandlers });

/** A client that remembers what it was told. */
export class Talk {
  readonly events: Json[] = [];
  readonly texts: string[] = [];
  ended: { code: number; reason: string } | undefined;
  readonly socket: WebSocket;

  constructor(url: string, init: { headers?: Record<string, string>; protocols?: string[] }) {
    // Bun takes headers too, which the types of the platform do not know.
    this.socket = new WebSocket(url, init as never);
    this.socket.onmessage = ({ data }) => {
      this.texts.push(String(data));
      this.events.push(JSON.parse(String(data)) as Json);
    };
    this.socket.onclose = ({ code, reason }) => {
      this.ended = { code, reason };
    };
  }

  say(event: Json | string | Uint8Array<ArrayBuffer>): void {
    this.socket.send(typeof event === 'string' || event instanceof Uint8Array ? event : JSON.stringify(event));
  }

  async told(type: string, count = 1): Promise<Json> {
    const found = () => this.events.filter((event) => event.type === type);
    await until(`${type} is told`, () => found().length >= count || this.ended !== undefined);
    const event = found()[count - 1];
    if (!event) throw new Error(`closed before ${type}: ${JSON.stringify([this.ended, this.events])}`);
    return event;
  }

  async closed(): Promise<{ code: number; reason: string }> {
    await until('the socket is closed', () => this.ended !== undefined);
    return this.ended!;
  }
}

const greeting = JSON.stringify({ type: 'session.created', session: { type: 'realtime', model: 'rt-1' } });
export const prices = { prompt: 4, completion: 16, cache_read: 0.4, audio_in: 32, audio_out: 64 };
const voice = { type: 'realtime', context_length: 32_000, max_output_tokens: 4_096, prices };

interface TalkInit {
  key?: string;
  protocols?: string[];
  headers?: Record<string, string>;
}

export interface RealtimeTest {
  relay: RelayTest;
  vendor: ScriptedVendor;
  port: number;
  talk(query?: string, init?: TalkInit): Talk;
  /** An upgrade that is answered as any other request. */
  ask(query: string, headers?: Record<string, string>): Promise<Response>;
  /** What was written since, the first first. */
  rowsSince(rows: number): Promise<UsageEntry[]>;
  /** All sessions over, and the vendor as at first. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** The service, listening, with a vendor of realtime sessions behind it. */
export async function openRealtimeTest(clock?: Clock): Promise<RealtimeTest> {
  const relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' }, ...(clock && { clock }) });
  await relay.test.setOption('RateLimitEnabled', false);
  const vendor = scriptedVendor();
  const server = listen(relay.test);
  await addUpstream(relay.test, vendor.url, [
    { model_id: 'acme/voice', model_name: 'rt-1', ...voice },
    { model_id: 'acme/write', model_name: 'write-1', type: 'transcription', request_price: 0.6 },
    { model_id: 'acme/words', type: 'chat', prices },
  ]);
  await relay.credit(1_000_000_000);
  let talks: Talk[] = [];
  const openSessions = async (): Promise<number> => {
    const text = await (await relay.test.call('/metrics')).text();
    return Number(/^svc_realtime_sessions (\d+)$/m.exec(text)?.[1]);
  };
  return {
    ...{ relay, vendor, port: server.port! },
    talk: (query = '?model=acme/voice', { key = relay.key, protocols, headers } = {}) => {
      const init = protocols ? { protocols } : { headers: headers ?? { authorization: `Bearer ${key}` } };
      const made = new Talk(`ws://127.0.0.1:${server.port}/v1/realtime${query}`, init);
      talks.push(made);
      return made;
    },
    ask: (query, headers = {}) =>
      fetch(`http://127.0.0.1:${server.port}/v1/realtime${query}`, {
        headers: {
          ...{ authorization: `Bearer ${relay.key}`, connection: 'Upgrade', upgrade: 'websocket' },
          ...{ 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' },
          ...headers,
        },
      }),
    rowsSince: async (known) => {
      const rows = await relay.usage();
      return rows.slice(0, rows.length - known).toReversed();
    },
    settle: async () => {
      for (const talk of talks) talk.socket.close();
      talks = [];
      await until('no session is open', async () => (await openSessions()) === 0);
      // What is still on its way to the vendor would otherwise be heard in the next test.
      for (const socket of vendor.sockets) socket.terminate();
      for (const list of [vendor.asked, vendor.heard, vendor.sockets]) list.length = 0;
      Object.assign(vendor, { refuse: undefined, onEvent: () => {}, greeting });
    },
    close: async () => {
      await server.stop(true);
      await vendor.close();
      await relay.close();
    },
  };
}

/** Events of a vendor, as text. */
export const created = (id: string): string =>
  JSON.stringify({ type: 'response.created', response: { id, status: 'in_progress' } });
export const done = (id: string, usage: Json | null, status = 'completed'): string =>
  JSON.stringify({ type: 'response.done', response: { id, status, usage } });
export const words = (id: string, delta: string): string =>
  JSON.stringify({ type: 'response.output_text.delta', response_id: id, delta });
export const sound = (id: string, seconds: number): string =>
  JSON.stringify({
    type: 'response.output_audio.delta',
    response_id: id,
    delta: Buffer.alloc(seconds * 48_000).toString('base64'),
  });

/** A client that is no library: it reads when it is told to, and sends any bytes. Greeted when this resolves. */
export async function rawClient({ port, relay }: Pick<RealtimeTest, 'port' | 'relay'>) {
  const socket = connect(port, '127.0.0.1');
  const seen = { socket, bytes: 0, closed: false };
  socket.on('data', ({ length }) => {
    seen.bytes += length;
  });
  socket.on('close', () => {
    seen.closed = true;
  });
  socket.write(
    `GET /v1/realtime?model=acme/voice HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${relay.key}\r\nconnection: Upgrade\r\n` +
      'upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await until('it is greeted', () => seen.bytes > 300);
  return seen;
}
