import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Labels and what they stand for, side by side where there is room. */
export function Facts({ of: facts }: { of: Record<string, [label: string, value: ReactNode]> }) {
  return (
    <dl className="svc-names">
      {Object.entries(facts).map(([name, [label, value]]) => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {label}
          </Text>
          <Text component="dd" size="sm" m={0} className="svc-anywhere" dir="auto">
            {value}
          </Text>
        </div>
      ))}
    </dl>
  );
}
