import { z } from 'zod';
import { answered } from '../../../platform/http/answers.ts';
import { idParams, rangeOf } from '../../../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../../../platform/http/route.ts';
import {
  addProviderModel,
  changeModelsOf,
  changeProviderModel,
  guessType,
  removeProviderModel,
} from '../provider-models.ts';
import { type ProviderModelFields, pageProviderModels } from '../store/provider-models.ts';
import { enabled } from '../store/tables.ts';
import { admin, type CatalogRouteDeps } from './channels.ts';
import { providerModelGiven, viewProviderModel } from './fields.ts';
import {
  answers,
  modelsChange,
  providerModelChange,
  providerModelCreate,
  providerModelQuery,
  providerModelView,
} from './schemas.ts';
import { channelSubject, providerModelSubject } from './subjects.ts';

export function providerModelRoutes(room: CatalogRouteDeps): Route[] {
  const subject = providerModelSubject(room);
  return [
    defineRoute({
      ...admin,
      method: 'get',
      path: '/api/admin/provider-models',
      summary: 'List provider models',
      query: providerModelQuery,
      answers: { 200: answers.providerModels },
      handle: async (call) => {
        const { page, page_size } = call.query;
        const { channel_id: channelId, model_id: modelId, type } = call.query;
        const { models, total } = await pageProviderModels(room.db, { channelId, modelId, type }, rangeOf(call.query));
        return ok(call, { provider_models: models.map(viewProviderModel), total, page, page_size });
      },
    }),
    defineRoute({
      ...admin,
      method: 'post',
      path: '/api/admin/provider-models',
      summary: 'Add a model to a channel, with its price',
      idempotent: true,
      body: providerModelCreate,
      audit: { action: 'provider_model_created', subject, id: (_, answer) => answer?.data.id },
      answers: { 201: answers.providerModel },
      handle: async (call) => {
        const fields = withDefaults(call.body.model_id, call.body.channel_id, providerModelGiven(call.body));
        return ok(call, viewProviderModel(await addProviderModel(room, fields)), 201);
      },
    }),
    defineRoute({
      ...admin,
      method: 'put',
      path: '/api/admin/provider-models/{id}',
      summary: 'Update a provider model; omitted fields stay unchanged',
      params: idParams,
      body: providerModelChange,
      audit: { action: 'provider_model_updated', subject, id: (call) => call.params.id },
      answers: { 200: answers.providerModel },
      handle: async (call) =>
        ok(call, viewProviderModel(await changeProviderModel(room, call.params.id, providerModelGiven(call.body)))),
    }),
    defineRoute({
      ...admin,
      method: 'put',
      path: '/api/admin/channels/{id}/models',
      summary:
        'Set the prices of several models of a channel and enable or disable them; either all changes apply or none',
      params: idParams,
      body: modelsChange,
      audit: {
        action: 'channel_models_updated',
        subject: channelSubject(room),
        id: (call) => call.params.id,
        also: ({ body }) => ({
          models: body.models.length,
          enabled: body.models.filter((model) => model.status === enabled).length,
        }),
      },
      answers: { 200: answered(z.object({ provider_models: z.array(providerModelView) })) },
      handle: async (call) => {
        const changes = call.body.models.map(({ id, ...given }) => ({ ...providerModelGiven(given), id }));
        const models = await changeModelsOf(room, call.params.id, changes);
        return ok(call, { provider_models: models.map(viewProviderModel) });
      },
    }),
    defineRoute({
      ...admin,
      method: 'delete',
      path: '/api/admin/provider-models/{id}',
      summary: 'Delete a provider model',
      params: idParams,
      audit: { action: 'provider_model_deleted', subject, id: (call) => call.params.id },
      answers: { 200: answers.done },
      handle: async (call) => {
        await removeProviderModel(room, call.params.id);
        return ok(call, { id: call.params.id });
      },
    }),
  ];
}

const withDefaults = (
  modelId: string,
  channelId: number,
  given: Partial<ProviderModelFields>,
): ProviderModelFields => ({
  modelName: modelId,
  type: guessType(modelId),
  promptPrice: 0,
  completionPrice: 0,
  requestPrice: 0,
  contextLength: 0,
  maxOutputTokens: 0,
  status: enabled,
  qualityScore: 1,
  capabilities: {},
  ...given,
  modelId,
  channelId,
});
