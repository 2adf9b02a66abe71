import { mostAnswerBytes } from '../answer-events.ts';
import { CallTimeout } from '../call-timeout.ts';
import type { Called, Params } from '../connection.ts';
import { describeFault, McpFault, rethrowOwn } from '../fault.ts';
import { redacted } from '../redact.ts';
import type { LogMessage, RequestCallbacks } from '../request-callbacks.ts';
import type { McpServer } from '../store/servers.ts';
import { secretsIn } from '../usable-tools.ts';
import type { FrontContext } from './context.ts';
import { type Exchange, hasDisconnected, internalError, RpcError } from './endpoint.ts';
import { answerInputRequests, mayNeedInput, needsInput } from './input-rounds.ts';
import type { OpenAsking } from './questions.ts';
import { codeFor, serverErrorIn, urlElicitationResult } from './server-errors.ts';

export interface ForwardedRequest {
  method: string;
  params: Params;
  tool?: Called | undefined;
}

/**
 * Sends the request to the server in the caller's session, within the server's timeout. Returns its result, and throws
 * its JSON-RPC errors, unchanged except for redaction.
 */
export async function forwardRequest(
  room: FrontContext,
  server: McpServer,
  asked: ForwardedRequest,
  exchange: Exchange,
): Promise<Params> {
  const time = exchange.say && askable(room, server, exchange);
  const passing = new Passage(room, server, exchange, time);
  try {
    if (!time) return passing.redacted(await room.callers.ask(server, exchange.holder, asked, passing));
    return passing.redacted(await passAsking(room, server, { asked, passing, time }, exchange));
  } catch (error) {
    rethrowOwn(error);
    const secrets = secretsIn(room, server, exchange.caller.user.id);
    const said = redacted(serverErrorIn(error), secrets);
    const asks = said && mayNeedInput(asked.method) ? urlElicitationResult(exchange, said) : null;
    if (asks) return asks;
    if (said) throw new RpcError(codeFor(exchange, said), said.message, said.data);
    const why = describeFault(error, 'anybody', secrets);
    if (!hasDisconnected(exchange))
      room.log.warn({ server: server.name, method: asked.method, fault: why }, 'a connected server failed');
    const known = asked.tool ? ' It is not known whether the tool did anything.' : '';
    throw internalError(`The server ${server.name} failed: ${why}.${known}`);
  } finally {
    time?.end();
  }
}

/** The same for a client that can be asked questions. */
async function passAsking(
  room: FrontContext,
  server: McpServer,
  { asked, passing, time }: { asked: ForwardedRequest; passing: RequestCallbacks; time: Askable },
  { holder, deaf, newest }: Exchange,
): Promise<Params> {
  const ask = () => room.callers.ask(server, holder, asked, passing);
  const first = await (deaf ? room.aside.during(server, holder, passing, ask) : ask());
  if (newest || !needsInput(first)) return first;
  const again = (answers: Params) =>
    room.callers.ask(server, holder, { ...asked, params: { ...asked.params, ...answers } }, passing);
  const { inquire } = time.asking;
  return answerInputRequests(first, { inquire, again, signal: passing.signal });
}

/** What is forwarded to the client while the server works on one request. */
class Passage implements RequestCallbacks {
  readonly progress: RequestCallbacks['progress'];
  readonly asking: RequestCallbacks['asking'];
  #signal: AbortSignal | undefined;
  #toldCharacters = 0;

  constructor(
    private readonly room: FrontContext,
    private readonly server: McpServer,
    private readonly exchange: Exchange,
    private readonly time: Askable | undefined,
  ) {
    this.progress = exchange.progress;
    this.asking = time?.asking;
  }

  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([
      this.exchange.signal,
      this.time?.signal ?? AbortSignal.timeout(this.server.timeoutMs),
    ]);
    return this.#signal;
  }

  /**
   * A log message reaches every call of its session and is buffered for each until it is read, so the total size is
   * capped.
   */
  log(message: LogMessage): void {
    this.#toldCharacters += JSON.stringify(message).length;
    if (this.#toldCharacters <= mostAnswerBytes) this.exchange.log?.(this.redacted(message));
  }

  redacted<T>(value: T): T {
    return redacted(value, secretsIn(this.room, this.server, this.exchange.caller.user.id));
  }
}

interface Askable {
  readonly signal: AbortSignal;
  asking: OpenAsking;
  end(): void;
}

/**
 * Timeout and questions of a call whose client can be asked. The timeout is paused while a question is open. The timer
 * is created lazily, since most calls end before it is needed.
 */
function askable(room: FrontContext, server: McpServer, { caller, holder, say, newest }: Exchange): Askable {
  let made: CallTimeout | undefined;
  const patience = (): CallTimeout => {
    made ??= new CallTimeout(server.timeoutMs, room.clock.steadyMs);
    return made;
  };
  const asking = room.questions.asking({
    ...{ server, holder, alone: newest },
    secrets: () => secretsIn(room, server, caller.user.id),
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
