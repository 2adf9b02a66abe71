import type { Snippet } from './code-block.tsx';

interface ChatCall {
  /** The service's base URL, without a trailing slash. */
  baseUrl: string;
  apiKey: string;
  model: string;
  prompt?: string;
}

/** One chat call with curl, Python, TypeScript and the Anthropic SDK. */
export function chatSnippets({ baseUrl, apiKey, model, prompt = 'Hello!' }: ChatCall): Snippet[] {
  const [url, key, name, text] = [`${baseUrl}/v1`, apiKey, model, prompt].map((value) => JSON.stringify(value));
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: prompt }] }, null, 2).replaceAll(
    '\n',
    '\n  ',
  );
  return [
    {
      label: 'curl',
      code: `curl ${baseUrl}/v1/chat/completions \\
  -H "Authorization: Bearer ${apiKey}" \\
  -H "Content-Type: application/json" \\
  -d '${body.replaceAll("'", "'\\''")}'`,
    },
    {
      label: 'Python',
      code: `from openai import OpenAI

client = OpenAI(base_url=${url}, api_key=${key})
answer = client.chat.completions.create(
    model=${name},
    messages=[{"role": "user", "content": ${text}}],
)
print(answer.choices[0].message.content)`,
    },
    {
      label: 'TypeScript',
      code: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${url}, apiKey: ${key} });
const answer = await client.chat.completions.create({
  model: ${name},
  messages: [{ role: 'user', content: ${text} }],
});
console.log(answer.choices[0].message.content);`,
    },
    {
      label: 'Anthropic',
      code: `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: ${JSON.stringify(baseUrl)}, apiKey: ${key} });
const answer = await client.messages.create({
  model: ${name},
  max_tokens: 1024,
  messages: [{ role: 'user', content: ${text} }],
});
console.log(answer.content);`,
    },
  ];
}
