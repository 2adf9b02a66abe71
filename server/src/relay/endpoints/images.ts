import type { RelayDeps, RequestContext } from '../deps.ts';
import type { ProviderKind } from '../providers/kind.ts';
import type { Json } from '../wire/conversation.ts';
import { invalid, missing, optionalString, requiredString, weigh } from '../wire/read.ts';
import { modelOrDefault } from './default-model.ts';
import { type ImageOrder, readSettings } from './generate-images.ts';

/** Images from text. */
export function generationOrder(
  deps: RelayDeps,
  { caller }: RequestContext,
  given: Json,
  stream: boolean,
): ImageOrder<Json> {
  const prompt = requiredString(given, 'prompt');
  const { n, asked } = readSettings(given);
  const model = modelOrDefault(deps, caller, given, 'image');
  const { stream: _, partial_images, ...plain } = given;
  // Inline images save a second call, if the upstream offers the choice.
  const body: Json = {
    ...plain,
    model,
    ...(asked && { response_format: 'b64_json' }),
    ...(stream && { stream, partial_images }),
  };
  const endpointOf = (kind: ProviderKind) => kind.images;
  return {
    ...{ name: 'image_generation', model, prompt, n, asked, given: 0, weight: weigh(given), body, fields: given },
    endpointOf,
  };
}

export type EditKind = 'edits' | 'variations';

const numbers = ['n', 'partial_images', 'output_compression'];

/** The form's text fields as an object, so that errors name fields as in JSON bodies. */
export function fieldsOf(form: FormData): Json {
  const fields: Json = {};
  for (const [name, value] of form)
    if (typeof value === 'string') fields[name] = numbers.includes(name) && value !== '' ? Number(value) : value;
  return fields;
}

/** Images from images: edits with a prompt, or variations without. */
export function editOrder(
  deps: RelayDeps,
  { caller }: RequestContext,
  form: FormData,
  kind: EditKind,
  stream: boolean,
): ImageOrder<FormData> {
  const fields = fieldsOf(form);
  const prompt = kind === 'edits' ? requiredString(fields, 'prompt') : '';
  const images = kind === 'edits' ? [...form.getAll('image'), ...form.getAll('image[]')] : form.getAll('image');
  if (images.length === 0) throw missing('image');
  if (images.length > mostImages) throw invalid('image', `A request may contain at most ${mostImages} images.`);
  for (const image of images) checkFile(image, 'image');
  for (const mask of form.getAll('mask')) checkFile(mask, 'mask');
  optionalString(fields, 'user');
  const { n, asked } = readSettings(fields);
  const model = modelOrDefault(deps, caller, fields, 'image');
  return {
    ...{ name: 'image_edit', model, prompt, n, asked, given: images.length, weight: weigh(fields), fields },
    body: bodyOf(form, asked !== undefined, stream),
    endpointOf: (vendor) => (kind === 'edits' ? vendor.imageEdits : vendor.imageVariations),
  };
}

/** OpenAI's limit. */
const mostImages = 16;

function checkFile(value: unknown, name: string): void {
  if (!(value instanceof Blob)) throw invalid(name, `'${name}' must be a file.`);
  if (value.size === 0) throw invalid(name, `'${name}' must not be empty.`);
}

function bodyOf(form: FormData, inline: boolean, stream: boolean): FormData {
  const body = new FormData();
  for (const [name, value] of form)
    if (stream || (name !== 'stream' && name !== 'partial_images')) body.append(name, value);
  if (inline) body.set('response_format', 'b64_json');
  return body;
}
