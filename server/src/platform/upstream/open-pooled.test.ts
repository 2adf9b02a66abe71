import { afterEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../lib/until.fixture.ts';
import { localhostTls } from '../../video/localhost-tls.fixture.ts';
import { guardedDial, type Resolve } from '../http/outgoing.ts';
import { UpstreamConnections } from './connections.ts';
import { openPooled } from './open-pooled.ts';
import { type Peer, type RawServer, rawServer } from './raw-server.fixture.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function serve(script: (peer: Peer, count: number) => void): RawServer {
  const server = rawServer(script);
  ends.push(() => server.stop());
  return server;
}

/** Connections by names that lead where `addresses` says. */
function storage(addresses: () => string[], allowPrivate = true) {
  let asked = 0;
  let laterMs = 0;
  const resolve: Resolve = (_, done) => {
    asked += 1;
    done(
      null,
      addresses().map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  const nowMs = () => performance.now() + laterMs;
  const connections = new UpstreamConnections({ nowMs, dial: guardedDial({ allowPrivate }, resolve) });
  ends.push(() => connections.close());
  const later = (ms: number) => {
    laterMs += ms;
  };
  const ask = async (server: RawServer, more: { timeoutMs?: number; signal?: AbortSignal } = {}) => {
    const url = `http://name.test:${new URL(server.url).port}/mcp`;
    const request = { url, method: 'POST', headers: {}, body: '{}', timeoutMs: 10_000, ...more };
    const { status, body } = await openPooled(connections, request, { allowPrivate });
    return `${status} ${await new Response(body).text()}`;
  };
  return { ask, later, asked: () => asked };
}

const whole = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

describe('a kept connection', () => {
  test('stays with its checked address, whatever its name resolves to later', async () => {
    const server = serve(({ socket }, count) => void socket.write(whole(`answer ${count}`)));
    let now = ['127.0.0.1'];
    const { ask, later, asked } = storage(() => now);
    expect(await ask(server)).toBe('200 answer 1');
    now = ['127.0.0.9'];
    expect(await ask(server)).toBe('200 answer 2');
    expect([asked(), server.peers.length]).toEqual([1, 1]);
    // Closed by the other side: the next is dialled, and looked up, anew.
    server.peers[0]!.socket.end();
    await until('it is closed', () => server.peers[0]!.closed);
    later(2_000);
    now = ['127.0.0.1'];
    expect(await ask(server)).toContain('answer');
    expect([asked(), server.peers.length]).toEqual([2, 2]);
  });

  test('is not opened to a private address, nor to a name that has one', async () => {
    const server = serve(({ socket }) => void socket.write(whole('secret')));
    for (const addresses of [['127.0.0.1'], ['93.184.216.34', '10.0.0.1'], ['::ffff:127.0.0.1'], ['fd00::1']])
      await expect(storage(() => addresses, false).ask(server)).rejects.toThrow('does not resolve to a public address');
    const connections = new UpstreamConnections({ dial: guardedDial({ allowPrivate: false }) });
    ends.push(() => connections.close());
    const request = { url: server.url, method: 'POST', headers: {}, body: '{}', timeoutMs: 10_000 };
    // Past the look at the address itself, which the first lines of `openPooled` take.
    await expect(connections.send(request).head).rejects.toThrow('does not resolve to a public address');
    expect(server.peers.length).toBe(0);
  });

  test('is opened to the next address if one is unreachable', async () => {
    const server = serve(({ socket }) => void socket.write(whole('here')));
    // Nothing listens there.
    expect(await storage(() => ['::1', '127.0.0.1']).ask(server)).toBe('200 here');
    await expect(storage(() => ['::1', '::1']).ask(server)).rejects.toMatchObject({ fault: 'network' });
    await expect(storage(() => []).ask(server)).rejects.toMatchObject({ fault: 'network' });
  });
});

describe('a response', () => {
  test('that redirects is returned unchanged', async () => {
    const location = 'http://127.0.0.1:1/';
    const server = serve(({ socket }) => {
      socket.write(`HTTP/1.1 307 Temporary Redirect\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`);
    });
    expect(await storage(() => ['127.0.0.1']).ask(server)).toBe('307 ');
  });

  test.each([
    ['does not begin', ''],
    ['does not end', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'],
  ])('that %s ends at its timeout or when the caller aborts', async (_, wire) => {
    const server = serve(({ socket }) => void socket.write(wire));
    const { ask } = storage(() => ['127.0.0.1']);
    await expect(ask(server, { timeoutMs: 300 })).rejects.toMatchObject({ fault: 'timeout' });
    const controller = new AbortController();
    const asked = ask(server, { signal: controller.signal });
    await until('it is asked again', () => server.peers.length === 2);
    controller.abort();
    await expect(asked).rejects.toMatchObject({ fault: 'aborted' });
    await expect(ask(server, { signal: controller.signal })).rejects.toMatchObject({ fault: 'aborted' });
    await until('both connections are closed', () => server.peers.every(({ closed }) => closed));
    expect(server.peers.length).toBe(2);
  });
});

test('a TLS server is contacted by address and must prove its name', async () => {
  const server = rawServer(({ socket }) => void socket.write(whole('proved')), localhostTls);
  ends.push(() => server.stop());
  const folder = mkdtempSync(join(tmpdir(), 'svc-tls-'));
  ends.push(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'ca.pem'), localhostTls.cert);
  const urls = [server.url, server.url.replace('localhost', 'other.test')];
  const script = `
    const { UpstreamConnections } = await import('${import.meta.dir}/connections.ts');
    const { openPooled } = await import('${import.meta.dir}/open-pooled.ts');
    const connections = new UpstreamConnections({ dial: async () => ['127.0.0.1'] });
    for (const url of ${JSON.stringify(urls)})
      console.log(
        await openPooled(connections, { url, method: 'POST', headers: {}, body: '{}', timeoutMs: 10000 }, { allowPrivate: true })
          .then(({ body }) => new Response(body).text())
          .catch((error) => (/altnames/.test(error.message) ? 'another name' : error.message)),
      );
    connections.close();
  `;
  const env = { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') };
  const child = Bun.spawn([process.execPath, '-e', script], { env });
  expect(await new Response(child.stdout).text()).toBe('proved\nanother name\n');
});
