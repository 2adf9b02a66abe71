import { connect, createServer, type Socket } from 'node:net';
import { RedisClient } from 'bun';
import { freePort } from '../../lib/free-port.fixture.ts';
import { until } from '../../lib/until.fixture.ts';

export interface RedisServer {
  url: string;
  pid(): number;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Advances the expiry of everything stored by this much. */
  pass(ms: number): Promise<void>;
}

const passScript = `for _, key in ipairs(redis.call('KEYS', '*')) do
  local left = redis.call('PTTL', key)
  if left >= 0 then redis.call('PEXPIRE', key, left - ARGV[1]) end
end`;

/** A Redis for a single test, which can stop, freeze and restart it. */
export async function startRedis(more: (port: string) => string[] = () => []): Promise<RedisServer> {
  const port = freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: Bun.Subprocess | undefined;
  const start = async () => {
    const options = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      ...more(`${port}`),
    ];
    child = Bun.spawn(['redis-server', ...options], { stdout: 'ignore', stderr: 'ignore' });
    await untilListening(port);
  };
  await start();
  return {
    url,
    start,
    pid: () => child!.pid,
    async stop() {
      child?.kill('SIGKILL');
      await child?.exited;
    },
    async pass(ms) {
      const client = new RedisClient(url);
      await client.send('EVAL', [passScript, '0', String(ms)]);
      client.close();
    },
  };
}

/** It may refuse this test's commands. */
const untilListening = (port: number): Promise<void> =>
  until('redis-server listens', async () => {
    const socket = connect(port, '127.0.0.1');
    const listens = await new Promise<boolean>((resolve) => {
      socket.on('connect', () => resolve(true));
      socket.on('error', () => resolve(false));
    });
    socket.destroy();
    return listens;
  });

/** A proxy to a Redis that can be cut while the server keeps running. */
export function openLink(): { to(url: string): string; cut(): void } {
  const ends = new Set<Socket>();
  let port = 0;
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const end of [near, far]) {
      ends.add(end);
      end.on('error', () => {});
      end.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  return {
    to: (url) => {
      port = Number(new URL(url).port);
      server.listen(0, '127.0.0.1');
      return `redis://127.0.0.1:${(server.address() as { port: number }).port}`;
    },
    cut: () => {
      server.close();
      for (const end of ends) end.destroy();
    },
  };
}
