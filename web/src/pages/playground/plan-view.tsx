import { Badge, Group, Progress, Stack, Text } from '@mantine/core';
import { formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import type { PlanMeta } from './conversation.ts';

const colors: Record<string, string> = { completed: 'teal', failed: 'red', waiting_for_tools: 'orange' };

const facts = (meta: PlanMeta): [string, string][] => {
  const number = (value: number | undefined) => formatNumber(value ?? 0);
  const models = Object.entries(meta.models_used ?? {}).map(([model, calls]) => `${model} × ${calls}`);
  return [
    [t('Model calls'), number(meta.total_model_calls)],
    [t('Models'), models.join(', ') || t('none yet')],
    [t('Memory'), meta.memory_mode ?? ''],
    [
      t('Context'),
      t('{contextTokensUsed} tokens, {memoryTokensSaved} saved', {
        contextTokensUsed: number(meta.context_tokens_used),
        memoryTokensSaved: number(meta.memory_tokens_saved),
      }),
    ],
    [t('Recalled'), t('{vectorSearchResults} passages', { vectorSearchResults: number(meta.vector_search_results) })],
    [t('Session'), meta.session_id],
  ];
};

/** How the orchestration model went about it: its plan, how far it is, and what it used. */
export function PlanView({ meta, open }: { meta: PlanMeta; open: boolean }) {
  const { tasks_total: total = 0, tasks_completed: done = 0, tasks_failed: failed = 0, task_status: status } = meta;
  const share = (count: number) => (total > 0 ? (count / total) * 100 : 0);
  return (
    <details className="svc-aside" open={open}>
      <summary>
        Plan
        {total > 0 && ` · ${done} of ${total} ${total === 1 ? 'task' : 'tasks'} done`}
        {failed > 0 && t(', {failed} failed', { failed })}
      </summary>
      <Stack component="div" gap="xs">
        {meta.plan_description && <Text size="sm">{meta.plan_description}</Text>}
        {total > 1 && (
          <Progress.Root size="sm">
            <Progress.Section value={share(done)} color="teal" aria-label={t('Tasks done')} />
            <Progress.Section value={share(failed)} color="red" aria-label={t('Tasks failed')} />
          </Progress.Root>
        )}
        <Group gap="xs">
          {status && <Badge color={colors[status] ?? 'gray'}>{status.replaceAll('_', ' ')}</Badge>}
          {meta.current_task && status !== 'completed' && <Text size="sm">{meta.current_task}</Text>}
        </Group>
        <Group gap="0.5rem 1.5rem" component="dl" m={0}>
          {facts(meta).map(([name, value]) => (
            <div key={name}>
              <Text component="dt" size="xs" c="dimmed">
                {name}
              </Text>
              <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
                {value}
              </Text>
            </div>
          ))}
        </Group>
      </Stack>
    </details>
  );
}
