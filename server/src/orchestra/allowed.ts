import { AppError } from '../lib/errors.ts';
import { type Choosing, type ModelInfo, orchestraModel } from './models.ts';
import type { Caller, Deps } from './ports.ts';
import { modelFields, type Preferences } from './preferences.ts';

/** How many models a refusal names: enough to go on with, few enough to read. */
const mostNamed = 5;

/** An empty list allows all; the engine's own name on it opens none of the models behind it. */
export const isAllowed = ({ allowedModels = [] }: Pick<Caller, 'allowedModels'>, model: string): boolean =>
  allowedModels.length === 0 || allowedModels.includes(model);

export function requireEngine(caller: Caller): void {
  if (isAllowed(caller, orchestraModel)) return;
  throw new AppError('model_not_allowed', `This key may not use the model ${orchestraModel}`, { param: 'model' });
}

/** What to choose from, without the models that somebody named but the key does not list. */
export function choosingFor(caller: Caller, choosing: Choosing): Choosing {
  const { settings, operator } = choosing;
  const named = (model: string): string => (isAllowed(caller, model) ? model : '');
  const preferences = { ...settings.preferences };
  for (const field of Object.keys(modelFields) as (keyof typeof modelFields)[])
    (preferences as Record<keyof Preferences, unknown>)[field] = named(`${preferences[field]}`);
  const entries = Object.entries(operator).map(([use, model]) => [use, named(model)]);
  return { ...choosing, settings: { ...settings, preferences }, operator: Object.fromEntries(entries) };
}

/** Throws unless there is a chat model that this caller may use, and the one that is forced is such a model. */
export async function requireChatModel(
  deps: Pick<Deps, 'models'>,
  caller: Caller,
  models: ModelInfo[],
  forced?: string,
): Promise<void> {
  const chat = chatIds(models);
  if (chat.length === 0) {
    const others = chatIds(await deps.models({ ...caller, allowedModels: [] }));
    if (others.length === 0) throw new AppError('service_not_initialized', 'No chat model is enabled');
    const words = `This key may use ${orchestraModel}, but none of the chat models behind it. Add some to the key's models`;
    throw new AppError('model_not_allowed', `${words}, such as ${others.slice(0, mostNamed).join(', ')}.`, {
      param: 'model',
    });
  }
  if (forced === undefined || chat.includes(forced)) return;
  const param = 'svc_ms.force_model';
  if (!isAllowed(caller, forced))
    throw new AppError('model_not_allowed', `This key may not use the model ${forced}. Add it to the key's models.`, {
      param,
    });
  throw new AppError('model_not_found', `There is no chat model "${forced}"`, { param });
}

const chatIds = (models: ModelInfo[]): string[] => models.filter(({ type }) => type === 'chat').map(({ id }) => id);
