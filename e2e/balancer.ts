/** A minimal load balancer: new connections go to a ready backend, or else to any that accepts them. */
import { connect, createServer, type Socket } from 'node:net';

export interface Balancer {
  readonly url: string;
  stop(): void;
}

/** Interval of the readiness probes. */
const probeMs = 100;

export async function startBalancer(backends: string[]): Promise<Balancer> {
  const ready = new Set(backends);
  const open = new Set<Socket>();
  let turn = 0;

  /** Ready backends in round-robin order, then the others, since a probe may be out of date. */
  const order = (): string[] => {
    turn += 1;
    const turned = backends.map((_, i) => backends[(i + turn) % backends.length]!);
    return [...turned.filter((url) => ready.has(url)), ...turned.filter((url) => !ready.has(url))];
  };
  const attach = (client: Socket, candidates: string[]): void => {
    const [url, ...rest] = candidates;
    if (!url) return void client.destroy();
    const { hostname, port } = new URL(url);
    const backend = connect(Number(port), hostname);
    let connected = false;
    backend.once('connect', () => {
      connected = true;
      client.pipe(backend);
      backend.pipe(client);
    });
    backend.on('error', () => (connected ? client.destroy() : attach(client, rest)));
    backend.on('close', () => connected && client.end());
    client.on('close', () => backend.destroy());
  };
  const server = createServer((client) => {
    open.add(client);
    client.on('close', () => open.delete(client));
    client.on('error', () => client.destroy());
    attach(client, order());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const probes = setInterval(async () => {
    for (const url of backends) {
      const answer = await fetch(`${url}/readyz`, { headers: { connection: 'close' } }).catch(() => null);
      if (answer?.ok) ready.add(url);
      else ready.delete(url);
    }
  }, probeMs);
  const address = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: () => {
      clearInterval(probes);
      server.close();
      for (const client of open) client.destroy();
    },
  };
}
