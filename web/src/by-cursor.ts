import { infiniteQueryOptions } from '@tanstack/react-query';

/** What the request for the next part of a list says. */
interface Part {
  page_size: number;
  cursor?: string;
}

/** A list of any length, loaded in parts: each names the cursor of the next one. */
export const byCursor = <Page extends { next_cursor: string | null }>(
  queryKey: readonly unknown[],
  page_size: number,
  read: (part: Part, signal: AbortSignal) => Promise<Page>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam: cursor, signal }) => read({ page_size, ...(cursor && { cursor }) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }: Page) => next_cursor,
  });
