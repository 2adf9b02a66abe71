import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** An item of a description list (`dl`): a name, and its value below. */
export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <Text component="dt" size="xs" c="dimmed">
      {name}
    </Text>
    <Text component="dd" size="sm" m={0} className="svc-number svc-anywhere">
      {children}
    </Text>
  </div>
);
