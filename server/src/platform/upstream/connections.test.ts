import { afterEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readText } from '../../lib/byte-source.ts';
import { localhostTls } from '../../video/localhost-tls.fixture.ts';
import { answerOf, UpstreamConnections } from './connections.ts';
import type { Exchange } from './exchange.ts';
import { type Peer, type RawServer, rawServer } from './raw-server.fixture.ts';

const connections = new UpstreamConnections();
const servers: RawServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.stop();
});

function serve(script: (peer: Peer, count: number) => void, tls?: { key: string; cert: string }): RawServer {
  const server = rawServer(script, tls);
  servers.push(server);
  return server;
}

const ask = (url: string, body = '{}') => connections.send({ url, method: 'POST', headers: {}, body });
const begun = async (exchange: Exchange) => answerOf(exchange, await exchange.head);
const askText = async (url: string) => readText((await begun(ask(url))).body);
const chunkedHead = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const chunkOf = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const whole = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

async function settled(done: () => boolean): Promise<void> {
  while (!done()) await Bun.sleep(5);
}

describe('a response', () => {
  test('is passed on as it arrives', async () => {
    const server = serve((peer) => peer.socket.write(chunkedHead));
    const { status, body } = await begun(ask(server.url));
    expect(status).toBe(200);
    for (const word of ['one', 'two']) {
      server.peers[0]!.socket.write(chunkOf(word));
      expect(Buffer.from((await body.read())!).toString()).toBe(word);
    }
    server.peers[0]!.socket.write('0\r\n\r\n');
    expect(await body.read()).toBeNull();
    expect(await body.read()).toBeNull();
  });

  test('is read in any pieces, after interim responses', async () => {
    const wire = `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nlink: x\r\n\r\n${chunkedHead}${chunkOf('hello')}0\r\n\r\n`;
    const server = serve(async ({ socket }) => {
      for (const letter of wire) {
        socket.write(letter);
        await Bun.sleep(0);
      }
    });
    expect(await askText(server.url)).toBe('hello');
  });

  test('is paused by its consumer and continues where it stopped', async () => {
    const words = Array.from({ length: 9 }, (_, i) => `word${i} `);
    const server = serve(({ socket }) => void socket.write(`${chunkedHead}${words.map(chunkOf).join('')}0\r\n\r\n`));
    const { body } = await begun(ask(server.url));
    let text = '';
    let stops = 0;
    const take = (bytes: Uint8Array, from: number, to: number) => {
      text += Buffer.from(bytes.subarray(from, to)).toString();
      return false;
    };
    while (await body.flow(take)) {
      stops += 1;
      await Bun.sleep(1);
    }
    expect(text).toBe(words.join(''));
    expect(stops).toBeGreaterThan(0);
  });

  test('that breaks while flowing reports an error', async () => {
    const server = serve(({ socket }) => void socket.write(`${chunkedHead}${chunkOf('half')}`));
    const { body } = await begun(ask(server.url));
    const flowing = body.flow(() => true);
    server.peers[0]!.socket.end();
    await expect(flowing).rejects.toThrow('closed the connection');
  });

  test('may end with its connection', async () => {
    const server = serve(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nto the end');
      socket.end();
    });
    expect(await askText(server.url)).toBe('to the end');
  });

  test('that is compressed although not requested is decompressed', async () => {
    const packed = Buffer.from(Bun.gzipSync('unpacked'));
    const server = serve(({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`);
      socket.write(packed);
    });
    expect(await askText(server.url)).toBe('unpacked');
  });

  test('that is cut returns what arrived, and then fails', async () => {
    const server = serve(({ socket }) => {
      socket.write(`${chunkedHead}${chunkOf('half')}`);
      socket.end();
    });
    const { body } = await begun(ask(server.url));
    expect(Buffer.from((await body.read())!).toString()).toBe('half');
    await expect(Promise.resolve(body.read())).rejects.toThrow('closed the connection');
  });

  test.each([
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['an endless head', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}`],
    ['another protocol', 'HTTP/1.1 101 Switching\r\n\r\n'],
  ])('that is %s fails', async (_, wire) => {
    const server = serve(({ socket }) => void socket.write(wire));
    await expect(ask(server.url).head).rejects.toThrow();
    await settled(() => server.peers[0]?.closed ?? false);
  });
});

describe('a connection', () => {
  test('carries one request after the other', async () => {
    const server = serve(({ socket }, count) => void socket.write(whole(`answer ${count}`)));
    expect(await askText(server.url)).toBe('answer 1');
    expect(await askText(server.url)).toBe('answer 2');
    expect(server.peers).toHaveLength(1);
  });

  test('carries one request at a time', async () => {
    const server = serve(({ socket }) => void socket.write(whole('x')));
    await Promise.all(Array.from({ length: 5 }, () => askText(server.url)));
    expect(server.peers).toHaveLength(5);
    await askText(server.url);
    expect(server.peers).toHaveLength(5);
  });

  test('that is new and closes without a response fails', async () => {
    const server = serve(({ socket }) => void socket.terminate());
    await expect(ask(server.url).head).rejects.toThrow();
    await settled(() => server.peers[0]?.closed ?? false);
    expect(server.peers).toHaveLength(1);
  });

  test('that receives unrequested data is closed', async () => {
    const server = serve((peer, count) => void peer.socket.write(whole(`answer ${count}`)));
    await askText(server.url);
    server.peers[0]!.socket.write(whole('forged'));
    await settled(() => server.peers[0]!.closed);
    expect(await askText(server.url)).toBe('answer 2');
  });

  test('whose response exceeds its length is closed', async () => {
    const server = serve(({ socket }, count) => void socket.write(`${whole(`answer ${count}`)}${whole('forged')}`));
    expect(await askText(server.url)).toBe('answer 1');
    expect(await askText(server.url)).toBe('answer 2');
    expect(server.peers).toHaveLength(2);
  });

  test('is reused if the reader left between the last data and the end', async () => {
    const server = serve(({ socket }) => void socket.write(`${chunkedHead}${chunkOf('last word')}`));
    const { body } = await begun(ask(server.url));
    await body.read();
    body.leave();
    server.peers[0]!.socket.write('0\r\n\r\n');
    await Bun.sleep(50);
    const next = await begun(ask(server.url));
    next.body.abort();
    expect(server.peers).toHaveLength(1);
  });

  test('is closed if the reader left and the end does not come', async () => {
    const server = serve(({ socket }) => void socket.write(`${chunkedHead}${chunkOf('last word')}`));
    const { body } = await begun(ask(server.url));
    await body.read();
    body.leave();
    await settled(() => server.peers[0]!.closed);
  });

  test('that is not accepted fails', async () => {
    const server = rawServer(() => {});
    server.stop();
    await expect(ask(server.url).head).rejects.toThrow();
    await expect(ask('http://no-such-host.invalid/').head).rejects.toThrow();
  });
});

describe('aborting', () => {
  test('before, at and after the head closes the connection', async () => {
    const server = serve(({ socket }) => void socket.write(`${chunkedHead}${chunkOf('x')}`));
    const early = ask(server.url);
    early.abort();
    await expect(early.head).rejects.toThrow('cancelled');
    const late = ask(server.url);
    await late.head;
    await late.read();
    const reading = Promise.resolve(late.read());
    late.abort();
    await expect(reading).rejects.toThrow('cancelled');
    await settled(() => server.peers.every(({ closed }) => closed));
  });
});

describe('a large body', () => {
  test('is sent completely', async () => {
    const server = serve(({ socket }) => void socket.write(whole('got it')));
    const exchange = ask(server.url, 'x'.repeat(12_000_000));
    expect(await readText((await begun(exchange)).body)).toBe('got it');
  });

  test('waits for its reader, and arrives completely and in order', async () => {
    const pieces = 1_024;
    let produced = 0;
    const flood = (): ReadableStream =>
      new ReadableStream(
        {
          pull: (controller) => {
            controller.enqueue(new Uint8Array(65_536).fill(produced % 251));
            produced += 1;
            if (produced === pieces) controller.close();
          },
        },
        { highWaterMark: 0 },
      );
    const server = Bun.serve({ port: 0, idleTimeout: 0, fetch: () => new Response(flood()) });
    const { body } = await begun(ask(`http://127.0.0.1:${server.port}/`));
    for (let before = -1; before !== produced; await Bun.sleep(200)) before = produced;
    expect(produced).toBeLessThan(pieces / 2);
    const hash = new Bun.CryptoHasher('sha256');
    for (let piece = await body.read(); piece; piece = await body.read()) hash.update(piece);
    const expected = new Bun.CryptoHasher('sha256');
    for (let i = 0; i < pieces; i += 1) expected.update(new Uint8Array(65_536).fill(i % 251));
    expect(hash.digest('hex')).toBe(expected.digest('hex'));
    await server.stop(true);
  });
});

describe('a TLS upstream', () => {
  test('with an invalid certificate gets no byte of the request', async () => {
    let asked = 0;
    const server = serve(() => (asked += 1), localhostTls);
    await expect(ask(server.url).head).rejects.toThrow(/certificate/);
    await Bun.sleep(50);
    expect(asked).toBe(0);
    expect(server.peers.map(({ text }) => text).join('')).toBe('');
  });

  test('with a valid certificate is asked, reuses its connection, and not under another name', async () => {
    const server = serve(({ socket }, count) => void socket.write(whole(`answer ${count}`)), localhostTls);
    const folder = mkdtempSync(join(tmpdir(), 'svc-tls-'));
    const trusted = join(folder, 'ca.pem');
    writeFileSync(trusted, localhostTls.cert);
    const named = server.url;
    const byAddress = (address: string) => named.replace('localhost', address);
    const script = `
      const { UpstreamConnections, answerOf } = await import('${import.meta.dir}/connections.ts');
      const { readText } = await import('${import.meta.dir}/../../lib/byte-source.ts');
      const connections = new UpstreamConnections();
      for (const url of ${JSON.stringify([named, named, byAddress('127.0.0.1'), byAddress('127.0.0.2')])}) {
        const exchange = connections.send({ url, method: 'POST', headers: {}, body: '{}' });
        const told = exchange.head.then((head) => readText(answerOf(exchange, head).body));
        console.log(await told.catch((error) => (/altnames/.test(error.message) ? 'another name' : error.message)));
      }
      connections.close();
    `;
    const child = Bun.spawn([process.execPath, '-e', script], { env: { NODE_EXTRA_CA_CERTS: trusted } });
    expect(await new Response(child.stdout).text()).toBe('answer 1\nanswer 2\nanswer 3\nanother name\n');
    rmSync(folder, { recursive: true });
  });
});
