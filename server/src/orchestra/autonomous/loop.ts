import { Pause } from './halt.ts';
import { reloadModels } from './recheck-access.ts';
import { iterationsUsedUp, stalled } from './state.ts';
import { finishRun } from './steps-finish.ts';
import { judgeGoal } from './steps-judge.ts';
import { fitResults, loadContext, recallMemory } from './steps-memory.ts';
import { planRun, revisePlan, tellReplanned } from './steps-plan.ts';
import { runTasks } from './steps-task.ts';
import { loadTexts } from './texts.ts';
import type { Work } from './work.ts';

/** Plans or revises, runs the ready tasks, evaluates and judges, until the goal is reached; then resolves. */
export async function runLoop(work: Work): Promise<void> {
  const { state, config, journal } = work;
  await loadTexts(work);
  if (state.phase !== 'plan' && !state.announced) journal.announce();
  tellReplanned(work);
  await recallMemory(work);
  await loadContext(work);
  for (;;) {
    work.signal.throwIfAborted();
    switch (state.phase) {
      case 'plan':
        await planRun(work);
        break;
      case 'run':
        await runTasks(work);
        await fitResults(work);
        await judgeGoal(work);
        break;
      case 'revise':
        if (iterationsUsedUp(state, config)) throw new Pause('max_iterations');
        if (stalled(state)) throw new Pause('stalled');
        // A run may last for hours, and the available models may change meanwhile.
        await reloadModels(work);
        await revisePlan(work);
        break;
      case 'finish':
        return finishRun(work);
    }
  }
}
