import type { Called, Params, Passing } from '../connection.ts';
import { faultWithin, tellFault } from '../fault.ts';
import { streamFault } from '../guarded-fetch.ts';
import { secretsIn } from '../offers.ts';
import type { McpServer } from '../store/servers.ts';
import type { FrontRoom } from './room.ts';
import { type Exchange, ownFault, RpcError } from './served.ts';

interface Asked {
  method: string;
  params: Params;
  tool?: Called | undefined;
}

/** Asks the server in the caller's own session, within its time; the answer, and a fault in the protocol's words, as they are. */
export async function pass(room: FrontRoom, server: McpServer, asked: Asked, exchange: Exchange): Promise<Params> {
  const { holder, progress, log } = exchange;
  const secrets = secretsIn(room, server);
  let signal: AbortSignal | undefined;
  const passing: Passing = {
    get signal() {
      signal ??= AbortSignal.any([exchange.signal, AbortSignal.timeout(server.timeoutMs)]);
      return signal;
    },
    progress,
    log: log && ((message) => log(redacted(message, secrets))),
  };
  try {
    return redacted(await room.callers.ask(server, holder, asked, passing), secrets);
  } catch (error) {
    const { code, message, data } = error as { code?: unknown; message: string; data?: unknown };
    if (!faultWithin(error) && Number.isSafeInteger(code) && code !== streamFault)
      throw new RpcError(code as number, redacted(message, secrets), redacted(data, secrets));
    const why = tellFault(error, 'anybody', secrets);
    room.log.warn({ server: server.name, method: asked.method, fault: why }, 'a connected server failed');
    const known = asked.tool ? ' It is not known whether the tool did anything.' : '';
    throw ownFault(`The server ${server.name} failed: ${why}.${known}`);
  }
}

/** Some servers repeat what they are sent, and our headers are nobody else's. */
function redacted<T>(value: T, secrets: readonly string[]): T {
  if (secrets.length === 0 || value === undefined) return value;
  const text = JSON.stringify(value);
  const written = secrets.map((secret) => JSON.stringify(secret).slice(1, -1));
  if (!written.some((secret) => text.includes(secret))) return value;
  return JSON.parse(written.reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text)) as T;
}
