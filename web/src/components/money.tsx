import { Tooltip } from '@mantine/core';
import { formatNumber, formatQuota } from '../format.ts';
import { t } from '../language/words.ts';

/** Quota as dollars; the exact units on hover. */
export function Money({ quota }: { quota: number }) {
  return (
    <Tooltip label={t('{quota} quota units', { quota: formatNumber(quota) })}>
      <span className="svc-number">{formatQuota(quota)}</span>
    </Tooltip>
  );
}
