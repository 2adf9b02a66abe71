import { Card, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface SectionProps {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  /** For actions that cannot be undone. */
  danger?: boolean;
  children: ReactNode;
}

/** A titled card for one topic of a page. */
export function Section({ title, description, actions, danger, children }: SectionProps) {
  return (
    <Card component="section" className={danger ? 'svc-danger' : undefined}>
      <Group justify="space-between" align="flex-start" mb="md">
        <Stack gap={2} flex="1 1 14rem" miw={0}>
          <Title order={2}>{title}</Title>
          {description && (
            <Text size="sm" c="dimmed">
              {description}
            </Text>
          )}
        </Stack>
        {actions}
      </Group>
      {children}
    </Card>
  );
}
