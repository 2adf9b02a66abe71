import { Alert, Button, Group, Stack, Textarea } from '@mantine/core';
import { IconAlertTriangle, IconDownload } from '@tabler/icons-react';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { t } from '../../language/words.ts';
import { codesFile } from './codes-file.ts';
import type { NewCode } from './make-codes.tsx';

/** The service never returns these codes again, so a stray click must not close the dialog. */
export function NewCodesDialog({ codes, onClose }: { codes: NewCode[]; onClose: () => void }) {
  const text = codes.map(({ code }) => code).join('\n');
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('{count, plural, one {The new code} other {{count} new codes}}', { count: codes.length })}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />}>
          {t('Copy or download them now. They cannot be shown again.')}
        </Alert>
        <Textarea
          label={codes.length === 1 ? t('Code') : t('Codes')}
          value={text}
          readOnly
          autosize
          minRows={1}
          maxRows={10}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          rightSection={<CopyButton value={text} label={t('Copy all')} />}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Group justify="flex-end">
          <Button
            component="a"
            href={codesFile(codes)}
            download="codes.csv"
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            {t('Download CSV')}
          </Button>
          <Button onClick={onClose}>{t('I have saved them')}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
