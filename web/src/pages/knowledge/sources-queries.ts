import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ApiError, errorOf, forShownUser, get, type Result } from '../../api.ts';
import { t } from '../../language/words.ts';

export type Source = Result<'/api/svc-ms/knowledge/sources/{id}', 'get'>;
export type ImportedFile = NonNullable<Result<'/api/svc-ms/knowledge/import', 'post'>['files']>[number];

export const sourcePageSize = 10;

const isUnderWay = ({ state }: Source): boolean => state === 'waiting' || state === 'reading' || state === 'deleting';

/** Polls while an import is running. Its key starts with `knowledge`, so that it is invalidated with the entries. */
export const sourcesQuery = (page: number) =>
  queryOptions({
    queryKey: ['knowledge', 'sources', page],
    queryFn: ({ signal }) =>
      get('/api/svc-ms/knowledge/sources', { query: { page, page_size: sourcePageSize }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.sources.some(isUnderWay) ? 1_000 : false),
  });

export interface ImportFields {
  files: File[];
  category: string;
  keywords: string[];
  replace: boolean;
}

/** The header tells the service that the request comes from its own page. */
export async function sendFiles({ files, category, keywords, replace }: ImportFields): Promise<ImportedFile[]> {
  const form = new FormData();
  for (const file of files) form.append('file', file, file.name);
  if (category.trim() !== '') form.append('category', category.trim());
  for (const word of keywords) form.append('keywords', word);
  if (replace) form.append('replace', 'true');
  const request = { method: 'POST', headers: { 'x-svc-web': '1', ...forShownUser() }, body: form };
  const response = await fetch('/api/svc-ms/knowledge/import', request).catch(() => {
    throw new ApiError(0, t('The files could not be sent. Check the connection and try again.'), null);
  });
  if (!response.ok) throw await errorOf(response);
  return ((await response.json()) as { data: { files: ImportedFile[] } }).data.files;
}
