import { createServer } from 'node:net';
import { RedisClient } from 'bun';

export interface RedisServer {
  url: string;
  pid(): number;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A Redis of a test's own, which it may stop, freeze and start again. */
export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: Bun.Subprocess | undefined;
  const start = async () => {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    child = Bun.spawn(['redis-server', ...options], { stdout: 'ignore', stderr: 'ignore' });
    await untilAnswering(url);
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
  };
}

async function untilAnswering(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const client = new RedisClient(url, { autoReconnect: false, connectionTimeout: 500 });
    try {
      await client.connect();
      return;
    } catch {
      await Bun.sleep(50);
    } finally {
      client.close();
    }
  }
  throw new Error('redis-server did not start');
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
