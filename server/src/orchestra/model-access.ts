import { AppError } from '../lib/errors.ts';
import { type Choosing, type ModelInfo, orchestraModel, price, renamed } from './models.ts';
import type { Caller, Deps } from './ports.ts';

/** How many models an error message suggests. */
const mostNamed = 5;

/** An empty list allows every model. Listing the engine's own name does not allow the models behind it. */
export const isModelAllowed = ({ allowedModels = [] }: Pick<Caller, 'allowedModels'>, model: string): boolean =>
  allowedModels.length === 0 || allowedModels.includes(model);

export function requireEngineAccess(caller: Caller): void {
  if (isModelAllowed(caller, orchestraModel)) return;
  throw new AppError('model_not_allowed', `This API key cannot use the model ${orchestraModel}`, { param: 'model' });
}

/**
 * The models to choose from: without those excluded by limits, and without configured names that the key does not list
 * or that are excluded.
 */
export function allowedChoosing(caller: Caller, choosing: Choosing): Choosing {
  const left = choosing.models.filter(({ leftOut }) => !leftOut);
  const isOut = (name: string) => choosing.models.some(({ id }) => id === name) && !left.some(({ id }) => id === name);
  return renamed({ ...choosing, models: left }, (name) => (isModelAllowed(caller, name) && !isOut(name) ? name : ''));
}

/** Throws unless the caller may use at least one chat model, and the forced model, if any, is one of them. */
export async function requireChatModel(
  deps: Pick<Deps, 'models'>,
  caller: Caller,
  models: ModelInfo[],
  forced?: string,
): Promise<void> {
  const chat = models.filter(({ type }) => type === 'chat');
  if (chat.length === 0) {
    const others = (await deps.models({ ...caller, allowedModels: [] })).filter(({ type }) => type === 'chat');
    if (others.length === 0) throw new AppError('service_not_initialized', 'No chat model is enabled');
    const words = `This key may use ${orchestraModel}, but none of the chat models behind it. Add some to the key's models`;
    const names = others.slice(0, mostNamed).map(({ id }) => id);
    throw new AppError('model_not_allowed', `${words}, such as ${names.join(', ')}.`, { param: 'model' });
  }
  const left = chat.filter(({ leftOut }) => !leftOut);
  if (left.length === 0) throw noneLeft(chat, caller);
  if (forced === undefined || left.some(({ id }) => id === forced)) return;
  const param = 'svc_ms.force_model';
  const out = chat.find(({ id }) => id === forced)?.leftOut;
  if (out) throw new AppError('no_eligible_provider', `The model ${forced} is ${out.join(' or ')}.`, { param });
  if (!isModelAllowed(caller, forced))
    throw new AppError(
      'model_not_allowed',
      `This API key cannot use the model ${forced}. Add it to the key's models.`,
      {
        param,
      },
    );
  throw new AppError('model_not_found', `There is no chat model "${forced}"`, { param });
}

/** Throws if the caller has nothing to pay with, unless a model that may answer is free. */
export async function requireMoney(
  deps: Pick<Deps, 'requireMoney'>,
  caller: Caller,
  models: ModelInfo[],
  forced?: string,
): Promise<void> {
  const mayAnswer = ({ id, type, leftOut }: ModelInfo) =>
    type === 'chat' && !leftOut && (forced === undefined || id === forced);
  if (!models.some((model) => mayAnswer(model) && price(model) === 0)) await deps.requireMoney(caller);
}

function noneLeft(chat: ModelInfo[], { allowedModels = [] }: Caller): AppError {
  const limits = [...new Set(chat.flatMap(({ leftOut = [] }) => leftOut))];
  const whose = allowedModels.length > 0 ? ' that this key lists' : '';
  return new AppError(
    'no_eligible_provider',
    `No chat model is available for ${orchestraModel}: every model${whose} is ${limits.join(' or ')}.`,
  );
}
