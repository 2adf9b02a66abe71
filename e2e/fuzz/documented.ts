/** Whether an answer is one of those that the OpenAPI document promises. */
import { Ajv, addFormats } from '@modelcontextprotocol/server/validators/ajv';
import type { ApiDocument, Endpoint } from './document.ts';

export type DocumentedCheck = (endpoint: Endpoint, response: Response, text: string) => string[];

const pointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

export function documentedCheck(document: ApiDocument): DocumentedCheck {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema(document, 'document');
  return ({ method, path }, { status, headers }, text) => {
    const { responses } = document.paths[path]![method.toLowerCase()]!;
    const listed = `${status}` in responses ? `${status}` : 'default';
    if (status < 400 && listed === 'default') return [`${status} is not documented`];
    const { content = {} } = responses[listed]!;
    const type = headers.get('content-type')?.split(';')[0] ?? '';
    const documented = [type, type.replace(/\/.*/, '/*')].find((one) => one in content);
    if (documented === undefined) {
      const isEmpty = type === '' && Object.keys(content).length === 0;
      return isEmpty ? [] : [`${status} of type ${type || 'nothing'} is not documented`];
    }
    if (!/json$/.test(type)) return [];
    const place = ['paths', path, method.toLowerCase(), 'responses', listed, 'content', documented, 'schema'];
    const check = ajv.getSchema(`document#/${place.map((name) => encodeURIComponent(pointer(name))).join('/')}`)!;
    check(JSON.parse(text));
    return (check.errors ?? []).map(
      ({ instancePath, message }) =>
        `${status} is not as documented: ${instancePath.replaceAll(/\d+/g, 'N')} ${message}`,
    );
  };
}
