import { openaiError } from '../../lib/error-shapes.ts';
import { AppError } from '../../lib/errors.ts';
import { randomString } from '../../lib/ids.ts';
import { maybeJson } from '../../lib/maybe-json.ts';
import type { Price, Usage } from '../../lib/money.ts';
import { parseYielding } from '../../lib/parse-yielding.ts';
import { logError } from '../../platform/http/log-error.ts';
import { type ClientSocket, mostMessageBytes, type SocketEnd } from '../../platform/http/sockets.ts';
import { toAppError } from '../../platform/http/to-app-error.ts';
import type { RelayDeps } from '../deps.ts';
import type { OpenCall } from '../open-call.ts';
import { redactCredential } from '../redact-credential.ts';
import { isStopping } from '../stopping.ts';
import type { Watched } from '../watchdog.ts';
import { isObject, type Json } from '../wire/conversation.ts';
import type { SessionRights } from './client-events.ts';
import { type Ending, endings, shortReason } from './endings.ts';
import { Inbound, shortLength } from './inbound.ts';
import { ConversationMeter } from './meter.ts';
import { UpstreamReport } from './report.ts';
import { Turns } from './turns.ts';
import type { Greeted } from './upstream.ts';
import { UpstreamEvents } from './upstream-events.ts';

/** OpenAI's maximum session length. */
const longestMs = 3_600_000;
/** A session that works for this long counts as a success of its upstream. */
const provenMs = 30_000;
const lookMs = 1_000;
const pingMs = 20_000;
/** An upstream that does not answer pings for this long is gone. */
const silenceMs = 60_000;
/** A client that reads nothing for this long is considered gone. */
const slowMs = 30_000;
/** Errors a client may leave unread: unlike the upstream's events, nothing slows them down. */
const mostUnread = 1024 * 1024;
/** OpenAI's maximum length of the ids that clients give to events. */
const longestEventId = 512;

interface SessionOf extends SessionRights {
  call: OpenCall;
  greeted: Greeted;
  /** All names of the model. */
  names: readonly string[];
  /** Sent before the client's events. */
  beginning?: Json | undefined;
  /** Throws if the caller's permission has ended. */
  stillPermitted(): void | Promise<void>;
  ended(session: RealtimeSession): void;
}

/** Connects a client and an upstream over two sockets: messages are forwarded unchanged, and their cost is metered. */
export class RealtimeSession implements SocketEnd, Watched {
  readonly silenceMs = silenceMs;
  lastMs: number;
  heard = false;
  place = -1;
  readonly #meter = new ConversationMeter();
  readonly #turns: Turns;
  readonly #events: UpstreamEvents;
  readonly #openedMs: number;
  #lookedMs: number;
  #pingedMs: number;
  #socket: ClientSocket | null = null;
  #slowSinceMs: number | null = null;
  /** Characters of errors told since. */
  #unread = 0;
  /** An upstream event is being processed; the next one waits. */
  #working = false;
  readonly #inbound: Inbound;
  readonly #report: UpstreamReport;
  #draining = false;
  #over = false;
  readonly #settled = Promise.withResolvers<void>();

