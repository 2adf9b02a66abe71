import { Card, Skeleton, Text } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import { t } from '../language/words.ts';

interface StatCardProps {
  label: string;
  value: ReactNode;
  hint?: ReactNode;
  loading?: boolean;
  /** There is no value: a zero would be taken for one. */
  failed?: boolean;
}

/** As amounts of money do, a long number gets smaller before it breaks. The type knows no properties of one's own. */
const fitted = (value: ReactNode): ReactNode =>
  typeof value === 'string' ? (
    <span className="svc-number" style={{ '--length': value.length } as CSSProperties}>
      {value}
    </span>
  ) : (
    value
  );

/** One number that matters. Keeps its height while loading. */
export function StatCard({ label, value, loading = false, failed = false, ...more }: StatCardProps) {
  const hint = failed && !loading ? t('Could not be loaded') : more.hint;
  // What is said of a value that is still to come would be said of none.
  const shown = loading ? '\u00a0' : hint;
  return (
    <Card>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Skeleton visible={loading} mt={4}>
        {/* Six decimals of a small cost must fit two cards beside each other on a phone. */}
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
