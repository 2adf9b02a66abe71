import { Badge } from '@mantine/core';
import { healthOf } from '../health.ts';

interface HealthBadgeProps {
  /** Circuit breaker state: closed, half open or open. */
  circuit: string;
  successRate: number;
  samples: number;
}

export function HealthBadge({ circuit, successRate, samples }: HealthBadgeProps) {
  const { label, color } = healthOf(circuit, successRate, samples);
  return <Badge color={color}>{label}</Badge>;
}
