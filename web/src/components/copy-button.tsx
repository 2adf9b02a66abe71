import { ActionIcon, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy, type TablerIcon } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { copyText } from '../copy-text.ts';
import { t } from '../language/words.ts';
import { notifyError } from './notify.ts';

interface CopyButtonProps {
  /** A function for a value that changes after rendering: it is called on click. */
  value: string | (() => string);
  label?: string;
  icon?: TablerIcon;
}

const saidForMs = 1_500;

/** An icon button that copies `value` and confirms it. */
export function CopyButton({ value, label = t('Copy'), icon: Icon = IconCopy }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), saidForMs);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <Tooltip label={copied ? t('Copied') : label}>
      <ActionIcon
        variant="subtle"
        color={copied ? 'teal' : 'gray'}
        size="sm"
        onClick={() => copyText(typeof value === 'string' ? value : value()).then(() => setCopied(true), notifyError)}
        aria-label={copied ? t('Copied') : label}
      >
        {copied ? <IconCheck size={15} aria-hidden /> : <Icon size={15} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
}
