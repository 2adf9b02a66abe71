import { Skeleton, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorState } from './error-state.tsx';
import { PageHeader } from './page-header.tsx';

interface AwaitedPageProps {
  title: string;
  /** The way back. */
  description: ReactNode;
  query: { error: unknown; refetch: () => unknown };
  /** What is said where it does not come. */
  failure: string;
  /** Of what will stand there. */
  heights: number[];
}

/** Stands for the page of one thing until that has come, and says so where it does not. */
export const AwaitedPage = ({ title, description, query, failure, heights }: AwaitedPageProps) => (
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
