import { AppError } from '../../lib/errors.ts';
import { maybeJson } from '../../lib/maybe-json.ts';
import { readMessage } from '../../platform/http/read-message.ts';
import { toAppError } from '../../platform/http/to-app-error.ts';
import type { RelayDeps } from '../deps.ts';
import { isObject } from '../wire/conversation.ts';
import { invalid } from '../wire/read.ts';
import { permitted, type SessionRights } from './client-events.ts';
import type { ConversationMeter } from './meter.ts';
import type { Turns } from './turns.ts';
import type { Greeted } from './upstream.ts';

/** Parsed at once. */
export const shortLength = 65_536;
const asksResponse = 'response.create';

interface SessionEnds {
  isOver(): boolean;
  /** A single event is refused. */
  refused(error: AppError, eventId: unknown): void;
  /** The session cannot continue. */
  failed(error: unknown): void;
}

/** The client's events on their way to the upstream: in order, each once its possible cost is held. */
export class Inbound {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(
    readonly deps: RelayDeps,
    readonly about: SessionRights & { greeted: Greeted },
    readonly turns: Turns,
    readonly meter: ConversationMeter,
    readonly session: SessionEnds,
  ) {}

  /** Characters not forwarded yet. */
  get waiting(): number {
    return this.#waiting;
  }

  take(text: string): void {
    const event = this.#waiting === 0 && text.length <= shortLength ? maybeJson(text) : undefined;
    // Events without a session name no model: they are forwarded at once if their cost is held.
    const isPlain = isObject(event) && event.session === undefined;
    if (isPlain && this.#count(text, event.type)) this.about.greeted.upstream.send(text);
    else this.#inTurn(text, isPlain ? () => this.#sendCovered(text) : () => this.#pass(text));
  }

  #inTurn(text: string, send: () => Promise<void>): void {
    this.#waiting += text.length;
    this.#last = this.#last.then(send).finally(() => {
      this.#waiting -= text.length;
    });
  }

  async #pass(text: string): Promise<void> {
    let event: unknown;
    try {
      // Without these words it cannot describe a session; audio has megabytes.
      if (text.length > shortLength && !text.includes('session') && !text.includes('\\')) {
        const asks = text.includes(`"${asksResponse}"`);
        await this.#send(text, asks ? asksResponse : undefined);
        return;
      }
      event = await readMessage(text);
      if (!isObject(event)) throw new AppError('invalid_json', 'An event must be a JSON object.');
      const { session, type } = event;
      if (session === undefined) await this.#send(text, type);
      else if (!isObject(session)) throw invalid('session', "'session' must be an object.");
      else {
        // Serialized anew: with duplicate member names, the upstream might read one that was not checked.
        const permittedEvent = { ...event, session: await permitted(this.deps, this.about, session) };
        this.meter.described(session);
        await this.#send(JSON.stringify(permittedEvent), type);
      }
    } catch (error) {
      this.session.refused(toAppError(error), isObject(event) ? event.event_id : null);
    }
  }

  async #send(text: string, type: unknown): Promise<void> {
    if (this.#count(text, type)) this.about.greeted.upstream.send(text);
    else await this.#sendCovered(text);
  }

  /** Whether it may be forwarded at once: the session lasts, and the cost of a response is held. */
  #count(text: string, type: unknown): boolean {
    if (this.session.isOver()) return false;
    this.meter.sent(text, type);
    if (type === asksResponse) this.turns.ask();
    return this.turns.isCovered;
  }

  async #sendCovered(text: string): Promise<void> {
    try {
      if (!this.session.isOver()) await this.turns.cover();
      if (!this.session.isOver()) this.about.greeted.upstream.send(text);
    } catch (error) {
      this.session.failed(error);
    }
  }
}
