import { Tooltip } from '@mantine/core';
import type { CSSProperties } from 'react';
import { formatQuota } from '../format.ts';
import { t } from '../language/words.ts';

/** Quota in dollars; exact units on hover. */
export function Money({ quota }: { quota: number }) {
  const amount = formatQuota(quota);
  // Cast because the type does not allow custom properties. Cards shrink long amounts based on it.
  const style = { '--length': amount.length } as CSSProperties;
  return (
    <Tooltip label={t('{quota, plural, one {# quota unit} other {# quota units}}', { quota })}>
      <span className="svc-number" style={style}>
        {amount}
      </span>
    </Tooltip>
  );
}
