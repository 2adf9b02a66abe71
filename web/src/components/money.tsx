import { Tooltip } from '@mantine/core';
import type { CSSProperties } from 'react';
import { formatQuota } from '../format.ts';
import { t } from '../language/words.ts';

/** Quota as dollars; the exact units on hover. */
export function Money({ quota }: { quota: number }) {
  const amount = formatQuota(quota);
  // The type knows no properties of one's own; cards make long amounts smaller by it.
  const style = { '--length': amount.length } as CSSProperties;
  return (
    <Tooltip label={t('{quota, plural, one {# quota unit} other {# quota units}}', { quota })}>
      <span className="svc-number" style={style}>
        {amount}
      </span>
    </Tooltip>
  );
}
