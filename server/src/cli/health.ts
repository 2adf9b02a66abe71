import { get } from 'node:http';
import { isIP } from 'node:net';
import { text } from 'node:stream/consumers';
import type { CommandCall } from './command.ts';

/**
 * For container health checks, since images carry no curl. Not with `fetch`, which would ask a proxy of HTTP_PROXY for
 * this very machine.
 */
export async function health({ config: { host, port }, print }: CommandCall): Promise<number> {
  try {
    const { status, said } = await ask(reachable(host), port);
    print(said);
    return status === 200 ? 0 : 1;
  } catch (error) {
    print(`No response from ${host} at port ${port}: ${error instanceof Error ? error.message : error}`);
    return 1;
  }
}

/** Where a service that listens at `host` can be reached from this machine: at all addresses means at loopback. */
function reachable(host: string): string {
  if (isIP(host) === 4) return host === '0.0.0.0' ? '127.0.0.1' : host;
  return isIP(host) === 6 && /^[0:]+$/.test(host) ? '::1' : host;
}

const ask = (host: string, port: number): Promise<{ status: number | undefined; said: string }> =>
  new Promise((resolve, reject) => {
    const request = get({ host, port, path: '/readyz', signal: AbortSignal.timeout(5_000) }, (answer) => {
      text(answer).then((said) => resolve({ status: answer.statusCode, said }), reject);
    });
    request.on('error', reject);
  });
