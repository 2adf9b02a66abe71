import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** One of a list (`dl`): a name, and below it what there is to say. */
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
