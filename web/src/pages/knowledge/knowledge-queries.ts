import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import { locale } from '../../language/words.ts';
import { queryClient } from '../../session.ts';

export type Entry = Result<'/api/svc-ms/knowledge', 'get'>[number];

/** The server's maximum per request. */
export const mostEntries = 100;

export const knowledgeQuery = (q: string, category: string, limit: number) =>
  queryOptions({
    queryKey: ['knowledge', q, category, limit],
    queryFn: ({ signal }) =>
      get('/api/svc-ms/knowledge', { query: { q, category: category || undefined, limit }, signal }),
    placeholderData: keepPreviousData,
  });

/** The newest entries, from which the list of categories is derived. */
export const newestQuery = knowledgeQuery('', '', mostEntries);

export const categoriesOf = (entries: Entry[] = []): string[] =>
  [...new Set(entries.map(({ category }) => category))].sort((a, b) => a.localeCompare(b, locale));

export const reloadKnowledge = () => queryClient.invalidateQueries({ queryKey: ['knowledge'] });
