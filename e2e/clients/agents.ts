/** Clients that are agents: each edits a file in its own folder, through tool calls of a scripted model. */
import { join } from 'node:path';
import type { Json } from '../../server/src/relay/wire/conversation.ts';
import type { Kind } from '../relay-replies.ts';

export interface Place {
  url: string;
  key: string;
  model: string;
  /** The folder with the file. */
  folder: string;
  /** The folder used as the user's home. */
  home: string;
}

export interface Step {
  name: string;
  args: Json;
}

export interface Agent {
  name: string;
  package: string;
  speaks: string;
  /** The program of the package, below node_modules, and whether Node runs it. */
  program: string;
  byNode: boolean;
  kinds: Kind[];
  /** Whether the agent must have connected by WebSocket; it would fall back to plain requests without a word. */
  bySocket?: boolean;
  /** The name of a model that the agent knows and offers other tools to. */
  knows?: string | undefined;
  /** Settings besides address, key and model, shown in the document. */
  besides: string;
  arguments(place: Place): string[];
  environment(place: Place): Record<string, string>;
  /** Files in the home folder: its configuration. */
  files?(place: Place): Record<string, string>;
  /** The tool calls that edit the file, for the offered tools. */
  steps(file: string, tools: string[]): Step[];
}

export const task = 'Change the word "world" to "moon" in greeting.txt.';
export const before = 'Hello, world\n';
export const after = 'Hello, moon\n';

const all: Kind[] = ['openai', 'anthropic', 'gemini'];

const patch = `*** Begin Patch
*** Update File: greeting.txt
@@
-Hello, world
+Hello, moon
*** End Patch`;
const patchCommand = `apply_patch <<'EOF'\n${patch}\nEOF\n`;

/** The ways to patch, best first. */
const patchCalls: Record<string, Json> = {
  apply_patch: { input: patch },
  exec_command: { cmd: patchCommand },
  shell_command: { command: patchCommand },
  shell: { command: ['bash', '-lc', patchCommand] },
  // A program that calls the others.
  exec: { input: `await tools.apply_patch(${JSON.stringify(patch)});` },
};

const providerOf = (url: string) => `name="svc",base_url="${url}/v1",env_key="SVC_KEY",wire_api="responses"`;

const codex: Agent = {
  name: 'Codex',
  package: '@openai/codex',
  speaks: 'responses',
  program: '@openai/codex/bin/codex.js',
  byNode: true,
  kinds: all,
  besides: 'approvals and sandbox off',
  arguments: ({ url, model }) => [
    'exec',
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
    ...['-c', 'model_provider="svc"', '-c', `model="${model}"`],
    ...['-c', `model_providers.svc={${providerOf(url)}}`],
    task,
  ],
  environment: ({ key }) => ({ SVC_KEY: key }),
  steps: (_, tools) => {
    const offered = Object.entries(patchCalls).flatMap(([name, args]) => {
      // With or without a namespace.
      const full = tools.find((tool) => tool === name || tool.endsWith(`__${name}`));
      return full ? [{ name: full, args }] : [];
    });
    return offered.slice(0, 1);
  },
};

/** The entry that Codex needs in its model catalog for an unknown model: that it can patch, and the required fields. */
const patching = ({ model }: Place) => ({
  slug: model,
  display_name: model,
  apply_patch_tool_type: 'freeform',
  base_instructions: 'You are a coding agent.',
  supported_reasoning_levels: [],
  shell_type: 'unified_exec',
  visibility: 'list',
  supported_in_api: true,
  priority: 1,
  support_verbosity: false,
  truncation_policy: { mode: 'tokens', limit: 10_000 },
  experimental_supported_tools: [],
});

/** It offers `apply_patch`, a custom tool with a grammar, only to models that it knows to support it. */
const patchingCodex: Agent = {
  ...codex,
  name: 'Codex, model_catalog_json',
  besides: `${codex.besides}, model_catalog_json with apply_patch_tool_type "freeform" for the model`,
  arguments: (place) => ['-c', `model_catalog_json="${join(place.home, catalog)}"`, ...codex.arguments(place)],
  files: (place) => ({ [catalog]: JSON.stringify({ models: [patching(place)] }) }),
};
const catalog = '.codex/catalog.json';

