import { Card, Skeleton, Text } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import { t } from '../language/words.ts';

interface StatCardProps {
  label: string;
  value: ReactNode;
  hint?: ReactNode;
  loading?: boolean;
  /** The value could not be loaded; showing zero would be misleading. */
  failed?: boolean;
}

/** Long numbers shrink before they wrap, as amounts do. Cast because the type does not allow custom properties. */
const fitted = (value: ReactNode): ReactNode =>
  typeof value === 'string' ? (
    <span className="svc-number" style={{ '--length': value.length } as CSSProperties}>
      {value}
    </span>
  ) : (
    value
  );

/** A key figure. Keeps its height while loading. */
export function StatCard({ label, value, loading = false, failed = false, ...more }: StatCardProps) {
  const hint = failed && !loading ? t('Could not be loaded') : more.hint;
  // While the value is loading, its hint would be wrong.
  const shown = loading ? '\u00a0' : hint;
  return (
    <Card>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Skeleton visible={loading} mt={4}>
        {/* A small cost with six decimals must fit when two cards are side by side on a phone. */}
        <Text fz={{ base: 'clamp(1rem, 5.1vw, 1.25rem)', xs: 26 }} fw={600} lh={1.3} className="svc-number svc-stat">
          {loading ? '\u00a0' : fitted(failed ? '–' : value)}
        </Text>
      </Skeleton>
      {hint && (
        <Text size="xs" c="dimmed" mt={4}>
          {shown}
        </Text>
      )}
    </Card>
  );
}
