import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import { isObject } from '../../lib/is-object.ts';
import type { Sealer } from '../../lib/seal.ts';
import { LazySubscription } from '../../platform/shared/lazy-subscription.ts';
import type { Shared } from '../../platform/shared/port.ts';
import { mostAskedMs } from '../call-timeout.ts';
import { canBeAsked, capabilitiesOfHolder } from '../client-capabilities.ts';
import type { Params } from '../connection.ts';
import { redacted } from '../redact.ts';
import { type Asking, nobodyToAsk, type Question, type Refusal } from '../server-questions.ts';
import type { McpServer } from '../store/servers.ts';
import type { Peers } from './peers.ts';
import { longestId, type OpenedQuestion, openQuestionId, sealQuestionId } from './question-ids.ts';

const askedChannel = 'mcp-asked';
const channel = 'mcp-answered';
/** Open at once per client: no person has more dialogs open, and each is kept until it is answered. */
const mostOpen = 16;
/** Per call. A server that asks more than this is treated as abusive. */
const mostInAll = 100;

/** The client that is asked, and the server that asks. */
export interface Asked {
  server: McpServer;
  holder: string;
  /** What is redacted from its questions. */
  secrets(): readonly string[];
  /** Sends a message to the client. */
  say(message: object): void;
  /** The call the questions belong to, if any: its timeout is paused while a question is open. */
  call?: { wait(): void; goOn(): void };
  /** Pause the timeout of this call only: the client's other calls run elsewhere and know nothing of the question. */
  alone?: boolean | undefined;
  /** Called when the server asks too many questions. */
  tooMuch(): void;
}

/** A client's answer: a result, or an error. */
export interface Given {
  result?: Params | undefined;
  error?: { code: number; message: string } | undefined;
}

/** Takes a server's questions, during one call or as long as a stream is open. */
export interface OpenAsking extends Asking {
  /** For servers that receive all answers at once, in a repeated call. Returns a refusal, or the client's answer. */
  inquire(method: string, params: Params): Refusal | Promise<Given>;
  /** Withdraws all open questions. */
  end(): void;
}

interface QuestionDeps {
  sealer: Sealer;
  clock: Clock;
  shared: Pick<Shared, 'hit' | 'publish' | 'subscribe' | 'increment' | 'delete'>;
  peers: Peers;
}

type Collect = (given: Given) => void;
const answerWork = 'mcp-answer';
const brought = z.object({ mark: z.string(), given: z.custom<Given>(isObject) });

/** Questions to clients with sessions. A question's id holds everything needed to forward its answer. */
export class Questions {
  /** By the hash of the question's name: called once it is answered. */
  readonly #open = new Map<string, () => void>();
  readonly #openOf = new Map<string, number>();
  /** Receives the answer in this process, by the hash of the question's name. */
  readonly #collecting = new Map<string, Collect>();
  /** Calls that wait for their server, by holder. */
  readonly #calls = new Map<string, Set<Asked>>();
  readonly #listening = new LazySubscription(() => this.#subscribe());

  constructor(private readonly deps: QuestionDeps) {
    deps.peers.serve(answerWork, async (what) => {
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
      if (!canBeAsked(capabilitiesOfHolder(asked.holder), question)) return nobodyToAsk;
      if (!isPlainId(question.id) || names.has(question.id)) return { code: -32_600, message: 'Invalid id' };
      if ((this.#openOf.get(asked.holder) ?? 0) >= mostOpen)
        return { code: -32_000, message: 'The client is asked too many questions at once.' };
      const name = this.#begin(asked, { question, collect }, () => names.delete(question.id));
      names.set(question.id, name);
      const params = redacted(question.params, asked.secrets());
      asked.say({ jsonrpc: '2.0', id: name, method: question.method, params });
      return undefined;
    };
    const withdraw = (name: string): void => {
      this.#end(markOf(name));
      // Mark it as answered, so that a late answer is rejected.
      void this.#once(name);
    };
    const inquire: OpenAsking['inquire'] = (method, params) => {
      const { promise, resolve } = Promise.withResolvers<Given>();
      // Such servers give their questions no ids, and never cancel them.
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
    this.#listening.begin();
    const others = this.#calls.get(asked.holder);
    if (others) others.add(asked);
    else this.#calls.set(asked.holder, new Set([asked]));
  }

  /**
   * A question does not always tell which of the client's calls it belongs to, so the timeouts of all of them are
   * paused.
   */
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
    this.#listening.begin();
    const { sealer, clock, peers } = this.deps;
    const { server, holder } = asked;
    const until = clock.nowMs() + mostAskedMs;
    const at = collect ? peers.own : null;
    const name = sealQuestionId(sealer, { server, holder, asked: question, collectedAt: at, until });
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
    // A question asked outside of a call still belongs to one, possibly in another process: pause its timeout too.
    if (!asked.call) void this.deps.shared.publish(askedChannel, `${markOf(name)} ${holder}`).catch(() => {});
    return name;
  }

  #end(mark: string): void {
    const ended = this.#open.get(mark);
    this.#open.delete(mark);
    ended?.();
  }

  /** Null if this client was not asked, or has already answered, in whichever process. */
  async take(holder: string, name: unknown): Promise<OpenedQuestion | null> {
    const { sealer, clock } = this.deps;
    const opened = openQuestionId(sealer, holder, name, clock.nowMs());
    return opened && (await this.#once(name as string)) ? opened : null;
  }

  /**
   * True only the first time. While the shared store is down, each process knows only the answers it received itself.
   */
  async #once(name: string): Promise<boolean> {
    return (await this.deps.shared.increment(usedKey(name), 1, mostAskedMs)) === 1;
  }

  /** The answer was not delivered, so the client may send it again. */
  async giveBack(name: string): Promise<void> {
    await this.deps.shared.delete(usedKey(name)).catch(() => {});
  }

  /** Delivers the answer to the process that collects it; false if none does any more. */
  async bring(at: string, name: string, given: Given): Promise<boolean> {
    const { peers } = this.deps;
    if (at === peers.own) return this.#collect(markOf(name), given);
    return (await peers.ask(at, answerWork, { mark: markOf(name), given }, new AbortController().signal)) === true;
  }

  #collect(mark: string, given: Given): boolean {
    const collect = this.#collecting.get(mark);
    collect?.(given);
    return collect !== undefined;
  }

  /** The server has the answer: resume the timeouts of the calls that wait for it. */
  async answered(name: string): Promise<void> {
    const mark = markOf(name);
    this.#end(mark);
    // If another process misses this, its call just has more time.
    await this.deps.shared.publish(channel, mark).catch(() => {});
  }

  async #subscribe(): Promise<() => Promise<void>> {
    const { shared } = this.deps;
    const asked = (text: string) => this.#askedElsewhere(text.slice(0, markLength), text.slice(markLength + 1));
    const leaving = await Promise.all([
      shared.subscribe(channel, (mark) => this.#end(mark)),
      shared.subscribe(askedChannel, asked),
    ]);
    return async () => {
      for (const leave of leaving) await leave();
    };
  }

  stop(): Promise<void> {
    return this.#listening.stop();
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
  new AppError(
    'invalid_request',
    'There is no such question, it was already answered, or its answer is no longer awaited.',
  );
