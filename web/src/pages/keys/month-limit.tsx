import { Chip, Group, Input, Progress, Stack, Switch, Text } from '@mantine/core';
import { DollarInput } from '../../components/dollar-input.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Money } from '../../components/money.tsx';
import { formatZoned } from '../../format.ts';
import { rich, t } from '../../language/words.ts';
import { useCheckedForm } from '../../use-checked-form.ts';
import type { ApiKey } from './key-fields.ts';
import {
  type KeyLimit,
  type LimitFields,
  limitFaultsOf,
  limitFieldsOf,
  percentsWith,
  shareUsed,
} from './limit-fields.ts';

/** How much of this month's limit is spent. */
export function MonthUse({ limit, name }: { limit: KeyLimit; name: string }) {
  const share = shareUsed(limit);
  return (
    <Stack gap={2} miw={120}>
      <Text size="xs" c="dimmed">
        {rich('{used} of {amount} this month', {
          used: <Money quota={limit.used} />,
          amount: <Money quota={limit.amount} />,
        })}
      </Text>
      <Progress
        value={share}
        size="sm"
        color={share >= 100 ? 'red' : share >= 80 ? 'orange' : 'teal'}
        aria-label={t('Usage of the monthly limit of {name}', { name })}
      />
    </Stack>
  );
}

interface MonthLimitProps {
  apiKey: ApiKey;
  limit: KeyLimit | undefined;
  onClose: () => void;
  /** Closes the form on success; errors are shown in the form. */
  onSubmit: (fields: LimitFields) => Promise<unknown>;
}

/** Mounted only while open. */
export function MonthLimit({ apiKey, limit, onClose, onSubmit }: MonthLimitProps) {
  const initial = limitFieldsOf(limit);
  const { fields, set, bind, toggle, sending } = useCheckedForm(initial, limitFaultsOf, onSubmit);
  return (
    <FormDialog
      onClose={onClose}
      title={t('Monthly limit of {name}', { name: apiKey.name })}
      {...sending}
      failure={t('The limit was not saved')}
      submitLabel={t('Save')}
    >
      {limit && <MonthUse limit={limit} name={apiKey.name} />}
      <DollarInput
        label={t('Each month')}
        description={
          limit?.resets_at
            ? t('Resets {resetsAt}; leave empty for no limit', { resetsAt: formatZoned(limit.resets_at) })
            : t('Per calendar month (UTC); leave empty for no limit')
        }
        placeholder={t('No limit')}
        data-autofocus
        {...bind('usd')}
      />
      <Switch
        label={t('Reject requests over the limit')}
        description={t('When off, you are only notified')}
        {...toggle('hard')}
      />
      <div>
        <Input.Label id="month-limit-alerts">{t('Notify me at')}</Input.Label>
        <Input.Description mb={6}>{t('Each once per month, by email to your verified address')}</Input.Description>
        <Chip.Group multiple value={fields.alerts} onChange={(alerts) => set({ alerts })}>
          <Group gap="xs" role="group" aria-labelledby="month-limit-alerts">
            {percentsWith(initial.alerts).map((percent) => (
              <Chip key={percent} value={percent}>
                {percent}%
              </Chip>
            ))}
          </Group>
        </Chip.Group>
      </div>
    </FormDialog>
  );
}