const socketCodex: Agent = {
  ...codex,
  name: 'Codex, over a WebSocket',
  speaks: 'responses over a WebSocket',
  bySocket: true,
  besides: `${codex.besides}, supports_websockets = true`,
  arguments: (place) => {
    const provider = `model_providers.svc={${providerOf(place.url)},supports_websockets=true}`;
    return codex.arguments(place).map((one) => (one.startsWith('model_providers') ? provider : one));
  },
};

export const agents: Agent[] = [
  {
    name: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    speaks: 'messages',
    program: `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
    byNode: false,
    kinds: all,
    besides: 'edits allowed, no updates',
    arguments: ({ model }) => ['--model', model, '--permission-mode', 'acceptEdits', '-p', task],
    environment: ({ url, key }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      DISABLE_AUTOUPDATER: '1',
    }),
    steps: (file_path) => [
      { name: 'Read', args: { file_path } },
      { name: 'Edit', args: { file_path, old_string: 'world', new_string: 'moon' } },
    ],
  },
  codex,
  patchingCodex,
  socketCodex,
  // To a known model it offers a tool search that it runs itself.
  {
    ...codex,
    name: 'Codex, gpt-5.5',
    knows: 'gpt-5.5',
    besides: `${codex.besides}; OpenAI's channel is asked in the Responses format`,
  },
  // To its newest models it sends all tools in an input item, in namespaces.
  {
    ...codex,
    name: 'Codex, gpt-5.6-sol',
    knows: 'gpt-5.6-sol',
    besides: `${codex.besides}; OpenAI's channel is asked in the Responses format`,
  },
  {
    name: 'Gemini CLI',
    package: '@google/gemini-cli',
    speaks: 'Gemini',
    program: '@google/gemini-cli/bundle/gemini.js',
    byNode: true,
    kinds: all,
    besides: 'all calls approved, folder trusted, login by key',
    arguments: ({ model }) => ['--yolo', '--skip-trust', '-m', model, '-p', task],
    environment: ({ url, key }) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: key }),
    // Answers the question of its first start: without a terminal it would pick another address and a login that it then refuses.
    files: () => ({ '.gemini/settings.json': '{"security": {"auth": {"selectedType": "gemini-api-key"}}}' }),
    steps: (file_path) => [
      { name: 'read_file', args: { file_path } },
      { name: 'replace', args: { file_path, old_string: 'world', new_string: 'moon', instruction: task } },
    ],
  },
  {
    name: 'opencode',
    package: 'opencode-ai',
    speaks: 'chat completions',
    program: `opencode-${process.platform}-${process.arch}/bin/opencode`,
    byNode: false,
    kinds: all,
    besides: 'no updates, no list of models from elsewhere',
    arguments: ({ model }) => ['run', '-m', `svc/${model}`, task],
    environment: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    files: ({ url, key, model }) => ({
      '.config/opencode/opencode.json': JSON.stringify({
        provider: {
          svc: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: key },
            models: { [model]: { name: model } },
          },
        },
      }),
    }),
    steps: (filePath) => [
      { name: 'read', args: { filePath } },
      { name: 'edit', args: { filePath, oldString: 'world', newString: 'moon' } },
    ],
  },
  {
    name: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    speaks: 'chat completions',
    program: '@qwen-code/qwen-code/cli-entry.js',
    byNode: true,
    kinds: all,
    besides: 'all calls approved',
    arguments: () => ['--yolo', '--auth-type', 'openai', '-p', task],
    environment: ({ url, key, model }) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key, OPENAI_MODEL: model }),
    steps: (file_path) => [
      { name: 'read_file', args: { file_path } },
      { name: 'edit', args: { file_path, old_string: 'world', new_string: 'moon' } },
    ],
  },
];
