import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { Shared } from '../../platform/shared/port.ts';
import { abilitiesOf, canBeAsked } from '../abilities.ts';
import { type Asking, nobodyToAsk, type Question, type Refusal } from '../asked-back.ts';
import { mostAskedMs } from '../patience.ts';
import { redacted } from '../redact.ts';
import type { McpServer } from '../store/servers.ts';
import { longestId, nameQuestion, type OpenedQuestion, openQuestion } from './question-names.ts';

const askedChannel = 'mcp-asked';
const channel = 'mcp-answered';
/** At once, to one client: nobody has more windows than this in front of them, and each is kept until it is answered. */
const mostOpen = 16;
/** In one call. Whoever wants to know more than this wants to keep us busy. */
const mostInAll = 100;

/** Who is asked, and by whom. */
export interface Asked {
  server: McpServer;
  holder: string;
  secrets: readonly string[];
  /** Brings a message to the client. */
  say(message: object): void;
  /** Of a call: while its client is asked something its time stands still. */
  call?: { wait(): void; goOn(): void };
  /** It asks for too much. */
  tooMuch(): void;
}

/** What servers ask while it is heard of here: for one call, or for as long as somebody listens. */
export interface OpenAsking extends Asking {
  /** Nobody waits for answers any more. */
  end(): void;
}

interface QuestionDeps {
  sealer: Sealer;
  clock: Clock;
  shared: Pick<Shared, 'hit' | 'publish' | 'subscribe'>;
}

/** Questions that clients of the protocol with sessions are asked. Whatever is needed to pass an answer on is in its id. */
export class Questions {
  /** By their marks: what is done when they are answered. */
  readonly #open = new Map<string, () => void>();
  readonly #openOf = new Map<string, number>();
  /** Calls that wait for their answers, by whose they are. */
  readonly #calls = new Map<string, Set<Asked>>();
  #listening: Promise<(() => Promise<void>)[]> | undefined;

  constructor(private readonly deps: QuestionDeps) {}

  asking(asked: Asked): OpenAsking {
    if (asked.call) this.#run(asked);
    const names = new Map<Question['id'], string>();
    let count = 0;
    const ask = (question: Question): Refusal | undefined => {
      count += 1;
      if (count > mostInAll) asked.tooMuch();
      if (count > mostInAll) return undefined;
      if (!canBeAsked(abilitiesOf(asked.holder), question.method)) return nobodyToAsk;
      if (!isPlainId(question.id) || names.has(question.id)) return { code: -32_600, message: 'Invalid id' };
      if ((this.#openOf.get(asked.holder) ?? 0) >= mostOpen)
        return { code: -32_000, message: 'The client is asked too many things at once.' };
      const name = this.#begin(asked, question, () => names.delete(question.id));
      names.set(question.id, name);
      const params = redacted(question.params, asked.secrets);
      asked.say({ jsonrpc: '2.0', id: name, method: question.method, params });
      return undefined;
    };
    const withdraw = (name: string): void => {
      this.#end(markOf(name));
      // An answer that comes all the same is to nothing.
      void this.#once(name);
    };
    return {
      ask,
      takenBack: (id) => {
        const name = names.get(id as Question['id']);
        if (name === undefined) return;
        withdraw(name);
        asked.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: name } });
      },
      end: () => {
        for (const name of [...names.values()]) withdraw(name);
        this.#calls.get(asked.holder)?.delete(asked);
        if (this.#calls.get(asked.holder)?.size === 0) this.#calls.delete(asked.holder);
      },
    };
  }

  #run(asked: Asked): void {
    if (!this.#listening) this.#listen();
    const others = this.#calls.get(asked.holder);
    if (others) others.add(asked);
    else this.#calls.set(asked.holder, new Set([asked]));
  }

  /** Which of a client's calls a question belongs to is not always said: none of them runs out of time meanwhile. */
  #standStill(holder: string): () => void {
    const calls = [...(this.#calls.get(holder) ?? [])];
    for (const { call } of calls) call?.wait();
    return () => {
      for (const { call } of calls) call?.goOn();
    };
  }

  #askedElsewhere(mark: string, holder: string): void {
    if (this.#calls.has(holder) && !this.#open.has(mark)) this.#open.set(mark, this.#standStill(holder));
  }

  #begin(asked: Asked, question: Question, ended: () => void): string {
    if (!this.#listening) this.#listen();
    const { server, holder } = asked;
    const until = this.deps.clock.nowMs() + mostAskedMs;
    const name = nameQuestion(this.deps.sealer, { server, holder, asked: question, until });
    this.#openOf.set(holder, (this.#openOf.get(holder) ?? 0) + 1);
    const goOn = this.#standStill(holder);
    this.#open.set(markOf(name), () => {
      const left = this.#openOf.get(holder)! - 1;
      if (left > 0) this.#openOf.set(holder, left);
      else this.#openOf.delete(holder);
      ended();
      goOn();
    });
    // What is not said in a call belongs to one all the same, which may run anywhere.
    if (!asked.call) void this.deps.shared.publish(askedChannel, `${markOf(name)} ${holder}`).catch(() => {});
    return name;
  }

  #end(mark: string): void {
    const ended = this.#open.get(mark);
    this.#open.delete(mark);
    ended?.();
  }

  /** Null for what this client was not asked, or has answered, in whichever process. */
  async take(holder: string, name: unknown): Promise<OpenedQuestion | null> {
    const { sealer, clock } = this.deps;
    const opened = openQuestion(sealer, holder, name, clock.nowMs());
    return opened && (await this.#once(name as string)) ? opened : null;
  }

  async #once(name: string): Promise<boolean> {
    return (await this.deps.shared.hit(`mcp-answer:${markOf(name)}`, 1, mostAskedMs)).allowed;
  }

  /** The server has it: whoever waits for the server goes on. */
  async answered(name: string): Promise<void> {
    const mark = markOf(name);
    this.#end(mark);
    // Unheard, a call there only has more time than it would have.
    await this.deps.shared.publish(channel, mark).catch(() => {});
  }

  #listen(): void {
    const { shared } = this.deps;
    const asked = (text: string) => this.#askedElsewhere(text.slice(0, markLength), text.slice(markLength + 1));
    this.#listening = Promise.all([
      shared.subscribe(channel, (mark) => this.#end(mark)),
      shared.subscribe(askedChannel, asked),
    ]);
    this.#listening.catch(() => {
      this.#listening = undefined;
    });
  }

  async stop(): Promise<void> {
    const leaving = await this.#listening?.catch(() => undefined);
    for (const leave of leaving ?? []) await leave();
  }
}

const markLength = 32;
const markOf = (name: string): string => sha256Hex(name).slice(0, markLength);

const isPlainId = (id: Question['id']): boolean =>
  typeof id === 'number' ? Number.isFinite(id) : id.length <= longestId;

export const noQuestion = (): AppError =>
  new AppError('invalid_request', 'There is no such question, or it was answered, or nobody waits for the answer.');
