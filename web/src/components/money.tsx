import { Tooltip } from '@mantine/core';
import { formatNumber, formatQuota } from '../format.ts';

/** Quota as dollars; the exact units on hover. */
export function Money({ quota }: { quota: number }) {
  return (
    <Tooltip label={`${formatNumber(quota)} quota units`}>
      <span className="svc-number">{formatQuota(quota)}</span>
    </Tooltip>
  );
}
