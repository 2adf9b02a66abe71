import type { RunTask } from './state.ts';
import { loadSteps } from './store/steps.ts';
import type { Work } from './work.ts';

/** What prompts are told of a task's result: its short form where there is one. Null without a result. */
export function resultText({ state, texts }: Pick<Work, 'state' | 'texts'>, task: RunTask): string | null {
  if (task.step === null) return null;
  const short = state.shortened[task.step];
  return (short === undefined ? undefined : texts.get(short)) ?? texts.get(task.step) ?? null;
}

/** The result as it was given. */
export const wholeText = ({ texts }: Pick<Work, 'texts'>, task: RunTask): string | null =>
  task.step === null ? null : (texts.get(task.step) ?? null);

/** Reads back from the journal what the state refers to. */
export async function loadTexts({ deps, holding, state, texts }: Work): Promise<void> {
  const results = state.tasks.flatMap(({ step }) => step ?? []);
  const short = results.flatMap((key) => state.shortened[key] ?? []);
  const single = [state.recall, state.result].filter((key) => key !== null);
  const keys = [...results, ...short, ...single];
  for (const [key, value] of await loadSteps(deps.db, holding.ref, [...new Set(keys)])) {
    texts.set(key, (value as { text?: string }).text ?? '');
  }
}
