import { Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useHeadingFocus } from '../heading-focus.ts';
import { useNamedByHeading } from '../page-name.ts';

interface PageHeaderProps {
  title: ReactNode;
  description?: ReactNode;
  /** Main actions of the page. */
  actions?: ReactNode;
}

/** The header of every page, with its only h1. */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  const heading = useHeadingFocus();
  useNamedByHeading(title);
  return (
    <Group component="header" justify="space-between" align="flex-start" gap="md" mb="lg">
      <Stack gap={4} flex="1 1 16rem" miw={0}>
        <Title order={1} ref={heading} tabIndex={-1} className="svc-heading">
          {title}
        </Title>
        {description && (
          <Text c="dimmed" size="sm" maw="42rem">
            {description}
          </Text>
        )}
      </Stack>
      {actions && <Group gap="sm">{actions}</Group>}
    </Group>
  );
}
