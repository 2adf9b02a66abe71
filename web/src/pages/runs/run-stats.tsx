import { SimpleGrid } from '@mantine/core';
import { Money } from '../../components/money.tsx';
import { StatCard } from '../../components/stat-card.tsx';
import { formatCompact } from '../../format.ts';
import { t } from '../../language/words.ts';
import { defaultConfig, type RunConfig } from './run-config.ts';
import type { RunView } from './run-view.ts';
import { durationWords, percentWords } from './run-words.ts';
import type { RunStatus } from './runs-queries.ts';

/** Numbers of the run, from the latest status or from a newer event. */
export function RunStats({ run, view }: { run: RunStatus; view: RunView }) {
  const config: RunConfig = { ...defaultConfig, ...run.config };
  const running = view.status === 'running';
  // While the run is running, events are ahead of the status; afterwards the status is authoritative.
  const iteration = running ? Math.max(view.progress?.iteration ?? 0, run.current_iteration) : run.current_iteration;
  const done = running ? view.tasks.filter(({ status }) => status === 'completed').length : run.tasks_completed;
  const total = running && view.tasks.length > 0 ? view.tasks.length : run.tasks_total;
  return (
    <SimpleGrid cols={{ base: 2, xs: 3, lg: 6 }} spacing="sm">
      <StatCard
        label={t('Confidence')}
        value={percentWords(run.goal_confidence)}
        hint={t('target {confidence}', { confidence: percentWords(config.confidence_threshold) })}
      />
      <StatCard
        label={t('Iteration')}
        value={iteration}
        hint={t('of up to {count}', { count: config.max_iterations })}
      />
      <StatCard
        label={t('Tasks')}
        value={`${done} / ${total}`}
        hint={run.tasks_failed > 0 ? t('{count} failed', { count: run.tasks_failed }) : t('done')}
      />
      <StatCard label={t('Tokens')} value={formatCompact(run.total_tokens_used)} hint={t('input and output')} />
      <StatCard label={t('Cost')} value={<Money quota={run.total_cost} />} hint={t('all calls')} />
      <StatCard
        label={t('Duration##taken')}
        value={durationWords(run.elapsed_time_secs)}
        hint={t('of {time}', { time: durationWords(config.max_time_secs) })}
      />
    </SimpleGrid>
  );
}
