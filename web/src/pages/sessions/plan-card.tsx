import { Badge, Group, Stack, Text } from '@mantine/core';
import { Section } from '../../components/section.tsx';
import { TaskState } from '../../components/task-state.tsx';
import { t } from '../../language/words.ts';
import type { Plan } from './sessions-queries.ts';

/** The plan under way and how far each of its tasks is. */
export function PlanCard({ plan }: { plan: Plan }) {
  const titles = new Map(plan.tasks.map(({ id, title }) => [id, title]));
  return (
    <Section title={t('Active plan')} description={plan.description}>
      <Badge color={plan.status === 'waiting_for_tools' ? 'orange' : 'indigo'} mb="sm">
        {plan.status.replaceAll('_', ' ')}
      </Badge>
      <Stack component="ol" gap="sm" className="svc-plain-list" aria-label={t('Tasks')}>
        {plan.tasks.map(({ id, title, status, difficulty, depends_on }) => (
          <li key={id}>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <TaskState status={status} />
              <div>
                <Text size="sm">{title}</Text>
                <Text size="xs" c="dimmed">
                  {[difficulty, depends_on.length > 0 && `after ${depends_on.map((one) => titles.get(one)).join(', ')}`]
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
