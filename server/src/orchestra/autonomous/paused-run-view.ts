import { beginningOf } from '../../lib/cut-text.ts';
import type { Db } from '../../platform/db/tables.ts';
import { live, type RunState } from './state.ts';
import { loadSteps } from './store/steps.ts';
import { type Pending, pendingIn } from './task-conversation.ts';

/** Results and open items of a paused run. */
export interface PausedRunView extends Pending {
  /** The results so far; null if there are none. */
  partial_result: string | null;
  /** Titles of the unfinished tasks. */
  remaining: string[];
}

export const emptyPausedRunView = (): PausedRunView => ({
  partial_result: null,
  remaining: [],
  pending_tool_calls: [],
  pending_approvals: [],
});

/** Browsers read it in an event. Full texts are in the session's history once the run completes. */
const longestPartial = 100_000;

export async function pausedRunViewOf(db: Db, runRef: number, state: RunState): Promise<PausedRunView> {
  const tasks = live(state);
  const done = tasks.filter(({ status, step }) => status === 'completed' && step !== null);
  const found = await loadSteps(
    db,
    runRef,
    done.map(({ step }) => step!),
  );
  const texts = done.flatMap(({ title, step }) => {
    const { text } = (found.get(step!) ?? {}) as { text?: string };
    return text ? [`## ${title}\n\n${text}`] : [];
  });
  return {
    partial_result: texts.length === 0 ? null : shortened(texts.join('\n\n')),
    remaining: tasks.filter(({ status }) => status !== 'completed').map(({ title }) => title),
    ...pendingIn(state),
  };
}

const shortened = (text: string): string =>
  text.length > longestPartial
    ? `${beginningOf(text, longestPartial)}\n[… cut after ${longestPartial} characters]`
    : text;
