import type {
  Conversation,
  FilePart,
  ImagePart,
  Json,
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '../../../wire/conversation.ts';
import { inputOf } from '../../../wire/custom-tools.ts';
import { toDataUrl } from '../../../wire/data-url.ts';
import { unmarkOpenai } from '../../../wire/signature.ts';
import { distinctCalls } from '../../kind/distinct-calls.ts';
import { fileName } from '../file-name.ts';

/** Converts a conversation of another format to Responses items, in order. */
export function buildItems({ turns: given, customTools: custom = none }: Conversation): Json[] {
  const turns = distinctCalls(given);
  const isCall = (part: Part): part is ToolCallPart => part.type === 'tool_call' && custom.has(part.name);
  const calls = new Set(turns.flatMap(({ parts }) => parts.filter(isCall).map(({ id }) => id)));
  return turns.flatMap((turn) => (turn.role === 'assistant' ? assistantItems(turn, calls) : userItems(turn, calls)));
}

const none: ReadonlySet<string> = new Set();

/** `custom`: ids of calls with free text. */
function userItems({ parts }: Turn, custom: ReadonlySet<string>): Json[] {
  const items: Json[] = [];
  let content: Json[] = [];
  const flush = () => {
    if (content.length > 0) items.push({ type: 'message', role: 'user', content });
    content = [];
  };
  for (const part of parts) {
    if (part.type !== 'tool_result') content.push(...userPart(part));
    else {
      flush();
      const type = custom.has(part.callId) ? 'custom_tool_call_output' : 'function_call_output';
      items.push({ type, call_id: part.callId, output: outputOf(part) });
    }
  }
  flush();
  return items.length > 0 ? items : [{ type: 'message', role: 'user', content: '' }];
}

/** Text only is sent as a string. */
function outputOf({ content, isError }: ToolResultPart): string | Json[] {
  const isText = (part: ToolResultPart['content'][number]): part is TextPart => part.type === 'text';
  // The format has no error flag, and a model must not take an error for a result.
  const mark = isError ? 'Error: ' : '';
  if (content.every(isText)) return mark + content.map(({ text }) => text).join('\n');
  return [...(isError ? [{ type: 'input_text', text: mark }] : []), ...content.flatMap(userPart)];
}

function userPart(part: Part): Json[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'input_text', text: part.text }];
    case 'image':
      return imagePart(part);
    case 'file':
      return filePart(part);
    case 'audio':
      return [{ type: 'input_audio', input_audio: { data: part.data, format: part.format } }];
    default:
      return [];
  }
}

function imagePart({ source, detail = 'auto' }: ImagePart): Json[] {
  if ('fileId' in source) return [];
  const url = 'url' in source ? source.url : toDataUrl(source.mediaType, source.data);
  return [{ type: 'input_image', image_url: url, detail }];
}

function filePart({ source, name }: FilePart): Json[] {
  if ('text' in source)
    return [{ type: 'input_text', text: name === undefined ? source.text : `${name}\n${source.text}` }];
  if ('fileId' in source) return [{ type: 'input_file', file_id: source.fileId }];
  if ('url' in source) return [{ type: 'input_file', file_url: source.url }];
  const { mediaType, data } = source;
  return [{ type: 'input_file', filename: fileName(name, mediaType), file_data: toDataUrl(mediaType, data) }];
}

/** Adjacent texts form one message. */
function assistantItems({ parts }: Turn, custom: ReadonlySet<string>): Json[] {
  const items: Json[] = [];
  let words = '';
  const flush = () => {
    if (words !== '') items.push({ type: 'message', role: 'assistant', content: words });
    words = '';
  };
  for (const part of parts) {
    if (part.type === 'text') words += part.text;
    else if (part.type === 'tool_call') {
      flush();
      const { id: call_id, name, arguments: args } = part;
      items.push(
        custom.has(call_id)
          ? { type: 'custom_tool_call', call_id, name, input: inputOf(args) }
          : { type: 'function_call', call_id, name, arguments: args || '{}' },
      );
    } else if (part.type === 'thinking') {
      flush();
      items.push(...reasoningItem(part.text, part.signature));
    }
  }
  flush();
  return items;
}

/** Reasoning encrypted by OpenAI; it would refuse others'. */
export function reasoningItem(text: string, signature: string | undefined): Json[] {
  const sealed = unmarkOpenai(signature);
  if (!sealed) return [];
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return [{ type: 'reasoning', id: sealed.id || 'rs_0', summary, encrypted_content: sealed.data }];
}
