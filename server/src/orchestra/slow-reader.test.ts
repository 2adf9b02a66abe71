import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { until } from '../lib/until.fixture.ts';
import { openRelayTest, type RelayTest } from '../relay/endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from '../relay/scripted-upstream.fixture.ts';

/** Pieces of an answer without end, far more than all sockets on the way hold. */
const tooMany = 4_000;
const piece = new TextEncoder().encode(
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'word '.repeat(3_000) } }] })}\n\n`,
);

let relay: RelayTest;
let upstream: ScriptedUpstream;
let server: ReturnType<typeof Bun.serve>;
/** Pieces that were asked for of the upstream. */
let given = 0;

beforeAll(async () => {
  relay = await openRelayTest();
  upstream = scriptedUpstream(() => {
    given = 0;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      given += 1;
      controller.enqueue(piece);
    };
    return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), {
      headers: { 'content-type': 'text/event-stream' },
    });
  });
  await addUpstream(relay.test, upstream.url, [{ model_id: 'acme/talker', type: 'chat' }]);
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: relay.test.app.fetch });
});
afterAll(async () => {
  await server.stop(true);
  await relay.close();
  await upstream.close();
});

/** Sends the request and reads nothing of the answer. */
function ask(path: string): Promise<Socket> {
  const messages = [{ role: 'user', content: 'What is tea?' }];
  const body = JSON.stringify({ model: 'svc/svc-ms', max_tokens: 8_000_000, messages, stream: true });
  return new Promise((resolve) => {
    const socket = connect(server.port!, '127.0.0.1', () => {
      socket.pause();
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${relay.key}\r\ncontent-type: application/json\r\n` +
          `content-length: ${body.length}\r\n\r\n${body}`,
      );
      resolve(socket);
    });
    socket.on('error', () => {});
  });
}

/** Nothing more is asked of the upstream, or it never ends. */
async function untilStill(): Promise<void> {
  let before = -1;
  let looks = 0;
  await until('the upstream is left alone', async () => {
    looks = given === before ? looks + 1 : 0;
    before = given;
    await Bun.sleep(40);
    return given >= tooMany || looks === 25;
  });
}

test.each(['/v1/chat/completions', '/v1/messages'])('a slow reader makes the engine wait: %s', async (path) => {
  const asked = upstream.next();
  const socket = await ask(path);
  const { aborted } = await asked;
  await until('the upstream answers', () => given > 0);
  await untilStill();
  expect(given).toBeLessThan(tooMany);
  const still = given;
  socket.resume();
  await until('there is more for a client that reads again', () => given > still);
  socket.destroy();
  await aborted;
});
