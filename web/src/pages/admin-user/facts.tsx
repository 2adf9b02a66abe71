import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Names and what they stand for, side by side where there is room. */
export function Facts({ of: facts }: { of: Record<string, ReactNode> }) {
  return (
    <dl className="svc-names">
      {Object.entries(facts).map(([name, value]) => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" size="sm" m={0} className="svc-anywhere" dir="auto">
            {value}
          </Text>
        </div>
      ))}
    </dl>
  );
}
