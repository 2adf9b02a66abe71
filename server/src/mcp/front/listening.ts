import { AppError } from '../../lib/errors.ts';
import { SseParser, ssePing } from '../../lib/sse.ts';
import { type EventStream, openEventStream } from '../../platform/http/event-stream.ts';
import type { Call } from '../../platform/http/route.ts';
import { whileLetIn } from '../../platform/http/while-let-in.ts';
import { abilitiesOf } from '../abilities.ts';
import { questionIn, takenBackIn } from '../asked-back.ts';
import type { Params } from '../connection.ts';
import { faultWithin, tellFault } from '../fault.ts';
import { mostAnswerBytes } from '../guarded-fetch.ts';
import type { Introduction } from '../introduction.ts';
import { secretsIn, usableServer } from '../offers.ts';
import { redacted } from '../redact.ts';
import type { Listened } from '../sessions.ts';
import type { McpServer, Offering } from '../store/servers.ts';
import { answerPing, askOrRefuse, messageIn } from './asked-aside.ts';
import type { McpCaller } from './caller.ts';
import { noSession } from './ended-sessions.ts';
import { passedOn } from './one-server.ts';
import type { FrontRoom } from './room.ts';

/** Of one client; more are those that it has left without saying so. */
const mostOfOne = 2;
/** Of one user: nobody takes the place of all others. */
const mostOfUser = 100;
/** In this process: each is a connection on both sides. */
const mostInAll = 2_000;

/** What a server says by itself, and what of it that belongs to. */
const passed: Record<string, Offering | null> = {
  'notifications/resources/updated': 'resources',
  'notifications/resources/list_changed': 'resources',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/elicitation/complete': null,
  'notifications/message': null,
};

/** Some servers begin to answer when they have something to say: for those nobody is kept waiting. */
const beginsMs = 1_000;

interface Listener {
  caller: McpCaller;
  server: McpServer;
  holder: string;
}

/** Clients that listen to what a server says by itself: a connection of theirs for one with the server, and nothing in between. */
export class Listening {
  readonly #open = new Set<Listener & { leave(): void }>();

  constructor(private readonly room: FrontRoom) {
    room.memberships.onChanged(() => void this.#leaveLost());
  }

  async begin(call: Call, listener: Listener): Promise<Response> {
    this.#refuseMany(listener);
    const left = new AbortController();
    const open = { ...listener, leave: () => left.abort() };
    this.#open.add(open);
    const stopLooking = whileLetIn(() => this.room.stillIn(call), open.leave);
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

  /** Who is in an organisation no more hears nothing further of its servers. */
  async #leaveLost(): Promise<void> {
    for (const { server, caller, leave } of this.#open) {
      if (server.organisationId === null) continue;
      try {
        if (await usableServer(this.room, caller.user, server.name)) continue;
      } catch {
        // Nobody can say now: the client is asked who it is when it listens anew.
      }
      leave();
    }
  }

  #refuseMany({ holder, caller }: Listener): void {
    const ofUser = [...this.#open].filter((one) => one.caller.user.id === caller.user.id);
    const own = ofUser.filter((one) => one.holder === holder).length;
    if (own >= mostOfOne || ofUser.length >= mostOfUser || this.#open.size >= mostInAll)
      throw new AppError('capacity_exhausted', 'Too many connections listen already. Try again later.');
  }

  async #hear({ server, holder }: Listener, { request }: Call, signal: AbortSignal): Promise<Listened> {
    const { callers } = this.room;
    try {
      const introduction = await callers.introduction(server, holder, signal);
      const after = request.headers.get('last-event-id');
      const heard = saysSomething(introduction, holder) ? await callers.listen(server, holder, after, signal) : null;
      if (heard) return heard;
    } catch (error) {
      // What it was to tell of is over with its session: the client begins anew, and says again what it wants to hear.
      if (faultWithin(error)?.sessionEnded) throw noSession();
      const why = tellFault(error, 'anybody', secretsIn(this.room, server));
      throw new AppError('provider_error', `The server ${server.name} failed: ${why}.`);
    }
    throw new AppError('method_not_allowed', `The server ${server.name} says nothing by itself.`, {
      headers: { allow: 'POST, DELETE' },
    });
  }

  async #relay(heard: Promise<Listened>, out: EventStream, listener: Listener): Promise<void> {
    const { server, holder } = listener;
    const secrets = secretsIn(this.room, server);
    let taken: unknown;
    const write = (message: object, id?: string) => {
      taken = out.write(eventText(message, id));
    };
    const asking = this.room.questions.asking({ server, holder, secrets, say: write, tooMuch: out.end });
    // The first bytes tell the client that it is heard, and from then on it is kept awake.
    out.write(ssePing);
    const parser = new SseParser(mostAnswerBytes);
    try {
      const { stream: events, session } = await heard;
      for await (const piece of events)
        for (const event of parser.push(piece)) {
          const message = messageIn(event);
          if (await answerPing(this.room.callers, listener, message, session)) continue;
          const question = questionIn(message, session);
          const takenBack = takenBackIn(message);
          if (question) await askOrRefuse(this.room.callers, listener, question, asking);
          else if (takenBack) asking.takenBack(takenBack.id);
          else if (isPassed(message, listener)) write(redacted(message, secrets), event.id);
          // At the reader's own pace, whatever it is told.
          await taken;
        }
    } catch {
      // The server has closed it or has no such thing after all, or time is up: the client listens anew if it wants to.
    } finally {
      asking.end();
    }
  }

  stop(): void {
    for (const { leave } of this.#open) leave();
  }
}

/** Whether there is anything to wait for: most servers have nothing to say but their answers. */
function saysSomething({ capabilities, about }: Introduction, holder: string): boolean {
  const { resources, prompts, logging } = capabilities;
  if (about.protocol >= '2026') return false;
  const changes = resources?.subscribe || resources?.listChanged || prompts?.listChanged;
  return Boolean(changes || logging || abilitiesOf(holder) !== '');
}

function isPassed({ method, id }: Params, { server, caller }: Listener): boolean {
  if (id !== undefined || typeof method !== 'string' || !Object.hasOwn(passed, method)) return false;
  const offering = passed[method]!;
  return offering === null || passedOn(server, caller).includes(offering);
}

const eventText = (message: object, id?: string): string =>
  `event: message\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`;