  constructor(
    readonly deps: RelayDeps,
    readonly about: SessionOf,
  ) {
    const now = deps.clock.steadyMs();
    this.lastMs = this.#openedMs = this.#lookedMs = this.#pingedMs = now;
    const { call, greeted } = about;
    const used = (usage: Usage, price: Price) => greeted.attempt.usedMore?.(usage, price);
    const money = { ...about, meter: this.#meter, used };
    this.#turns = new Turns(deps, money, call.hold);
    this.#report = new UpstreamReport(call, greeted);
    this.#events = new UpstreamEvents(about, this.#turns, this.#meter, this.#report);
    this.#inbound = new Inbound(deps, about, this.#turns, this.#meter, {
      isOver: () => this.#over,
      refused: (error, eventId) => this.#tell(error, eventId),
      failed: (error) => this.#breakOff(error),
    });
  }

  opened(socket: ClientSocket): void {
    this.#socket = socket;
    const { greeted, beginning, candidate } = this.about;
    this.deps.watchdog.watch(this);
    greeted.upstream.listen({
      message: (payload, binary) => this.#hear(payload, binary),
      heard: () => {
        this.heard = true;
      },
      closed: (code, reason) => void this.end(endings.byUpstream(code, reason, candidate.channel.credential)),
    });
    this.#hear(greeted.greeting, false);
    if (beginning) this.#inbound.take(JSON.stringify(beginning));
    this.#goOn();
  }

  received(data: string | Buffer): void {
    if (this.#over) return;
    if (typeof data !== 'string')
      this.#tell(new AppError('invalid_value', 'Events must be JSON in text frames; this frame is binary.'));
    else if (this.about.greeted.upstream.unsentBytes + this.#inbound.waiting > mostMessageBytes)
      void this.end(endings.floodedUpstream());
    else this.#inbound.take(data);
  }

  drained(): void {
    this.#slowSinceMs = null;
    this.#unread = 0;
    this.#goOn();
  }

  closed(): void {
    void this.end(endings.clientLeft());
  }

  expired(): void {
    void this.end(endings.silent());
  }

  tick(nowMs: number): void {
    if (isStopping(this.deps, this.about.context)) void this.end(endings.stopping());
    else if (nowMs - this.#openedMs > longestMs) void this.end(endings.expired());
    else if (this.#slowSinceMs !== null && nowMs - this.#slowSinceMs > slowMs) void this.end(endings.slowClient());
    if (this.#over) return;
    if (nowMs - this.#openedMs > provenMs) this.#report.well();
    if (nowMs - this.#pingedMs > pingMs) {
      this.#pingedMs = nowMs;
      this.about.greeted.upstream.ping();
    }
    if (nowMs - this.#lookedMs >= lookMs) {
      this.#lookedMs = nowMs;
      void this.#look();
    }
  }

  /** Shutdown: a response in progress may finish. */
  drain(): void {
    this.#draining = true;
    this.#endIfDrained();
  }

  /** Tells the client why, and charges what is due. Once. */
  end(ending: Ending): Promise<void> {
    if (!this.#over) {
      this.#over = true;
      void this.#end(ending).then(this.#settled.resolve);
    }
    return this.#settled.promise;
  }

  async #end({ error, code, reason, status, cause }: Ending): Promise<void> {
    const { deps, about } = this;
    deps.watchdog.forget(this);
    if (error) this.#tell(error);
    this.#socket?.close(code, shortReason(reason));
    about.greeted.upstream.close(1000);
    if (cause === undefined || cause === 'client_left') this.#report.well();
    else this.#report.failed(cause);
    try {
      await this.#turns.end(status, this.#events.unfinished());
    } catch (failed) {
      deps.log.error({ requestId: about.context.requestId, error: failed }, 'could not charge for a session');
    }
    about.ended(this);
  }

  async #look(): Promise<void> {
    try {
      await this.about.stillPermitted();
    } catch (error) {
      // A database outage says nothing about the caller.
      if (error instanceof AppError && error.status < 500) void this.end(endings.refused(error));
    }
  }

  #breakOff(error: unknown): void {
    const refusal = toAppError(error);
    logError(this.deps.log, { requestId: this.about.context.requestId }, refusal);
    void this.end(endings.refused(refusal));
  }

  #hear(payload: Buffer, binary: boolean): void {
    if (this.#over) return;
    this.heard = true;
    const text = payload.toString();
    if (payload.length > shortLength && !binary) {
      const parsing = parseYielding(payload).catch(() => undefined);
      void this.#work(text, parsing.then(this.#note));
      return;
    }
    try {
      const event = binary ? undefined : maybeJson(text);
      const noted = this.#note(event);
      if (noted) void this.#work(text, noted);
      else this.#give(isObject(event) && event.type === 'error' ? this.#shown(text) : text);
    } catch {
      void this.end(endings.garbage());
    }
  }

  /** Some upstreams repeat the credential in their errors. */
  #shown(text: string): string {
    return redactCredential(text, this.about.candidate.channel.credential);
  }

  readonly #note = (event: unknown): Promise<void> | undefined => {
    if (!isObject(event)) throw new SyntaxError('the upstream sent an invalid event');
    return this.#events.note(event);
  };

  /** In order: the upstream is paused until this event was forwarded. */
  async #work(text: string, noted: Promise<void>): Promise<void> {
    this.#working = true;
    this.about.greeted.upstream.pause();
    try {
      await noted;
      this.#give(text);
    } catch (error) {
      if (error instanceof SyntaxError) void this.end(endings.garbage());
      else {
        // It was paid for; only continuing is refused.
        if (toAppError(error).status < 500) this.#give(text);
        this.#breakOff(error);
      }
    }
    this.#working = false;
    this.#endIfDrained();
    this.#goOn();
  }

  #give(text: string): void {
    if (!this.#over) this.#deliver(text);
  }

  #deliver(text: string): void {
    // -1: it is buffered, so the upstream must wait.
    if (this.#socket?.send(text) !== -1) return;
    this.#slowSinceMs ??= this.deps.clock.steadyMs();
    this.about.greeted.upstream.pause();
  }

  #goOn(): void {
    if (!this.#working && this.#slowSinceMs === null && !this.#over) this.about.greeted.upstream.resume();
  }

  #endIfDrained(): void {
    if (this.#draining && this.#turns.running === 0) void this.end(endings.stopping());
  }

  #tell(error: AppError, eventId: unknown = null): void {
    const event_id = typeof eventId === 'string' && eventId.length <= longestEventId ? eventId : null;
    const told = { ...openaiError(error), event_id };
    const text = JSON.stringify({ type: 'error', event_id: `event_${randomString(21)}`, error: told });
    this.#deliver(text);
    if (this.#slowSinceMs === null) return;
    this.#unread += text.length;
    if (this.#unread > mostUnread) void this.end(endings.slowClient());
  }
}
