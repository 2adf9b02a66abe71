import { Skeleton, Stack } from '@mantine/core';

/** Stands where a page will be while its script loads. */
export function Pending() {
  return (
    <Stack p="lg" aria-busy="true" role="status" aria-label="Loading">
      <Skeleton height={28} width="14rem" />
      <Skeleton height={120} />
    </Stack>
  );
}
