import { generatedFile } from './generated-file.ts';
import type { Call } from './route.ts';

export const csvAnswer = (
  call: Pick<Call, 'headers'>,
  name: string,
  lines: AsyncGenerator<string>,
): Promise<Response> => generatedFile(call, { name, type: 'text/csv; charset=utf-8' }, lines);
