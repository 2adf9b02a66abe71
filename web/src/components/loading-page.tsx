import { Skeleton, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorState } from './error-state.tsx';
import { PageHeader } from './page-header.tsx';

interface AwaitedPageProps {
  title: string;
  /** The link back. */
  description: ReactNode;
  query: { error: unknown; refetch: () => unknown };
  /** Shown if loading fails. */
  failure: string;
  /** Heights of the placeholders. */
  heights: number[];
}

/** Placeholder for a detail page until its item is loaded; shows the error if loading fails. */
export const LoadingPage = ({ title, description, query, failure, heights }: AwaitedPageProps) => (
  <>
    <PageHeader title={title} description={description} />
    {query.error ? (
      <ErrorState error={query.error} title={failure} onRetry={() => query.refetch()} />
    ) : (
      <Stack aria-busy="true">
        {heights.map((height) => (
          <Skeleton key={height} height={height} />
        ))}
      </Stack>
    )}
  </>
);
