import { Badge, Group, Stack, Text } from '@mantine/core';
import { Section } from '../../components/section.tsx';
import { TaskState } from '../../components/task-state.tsx';
import { serverText } from '../../language/server-texts.ts';
import { t } from '../../language/words.ts';
import { difficultyWords, joinNames } from '../runs/server-words.ts';
import type { Plan } from './sessions-queries.ts';

const statuses: Record<string, string> = {
  pending: t('pending'),
  running: t('running'),
  waiting_for_tools: t('waiting for tools'),
  completed: t('completed'),
  failed: t('failed'),
  abandoned: t('abandoned'),
};

/** The active plan and the progress of its tasks. */
export function PlanCard({ plan }: { plan: Plan }) {
  const titles = new Map(plan.tasks.map(({ id, title }) => [id, title]));
  return (
    <Section title={t('Active plan')} description={serverText(plan.description)}>
      <Badge color={plan.status === 'waiting_for_tools' ? 'orange' : 'indigo'} mb="sm">
        {statuses[plan.status] ?? plan.status.replaceAll('_', ' ')}
      </Badge>
      <Stack component="ol" gap="sm" className="svc-plain-list" aria-label={t('Tasks')}>
        {plan.tasks.map(({ id, title, status, difficulty, depends_on }) => (
          <li key={id}>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <TaskState status={status} />
              <div>
                <Text size="sm">{serverText(title)}</Text>
                <Text size="xs" c="dimmed">
                  {[
                    difficultyWords(difficulty),
                    depends_on.length > 0 &&
                      t('depends on {tasks}', {
                        tasks: joinNames(depends_on.map((one) => serverText(titles.get(one) ?? one))),
                      }),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </Text>
              </div>
            </Group>
          </li>
        ))}
      </Stack>
    </Section>
  );
}
