import { Select, Switch, TextInput } from '@mantine/core';
import { put } from '../../api.ts';
import { DollarInput } from '../../components/dollar-input.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { quotaOfUsd, usdOfQuota } from '../../format.ts';
import { t } from '../../language/words.ts';
import { ambiguousWords, isAmbiguous } from '../../read-percentages.ts';
import { useCheckedForm } from '../../use-checked-form.ts';
import {
  type LimitWindow,
  percentages,
  reloadSpending,
  type SpendingLimit,
  sharesOf,
  windowNames,
} from './spending-query.ts';

interface LimitEditorProps {
  /** Absent for a new limit. */
  limit?: SpendingLimit;
  /** Windows that already have a limit. */
  taken: LimitWindow[];
  onClose: () => void;
}

interface Fields {
  window: LimitWindow;
  usd: number | string;
  hard: boolean;
  alerts: string;
}

const mostQuota = 1e15;
const windows = Object.keys(windowNames) as LimitWindow[];

function faultsOf({ usd, alerts }: Fields): { usd?: string; alerts?: string } {
  const quota = quotaOfUsd(Number(usd));
  const amount = usd !== '' && Number.isSafeInteger(quota) && quota >= 0 && quota <= mostQuota;
  return {
    ...(!amount && { usd: t('Enter an amount') }),
    ...(sharesOf(alerts) === null && {
      alerts: isAmbiguous(alerts)
        ? ambiguousWords()
        : t('Enter at most 20 percentages from 0.1 to 100, separated by commas'),
    }),
  };
}

/** Mounted only while open. */
export function LimitEditor({ limit, taken, onClose }: LimitEditorProps) {
  const free = windows.filter((window) => !taken.includes(window));
  const initial: Fields = limit
    ? { window: limit.window, usd: usdOfQuota(limit.amount), hard: limit.hard, alerts: percentages(limit.alerts) }
    : { window: free.includes('month') ? 'month' : free[0]!, usd: '', hard: true, alerts: '50, 80, 100' };
  const { fields, set, bind, text, toggle, sending } = useCheckedForm(initial, faultsOf, async (given) => {
    await put('/api/user/spending/{window}', {
      path: { window: given.window },
      body: { amount: quotaOfUsd(Number(given.usd)), hard: given.hard, alerts: sharesOf(given.alerts) ?? [] },
    });
    notifySuccess(t('Limit set'));
    onClose();
    await reloadSpending();
  });
  return (
    <FormDialog
      onClose={onClose}
      title={limit ? t('Change limit') : t('Set a limit')}
      {...sending}
      failure={t('The limit was not set')}
      submitLabel={t('Save')}
    >
      {!limit && (
        <Select
          label={t('Reset period')}
          data={free.map((window) => ({ value: window, label: windowNames[window] }))}
          allowDeselect={false}
          value={fields.window}
          onChange={(window) => set({ window: windows.find((one) => one === window) ?? fields.window })}
        />
      )}
      <DollarInput
        label={t('Amount')}
        description={t('In dollars. Spending before the limit was set does not count.')}
        required
        withAsterisk={false}
        data-autofocus
        {...bind('usd')}
      />
      <Switch
        label={t('Stop at the limit')}
        description={t('Requests over the limit are rejected; when off, you are only warned')}
        {...toggle('hard')}
      />
      <TextInput
        label={t('Notify me at')}
        description={t('Percentages of the limit, each reported once; leave empty for none')}
        maxLength={120}
        {...text('alerts')}
      />
    </FormDialog>
  );
}
