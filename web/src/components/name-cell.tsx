import { Stack, Text, type TextProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface NameCellProps extends TextProps {
  name: ReactNode;
  /** Distinguishes it from others of the same name; the remaining props style this line. */
  under: ReactNode;
  title?: string | undefined;
}

/** The first cell of a row: what the row is about. */
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
