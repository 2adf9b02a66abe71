import type { Called, Params, Passing } from '../connection.ts';
import { faultWithin, McpFault, tellFault } from '../fault.ts';
import { mostAnswerBytes, streamFault } from '../guarded-fetch.ts';
import { secretsIn } from '../offers.ts';
import { Patience } from '../patience.ts';
import { redacted } from '../redact.ts';
import type { McpServer } from '../store/servers.ts';
import type { OpenAsking } from './questions.ts';
import type { FrontRoom } from './room.ts';
import { inRounds, wantsToKnow } from './rounds.ts';
import { type Exchange, hasLeft, ownFault, RpcError } from './served.ts';

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
  let toldCharacters = 0;
  const time = exchange.say && askable(room, server, exchange, secrets);
  const passing: Passing = {
    get signal() {
      signal ??= AbortSignal.any([exchange.signal, time?.signal ?? AbortSignal.timeout(server.timeoutMs)]);
      return signal;
    },
    progress,
    // What is logged is heard by all calls of a session, and kept for each until somebody reads it.
    log:
      log &&
      ((message) => {
        toldCharacters += JSON.stringify(message).length;
        if (toldCharacters <= mostAnswerBytes) log(redacted(message, secrets));
      }),
    asking: time?.asking,
  };
  try {
    const ask = () => room.callers.ask(server, holder, asked, passing);
    const first = await (exchange.deaf ? room.aside.during(server, holder, passing, ask) : ask());
    if (!time || exchange.newest || !wantsToKnow(first)) return redacted(first, secrets);
    const again = (answers: Params) =>
      room.callers.ask(server, holder, { ...asked, params: { ...asked.params, ...answers } }, passing);
    const { inquire } = time.asking;
    return redacted(await inRounds(first, { inquire, again, signal: passing.signal }), secrets);
  } catch (error) {
    const { code, message, data } = error as { code?: unknown; message: string; data?: unknown };
    if (!faultWithin(error) && Number.isSafeInteger(code) && code !== streamFault)
      throw new RpcError(code as number, redacted(message, secrets), redacted(data, secrets));
    const why = tellFault(error, 'anybody', secrets);
    if (!hasLeft(exchange))
      room.log.warn({ server: server.name, method: asked.method, fault: why }, 'a connected server failed');
    const known = asked.tool ? ' It is not known whether the tool did anything.' : '';
    throw ownFault(`The server ${server.name} failed: ${why}.${known}`);
  } finally {
    time?.end();
  }
}

/** A call whose client can be asked something: time does not run meanwhile. Most end before anybody looks at it. */
function askable(
  room: FrontRoom,
  server: McpServer,
  { holder, say, newest }: Exchange,
  secrets: readonly string[],
): { readonly signal: AbortSignal; asking: OpenAsking; end(): void } {
  let made: Patience | undefined;
  const patience = (): Patience => {
    made ??= new Patience(server.timeoutMs, room.clock.steadyMs);
    return made;
  };
  const asking = room.questions.asking({
    ...{ server, holder, secrets, alone: newest },
    say: (message) => say?.(message),
    call: { wait: () => patience().wait(), goOn: () => patience().goOn() },
    tooMuch: () => patience().giveUp(new McpFault('it asked too many questions')),
  });
  return {
    get signal() {
      return patience().signal;
    },
    asking,
    end: () => {
      asking.end();
      made?.end();
    },
  };
}
