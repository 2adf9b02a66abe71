import { keptRow } from '../billing/rows.ts';
import { findKept, keepAnswer, rewriteKept } from '../billing/store/kept-answers.ts';
import type { CallName, CallsOfWork } from '../billing/types.ts';
import { nowSeconds } from '../lib/clock.ts';
import type { ToolOutcome } from '../lib/connected-tools.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { unknownOutcome } from './connected-tools.ts';
import { textOf } from './messages.ts';
import type { CompleteAnswer, Deps } from './ports.ts';
import type { TurnAnswer } from './turn/turn-answer.ts';

/**
 * A turn within durable work. A process that takes the work over starts the turn again, and gets the stored answers of
 * calls that were already paid. A call is identified by its content, not by its position: if its input changed
 * meanwhile, it is a different call.
 */
export interface PaidOnce {
  deps: Pick<Deps, 'complete' | 'embed' | 'rerank' | 'connectedTools'>;
  /** The answer of an earlier attempt at this turn. */
  find(): Promise<TurnAnswer | null>;
  keep(answer: TurnAnswer): Promise<void>;
}

export function paidOnce(deps: Deps, { work, attempt, again }: CallsOfWork, userId: number): PaidOnce {
  const { db, connectedTools } = deps;
  /** How often each question was asked so far, because the same one may be asked several times. */
  const asked = new Map<string, number>();
  const now = () => nowSeconds(deps.clock);
  const nameOf = (call: string): CallName => ({ work, call: `${attempt}${call}` });
  const found = (name: CallName) => (again ? findKept(db, name) : null);
  const note = async (name: CallName, noted: object): Promise<void> => {
    const row = keptRow({ requestId: work, userId, levels: null }, { ...name, body: JSON.stringify(noted) }, now());
    if (row) await keepAnswer(db, row);
  };

  async function once<T>(kind: string, question: object, ask: (name: CallName, before: T | null) => Promise<T>) {
    const digest = `${kind}:${digestOf(question)}`;
    const nth = (asked.get(digest) ?? 0) + 1;
    asked.set(digest, nth);
    const name = nameOf(`${digest}:${nth}`);
    try {
      const kept = await found(name);
      return await ask(name, kept === null ? null : (JSON.parse(kept) as T));
    } catch (error) {
      // A failed call does not count: another model may be asked the same, and its answer takes this name.
      asked.set(digest, asked.get(digest)! - 1);
      throw error;
    }
  }

  const answerName = nameOf('answer');
  return {
    deps: {
      complete: (request) => {
        const { messages, params, tools } = request;
        return once<CompleteAnswer>('chat', { messages, params, tools }, async (keepAs, before) => {
          if (!before) return deps.complete({ ...request, keepAs });
          if (request.stream) await request.onDelta?.(textOf(before.message));
          return before;
        });
      },
      embed: (request) => {
        // The caller named it, because other work may reuse the vectors as well.
        if (request.keepAs) return deps.embed(request);
        const { model, texts } = request;
        return once('embed', { model, texts }, async (keepAs, before) => before ?? deps.embed({ ...request, keepAs }));
      },
      rerank: (request) => {
        const { model, query, documents, topN } = request;
        return once(
          'rerank',
          { model, query, documents, topN },
          async (keepAs, before) => before ?? deps.rerank({ ...request, keepAs }),
        );
      },
      connectedTools: {
        list: (user) => connectedTools.list(user),
        follow: (...given) => connectedTools.follow(...given),
        call: async (caller, name, args, how) => {
          // A tool call may have side effects: record it before making it, and never make it twice.
          const { outcome } = await once<Noted>('tool', { name, args }, async (noted, before) => {
            if (before) return before;
            await note(noted, {});
            const made = { outcome: await connectedTools.call(caller, name, args, how) };
            await rewriteKept(db, noted, JSON.stringify(made));
            return made;
          });
          return outcome ?? lost;
        },
      },
    },
    find: async () => {
      const body = await found(answerName);
      return body === null ? null : (JSON.parse(body) as TurnAnswer);
    },
    keep: (answer) =>
      note(answerName, answer).catch((error) => deps.warn('an answer was not stored for its work', error)),
  };
}

/** A tool call that was started, with its outcome if that is known. */
interface Noted {
  outcome?: ToolOutcome;
}

const lost: ToolOutcome = { text: unknownOutcome, isError: true, cut: false };

/** Hashes only the question: fence marks and call ids are random and differ between attempts. */
function digestOf(question: object): string {
  const ids = new Map<string, number>();
  const plain = (key: string, value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    if (key !== 'id' && key !== 'tool_call_id') return value.replaceAll(/mark="[0-9A-Za-z]{12}"/g, 'mark=""');
    if (!ids.has(value)) ids.set(value, ids.size);
    return ids.get(value);
  };
  return sha256Hex(JSON.stringify(question, plain));
}
