import { Button, Group, Select, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { Section } from '../../components/section.tsx';
import { t } from '../../language/words.ts';
import type { Organisation } from '../../organisations.ts';
import { lastMonthIn } from './months.ts';

const choices = [
  { value: 'organisation', label: t('The whole organisation') },
  { value: 'team', label: t('Each team') },
  { value: 'member', label: t('Each member') },
  { value: 'key', label: t('Each key') },
];

/** Exports one month for bookkeeping. */
export function Accounting({ organisation: { id, time_zone } }: { organisation: Organisation }) {
  const [month, setMonth] = useState(() => lastMonthIn(time_zone, new Date()));
  const [level, setLevel] = useState('team');
  const valid = /^20\d\d-\d\d$/.test(month);
  return (
    <Section
      title={t('Accounting export')}
      description={t(
        'Usage of one month in the {timeZone} time zone: requests, and tokens and cost of each price component.',
        { timeZone: time_zone },
      )}
    >
      <Group align="flex-end">
        <TextInput
          type="month"
          label={t('Month')}
          value={month}
          onChange={(event) => setMonth(event.currentTarget.value)}
        />
        <Select
          label={t('One row for')}
          data={choices}
          allowDeselect={false}
          value={level}
          onChange={(value) => setLevel(value ?? 'team')}
        />
        <Button
          component="a"
          href={valid ? `/api/organisations/${id}/accounting?month=${month}&level=${level}` : undefined}
          download
          variant="default"
          disabled={!valid}
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          {t('Download CSV')}
        </Button>
      </Group>
    </Section>
  );
}
