import { table } from '../../../lib/table.ts';

const office = 'application/vnd.openxmlformats-officedocument';
const documentFormats = table<string>({
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'application/msword': 'doc',
  [`${office}.wordprocessingml.document`]: 'docx',
  'application/vnd.ms-excel': 'xls',
  [`${office}.spreadsheetml.sheet`]: 'xlsx',
  'text/html': 'html',
  'text/markdown': 'md',
});

/** Other text types are sent as plain text. */
export const documentFormat = (mediaType: string): string | undefined =>
  documentFormats[mediaType] ?? (mediaType.startsWith('text/') ? 'txt' : undefined);

const moreExtensions = table<string>({
  'application/json': 'json',
  'application/rtf': 'rtf',
  'application/vnd.ms-powerpoint': 'ppt',
  [`${office}.presentationml.presentation`]: 'pptx',
});

/** The usual extension of a file's name; undefined for types that no vendor reads. */
export const extensionOf = (mediaType: string): string | undefined =>
  documentFormat(mediaType) ?? moreExtensions[mediaType];
