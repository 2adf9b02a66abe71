import { Badge, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import { Section } from '../../components/section.tsx';
import { serverText } from '../../language/server-texts.ts';
import { t } from '../../language/words.ts';
import { newTask, type RunView, type TaskView } from './run-view.ts';
import type { RunStatus } from './runs-queries.ts';
import { TaskDetail } from './task-detail.tsx';
import { TaskGraph } from './task-graph.tsx';

/** Tasks built from the events, or from the status if the events have been deleted. */
function tasksOf(run: RunStatus, view: RunView): TaskView[] {
  const scores = new Map(run.plan.tasks.map((task) => [task.task_id, task]));
  if (view.tasks.length === 0) {
    return run.plan.tasks.map((task) => ({
      ...newTask(task),
      status: task.status,
      attempt: task.attempts,
      score: task.score ?? undefined,
    }));
  }
  // Only the status reports tasks that were dropped from the plan.
  return view.tasks.map((task) => (scores.get(task.id)?.status === 'skipped' ? { ...task, status: 'skipped' } : task));
}

/** The task shown by default: a running one, else the one that ended last. */
const liveliest = (tasks: TaskView[]): TaskView | undefined =>
  tasks.find(({ status }) => status === 'running' || status === 'retrying') ??
  tasks.findLast(({ status }) => status === 'completed' || status === 'failed') ??
  tasks[0];

/** Whether the description only repeats the goal, possibly truncated; then it is not shown. */
const repeats = (description: string, goal: string): boolean =>
  goal.startsWith(description.replace(/(…|\.\.\.)$/, '').trim());

export function Plan({ run, view }: { run: RunStatus; view: RunView }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const tasks = tasksOf(run, view);
  const selected = tasks.find(({ id }) => id === chosen) ?? liveliest(tasks);
  const description = view.planDescription || run.plan.description;
  const revision = Math.max(view.revision, run.plan.revision);
  return (
    <Section
      title={t('Plan')}
      description={repeats(description, run.goal) ? undefined : serverText(description)}
      actions={revision > 1 && <Badge color="gray">{t('Revision {revision}', { revision })}</Badge>}
    >
      {tasks.length === 0 &&
        (run.status === 'running' ? (
          <>
            <Text size="sm" c="dimmed" mb="sm" role="status">
              {t('Splitting the goal into tasks…')}
            </Text>
            <Skeleton height={84} width={216} />
          </>
        ) : (
          <Text size="sm" c="dimmed">
            {t('The run stopped before it had a plan.')}
          </Text>
        ))}
      {selected && (
        <div className="svc-plan">
          <TaskGraph tasks={tasks} selected={selected.id} onSelect={setChosen} />
          <TaskDetail task={selected} tasks={tasks} />
        </div>
      )}
    </Section>
  );
}
