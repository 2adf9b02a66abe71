import { isObject } from '../lib/is-object.ts';

type Params = Record<string, unknown>;

/** What a server wants to know from the client while it works. */
export interface Question {
  /** The server's own. */
  id: string | number;
  method: string;
  params: Params;
  /** In which it is to be answered; null where the server keeps none. */
  session: string | null;
}

/** Why a question is not passed on, in the protocol's form. */
export interface Refusal {
  code: number;
  message: string;
}

/** Whoever can be asked. */
export interface Asking {
  /** Says why not, or nothing where it was passed on: the answer comes by itself, in whichever process. */
  ask(question: Question): Refusal | undefined;
  takenBack(id: unknown): void;
}

/** A call that waits for its answer. */
export interface Waiting {
  readonly signal: AbortSignal;
  asking?: Asking | undefined;
}

export const nobodyToAsk: Refusal = { code: -32_601, message: 'Method not found' };

/** Questions of one server in one session, taken out of what it says before the library would refuse them. */
export class AskedBack {
  readonly #waiting = new Set<Waiting>();

  constructor(
    private readonly session: () => string | null,
    private readonly reply: (message: object) => Promise<unknown>,
  ) {}

  async during<T>(waiting: Waiting, work: Promise<T>): Promise<T> {
    if (!waiting.asking) return work;
    this.#waiting.add(waiting);
    try {
      return await work;
    } finally {
      this.#waiting.delete(waiting);
    }
  }

  /**
   * Whether it was one. `of` is the call that it was said in; the library does not say that, and all that wait in a session
   * are one client's, of whom the last is asked.
   */
  take(message: unknown, of?: Waiting): boolean {
    const takenBack = takenBackIn(message);
    if (takenBack) {
      for (const { asking } of of ? [of] : this.#waiting) asking?.takenBack(takenBack.id);
      return true;
    }
    const question = questionIn(message, this.session());
    if (!question) return false;
    const asking = (of ?? [...this.#waiting].at(-1))?.asking;
    const error = asking ? asking.ask(question) : nobodyToAsk;
    // A server that does not hear it waits until its own time is up.
    if (error) void this.reply({ jsonrpc: '2.0', id: question.id, error }).catch(() => {});
    return true;
  }
}

/** The question that a message is, if any. Whether somebody is still there is nobody's secret: that is answered without asking. */
export function questionIn(message: unknown, session: string | null): Question | null {
  if (!isObject(message)) return null;
  const { id, method, params } = message;
  if (typeof method !== 'string' || method === 'ping') return null;
  if (typeof id !== 'string' && typeof id !== 'number') return null;
  return { id, method, params: isObject(params) ? params : {}, session };
}

/** What a server no longer wants to know. */
export const takenBackIn = (message: unknown): { id: unknown } | null =>
  isObject(message) && message.method === 'notifications/cancelled'
    ? { id: isObject(message.params) ? message.params.requestId : undefined }
    : null;

/** Of a transport, whose own type of a message is narrower. */
interface Transport {
  sessionId?: string | undefined;
  send(message: never): Promise<unknown>;
  onmessage?: ((message: never) => void) | undefined;
}

/** The library would answer questions itself, and has nobody to ask. */
export function letQuestionsThrough(transport: Transport): AskedBack {
  const session = () => transport.sessionId ?? null;
  const asked = new AskedBack(session, (message) => transport.send(message as never));
  const hear = transport.onmessage;
  transport.onmessage = (message) => {
    if (!asked.take(message)) hear?.(message);
  };
  return asked;
}
