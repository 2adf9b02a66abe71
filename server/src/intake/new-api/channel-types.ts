import { trimEndOf } from '../../lib/trim-end.ts';
import { compatibleAt, type Place, vendorNamed } from '../place.ts';

/** A channel type: one of our vendors, or an OpenAI-compatible server, with its API path. */
interface ChannelType {
  vendor?: string;
  address?: string;
  path: string;
}

const at = (address: string, path = '/v1'): ChannelType => ({ address, path });
const vendor = (id: string, path = '/v1'): ChannelType => ({ vendor: id, path });

/** The same in both programs. */
const shared: Record<number, ChannelType> = {
  1: vendor('openai'),
  3: vendor('azure', '/openai/v1'),
  6: at('https://api.openaimax.com'),
  7: at('https://api.ohmygpt.com'),
  8: at(''),
  9: at('https://api.caipacity.com'),
  10: at('https://api.aiproxy.io'),
  12: at('https://api.api2gpt.com'),
  13: at('https://api.aigc2d.com'),
  14: vendor('anthropic'),
  17: at('https://dashscope.aliyuncs.com', '/compatible-mode/v1'),
  19: at('https://api.360.cn'),
  20: vendor('openrouter'),
  22: at('https://fastgpt.run/api/openapi'),
  24: vendor('gemini', '/v1beta'),
  25: at('https://api.moonshot.cn'),
  31: at('https://api.lingyiwanwu.com'),
  33: vendor('bedrock', ''),
};

/** Later numbers differ between new-api and one-api. */
const newApi: Record<number, ChannelType> = {
  4: vendor('ollama'),
  26: at('https://open.bigmodel.cn', '/api/paas/v4'),
  27: vendor('perplexity', ''),
  34: vendor('cohere', '/compatibility/v1'),
  35: at('https://api.minimax.chat'),
  38: vendor('jina'),
  40: at('https://api.siliconflow.cn'),
  41: vendor('vertex'),
  42: vendor('mistral'),
  43: vendor('deepseek'),
  44: at('https://api.moka.ai'),
  45: at('https://ark.cn-beijing.volces.com', '/api/v3'),
  46: at('https://qianfan.baidubce.com', '/v2'),
  47: at(''),
  48: vendor('xai'),
  53: at('https://llm.submodel.ai'),
  55: vendor('openai'),
  59: at(''),
  60: at(''),
};
const oneApi: Record<number, ChannelType> = {
  2: at('https://oa.api2d.net'),
  4: at('https://api.closeai-proxy.xyz'),
  5: at('https://api.openai-sb.com'),
  26: at('https://api.baichuan-ai.com'),
  27: at('https://api.minimax.chat'),
  28: vendor('mistral'),
  29: vendor('groq'),
  30: vendor('ollama'),
  32: at('https://api.stepfun.com'),
  35: vendor('cohere', '/compatibility/v1'),
  36: vendor('deepseek'),
  39: vendor('together'),
  40: at('https://ark.cn-beijing.volces.com', '/api/v3'),
  41: at('https://api.novita.ai/v3/openai', ''),
  42: vendor('vertex'),
  44: at('https://api.siliconflow.cn'),
  45: vendor('xai'),
  47: at('https://qianfan.baidubce.com', '/v2'),
  48: at('https://spark-api-open.xf-yun.com'),
  49: at('https://dashscope.aliyuncs.com', '/compatible-mode/v1'),
  50: at('', ''),
  51: at('https://generativelanguage.googleapis.com/v1beta/openai', ''),
};

/** The target of a channel by type and address; null for types with a format of their own. */
export function placeOfType(type: number, address: string, isOneApi: boolean): Place | null {
  const known = shared[type] ?? (isOneApi ? oneApi : newApi)[type];
  if (!known) return null;
  const { path } = known;
  const row = known.vendor === undefined ? undefined : vendorNamed(known.vendor);
  if (row && row.kind !== 'openai') {
    const baseUrl = address === '' ? row.baseUrl : below(address, path);
    return { provider: row.id, kind: row.kind, baseUrl };
  }
  const base = address === '' ? row?.baseUrl || below(known.address ?? '', path) : below(address, path);
  const place = compatibleAt(base);
  // Azure and local servers have their owners' addresses, which do not identify them.
  return row && (row.hosts.length === 0 || row.id === 'azure') ? { ...place, provider: row.id } : place;
}

/** Both programs append the path to any address, and for some types expect a complete one. */
function below(address: string, path: string): string {
  const plain = trimEndOf(address, '/');
  if (plain.endsWith(chats)) return plain.slice(0, -chats.length);
  return plain.endsWith(path) ? plain : `${plain}${path}`;
}
const chats = '/chat/completions';
