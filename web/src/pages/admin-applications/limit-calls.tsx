import { NumberInput } from '@mantine/core';
import { put } from '../../api.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { t } from '../../language/words.ts';
import { useCheckedForm } from '../../use-checked-form.ts';

interface LimitCallsProps {
  application: { id: number; name: string; rate_limit: number };
  onClose: () => void;
  /** The dialog shows a loading state until this resolves. */
  onDone: () => Promise<void>;
}

/** Same limit as the service. */
const mostCalls = 100_000_000;

/** Mounted only while open. */
export function LimitCalls({ application, onClose, onDone }: LimitCallsProps) {
  const initial = { calls: (application.rate_limit || '') as number | string };
  const { bind, sending } = useCheckedForm(
    initial,
    () => ({}),
    async ({ calls }) => {
      const body = { rate_limit: Number(calls) };
      await put('/api/oauth2/admin/applications/{app_id}', { path: { app_id: application.id }, body });
      await onDone();
    },
  );
  return (
    <FormDialog
      onClose={onClose}
      title={t('Call limit of {name}', { name: application.name })}
      {...sending}
      failure={t('The limit was not saved')}
      submitLabel={t('Save')}
    >
      <NumberInput
        label={t('Calls per hour')}
        description={t('Calls with tokens of this application, all users combined; leave empty for no limit')}
        placeholder={t('No limit')}
        min={0}
        max={mostCalls}
        allowDecimal={false}
        data-autofocus
        {...bind('calls')}
      />
    </FormDialog>
  );
}
