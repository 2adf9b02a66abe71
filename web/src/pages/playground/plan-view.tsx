import { Badge, Group, Progress, Stack, Text } from '@mantine/core';
import { formatNumber } from '../../format.ts';
import { serverText } from '../../language/server-texts.ts';
import { t } from '../../language/words.ts';
import type { PlanMeta } from './conversation.ts';

const colors: Record<string, string> = { completed: 'teal', failed: 'red', waiting_for_tools: 'orange' };

const statusWords: Record<string, string> = {
  pending: t('pending'),
  running: t('running'),
  completed: t('completed'),
  failed: t('failed'),
  waiting_for_tools: t('waiting for tools'),
};

const memoryWords: Record<string, string> = {
  full: t('full'),
  summarized: t('summarized'),
  selective: t('selective'),
};

function headOf({ tasks_total: total = 0, tasks_completed: done = 0, tasks_failed: failed = 0 }: PlanMeta): string {
  if (total === 0) return t('Plan');
  return failed === 0
    ? t('Plan · {done} of {total, plural, one {# task} other {# tasks}} done', { done, total })
    : t('Plan · {done} of {total, plural, one {# task} other {# tasks}} done, {failed} failed', {
        done,
        total,
        failed,
      });
}

interface Fact {
  key: string;
  name: string;
  text: string;
}

const factsOf = (meta: PlanMeta): Fact[] => {
  const { memory_mode: memory = '' } = meta;
  const number = (value: number | undefined) => formatNumber(value ?? 0);
  const models = Object.entries(meta.models_used ?? {}).map(([model, calls]) => `${model} × ${calls}`);
  return [
    { key: 'calls', name: t('Model calls'), text: number(meta.total_model_calls) },
    { key: 'models', name: t('Models'), text: models.join(', ') || t('none yet') },
    { key: 'memory', name: t('Memory'), text: memoryWords[memory] ?? memory },
    {
      key: 'context',
      name: t('Context'),
      text: t('{used, plural, one {# token} other {# tokens}}, {saved} saved', {
        used: meta.context_tokens_used ?? 0,
        saved: number(meta.memory_tokens_saved),
      }),
    },
    {
      key: 'recalled',
      name: t('Recalled'),
      text: t('{count, plural, one {# passage} other {# passages}}', { count: meta.vector_search_results ?? 0 }),
    },
    { key: 'session', name: t('Session'), text: meta.session_id },
  ];
};

/** The orchestration model's plan, its progress, and what it used. */
export function PlanView({ meta, open }: { meta: PlanMeta; open: boolean }) {
  const { tasks_total: total = 0, tasks_completed: done = 0, tasks_failed: failed = 0, task_status: status } = meta;
  const share = (count: number) => (total > 0 ? (count / total) * 100 : 0);
  return (
    <details className="svc-aside" open={open}>
      <summary>{headOf(meta)}</summary>
      <Stack component="div" gap="xs">
        {meta.plan_description && <Text size="sm">{serverText(meta.plan_description)}</Text>}
        {total > 1 && (
          <Progress.Root size="sm">
            <Progress.Section value={share(done)} color="teal" aria-label={t('Tasks done')} />
            <Progress.Section value={share(failed)} color="red" aria-label={t('Tasks failed')} />
          </Progress.Root>
        )}
        <Group gap="xs">
          {status && (
            <Badge color={colors[status] ?? 'gray'}>{statusWords[status] ?? status.replaceAll('_', ' ')}</Badge>
          )}
          {meta.current_task && status !== 'completed' && <Text size="sm">{serverText(meta.current_task)}</Text>}
        </Group>
        <Group gap="0.5rem 1.5rem" component="dl" m={0}>
          {factsOf(meta).map(({ key, name, text }) => (
            <div key={key}>
              <Text component="dt" size="xs" c="dimmed">
                {name}
              </Text>
              <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
                {text}
              </Text>
            </div>
          ))}
        </Group>
      </Stack>
    </details>
  );
}
