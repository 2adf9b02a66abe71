import { type Conversation, isObject, type Json } from '../../wire/conversation.ts';
import { isSealed } from '../../wire/gemini/sealed-thoughts.ts';
import { refuseBeyondTokens } from '../kind/beyond-tokens.ts';
import { outputLimit, type Target } from '../kind.ts';
import { unsignedCall } from './content.ts';

/** Members given by the URL, and our own extensions. */
const staysHere = ['model', 'models', 'provider', 'svc_ms'];

/** A body of this format with minimal changes. The given one is not modified, as the next candidate may need it. */
export function rewriteGeminiRequest(given: Json, conversation: Conversation, target: Target): Json {
  const body: Json = { ...given };
  for (const name of staysHere) delete body[name];
  const limit = outputLimit(conversation.params, target);
  if (limit !== undefined)
    body.generationConfig = { ...(isObject(body.generationConfig) && body.generationConfig), maxOutputTokens: limit };
  if (Array.isArray(body.contents)) body.contents = body.contents.map((content) => withOwnSignatures(content, target));
  if (target.paid) refuseBeyondTokens('gemini', body, target);
  return body;
}

/** Gemini refuses other vendors' signatures, and their calls without one. */
function withOwnSignatures(content: unknown, { modelName }: Target): unknown {
  if (!isObject(content) || content.role !== 'model' || !Array.isArray(content.parts)) return content;
  let unsigned = unsignedCall(modelName);
  const parts = content.parts.flatMap((part) => {
    if (!isObject(part)) return [part];
    const { thoughtSignature, ...bare } = part;
    const isForeign = isSealed(thoughtSignature);
    if (part.functionCall == null) return isForeign ? (isEmpty(bare) ? [] : [bare]) : [part];
    const standIn = unsigned;
    unsigned = undefined;
    if (!isForeign && thoughtSignature != null) return [part];
    return [standIn === undefined ? bare : { ...bare, thoughtSignature: standIn }];
  });
  return { ...content, parts };
}

/** The part only carried a signature. */
const isEmpty = (part: Json): boolean => Object.keys(part).every((key) => key === 'text' && part.text === '');
