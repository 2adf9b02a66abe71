import { t } from '../../language/words.ts';
import { orchestrationModel } from '../../models.ts';
import { type Entry, messagesOf, sessionOf } from './conversation.ts';

export interface Orchestration {
  sessionId: string;
  memoryMode: string;
  verbosity: string;
  difficulty: string;
  forceModel: string;
  projectId: string;
  maxContextTokens: number | string;
  includeReasoning: boolean;
  finalOnly: boolean;
  vectorSearch: boolean;
  extractKnowledge: boolean;
}

/** An empty value means the model's default. */
export interface Settings {
  system: string;
  temperature: number | string;
  topP: number | string;
  maxTokens: number | string;
  seed: number | string;
  jsonMode: boolean;
  stream: boolean;
  tools: string;
  toolChoice: string;
  orchestration: Orchestration;
}

export const defaultSettings: Settings = {
  system: '',
  temperature: '',
  topP: '',
  maxTokens: '',
  seed: '',
  jsonMode: false,
  stream: true,
  tools: '',
  toolChoice: 'auto',
  orchestration: {
    sessionId: '',
    memoryMode: '',
    verbosity: '',
    difficulty: '',
    forceModel: '',
    projectId: '',
    maxContextTokens: '',
    includeReasoning: true,
    finalOnly: false,
    vectorSearch: false,
    extractKnowledge: false,
  },
};

export const exampleTools = JSON.stringify(
  [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'Current weather in a city',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string', description: 'Name of the city' } },
          required: ['city'],
        },
      },
    },
  ],
  null,
  2,
);

type Tools = { tools: Record<string, unknown>[]; fault: null } | { tools: []; fault: string };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Accepts a list of tools, a list of bare `{name, description, parameters}`, or a single one of either. */
export function readTools(text: string): Tools {
  if (text.trim() === '') return { tools: [], fault: null };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { tools: [], fault: t('Invalid JSON: {reason}', { reason: (error as Error).message }) };
  }
  const tools: Record<string, unknown>[] = [];
  for (const [index, tool] of [value].flat().entries()) {
    const wrapped = isRecord(tool) && !('function' in tool) ? { type: 'function', function: tool } : tool;
    const named = isRecord(wrapped) && isRecord(wrapped.function) && typeof wrapped.function.name === 'string';
    if (!named) return { tools: [], fault: t('Tool {number} needs a function with a name.', { number: index + 1 }) };
    tools.push(wrapped as Record<string, unknown>);
  }
  return { tools, fault: null };
}

/** Numeric parameters and their ranges. */
const ranges = {
  temperature: { label: t('Temperature'), min: 0, max: 2 },
  topP: { label: 'Top P', min: 0, max: 1 },
  maxTokens: { label: t('Max tokens'), min: 1, max: Number.MAX_SAFE_INTEGER },
} as const;
export type RangedName = keyof typeof ranges;

/** The error for each invalid number, by name. */
export function numberFaults(settings: Pick<Settings, RangedName>): Partial<Record<RangedName, string>> {
  const faults: Partial<Record<RangedName, string>> = {};
  for (const [name, { min, max }] of Object.entries(ranges) as [RangedName, { min: number; max: number }][]) {
    const value = settings[name];
    if (value === '' || (Number(value) >= min && Number(value) <= max)) continue;
    faults[name] =
      max === Number.MAX_SAFE_INTEGER
        ? t('Enter a whole number of at least {min}.', { min })
        : t('Enter a number from {min} to {max}.', { min, max });
  }
  return faults;
}

/** Messages about the parameters that are left out of the request because they are invalid. */
export function refusedOf(settings: Settings): string[] {
  const { fault } = readTools(settings.tools);
  const numbers = Object.entries(numberFaults(settings)).map(([name, reason]) =>
    t('{label} is not sent: {reason}', { label: ranges[name as RangedName].label, reason }),
  );
  return fault === null ? numbers : [t('Tools are not sent: {reason}', { reason: fault }), ...numbers];
}

const given = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '' && value !== undefined));

const orchestrationBody = (settings: Orchestration, entries: Entry[]) =>
  given({
    session_id: settings.sessionId || sessionOf(entries),
    memory_mode: settings.memoryMode,
    verbosity: settings.verbosity,
    task_difficulty: settings.difficulty,
    force_model: settings.forceModel,
    project_id: settings.projectId,
    max_context_tokens: settings.maxContextTokens,
    include_reasoning: settings.includeReasoning,
    final_only: settings.finalOnly || undefined,
    use_vector_search: settings.vectorSearch || undefined,
    extract_knowledge: settings.extractKnowledge || undefined,
  });

/** The complete request, as sent and as copied. */
export function requestOf(model: string, entries: Entry[], settings: Settings): Record<string, unknown> {
  const { tools } = readTools(settings.tools);
  const faults = numberFaults(settings);
  return {
    model,
    messages: messagesOf(entries, settings.system),
    ...given({
      temperature: faults.temperature ? '' : settings.temperature,
      top_p: faults.topP ? '' : settings.topP,
      max_tokens: faults.maxTokens ? '' : settings.maxTokens,
      seed: settings.seed,
    }),
    ...(settings.jsonMode && { response_format: { type: 'json_object' } }),
    ...(tools.length > 0 && { tools, tool_choice: settings.toolChoice }),
    ...(model === orchestrationModel && { svc_ms: orchestrationBody(settings.orchestration, entries) }),
    ...(settings.stream && { stream: true, stream_options: { include_usage: true } }),
  };
}

/** Number of settings that differ from the defaults, for the button's badge. */
export function changedCount(settings: Settings, orchestrated: boolean): number {
  const { orchestration: own, ...plain } = settings;
  const { orchestration: none, ...start } = defaultSettings;
  const differing = (a: object, b: object): number =>
    Object.entries(a).filter(([name, value]) => value !== (b as Record<string, unknown>)[name]).length;
  return differing(plain, start) + (orchestrated ? differing(own, none) : 0);
}

export const curlOf = (origin: string, request: Record<string, unknown>): string =>
  `curl ${request.stream ? '-N ' : ''}${origin}/v1/chat/completions \\
  -H "Authorization: Bearer $SVC_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify(request, null, 2).replaceAll("'", "'\\''")}'`;
