import { Badge, Group, Progress, Text } from '@mantine/core';
import { IconBulb } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { numberColumn } from '../../components/number-column.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import { percentWords } from '../runs/run-words.ts';
import { difficultyWords } from '../runs/server-words.ts';

type Pattern = Result<'/api/svc-ms/patterns', 'get'>['patterns'][number];

const kinds: Record<string, string> = {
  chat: t('chat##kind of task'),
  code: t('code##kind of task'),
  math: t('math'),
  writing: t('writing'),
  extraction: t('extraction'),
  translation: t('translation'),
  summary: t('summary'),
  analysis: t('analysis'),
  question: t('question'),
};

const columns: Column<Pattern>[] = [
  { key: 'kind', header: t('Task type'), cell: ({ kind }) => kinds[kind] ?? kind },
  { key: 'difficulty', header: t('Difficulty'), cell: ({ difficulty }) => difficultyWords(difficulty) },
  { key: 'model', header: t('Model'), cell: ({ model }) => <Text size="sm">{model}</Text> },
  {
    key: 'rate',
    header: t('Success'),
    cell: ({ success_rate, successes, failures }) => (
      <Group
        gap="xs"
        wrap="nowrap"
        title={t('{successes} succeeded, {failures} failed', {
          successes: formatNumber(successes),
          failures: formatNumber(failures),
        })}
      >
        <Progress
          value={success_rate * 100}
          color={success_rate < 0.5 ? 'red' : success_rate < 0.8 ? 'orange' : 'teal'}
          w={72}
          aria-label={t('Success rate {rate}', { rate: percentWords(success_rate) })}
        />
        <span className="svc-number">{percentWords(success_rate)}</span>
      </Group>
    ),
  },
  numberColumn('samples', t('Tasks'), ({ successes, failures }) => formatNumber(successes + failures)),
  {
    key: 'use',
    header: t('Status'),
    cell: ({ in_use }) => (
      <Badge size="sm" color={in_use ? 'teal' : 'gray'}>
        {in_use ? t('In use') : t('Still learning')}
      </Badge>
    ),
  },
  { key: 'updated', header: t('Last task'), cell: ({ updated_at }) => <TimeAgo at={updated_at} /> },
];

/** How well models did at the user's tasks so far; the engine uses this once there are enough samples. */
export function Patterns() {
  const query = useQuery({ queryKey: ['patterns'], queryFn: ({ signal }) => get('/api/svc-ms/patterns', { signal }) });
  return (
    <DataTable
      label={t('Learned patterns')}
      columns={columns}
      rows={query.data?.patterns}
      rowKey={({ kind, difficulty, model }) => `${kind} ${difficulty} ${model}`}
      query={query}
      minWidth={720}
      empty={{
        icon: IconBulb,
        title: t('Nothing learned yet'),
        description: t(
          'Every task that svc/svc-ms runs for you counts here. After five tasks of a type, models that perform badly at it are avoided.',
        ),
      }}
    />
  );
}
