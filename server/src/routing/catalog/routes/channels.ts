import { AppError } from '../../../lib/errors.ts';
import { vendors } from '../../../lib/vendors/table.ts';
import { management } from '../../../platform/http/answers.ts';
import { idParams, pageQuery, rangeOf } from '../../../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../../../platform/http/route.ts';
import type { Catalog } from '../catalog.ts';
import {
  addChannel,
  addPresetChannel,
  type CatalogContext,
  type ChannelInput,
  changeChannel,
  channelDefaults,
  getChannel,
  removeChannel,
} from '../channels.ts';
import { viewPresets } from '../presets.ts';
import { pageChannels } from '../store/channels.ts';
import { channelGiven, viewChannel } from './fields.ts';
import { answers, channelChange, channelCreate } from './schemas.ts';
import { channelSubject } from './subjects.ts';

export type CatalogRouteDeps = CatalogContext & { catalog: Pick<Catalog, 'changed' | 'builtInActive' | 'demo'> };

export const admin = { ...management, tag: 'Channels', auth: 'admin' } as const;

export function channelRoutes(room: CatalogRouteDeps): Route[] {
  return [...readRoutes(room), ...writeRoutes(room)];
}

function readRoutes(room: CatalogRouteDeps): Route[] {
  return [
    defineRoute({
      ...admin,
      method: 'get',
      path: '/api/admin/presets',
      summary: 'List the providers that need only a key to be added',
      answers: { 200: answers.presets },
      handle: (call) => ok(call, { presets: viewPresets(vendors) }),
    }),
    defineRoute({
      ...admin,
      method: 'get',
      path: '/api/admin/channels',
      summary: 'List channels',
      query: pageQuery,
      answers: { 200: answers.channels },
      handle: async (call) => {
        const { page, page_size } = call.query;
        const { channels, total } = await pageChannels(room.db, rangeOf(call.query));
        return ok(call, {
          channels: channels.map((channel) => viewChannel(channel, room.sealer)),
          ...{ total, page, page_size },
          built_in: { mode: room.catalog.demo, active: room.catalog.builtInActive() },
        });
      },
    }),
    defineRoute({
      ...admin,
      method: 'get',
      path: '/api/admin/channels/{id}',
      summary: 'Get a channel',
      params: idParams,
      answers: { 200: answers.channel },
      handle: async (call) => ok(call, viewChannel(await getChannel(room, call.params.id), room.sealer)),
    }),
  ];
}

function writeRoutes(room: CatalogRouteDeps): Route[] {
  const subject = channelSubject(room);
  return [
    defineRoute({
      ...admin,
      method: 'post',
      path: '/api/admin/channels',
      summary: 'Create a channel, custom or from a preset',
      idempotent: true,
      body: channelCreate,
      audit: { action: 'channel_created', subject, id: (_, answer) => answer?.data.id },
      answers: { 201: answers.channel },
      handle: async (call) => {
        const { preset, ...fields } = call.body;
        const given = channelGiven(fields);
        const channel =
          preset === undefined ? await addChannel(room, complete(given)) : await addPresetChannel(room, preset, given);
        return ok(call, viewChannel(channel, room.sealer), 201);
      },
    }),
    defineRoute({
      ...admin,
      method: 'put',
      path: '/api/admin/channels/{id}',
      summary:
        'Update a channel; omitted fields stay unchanged, an empty credential is removed. Changing the origin, kind or provider requires the credential again',
      params: idParams,
      body: channelChange,
      audit: { action: 'channel_updated', subject, id: (call) => call.params.id },
      answers: { 200: answers.channel },
      handle: async (call) =>
        ok(call, viewChannel(await changeChannel(room, call.params.id, channelGiven(call.body)), room.sealer)),
    }),
    defineRoute({
      ...admin,
      method: 'delete',
      path: '/api/admin/channels/{id}',
      summary: 'Delete a channel and the models it serves',
      params: idParams,
      audit: { action: 'channel_deleted', subject, id: (call) => call.params.id },
      answers: { 200: answers.done },
      handle: async (call) => {
        await removeChannel(room, call.params.id);
        return ok(call, { id: call.params.id });
      },
    }),
  ];
}

/** The required fields of a channel without a preset; the provider's name defaults to the kind. */
function complete(given: Partial<ChannelInput>): ChannelInput {
  const { name, kind } = given;
  if (name === undefined) throw missing('name');
  if (kind === undefined) throw missing('kind');
  const baseUrl = given.baseUrl ?? (kind === 'demo' ? '' : undefined);
  if (baseUrl === undefined) throw missing('base_url');
  return { ...channelDefaults, provider: kind, ...given, name, kind, baseUrl };
}

const missing = (param: string): AppError =>
  new AppError('missing_required_parameter', `${param}: is required`, { param });
