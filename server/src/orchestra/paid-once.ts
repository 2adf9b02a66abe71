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
 * A turn within work that outlives its process. Whoever takes the work over begins the turn anew, and gets what was asked and
 * paid before as it was answered then. A call is known by what is asked, not by its place: what the turn finds changed
 * meanwhile is another question.
 */
export interface PaidOnce {
  deps: Pick<Deps, 'complete' | 'embed' | 'rerank' | 'connectedTools'>;
  /** What the turn before came to. */
  find(): Promise<TurnAnswer | null>;
  keep(answer: TurnAnswer): Promise<void>;
}

export function paidOnce(deps: Deps, { work, attempt, again }: CallsOfWork, userId: number): PaidOnce {
  const { db, connectedTools } = deps;
  /** The same may be asked several times: how often it was, and answered. */
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
      // Another model may be asked the same, and its answer is the one to this.
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
        // What others may take up as well has a name of its own.
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
          // It may have effects: noted before it is made, and never made twice.
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
      note(answerName, answer).catch((error) => deps.warn('an answer was not kept for its work', error)),
  };
}

/** A call of a tool that was begun, and what it came to where that is known. */
interface Noted {
  outcome?: ToolOutcome;
}

const lost: ToolOutcome = { text: unknownOutcome, isError: true, cut: false };

/** Of the question alone: marks of fences and ids of calls are drawn anew by each who asks. */
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
