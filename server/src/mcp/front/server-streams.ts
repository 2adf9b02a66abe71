import { SseParser } from '../../lib/sse.ts';
import { mostAnswerBytes } from '../answer-events.ts';
import type { Params } from '../connection.ts';
import type { RequestCallbacks } from '../request-callbacks.ts';
import { type Asking, cancellationIn, questionIn } from '../server-questions.ts';
import type { Listened, Sessions } from '../sessions.ts';
import type { McpServer } from '../store/servers.ts';
import { userOf } from '../target.ts';
import { answerPing, askOrRefuse, messageIn } from './stream-messages.ts';

/**
 * Some servers send the response head only with their first message. By this time they have received the request for
 * the stream.
 */
const beginsMs = 250;
/** How long a stream stays open after the last call, since most clients make several. */
const idleMs = 60_000;
/** Limits per process, since each stream is a connection, and per user, so that one user cannot use up all of them. */
const mostInAll = 2_000;
const mostOfUser = 100;

interface Line {
  server: McpServer;
  holder: string;
  /** The calls that a question on this stream may belong to. */
  calls: Set<Asking>;
  /** Settles when the stream is open, or cannot be opened. */
  begun: Promise<unknown>;
  leave: AbortController;
  idle: Timer | undefined;
}

/**
 * Many older servers ask their questions on the stream that a client opens with GET, not in the response to the call
 * they belong to. Clients of the newest revision, and those that use all servers together, cannot open that stream, so
 * it is kept open here on their behalf while they call.
 */
export class ServerStreams {
  readonly #lines = new Map<string, Line>();

  constructor(private readonly callers: Sessions) {}

  /** Questions sent before the stream is open are lost, so the call is made only after that. */
  async during<T>(server: McpServer, holder: string, passing: RequestCallbacks, work: () => Promise<T>): Promise<T> {
    const { asking } = passing;
    const heard = asking && (await this.#speaksBefore(server, holder, passing));
    const line = heard ? this.#lineOf(server, holder) : null;
    if (!asking || !line) return work();
    clearTimeout(line.idle);
    line.calls.add(asking);
    try {
      await line.begun;
      return await work();
    } finally {
      line.calls.delete(asking);
      if (line.calls.size === 0) this.#rest(line);
    }
  }

  async #speaksBefore(server: McpServer, holder: string, passing: RequestCallbacks): Promise<boolean> {
    if (this.callers.speaksBefore(server, holder)) return true;
    const met = this.callers.introduction(server, holder, passing.signal);
    // The call itself reports why the server cannot be reached.
    return met.then(
      ({ about }) => about.protocol < '2026',
      () => false,
    );
  }

  #lineOf(server: McpServer, holder: string): Line | null {
    const place = placeOf(server, holder);
    const known = this.#lines.get(place);
    if (known || !this.#hasRoom(userOf(holder))) return known ?? null;
    const leave = new AbortController();
    const heard = this.callers.listen(server, holder, null, leave.signal);
    const begun = Promise.race([heard.catch(() => null), Bun.sleep(beginsMs)]);
    const line: Line = { ...{ server, holder, begun, leave }, calls: new Set(), idle: undefined };
    this.#lines.set(place, line);
    void this.#hear(line, heard);
    return line;
  }

  #hasRoom(user: number | null): boolean {
    const ofUser = [...this.#lines.values()].filter(({ holder }) => userOf(holder) === user).length;
    return ofUser < mostOfUser && this.#lines.size < mostInAll;
  }

  async #hear(line: Line, heard: Promise<Listened | null>): Promise<void> {
    try {
      const listened = await heard;
      // The server has no such stream. Keep the entry, so that the next call does not ask again.
      if (!listened) return;
      const parser = new SseParser(mostAnswerBytes);
      for await (const piece of listened.stream)
        for (const event of parser.push(piece)) await this.#take(line, messageIn(event), listened.session);
      this.#drop(line);
    } catch {
      // The stream was closed by us or by the server: the next call opens a new one.
      this.#drop(line);
    }
  }

  /**
   * All calls on a stream belong to one caller. Ask through the oldest call, since the others may be answered any
   * moment.
   */
  async #take({ server, holder, calls }: Line, message: Params, session: string | null): Promise<void> {
    if (await answerPing(this.callers, { server, holder }, message, session)) return;
    const takenBack = cancellationIn(message);
    if (takenBack) for (const asking of calls) asking.takenBack(takenBack.id);
    const question = takenBack ? null : questionIn(message, session);
    if (question) await askOrRefuse(this.callers, { server, holder }, question, [...calls][0]);
  }

  #rest(line: Line): void {
    line.idle = setTimeout(() => this.#drop(line), idleMs);
    line.idle.unref();
  }

  #drop(line: Line): void {
    const place = placeOf(line.server, line.holder);
    if (this.#lines.get(place) === line) this.#lines.delete(place);
    line.leave.abort();
  }

  stop(): void {
    for (const line of this.#lines.values()) this.#drop(line);
  }
}

const placeOf = ({ id }: McpServer, holder: string): string => `${id} ${holder}`;
