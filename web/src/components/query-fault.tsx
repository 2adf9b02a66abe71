import { ErrorState } from './error-state.tsx';

interface QueryFaultProps {
  query: { error: unknown; data: unknown; refetch: () => unknown };
  title?: string;
}

/** For a part of a page that is left out where there is nothing: without this, a failure would look like nothing. */
export function QueryFault({ query, title }: QueryFaultProps) {
  if (!query.error || query.data !== undefined) return null;
  return <ErrorState error={query.error} title={title} onRetry={() => query.refetch()} />;
}
