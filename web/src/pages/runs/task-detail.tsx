import { Group, Stack, Text, Title } from '@mantine/core';
import { CopyButton } from '../../components/copy-button.tsx';
import { Fact } from '../../components/fact.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { TaskStateBadge } from '../../components/task-state.tsx';
import { formatMs, formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import { useStickToBottom } from '../../use-stick-to-bottom.ts';
import type { TaskView } from './run-view.ts';
import { percentWords } from './run-words.ts';
import { difficultyWords, joinNames, translateServerText } from './server-words.ts';

interface TaskFact {
  key: string;
  name: string;
  value: string | undefined | false;
}

const factsOf = (task: TaskView, titles: Map<string, string>): TaskFact[] => {
  const facts: TaskFact[] = [
    { key: 'model', name: t('Model'), value: task.model },
    { key: 'difficulty', name: t('Difficulty'), value: difficultyWords(task.difficulty) },
    { key: 'attempt', name: t('Attempt'), value: task.attempt > 1 && String(task.attempt) },
    { key: 'tokens', name: t('Tokens'), value: task.tokens !== undefined && formatNumber(task.tokens) },
    { key: 'time', name: t('Duration##taken'), value: task.elapsedMs !== undefined && formatMs(task.elapsedMs) },
    { key: 'score', name: t('Score'), value: task.score !== undefined && percentWords(task.score) },
    { key: 'after', name: t('Depends on'), value: joinNames(task.dependsOn.map((id) => titles.get(id) ?? id)) },
  ];
  return facts.filter(({ value }) => value);
};

const regionOf = (task: TaskView) =>
  ({
    className: 'svc-task-output',
    tabIndex: 0,
    role: 'region',
    'aria-label': t('Output of {title}', { title: task.title }),
  }) as const;

/** Keeps the end in view while output is streamed. */
function GrowingOutput({ task }: { task: TaskView }) {
  const { region, content } = useStickToBottom<HTMLDivElement>();
  return (
    <div ref={region} {...regionOf(task)}>
      <div ref={content}>
        <Markdown>{task.output}</Markdown>
      </div>
    </div>
  );
}

function Output({ task }: { task: TaskView }) {
  if (task.output === '') {
    return (
      <Text size="sm" c="dimmed">
        {task.status === 'running' ? t('Waiting for output…') : t('No output yet.')}
      </Text>
    );
  }
  if (task.status === 'running') return <GrowingOutput task={task} />;
  return (
    <div {...regionOf(task)}>
      <Markdown>{task.output}</Markdown>
    </div>
  );
}

/** One task: its state and its output. */
export function TaskDetail({ task, tasks }: { task: TaskView; tasks: TaskView[] }) {
  const titles = new Map(tasks.map(({ id, title }) => [id, title]));
  return (
    <Stack gap="sm" className="svc-task" aria-busy={task.status === 'running'}>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Group gap="xs">
          <Title order={3} className="svc-anywhere">
            {task.title}
          </Title>
          <TaskStateBadge status={task.status} />
          {task.note && (
            <Text size="sm" c="dimmed">
              {translateServerText(task.note)}
            </Text>
          )}
        </Group>
        {task.output !== '' && <CopyButton value={task.output} label={t('Copy output')} />}
      </Group>
      <Group component="dl" gap="0.5rem 1.5rem" m={0}>
        {factsOf(task, titles).map(({ key, name, value }) => (
          <Fact key={key} name={name}>
            {value}
          </Fact>
        ))}
      </Group>
      {task.error && task.status !== 'completed' && (
        <Text size="sm" c="var(--mantine-color-error)" className="svc-anywhere">
          {translateServerText(task.error)}
        </Text>
      )}
      {task.feedback && (
        <Text size="sm" c="dimmed">
          {translateServerText(task.feedback)}
        </Text>
      )}
      <Output key={task.id} task={task} />
    </Stack>
  );
}
