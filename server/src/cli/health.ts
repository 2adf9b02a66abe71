import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import type { CommandCall } from './command.ts';

/**
 * For container health checks, since images carry no curl. Not with `fetch`, which would ask a proxy of HTTP_PROXY for
 * this very machine.
 */
export async function health({ config, print }: CommandCall): Promise<number> {
  const host = config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${config.port}/readyz`;
  try {
    const { status, said } = await ask(url);
    print(said);
    return status === 200 ? 0 : 1;
  } catch (error) {
    print(`No response from ${url}: ${error instanceof Error ? error.message : error}`);
    return 1;
  }
}

const ask = (url: string): Promise<{ status: number | undefined; said: string }> =>
  new Promise((resolve, reject) => {
    const request = get(url, { signal: AbortSignal.timeout(5_000) }, (answer) => {
      text(answer).then((said) => resolve({ status: answer.statusCode, said }), reject);
    });
    request.on('error', reject);
  });
