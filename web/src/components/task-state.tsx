import { Badge, ThemeIcon } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCheck,
  IconClock,
  IconLoader2,
  IconPlayerSkipForward,
  IconRefresh,
  IconTool,
  type TablerIcon,
} from '@tabler/icons-react';
import { t } from '../language/words.ts';

interface Look {
  label: string;
  color: string;
  icon: TablerIcon;
}

const looks: Record<string, Look> = {
  pending: { label: t('Waiting'), color: 'gray', icon: IconClock },
  running: { label: t('Running'), color: 'indigo', icon: IconLoader2 },
  retrying: { label: t('Retrying'), color: 'orange', icon: IconRefresh },
  completed: { label: t('Done'), color: 'teal', icon: IconCheck },
  failed: { label: t('Failed'), color: 'red', icon: IconAlertTriangle },
  skipped: { label: t('Skipped'), color: 'gray', icon: IconPlayerSkipForward },
  waiting_for_tools: { label: t('Waiting for tools'), color: 'orange', icon: IconTool },
};

export const lookOf = (status: string): Look =>
  looks[status] ?? { label: status.replaceAll('_', ' '), color: 'gray', icon: IconClock };

/** A task's state as colour, icon and, for screen readers, text. */
export function TaskState({ status }: { status: string }) {
  const { label, color, icon: Icon } = lookOf(status);
  return (
    <ThemeIcon size={22} radius="xl" variant="light" color={color} title={label}>
      <Icon size={14} aria-hidden className={status === 'running' ? 'svc-turning' : undefined} />
      <span className="svc-hidden">{label}</span>
    </ThemeIcon>
  );
}

export function TaskStateBadge({ status }: { status: string }) {
  const { label, color, icon: Icon } = lookOf(status);
  return (
    <Badge color={color} leftSection={<Icon size={12} aria-hidden />}>
      {label}
    </Badge>
  );
}
