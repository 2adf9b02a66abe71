import { isObject } from '../lib/is-object.ts';

type Params = Record<string, unknown>;

/** A request from the server to the client during a call. */
export interface Question {
  /** The server's own JSON-RPC id. */
  id: string | number;
  method: string;
  params: Params;
  /** The session to answer in; null if the server keeps none. */
  session: string | null;
}

/** Why a question is not forwarded, as a JSON-RPC error. */
export interface Refusal {
  code: number;
  message: string;
}

/** A client that can be asked. */
export interface Asking {
  /**
   * Returns why the question was not forwarded, or nothing. The answer arrives separately, possibly in another process.
   */
  ask(question: Question): Refusal | undefined;
  takenBack(id: unknown): void;
}

/** A call that waits for its answer. */
export interface Waiting {
  readonly signal: AbortSignal;
  asking?: Asking | undefined;
}

export const nobodyToAsk: Refusal = { code: -32_601, message: 'Method not found' };

/** Intercepts one server's questions in one session, because the library would refuse them. */
export class ServerQuestions {
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
   * Returns whether the message was a question or its cancellation. `of` is the call it belongs to; if the library
   * delivers the message, that is unknown. All calls waiting in a session belong to one client, so the last one is
   * asked.
   */
  take(message: unknown, of?: Waiting): boolean {
    const takenBack = cancellationIn(message);
    if (takenBack) {
      for (const { asking } of of ? [of] : this.#waiting) asking?.takenBack(takenBack.id);
      return true;
    }
    const question = questionIn(message, this.session());
    if (!question) return false;
    const asking = (of ?? [...this.#waiting].at(-1))?.asking;
    const error = asking ? asking.ask(question) : nobodyToAsk;
    // If this reply is lost, the server waits until its own timeout.
    if (error) void this.reply({ jsonrpc: '2.0', id: question.id, error }).catch(() => {});
    return true;
  }
}

/** The question in a message, if any. Pings are not forwarded: the library answers them. */
export function questionIn(message: unknown, session: string | null): Question | null {
  if (!isObject(message)) return null;
  const { id, method, params } = message;
  if (typeof method !== 'string' || method === 'ping') return null;
  if (typeof id !== 'string' && typeof id !== 'number') return null;
  return { id, method, params: isObject(params) ? params : {}, session };
}

/** The server's cancellation of a question. */
export const cancellationIn = (message: unknown): { id: unknown } | null =>
  isObject(message) && message.method === 'notifications/cancelled'
    ? { id: isObject(message.params) ? message.params.requestId : undefined }
    : null;

/** Structural, because the library's type of a message is narrower. */
interface Transport {
  sessionId?: string | undefined;
  send(message: never): Promise<unknown>;
  onmessage?: ((message: never) => void) | undefined;
}

/** Otherwise the library would answer questions itself, without a client to ask. */
export function letQuestionsThrough(transport: Transport): ServerQuestions {
  const session = () => transport.sessionId ?? null;
  const asked = new ServerQuestions(session, (message) => transport.send(message as never));
  const hear = transport.onmessage;
  transport.onmessage = (message) => {
    if (!asked.take(message)) hear?.(message);
  };
  return asked;
}
