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
    const { id, method, params } = message as Params;
    const given = (params ?? {}) as Params;
    if (method === 'notifications/cancelled') {
      for (const { asking } of of ? [of] : this.#waiting) asking?.takenBack(given.requestId);
      return true;
    }
    if (!isQuestion(message)) return false;
    const asking = (of ?? [...this.#waiting].at(-1))?.asking;
    const question = { id: id as Question['id'], method: method as string, params: given, session: this.session() };
    const error = asking ? asking.ask(question) : nobodyToAsk;
    // A server that does not hear it waits until its own time is up.
    if (error) void this.reply({ jsonrpc: '2.0', id, error }).catch(() => {});
    return true;
  }
}

/** Whether somebody is still there is nobody's secret: that is answered at once, by the library. */
export function isQuestion(message: unknown): boolean {
  const { id, method } = (message ?? {}) as Params;
  return typeof method === 'string' && method !== 'ping' && (typeof id === 'string' || typeof id === 'number');
}

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
