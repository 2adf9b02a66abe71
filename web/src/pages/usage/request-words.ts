import { t } from '../../language/words.ts';

/** Tool calls are logged with `mcp/server/tool` as their model. */
export const isToolCall = ({ endpoint }: { endpoint: string }): boolean => endpoint === '/mcp';

interface Call {
  endpoint: string;
  provider: string | null;
  stream: boolean;
}

/** Endpoint and provider, for example "chat/completions by openai · streamed". */
export function kindOf(call: Call): string {
  const provider = call.provider ?? '';
  if (isToolCall(call)) return t('Tool of {provider}', { provider });
  const endpoint = call.endpoint.replace(/^\/v1\//, '');
  const request = provider ? t('{endpoint} by {provider}', { endpoint, provider }) : endpoint;
  return call.stream ? t('{request} · streamed', { request }) : request;
}

/** The heading above an upstream's own message. */
export const saidBy = (provider: string | null | undefined): string =>
  provider ? t('Response from {provider}', { provider }) : t('Response from the provider');
