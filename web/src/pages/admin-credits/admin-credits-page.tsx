import { Button, Group, Stack, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { PageHeader } from '../../components/page-header.tsx';
import { Section } from '../../components/section.tsx';
import { t } from '../../language/words.ts';
import { Codes } from './codes.tsx';
import { lastMonth, monthOf } from './codes-file.ts';
import { Payments } from './payments.tsx';

function Accounting() {
  const [from, setFrom] = useState(() => lastMonth(new Date()));
  const [to, setTo] = useState(from);
  const valid = from !== '' && to !== '' && from <= to;
  return (
    <Section
      title={t('Accounting export')}
      description={t('Credits used and received by each user per month (UTC), exact to the smallest unit.')}
    >
      <Group align="flex-end">
        <TextInput
          type="month"
          label={t('From')}
          max={monthOf(new Date())}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput
          type="month"
          label={t('To')}
          max={monthOf(new Date())}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <Button
          component="a"
          href={valid ? `/api/admin/accounting?from=${from}&to=${to}` : undefined}
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

export function AdminCreditsPage() {
  return (
    <>
      <PageHeader
        title={t('Codes and payments')}
        description={t('How users add credits themselves, and data for accounting.')}
      />
      <Stack gap="lg">
        <Codes />
        <Payments />
        <Accounting />
      </Stack>
    </>
  );
}
