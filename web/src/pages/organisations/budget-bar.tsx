import { Badge, Group, Progress, Stack, Text } from '@mantine/core';
import { Money } from '../../components/money.tsx';
import { rich, t } from '../../language/words.ts';
import type { Organisation } from '../../organisations.ts';
import { fullness, refuses, timeIn, windowWords } from './budget-fields.ts';
import { type LevelNames, placeName } from './levels.ts';
import type { Budget } from './organisation-queries.ts';

/** When the budget's next period starts, in the organisation's time zone. */
export const beginsAnew = (budget: Budget, { time_zone }: Organisation): string =>
  budget.resets_at === null
    ? t('Does not reset')
    : t('Resets {time} ({timeZone})', { time: timeIn(time_zone, budget.resets_at), timeZone: time_zone });

export function BudgetState({ budget }: { budget: Budget }) {
  if (refuses(budget)) return <Badge color="red">{t('Rejecting requests')}</Badge>;
  return <Badge color={budget.hard ? 'indigo' : 'gray'}>{budget.hard ? t('Hard') : t('Only warns')}</Badge>;
}

interface BudgetBarProps {
  budget: Budget;
  organisation: Organisation;
  known: LevelNames;
}

/** How much of a budget is used, and when it resets. */
export function BudgetBar({ budget, organisation, known }: BudgetBarProps) {
  const full = fullness(budget);
  const name = placeName(known, budget);
  const color = full >= 100 ? 'red' : full >= 80 ? 'orange' : 'indigo.5';
  return (
    <Stack gap={4} component="li">
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600} className="svc-anywhere">
          {rich('{place}, {window}', { place: <bdi>{name}</bdi>, window: windowWords[budget.window] })}
        </Text>
        <Group gap="xs">
          <Text size="sm">
            {rich('{used} of {amount}', {
              used: <Money quota={budget.used} />,
              amount: <Money quota={budget.amount} />,
            })}
          </Text>
          <BudgetState budget={budget} />
        </Group>
      </Group>
      <Progress.Root size={8}>
        <Progress.Section value={full} color={color} aria-label={t('Budget usage of {place}', { place: name })} />
      </Progress.Root>
      <Text size="xs" c="dimmed">
        {refuses(budget)
          ? t('Requests that cost money are rejected. {beginsAnew}', {
              beginsAnew: beginsAnew(budget, organisation),
            })
          : beginsAnew(budget, organisation)}
      </Text>
    </Stack>
  );
}
