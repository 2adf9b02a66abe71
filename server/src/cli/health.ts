import type { CommandCall } from './command.ts';

/** For a container's health check: images carry no curl. */
export async function health({ config, print }: CommandCall): Promise<number> {
  const host = config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${config.port}/readyz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    print(await response.text());
    return response.ok ? 0 : 1;
  } catch (error) {
    print(`No answer at ${url}: ${error instanceof Error ? error.message : error}`);
    return 1;
  }
}
