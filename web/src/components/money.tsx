import { Tooltip } from '@mantine/core';
import { formatNumber, formatQuota } from '../format.ts';
import { t } from '../language/words.ts';

/** Before its decimals, whichever sign the language has there. */
const decimals = /(?=[.,]\d{2,6}$)/;

/** Quota as dollars; the exact units on hover. */
export function Money({ quota }: { quota: number }) {
  const [whole, fraction] = formatQuota(quota).split(decimals);
  return (
    <Tooltip label={t('{quota} quota units', { quota: formatNumber(quota) })}>
      <span className="svc-number">
        {whole}
        {/* In a narrow place the line ends here: between two digits it would make two amounts of one. */}
        <wbr />
        {fraction}
      </span>
    </Tooltip>
  );
}
