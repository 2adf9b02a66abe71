import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import { isObject } from '../../lib/is-object.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { Shared } from '../../platform/shared/port.ts';
import { abilitiesOf, canBeAsked } from '../abilities.ts';
import { type Asking, nobodyToAsk, type Question, type Refusal } from '../asked-back.ts';
import type { Params } from '../connection.ts';
import { mostAskedMs } from '../patience.ts';
import { redacted } from '../redact.ts';
import type { McpServer } from '../store/servers.ts';
import type { Peers } from './peers.ts';
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
  /** Only this call is known to be asked: its client has others under way elsewhere, which know nothing of it. */
  alone?: boolean | undefined;
  /** It asks for too much. */
  tooMuch(): void;
}

/** What a client answers: a result, or why there is none. */
export interface Given {
  result?: Params | undefined;
  error?: { code: number; message: string } | undefined;
}

/** What servers ask while it is heard of here: for one call, or for as long as somebody listens. */
export interface OpenAsking extends Asking {
  /** For a server that is told all answers at once, by whoever calls it again. Says why not, or what the client answers. */
  inquire(method: string, params: Params): Refusal | Promise<Given>;
  /** Nobody waits for answers any more. */
  end(): void;
}

interface QuestionDeps {
  sealer: Sealer;
  clock: Clock;
  shared: Pick<Shared, 'hit' | 'publish' | 'subscribe' | 'increment' | 'delete'>;
  peers: Peers;
}

type Collect = (given: Given) => void;
const answerErrand = 'mcp-answer';
const brought = z.object({ mark: z.string(), given: z.custom<Given>(isObject) });

/** Questions that clients of the protocol with sessions are asked. Whatever is needed to pass an answer on is in its id. */
export class Questions {
  /** By their marks: what is done when they are answered. */
  readonly #open = new Map<string, () => void>();
  readonly #openOf = new Map<string, number>();
  /** Whoever gathers the answer here, by the mark of its question. */
  readonly #collecting = new Map<string, Collect>();
  /** Calls that wait for their answers, by whose they are. */
  readonly #calls = new Map<string, Set<Asked>>();
  #listening: Promise<(() => Promise<void>)[]> | undefined;

  constructor(private readonly deps: QuestionDeps) {
    deps.peers.serve(answerErrand, async (what) => {
      const { mark, given } = brought.parse(what);
      return this.#collect(mark, given);
    });
  }

  asking(asked: Asked): OpenAsking {
    if (asked.call) this.#run(asked);
    const names = new Map<Question['id'], string>();
    let count = 0;
    const ask = (question: Question, collect?: Collect): Refusal | undefined => {
      count += 1;
      if (count > mostInAll) asked.tooMuch();
      if (count > mostInAll) return undefined;
      if (!canBeAsked(abilitiesOf(asked.holder), question)) return nobodyToAsk;
      if (!isPlainId(question.id) || names.has(question.id)) return { code: -32_600, message: 'Invalid id' };
      if ((this.#openOf.get(asked.holder) ?? 0) >= mostOpen)
        return { code: -32_000, message: 'The client is asked too many things at once.' };
      const name = this.#begin(asked, { question, collect }, () => names.delete(question.id));
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
    const inquire: OpenAsking['inquire'] = (method, params) => {
      const { promise, resolve } = Promise.withResolvers<Given>();
      // Such servers give their questions no ids, and take none back.
      return ask({ id: count, method, params, session: null }, resolve) ?? promise;
    };
    return {
      ask,
      inquire,
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
    return standStill([...(this.#calls.get(holder) ?? [])]);
  }

  #askedElsewhere(mark: string, holder: string): void {
    if (this.#calls.has(holder) && !this.#open.has(mark)) this.#open.set(mark, this.#standStill(holder));
  }

  #begin(
    asked: Asked,
    { question, collect }: { question: Question; collect: Collect | undefined },
    ended: () => void,
  ): string {
    if (!this.#listening) this.#listen();
    const { sealer, clock, peers } = this.deps;
    const { server, holder } = asked;
    const until = clock.nowMs() + mostAskedMs;
    const at = collect ? peers.own : null;
    const name = nameQuestion(sealer, { server, holder, asked: question, collectedAt: at, until });
    if (collect) peers.listen();
    if (collect) this.#collecting.set(markOf(name), collect);
    this.#openOf.set(holder, (this.#openOf.get(holder) ?? 0) + 1);
    const goOn = asked.alone ? standStill([asked]) : this.#standStill(holder);
    this.#open.set(markOf(name), () => {
      const left = this.#openOf.get(holder)! - 1;
      if (left > 0) this.#openOf.set(holder, left);
      else this.#openOf.delete(holder);
      this.#collecting.delete(markOf(name));
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

  /** While the shared store is away, each process knows only what it was told itself. */
  async #once(name: string): Promise<boolean> {
    const { shared } = this.deps;
    const count = shared.increment(usedKey(name), 1, mostAskedMs);
    return count.then(
      (times) => times === 1,
      async () => (await shared.hit(usedKey(name), 1, mostAskedMs)).allowed,
    );
  }

  /** Nobody was told of the answer: it may be given once more. */
  async giveBack(name: string): Promise<void> {
    await this.deps.shared.delete(usedKey(name)).catch(() => {});
  }

  /** To the process that gathers it; false where nobody does any more. */
  async bring(at: string, name: string, given: Given): Promise<boolean> {
    const { peers } = this.deps;
    if (at === peers.own) return this.#collect(markOf(name), given);
    return (await peers.ask(at, answerErrand, { mark: markOf(name), given }, new AbortController().signal)) === true;
  }

  #collect(mark: string, given: Given): boolean {
    const collect = this.#collecting.get(mark);
    collect?.(given);
    return collect !== undefined;
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

function standStill(calls: readonly Asked[]): () => void {
  for (const { call } of calls) call?.wait();
  return () => {
    for (const { call } of calls) call?.goOn();
  };
}

const markLength = 32;
const usedKey = (name: string): string => `mcp-answer:${markOf(name)}`;
const markOf = (name: string): string => sha256Hex(name).slice(0, markLength);

const isPlainId = (id: Question['id']): boolean =>
  typeof id === 'number' ? Number.isFinite(id) : id.length <= longestId;

export const noQuestion = (): AppError =>
  new AppError('invalid_request', 'There is no such question, or it was answered, or nobody waits for the answer.');
