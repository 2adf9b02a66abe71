import type { OfferedModel } from '../models.ts';
import { chatSnippets } from './chat-snippets.ts';
import type { Snippet } from './code-block.tsx';

interface ModelCall {
  /** The service's base URL, without a trailing slash. */
  baseUrl: string;
  apiKey: string;
}

type ModelType = OfferedModel['types'][number];

interface Endpoint {
  path: string;
  /** The request body without the model. */
  body: Record<string, unknown>;
  /** The method in OpenAI's SDKs, and the part of the answer to print. */
  method?: string;
  answer?: { python: string; typescript: string };
  /** Additional imports of the TypeScript example. */
  imports?: string;
  /** Name of the file to save, if the answer is one. */
  file?: string;
}

const endpoints: Record<Exclude<ModelType, 'chat' | 'transcription' | 'realtime'>, Endpoint> = {
  embedding: {
    path: '/v1/embeddings',
    body: { input: 'A boat on a quiet lake' },
    method: 'embeddings.create',
    answer: { python: 'print(answer.data[0].embedding)', typescript: 'console.log(answer.data[0].embedding);' },
  },
  image: {
    path: '/v1/images/generations',
    body: { prompt: 'A boat on a quiet lake' },
    method: 'images.generate',
    answer: { python: 'print(answer.data[0].url)', typescript: 'console.log(answer.data[0].url);' },
  },
  speech: {
    path: '/v1/audio/speech',
    body: { voice: 'alloy', input: 'Hello!' },
    method: 'audio.speech.create',
    answer: {
      python: 'answer.write_to_file("speech.mp3")',
      typescript: "await writeFile('speech.mp3', Buffer.from(await answer.arrayBuffer()));",
    },
    imports: "import { writeFile } from 'node:fs/promises';\n",
    file: 'speech.mp3',
  },
  moderation: {
    path: '/v1/moderations',
    body: { input: 'Is this all right?' },
    method: 'moderations.create',
    answer: { python: 'print(answer.results[0].flagged)', typescript: 'console.log(answer.results[0].flagged);' },
  },
  rerank: {
    path: '/v1/rerank',
    body: { query: 'boats', documents: ['A quiet lake', 'A boat at sea'] },
  },
  video: { path: '/v1/videos', body: { prompt: 'A boat on a quiet lake', duration: 4 } },
};

const quoted = (text: string): string => text.replaceAll("'", "'\\''");
const indented = (text: string): string => text.replaceAll('\n', '\n  ');
const json = (value: unknown): string => JSON.stringify(value);

const curlOf = ({ baseUrl, apiKey }: ModelCall, { path, file }: Endpoint, body: object): Snippet => ({
  label: 'curl',
  code: `curl ${baseUrl}${path} \\
  -H "Authorization: Bearer ${apiKey}" \\
  -H "Content-Type: application/json" \\${file ? `\n  -o ${file} \\` : ''}
  -d '${quoted(indented(JSON.stringify(body, null, 2)))}'`,
});

const named = (body: object, write: (name: string, value: string) => string): string =>
  Object.entries(body)
    .map(([name, value]) => write(name, json(value)))
    .join('\n');

function clientsOf(
  { baseUrl, apiKey }: ModelCall,
  { method, answer, imports = '' }: Endpoint,
  body: object,
): Snippet[] {
  if (!method || !answer) return [];
  const [url, key] = [json(`${baseUrl}/v1`), json(apiKey)];
  return [
    {
      label: 'Python',
      code: `from openai import OpenAI

client = OpenAI(base_url=${url}, api_key=${key})
answer = client.${method}(
${named(body, (name, value) => `    ${name}=${value},`)}
)
${answer.python}`,
    },
    {
      label: 'TypeScript',
      code: `${imports}import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${url}, apiKey: ${key} });
const answer = await client.${method}({
${named(body, (name, value) => `  ${name}: ${value},`)}
});
${answer.typescript}`,
    },
  ];
}

function transcriptionSnippets({ baseUrl, apiKey }: ModelCall, model: string): Snippet[] {
  const [url, key, name] = [json(`${baseUrl}/v1`), json(apiKey), json(model)];
  return [
    {
      label: 'curl',
      code: `curl ${baseUrl}/v1/audio/transcriptions \\
  -H "Authorization: Bearer ${apiKey}" \\
  -F file=@speech.mp3 \\
  -F 'model=${quoted(model)}'`,
    },
    {
      label: 'Python',
      code: `from openai import OpenAI

client = OpenAI(base_url=${url}, api_key=${key})
with open("speech.mp3", "rb") as file:
    answer = client.audio.transcriptions.create(model=${name}, file=file)
print(answer.text)`,
    },
    {
      label: 'TypeScript',
      code: `import { createReadStream } from 'node:fs';
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${url}, apiKey: ${key} });
const answer = await client.audio.transcriptions.create({
  model: ${name},
  file: createReadStream('speech.mp3'),
});
console.log(answer.text);`,
    },
  ];
}

/** No curl example, because no common command line tool speaks WebSockets. */
function realtimeSnippets({ baseUrl, apiKey }: ModelCall, model: string): Snippet[] {
  const [url, key, name] = [json(`${baseUrl}/v1`), json(apiKey), json(model)];
  const address = json(`${baseUrl.replace(/^http/, 'ws')}/v1/realtime`);
  return [
    {
      label: 'Python',
      code: `from openai import OpenAI

client = OpenAI(base_url=${url}, api_key=${key})
with client.realtime.connect(model=${name}) as session:
    session.response.create(response={"instructions": "Greet the user."})
    for event in session:
        print(event.type)
        if event.type == "response.done":
            break`,
    },
    {
      label: 'TypeScript',
      code: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${url}, apiKey: ${key} });
const secret = await client.realtime.clientSecrets.create({ session: { type: 'realtime', model: ${name} } });

// In a browser, which gets the short-lived secret instead of the key:
const socket = new WebSocket(${address}, ['realtime', \`openai-insecure-api-key.\${secret.value}\`]);
socket.onopen = () => socket.send(JSON.stringify({ type: 'response.create' }));
socket.onmessage = ({ data }) => console.log(JSON.parse(data));`,
    },
  ];
}

/** Examples of calling a model, by its type. */
export function modelSnippets(call: ModelCall, { id, types }: Pick<OfferedModel, 'id' | 'types'>): Snippet[] {
  const type = types[0] ?? 'chat';
  if (type === 'chat') return chatSnippets({ ...call, model: id });
  if (type === 'transcription') return transcriptionSnippets(call, id);
  if (type === 'realtime') return realtimeSnippets(call, id);
  const endpoint = endpoints[type];
  const body = { model: id, ...endpoint.body };
  return [curlOf(call, endpoint, body), ...clientsOf(call, endpoint, body)];
}
