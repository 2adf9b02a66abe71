import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A definition list, in columns if there is room. */
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
