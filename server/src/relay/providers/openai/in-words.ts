import type { Vendor } from '../../../lib/vendors/vendor.ts';
import { readResponseFormat } from '../../wire/chat/response-format.ts';
import { isObject, type Json } from '../../wire/conversation.ts';
import { callInWords } from '../kind/call-in-words.ts';
import { jsonInWords } from '../kind/json-in-words.ts';

/** Takes out of a body what its vendor refuses, and returns the instructions that say it instead. */
export function saidInWords(out: Json, vendor: Vendor, modelName: string): Json[] {
  const words = [schemaOf(out, vendor), callOf(out, vendor.forcedCalls?.(modelName))];
  return words.flatMap((content): Json[] => (content === undefined ? [] : [{ role: 'system', content }]));
}

/** For vendors that know only JSON of any kind. */
function schemaOf(out: Json, { lacksSchemas }: Vendor): string | undefined {
  const format = lacksSchemas ? readResponseFormat(out.response_format) : undefined;
  if (format?.type !== 'json_schema') return undefined;
  out.response_format = { type: 'json_object' };
  return jsonInWords(format);
}

/** Callers rely on the call more than on the thoughts. */
function callOf(out: Json, forced: 'without_thinking' | 'in_words' | undefined): string | undefined {
  const { tool_choice: choice } = out;
  if (forced === undefined || choice == null) return undefined;
  const isForced = choice !== 'auto' && choice !== 'none';
  if (forced === 'without_thinking') {
    if (!isForced) return undefined;
    out.thinking = { type: 'disabled' };
    delete out.reasoning_effort;
    return undefined;
  }
  // A tool that must not be called need not be offered.
  if (choice === 'none') delete out.tools;
  delete out.tool_choice;
  if (!isForced) return undefined;
  return callInWords(isObject(choice) && isObject(choice.function) ? choice.function.name : undefined);
}
