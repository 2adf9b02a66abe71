import { NumberInput, SimpleGrid, TextInput } from '@mantine/core';
import type { Result } from '../../api.ts';
import { DollarInput } from '../../components/dollar-input.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { quotaOfUsd } from '../../format.ts';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { useCheckedForm } from '../../use-checked-form.ts';

export type NewCode = Result<'/api/admin/redemption-codes', 'post'>['codes'][number];

const initial = {
  usd: '' as number | string,
  count: 1 as number | string,
  uses: 1 as number | string,
  date: '',
  note: '',
};
type Fields = typeof initial;

const isCount = (value: number | string): boolean => Number.isInteger(Number(value)) && Number(value) >= 1;
const endOfDay = (day: string): number => Math.floor(new Date(`${day}T23:59:59`).getTime() / 1000);

function faultsOf({ usd, count, uses, date }: Fields) {
  return {
    ...(!(quotaOfUsd(Number(usd)) >= 1) && { usd: t('Enter the value of a code.') }),
    ...(!isCount(count) && { count: t('Enter a whole number of at least 1.') }),
    ...(!isCount(uses) && { uses: t('Enter a whole number of at least 1.') }),
    ...(date !== '' && !(endOfDay(date) > Date.now() / 1000) && { date: t('This date is in the past.') }),
  };
}
type Faults = { usd?: string; count?: string; uses?: string; date?: string };

/** Mounted only while open. */
export function MakeCodes({ onClose, onDone }: { onClose: () => void; onDone: (codes: NewCode[]) => void }) {
  const post = usePost();
  const make = async ({ usd, count, uses, date, note }: Fields) => {
    const body = {
      ...{ quota: quotaOfUsd(Number(usd)), count: Number(count), uses: Number(uses), note: note.trim() },
      ...(date !== '' && { expires_at: endOfDay(date) }),
    };
    onDone((await post('/api/admin/redemption-codes', { body })).codes);
  };
  const { text, bind, sending } = useCheckedForm<Fields, Faults>(initial, faultsOf, make);
  return (
    <FormDialog
      onClose={onClose}
      title={t('Create codes')}
      {...sending}
      failure={t('No codes were created')}
      submitLabel={t('Create##codes')}
    >
      <DollarInput
        label={t('Value##code')}
        description={t('In dollars, per use')}
        required
        data-autofocus
        {...bind('usd')}
      />
      <SimpleGrid cols={2}>
        <NumberInput
          label={t('Codes')}
          description={t('Number of codes')}
          min={1}
          max={1000}
          allowDecimal={false}
          {...bind('count')}
        />
        <NumberInput
          label={t('Uses per code')}
          description={t('Each user can redeem a code once')}
          min={1}
          allowDecimal={false}
          {...bind('uses')}
        />
      </SimpleGrid>
      <TextInput
        type="date"
        label={t('Last day')}
        description={t('Leave empty for codes that never expire')}
        {...text('date')}
      />
      <TextInput
        label={t('Note')}
        description={t('Visible to administrators only')}
        maxLength={200}
        {...text('note')}
      />
    </FormDialog>
  );
}
