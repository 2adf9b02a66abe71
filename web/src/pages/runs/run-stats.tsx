import { SimpleGrid } from '@mantine/core';
import { Money } from '../../components/money.tsx';
import { StatCard } from '../../components/stat-card.tsx';
import { formatCompact } from '../../format.ts';
import { defaultConfig, type RunConfig } from './run-config.ts';
import type { RunView } from './run-view.ts';
import { durationWords } from './run-words.ts';
import type { RunStatus } from './runs-queries.ts';

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** Numbers of the run: the status asked for last, or an event that came after it. */
export function RunStats({ run, view }: { run: RunStatus; view: RunView }) {
  const config: RunConfig = { ...defaultConfig, ...run.config };
  const running = view.status === 'running';
  // While it runs, events are ahead of the status; afterwards the status is what counts.
  const iteration = running ? Math.max(view.progress?.iteration ?? 0, run.current_iteration) : run.current_iteration;
  const done = running ? view.tasks.filter(({ status }) => status === 'completed').length : run.tasks_completed;
  const total = running && view.tasks.length > 0 ? view.tasks.length : run.tasks_total;
  return (
    <SimpleGrid cols={{ base: 2, xs: 3, lg: 6 }} spacing="sm">
      <StatCard
        label="Confidence"
        value={percent(run.goal_confidence)}
        hint={`${percent(config.confidence_threshold)} wanted`}
      />
      <StatCard label="Iteration" value={iteration} hint={`of ${config.max_iterations} at most`} />
      <StatCard
        label="Tasks"
        value={`${done} / ${total}`}
        hint={run.tasks_failed > 0 ? `${run.tasks_failed} failed` : 'done'}
      />
      <StatCard label="Tokens" value={formatCompact(run.total_tokens_used)} hint="in and out" />
      <StatCard label="Cost" value={<Money quota={run.total_cost} />} hint="all its calls" />
      <StatCard
        label="Time"
        value={durationWords(run.elapsed_time_secs)}
        hint={`of ${durationWords(config.max_time_secs)}`}
      />
    </SimpleGrid>
  );
}
