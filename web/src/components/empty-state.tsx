import { Stack, Text, ThemeIcon } from '@mantine/core';
import { IconInbox, type TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';

export interface EmptyStateProps {
  title: string;
  description?: ReactNode;
  icon?: TablerIcon;
  /** How to create the first item. */
  action?: ReactNode;
}

export function EmptyState({ title, description, icon: Icon = IconInbox, action }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py={48} px="md" ta="center">
      <ThemeIcon size={44} radius="xl" variant="light" color="gray">
        <Icon size={22} stroke={1.6} aria-hidden />
      </ThemeIcon>
      <Text fw={600}>{title}</Text>
      {description && (
        <Text size="sm" c="dimmed" maw="min(28rem, 100%)">
          {description}
        </Text>
      )}
      {action}
    </Stack>
  );
}
