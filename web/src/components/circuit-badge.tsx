import { Badge } from '@mantine/core';
import type { Metrics } from '../catalog.ts';

const looks: Record<Metrics['circuit_state'], { label: string; color: string }> = {
  closed: { label: 'Healthy', color: 'teal' },
  half_open: { label: 'Probing', color: 'orange' },
  open: { label: 'Circuit open', color: 'red' },
};

/** State of the circuit breaker: closed, half open or open. */
export function CircuitBadge({ state }: { state: string }) {
  const { label, color } = looks[state as Metrics['circuit_state']] ?? { label: state, color: 'gray' };
  return <Badge color={color}>{label}</Badge>;
}
