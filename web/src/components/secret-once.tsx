import { Alert, Button, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { t } from '../language/words.ts';
import { CopyField } from './copy-field.tsx';
import { Dialog } from './dialog.tsx';

interface SecretOnceProps {
  /** The dialog is open while this is not null. */
  secret: string | null;
  title: string;
  label: string;
  onClose: () => void;
}

/** Shows a secret that the server will never return again; an accidental click must not close it. */
export function SecretOnce({ secret, title, label, onClose }: SecretOnceProps) {
  return (
    <Dialog
      opened={secret !== null}
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />}>
          {t('Copy it now and keep it safe. It cannot be shown again.')}
        </Alert>
        <CopyField label={label} value={secret ?? ''} />
        <Button onClick={onClose}>{t('I have saved it')}</Button>
      </Stack>
    </Dialog>
  );
}
