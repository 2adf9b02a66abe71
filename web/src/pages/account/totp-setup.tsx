import { Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { post, type Result } from '../../api.ts';
import { CopyField } from '../../components/copy-field.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FormFoot } from '../../components/form-foot.tsx';
import { OwnPassword } from '../../components/password-input.tsx';
import { t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';
import { QrPicture } from './qr-picture.tsx';

type Offer = Result<'/api/user/totp', 'post'>;

interface TotpSetupProps {
  /** Adding the first factor requires the password; adding further ones requires the existing second factor. */
  needsPassword: boolean;
  onClose: () => void;
  onDone: (recoveryCodes: string[]) => void;
}

const fieldOf = (event: FormEvent<HTMLFormElement>, name: string): string => {
  event.preventDefault();
  return String(new FormData(event.currentTarget).get(name) ?? '');
};

function Begin({ needsPassword, onClose, onOffer }: TotpSetupProps & { onOffer: (offer: Offer) => void }) {
  const begin = useAct({
    mutationFn: (password: string) => post('/api/user/totp', { body: password ? { password } : {} }),
    onSuccess: onOffer,
  });
  return (
    <form onSubmit={(event) => begin.mutate(fieldOf(event, 'password'))}>
      <Stack>
        <Text size="sm">
          {t(
            'An authenticator app on your phone shows a new code every 30 seconds. You will be asked for one after your password.',
          )}
        </Text>
        {needsPassword && <OwnPassword data-autofocus />}
        <FormFoot act={begin} submitLabel={t('Continue')} onCancel={onClose} />
      </Stack>
    </form>
  );
}

function Confirm({ offer, onClose, onDone }: TotpSetupProps & { offer: Offer }) {
  const confirm = useAct({
    mutationFn: (code: string) => post('/api/user/totp/confirm', { body: { code } }),
    onSuccess: ({ recovery_codes }) => onDone(recovery_codes),
  });
  return (
    <form onSubmit={(event) => confirm.mutate(fieldOf(event, 'code'))}>
      <Stack>
        <Text size="sm">{t('Scan this QR code with the app, or enter the secret manually.')}</Text>
        <QrPicture text={offer.uri} label={t('QR code of the secret for the app')} />
        <CopyField label={t('Secret')} value={offer.secret} />
        <TextInput
          name="code"
          label={t('Code from the app')}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={10}
          required
          data-autofocus
          autoFocus
        />
        <FormFoot
          act={confirm}
          failure={t('The authenticator app was not turned on')}
          submitLabel={t('Turn on')}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}

export function TotpSetup(props: TotpSetupProps) {
  const [offer, setOffer] = useState<Offer | null>(null);
  return (
    <Dialog opened onClose={props.onClose} title={t('Authenticator app')}>
      {offer ? <Confirm {...props} offer={offer} /> : <Begin {...props} onOffer={setOffer} />}
    </Dialog>
  );
}
