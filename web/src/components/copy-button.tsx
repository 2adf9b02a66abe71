import { ActionIcon, CopyButton as MantineCopyButton, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy, type TablerIcon } from '@tabler/icons-react';
import { t } from '../language/words.ts';

interface CopyButtonProps {
  value: string;
  label?: string;
  icon?: TablerIcon;
}

/** An icon that puts `value` on the clipboard and says so. */
export function CopyButton({ value, label = t('Copy'), icon: Icon = IconCopy }: CopyButtonProps) {
  return (
    <MantineCopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t('Copied') : label}>
          <ActionIcon
            variant="subtle"
            color={copied ? 'teal' : 'gray'}
            size="sm"
            onClick={copy}
            aria-label={copied ? t('Copied') : label}
          >
            {copied ? <IconCheck size={15} aria-hidden /> : <Icon size={15} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </MantineCopyButton>
  );
}
