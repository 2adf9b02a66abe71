import { Badge } from '@mantine/core';
import type { Metrics } from './metrics-query.ts';

const looks: Record<Metrics['circuit_state'], { label: string; color: string }> = {
  closed: { label: 'Healthy', color: 'teal' },
  half_open: { label: 'Probing', color: 'orange' },
  open: { label: 'Circuit open', color: 'red' },
};

/** What the breaker thinks: answers, is being tried again, or is left alone. */
export function CircuitBadge({ state }: { state: string }) {
  const { label, color } = looks[state as Metrics['circuit_state']] ?? { label: state, color: 'gray' };
  return <Badge color={color}>{label}</Badge>;
}
