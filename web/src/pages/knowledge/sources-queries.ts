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

const mebibyte = 1_048_576;
const tooLarge = ({ size }: File): boolean => size > 10 * mebibyte;
/** What one request may carry; the service accepts 32 MiB with what the form adds. */
const most = { files: 20, bytes: 31 * mebibyte };

/** The first of the files that fit into one request. Those that are too large are not sent. */
export function portionOf(files: File[]): File[] {
  let bytes = 0;
  const end = files.slice(0, most.files).findIndex((file) => {
    bytes += tooLarge(file) ? 0 : file.size;
    return bytes > most.bytes;
  });
  return files.slice(0, end < 0 ? most.files : end);
}

/** Sends any number of files, in as many requests as it takes; what was sent before a failure stays. */
export async function* sendFiles(fields: ImportFields): AsyncGenerator<{ files: File[]; told: ImportedFile[] }> {
  for (let left = fields.files; left.length > 0; ) {
    const files = portionOf(left);
    left = left.slice(files.length);
    const sent = files.filter((file) => !tooLarge(file));
    const refused = files.filter(tooLarge).map(({ name }) => ({
      ...{ name, status: 'refused' as const },
      error: t('The file is larger than 10 MiB. Split it and import the parts.'),
    }));
    yield { files, told: [...refused, ...(sent.length > 0 ? await sendPortion({ ...fields, files: sent }) : [])] };
  }
}

/** The header tells the service that the request comes from its own page. */
async function sendPortion({ files, category, keywords, replace }: ImportFields): Promise<ImportedFile[]> {
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
