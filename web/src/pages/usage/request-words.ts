import { t } from '../../language/words.ts';

/** A call of a tool stands where a model would, as `mcp/server/tool`. */
export const isToolCall = ({ endpoint }: { endpoint: string }): boolean => endpoint === '/mcp';

interface Call {
  endpoint: string;
  provider: string | null;
  stream: boolean;
}

/** How it was asked for, and whom: "chat/completions by openai · streamed". */
export function kindOf(call: Call): string {
  const provider = call.provider ?? '';
  if (isToolCall(call)) return t('Tool of {provider}', { provider });
  const endpoint = call.endpoint.replace(/^\/v1\//, '');
  const request = provider ? t('{endpoint} by {provider}', { endpoint, provider }) : endpoint;
  return call.stream ? t('{request} · streamed', { request }) : request;
}

/** Above an upstream's own words. */
export const saidBy = (provider: string | null | undefined): string =>
  provider ? t('What {provider} said', { provider }) : t('What the provider said');
