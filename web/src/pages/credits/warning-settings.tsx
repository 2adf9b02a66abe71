import { Button, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { post, put } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FormFoot } from '../../components/form-foot.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';
import { reloadSpending, type Spending } from './spending-query.ts';

const here = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Mounted only while open. */
export function WarningSettings({ spending, onClose }: { spending: Spending; onClose: () => void }) {
  const [zone, setZone] = useState(spending.time_zone);
  const [confirming, setConfirming] = useState(false);
  const [url, setUrl] = useState(spending.webhook_url);
  const save = useAct({
    mutationFn: () => put('/api/user/spending', { body: { time_zone: zone.trim(), webhook_url: url.trim() } }),
    onSuccess: async () => {
      notifySuccess(t('Saved'));
      onClose();
      await reloadSpending();
    },
  });
  const secret = useAct({ mutationFn: () => post('/api/user/spending/webhook-secret'), onError: notifyError });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog opened onClose={onClose} title={t('Limit settings')}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={t('Time zone')}
            description={t('Days, weeks and months start in this time zone. Yours seems to be {zone}.', { zone: here })}
            maxLength={64}
            required
            withAsterisk={false}
            data-autofocus
            value={zone}
            onChange={(event) => setZone(event.currentTarget.value)}
          />
          <TextInput
            type="url"
            label={t('Webhook')}
            description={t('Signed warnings are also sent to this address; leave empty for none')}
            maxLength={2000}
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          {secret.data ? (
            <CopyField label={t('Secret (shown only once)')} value={secret.data.webhook_secret} />
          ) : (
            <Button
              variant="default"
              style={{ alignSelf: 'flex-start' }}
              loading={secret.isPending}
              // Without a webhook address the old secret is not in use, so no confirmation is needed.
              onClick={() => (spending.webhook_url ? setConfirming(true) : secret.mutate())}
            >
              {t('Generate new signing secret')}
            </Button>
          )}
          <FormFoot act={save} failure={t('Nothing was saved')} submitLabel={t('Save')} onCancel={onClose} />
        </Stack>
      </form>
      <ConfirmDelete
        opened={confirming}
        onClose={() => setConfirming(false)}
        title={t('Rotate the webhook secret?')}
        confirmLabel={t('Rotate secret')}
        onConfirm={() => secret.mutateAsync()}
      >
        {t(
          'Calls are signed with the new secret from now on. Receivers that still verify with the old one will reject them.',
        )}
      </ConfirmDelete>
    </Dialog>
  );
}
