import { ApiError, errorOf, forShownUser, provenSince } from '../../api.ts';
import { t } from '../../language/words.ts';

export interface ExportFile {
  name: string;
  blob: Blob;
}

const fallbackName = 'svc-export.json';

/** The file name from the `Content-Disposition` header. */
export function fileNameOf(disposition: string | null): string {
  return /filename="([^"\\/]+)"/.exec(disposition ?? '')?.[1] ?? fallbackName;
}

const lost = (message: string, response?: Response) =>
  new ApiError(0, message, response?.headers.get('x-request-id') ?? null);

/**
 * Reads the whole response and reports the bytes received so far. The service streams the export, so the total size is
 * unknown.
 */
export async function readExport(
  response: Response,
  signal: AbortSignal,
  tell: (bytes: number) => void,
): Promise<ExportFile> {
  if (!response.ok || !response.body) throw await errorOf(response);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      bytes += value.byteLength;
      tell(bytes);
    }
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw lost(t('The connection was lost before the file was complete. Nothing was saved.'), response);
  }
  const name = fileNameOf(response.headers.get('content-disposition'));
  return { name, blob: new Blob(parts, { type: 'application/json' }) };
}

export async function fetchExport(signal: AbortSignal, tell: (bytes: number) => void): Promise<ExportFile> {
  const response = await fetch('/api/user/self/export', {
    signal,
    credentials: 'same-origin',
    headers: forShownUser(),
  }).catch((cause) => {
    if (signal.aborted) throw cause;
    throw lost(t('The server could not be reached. Check the connection and try again.'));
  });
  if (response.status === 403 && (await provenSince(403, await response.clone().json())))
    return fetchExport(signal, tell);
  return readExport(response, signal, tell);
}
