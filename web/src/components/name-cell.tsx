import { Stack, Text, type TextProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface NameCellProps extends TextProps {
  name: ReactNode;
  /** What tells it from others of that name; the rest is about this line. */
  under: ReactNode;
  title?: string | undefined;
}

/** What a row of a table is about. */
export const NameCell = ({ name, under, ...line }: NameCellProps) => (
  <Stack gap={0}>
    <Text size="sm" fw={600}>
      {name}
    </Text>
    {under && (
      <Text size="xs" c="dimmed" {...line}>
        {under}
      </Text>
    )}
  </Stack>
);
