import { Alert, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { t } from '../../language/words.ts';

interface RecoveryCodesProps {
  /** The dialog is open while this is not null. */
  codes: string[] | null;
  onClose: () => void;
}

/** The codes are shown only once, so a stray click or Escape must not close the dialog. */
export function RecoveryCodes({ codes, onClose }: RecoveryCodesProps) {
  return (
    <Dialog
      opened={codes !== null}
      onClose={onClose}
      title={t('Your recovery codes')}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />}>
          {t(
            'Store them where you can find them without your device. Each code works once, and they cannot be shown again.',
          )}
        </Alert>
        <SimpleGrid component="ul" cols={{ base: 1, xs: 2 }} spacing="xs" p={0} m={0} aria-label={t('Recovery codes')}>
          {codes?.map((code) => (
            <Text key={code} component="li" ff="monospace" size="sm" style={{ listStyle: 'none' }}>
              {code}
            </Text>
          ))}
        </SimpleGrid>
        <Group gap="xs">
          <CopyButton value={codes?.join('\n') ?? ''} label={t('Copy all recovery codes')} />
          <Text size="sm" c="dimmed">
            {t('Copy all')}
          </Text>
        </Group>
        <Button onClick={onClose} data-autofocus>
          {t('I have saved them')}
        </Button>
      </Stack>
    </Dialog>
  );
}
