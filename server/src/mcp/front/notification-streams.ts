import { AppError } from '../../lib/errors.ts';
import { SseParser, sseData, ssePing } from '../../lib/sse.ts';
import { table } from '../../lib/table.ts';
import { endOnLostAccess } from '../../platform/http/end-on-lost-access.ts';
import { type EventStream, openEventStream } from '../../platform/http/event-stream.ts';
import type { Call } from '../../platform/http/route.ts';
import { mostAnswerBytes } from '../answer-events.ts';
import { capabilitiesOfHolder } from '../client-capabilities.ts';
import type { Params } from '../connection.ts';
import { describeFault, findFault, rethrowOwn } from '../fault.ts';
import type { InitializeInfo } from '../initialize-info.ts';
import { redacted } from '../redact.ts';
import { cancellationIn, questionIn } from '../server-questions.ts';
import type { Listened } from '../sessions.ts';
import type { McpServer, Offering } from '../store/servers.ts';
import { userOf } from '../target.ts';
import { secretsIn, usableServer } from '../usable-tools.ts';
import type { McpCaller } from './caller.ts';
import type { FrontContext } from './context.ts';
import { noSession } from './ended-sessions.ts';
import { passedOn } from './one-server.ts';
import { answerPing, askOrRefuse, messageIn } from './stream-messages.ts';

/** Per client; any more are connections that the client dropped without closing them. */
const mostOfOne = 2;
/** Per user, so that one user cannot use up all connections. */
const mostOfUser = 100;
/** Per process: each is one connection to the client and one to the server. */
const mostInAll = 2_000;

/** Notifications that are forwarded, and the offering each belongs to. */
const passed = table<Offering | null>({
  'notifications/resources/updated': 'resources',
  'notifications/resources/list_changed': 'resources',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/elicitation/complete': null,
  'notifications/message': null,
});

/** Some servers send the response head only with their first message. The client does not wait longer than this. */
const beginsMs = 1_000;

interface Listener {
  caller: McpCaller;
  server: McpServer;
  holder: string;
}

/**
 * Forwards what servers send on their own: one connection to the server for each connection of a client, with nothing
 * stored in between.
 */
export class NotificationStreams {
  readonly #open = new Set<Listener & { leave(): void }>();

  constructor(private readonly room: FrontContext) {
    room.memberships.onChanged(() => void this.#leaveLost());
  }

  async begin(call: Call, listener: Listener): Promise<Response> {
    this.#refuseMany(listener);
    const left = new AbortController();
    const open = { ...listener, leave: () => left.abort() };
    this.#open.add(open);
    const stopLooking = endOnLostAccess(() => this.room.recheckCaller(call), open.leave);
    try {
      const heard = this.#hear(listener, call, AbortSignal.any([call.signal, left.signal]));
      await Promise.race([heard, Bun.sleep(beginsMs)]);
      const stream = openEventStream({ headers: call.headers, signal: AbortSignal.any([call.signal, left.signal]) });
      stream.left.addEventListener('abort', open.leave, { once: true });
      void this.#relay(heard, stream, listener).finally(() => {
        this.#open.delete(open);
        stopLooking();
        open.leave();
        stream.end();
      });
      return stream.response;
    } catch (error) {
      this.#open.delete(open);
      stopLooking();
      throw error;
    }
  }

  /** Closes the streams of users who left the organisation that the server belongs to. */
  async #leaveLost(): Promise<void> {
    for (const { server, caller, leave } of this.#open) {
      if (server.organisationId === null) continue;
      try {
        if (await usableServer(this.room, caller.user, server.name)) continue;
      } catch {
        // Membership is unknown at the moment: close the stream, and check when the client reconnects.
      }
      leave();
    }
  }

  #refuseMany({ holder, caller }: Listener): void {
    const ofUser = [...this.#open].filter((one) => one.caller.user.id === caller.user.id);
    const own = ofUser.filter((one) => one.holder === holder).length;
    if (own >= mostOfOne || ofUser.length >= mostOfUser || this.#open.size >= mostInAll)
      throw new AppError('capacity_exhausted', 'Too many connections are already listening. Try again later.');
  }

  async #hear({ server, holder }: Listener, { request }: Call, signal: AbortSignal): Promise<Listened> {
    const { callers } = this.room;
    try {
      const introduction = await callers.introduction(server, holder, signal);
      const after = request.headers.get('last-event-id');
      const heard = saysSomething(introduction, holder) ? await callers.listen(server, holder, after, signal) : null;
      if (heard) return heard;
    } catch (error) {
      // Subscriptions end with the server's session: the client has to start a new session and subscribe again.
      if (findFault(error)?.sessionEnded) throw noSession();
      rethrowOwn(error);
      const why = describeFault(error, 'anybody', secretsIn(this.room, server, userOf(holder)));
      throw new AppError('provider_error', `The server ${server.name} failed: ${why}.`);
    }
    throw new AppError('method_not_allowed', `The server ${server.name} does not send messages on its own.`, {
      headers: { allow: 'POST, DELETE' },
    });
  }

  async #relay(heard: Promise<Listened>, out: EventStream, listener: Listener): Promise<void> {
    const { server, holder } = listener;
    const secrets = () => secretsIn(this.room, server, userOf(holder));
    let taken: unknown;
    const write = (message: object, id?: string) => {
      taken = out.write(eventText(message, id));
    };
    const asking = this.room.questions.asking({ server, holder, secrets, say: write, tooMuch: out.end });
    // The first bytes tell the client that the stream is open; pings follow from then on.
    out.write(ssePing);
    const parser = new SseParser(mostAnswerBytes);
    try {
      const { stream: events, session } = await heard;
      for await (const piece of events)
        for (const event of parser.push(piece)) {
          const message = messageIn(event);
          if (await answerPing(this.room.callers, listener, message, session)) continue;
          const question = questionIn(message, session);
          const takenBack = cancellationIn(message);
          if (question) await askOrRefuse(this.room.callers, listener, question, asking);
          else if (takenBack) asking.takenBack(takenBack.id);
          else if (isPassed(message, listener)) write(redacted(message, secrets()), event.id);
          // Back-pressure: read on only once the client has taken what was written.
          await taken;
        }
    } catch {
      // The server closed or rejected the stream, or it timed out: the client may reconnect.
    } finally {
      asking.end();
    }
  }

  stop(): void {
    for (const { leave } of this.#open) leave();
  }
}

/** Whether the server could send anything on its own; most servers send only responses. */
function saysSomething({ capabilities, about }: InitializeInfo, holder: string): boolean {
  const { resources, prompts, logging } = capabilities;
  if (about.protocol >= '2026') return false;
  const changes = resources?.subscribe || resources?.listChanged || prompts?.listChanged;
  return Boolean(changes || logging || capabilitiesOfHolder(holder) !== '');
}

function isPassed({ method, id }: Params, { server, caller }: Listener): boolean {
  const offering = id === undefined && typeof method === 'string' ? passed[method] : undefined;
  return offering === null || (offering !== undefined && passedOn(server, caller).includes(offering));
}

const eventText = (message: object, id?: string): string =>
  `event: message\n${id === undefined ? '' : `id: ${id}\n`}${sseData(JSON.stringify(message))}`;
