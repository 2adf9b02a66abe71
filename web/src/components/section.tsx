import { Card, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface SectionProps {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A titled card: one matter of a page. */
export function Section({ title, description, actions, children }: SectionProps) {
  return (
    <Card component="section">
      <Group justify="space-between" align="flex-start" mb="md">
        <Stack gap={2} flex="1 1 14rem">
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
