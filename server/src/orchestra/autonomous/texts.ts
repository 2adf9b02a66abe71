import type { RunTask } from './state.ts';
import { loadSteps } from './store/steps.ts';
import type { Work } from './work.ts';

/** A task's result as used in prompts: the short form if there is one; null without a result. */
export function resultText({ state, texts }: Pick<Work, 'state' | 'texts'>, task: RunTask): string | null {
  if (task.step === null) return null;
  const short = state.shortened[task.step];
  return (short === undefined ? undefined : texts.get(short)) ?? texts.get(task.step) ?? null;
}

/** The full result. */
export const wholeText = ({ texts }: Pick<Work, 'texts'>, task: RunTask): string | null =>
  task.step === null ? null : (texts.get(task.step) ?? null);

/** Loads the texts that the state refers to from the journal. */
export async function loadTexts({ deps, holding, state, texts }: Work): Promise<void> {
  const results = state.tasks.flatMap(({ step }) => step ?? []);
  const short = results.flatMap((key) => state.shortened[key] ?? []);
  const single = [state.recall, state.result].filter((key) => key !== null);
  const keys = [...results, ...short, ...single];
  for (const [key, value] of await loadSteps(deps.db, holding.ref, [...new Set(keys)])) {
    texts.set(key, (value as { text?: string }).text ?? '');
  }
}
