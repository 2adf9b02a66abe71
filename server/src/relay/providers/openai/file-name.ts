import { extensionOf } from '../kind/document-formats.ts';

/** Ends like a title with a number do not count: `Report v1.2`. */
const hasExtension = /\.[a-z][a-z0-9]{1,7}$/i;

/** OpenAI knows the type of a file by its name, and refuses one without extension, such as a document's title. */
export function fileName(name: string | undefined, mediaType: string): string {
  if (name !== undefined && hasExtension.test(name)) return name;
  const extension = extensionOf(mediaType);
  return extension === undefined ? (name ?? 'document') : `${name ?? 'document'}.${extension}`;
}
