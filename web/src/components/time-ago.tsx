import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { formatExact, formatTimeAgo } from '../format.ts';

const nowSeconds = (): number => Date.now() / 1000;

/** "3 minutes ago", updated while the page is open; the date on hover. */
export function TimeAgo({ at }: { at: number }) {
  const [now, setNow] = useState(nowSeconds);
  useEffect(() => {
    const timer = setInterval(() => setNow(nowSeconds()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Tooltip label={formatExact(at)}>
      <time dateTime={new Date(at * 1000).toISOString()}>{formatTimeAgo(at, now)}</time>
    </Tooltip>
  );
}
