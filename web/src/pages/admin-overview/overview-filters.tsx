import { Group, Pill, SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import { DayInput } from '../../components/day-input.tsx';
import { dayOf } from '../../dates.ts';
import { t } from '../../language/words.ts';
import { measures } from './overview-measures.ts';
import type { Overview } from './overview-query.ts';
import { askedOf, groupings, hasDates, measureNames, type OverviewState, ranges, timesOf } from './overview-range.ts';

interface FiltersProps {
  state: OverviewState;
  set: (changes: Partial<OverviewState>) => void;
  data: Overview | undefined;
}

function Dates({ state, set }: Omit<FiltersProps, 'data'>) {
  const { from, to } = timesOf(state, Date.now());
  const [first, last] = [dayOf(from * 1000), dayOf(to * 1000)];
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <DayInput
        label={t('First day')}
        value={state.from || first}
        used={first}
        max={last}
        onChange={(from) => set({ from })}
      />
      <DayInput label={t('Last day')} value={state.to || last} used={last} onChange={(to) => set({ to })} />
    </Group>
  );
}

/** The active filters, each removable. */
function Narrowed({ state, set, data }: FiltersProps) {
  const { user_id, model, channel_id } = askedOf(state);
  const only = [
    user_id !== undefined && { name: 'user' as const, text: t('User {name}', { name: data?.user ?? user_id }) },
    model !== undefined && { name: 'model' as const, text: t('Model {name}', { name: model }) },
    channel_id !== undefined && {
      name: 'channel' as const,
      text: t('Channel {name}', { name: data?.channel ?? channel_id }),
    },
  ].filter((one) => one !== false);
  if (only.length === 0) return null;
  return (
    <Group gap="xs" w="100%">
      <Text size="sm" c="dimmed">
        {t('Only')}
      </Text>
      {only.map(({ name, text }) => (
        <Pill
          key={name}
          size="md"
          maw="min(100%, 32rem)"
          withRemoveButton
          removeButtonProps={{
            'aria-label': t('Remove filter: {filter}', { filter: text }),
            'aria-hidden': false,
            tabIndex: 0,
          }}
          onRemove={() => set({ [name]: '', by: name })}
        >
          {text}
        </Pill>
      ))}
    </Group>
  );
}

export function OverviewFilters(props: FiltersProps) {
  const { state, set } = props;
  const [dates, setDates] = useState(hasDates(state));
  const { by, measure } = askedOf(state);
  const choose = (range: string) => {
    setDates(range === 'dates');
    if (range !== 'dates') return set({ range, from: '', to: '' });
    const { from, to } = timesOf(state, Date.now());
    set({ from: dayOf(from * 1000), to: dayOf(to * 1000) });
  };
  const own = dates || hasDates(state);
  const full = { base: '100%', xs: 'auto' };
  return (
    <Group mb="lg" gap="sm" align="flex-end" role="search" aria-label={t('Filter the overview')}>
      <SegmentedControl
        aria-label={t('Period')}
        w={full}
        data={ranges}
        value={own ? 'dates' : (ranges.find(({ value }) => value === state.range)?.value ?? 'day')}
        onChange={choose}
      />
      {own && <Dates state={state} set={set} />}
      <SegmentedControl
        aria-label={t('Measure')}
        w={full}
        data={measureNames.map((value) => ({ value, label: measures[value].label }))}
        value={measure}
        onChange={(value) => set({ measure: value })}
      />
      <SegmentedControl
        aria-label={t('Group by')}
        w={full}
        data={[...groupings]}
        value={by}
        onChange={(value) => set({ by: value })}
      />
      <Narrowed {...props} />
    </Group>
  );
}
