import type { Effort } from '../../wire/conversation.ts';

/** What a Claude model accepts. Used for conversions only: requests in Anthropic's format are forwarded as they are. */
export interface Traits {
  /** `temperature`, `top_p`, `top_k`. */
  sampling: boolean;
  /** `output_config.format`. */
  structuredOutput: boolean;
  /** `thinking: {type: "adaptive"}` with `output_config.effort`, instead of a budget. */
  adaptiveThinking: boolean;
  /** `tool_choice` of `any` and `tool`. */
  forcedToolUse: boolean;
  /** Levels of `output_config.effort`, ascending. */
  efforts: readonly Effort[];
}

const old: Traits = {
  ...{ sampling: true, structuredOutput: false, adaptiveThinking: false, forcedToolUse: true },
  efforts: ['low', 'medium', 'high', 'max'],
};
const efforts: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/** The first match wins; unknown models are treated as new. */
const table: readonly [RegExp, Traits][] = [
  [/claude-(instant|v?2|3)\b/, old],
  [/claude-opus-4-1\b/, { ...old, structuredOutput: true }],
  [/claude-(opus|sonnet)-4(-0)?(-20\d{6}|$)/, old],
  [/claude-(opus|sonnet|haiku)-4-5/, { ...old, structuredOutput: true }],
  [/claude-(opus|sonnet)-4-6/, { ...old, structuredOutput: true, adaptiveThinking: true }],
  [
    /claude-((opus|sonnet)-5-5|fable-5-[1-9])/,
    { sampling: false, structuredOutput: true, adaptiveThinking: true, forcedToolUse: false, efforts },
  ],
  [/claude-/, { sampling: false, structuredOutput: true, adaptiveThinking: true, forcedToolUse: true, efforts }],
];

/** Names with dots (`claude-3.5-sonnet`) are used by resellers. */
export function traitsOf(modelName: string): Traits {
  const name = modelName.replaceAll('.', '-');
  return table.find(([pattern]) => pattern.test(name))?.[1] ?? old;
}
