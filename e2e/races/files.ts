/** Files, uploads, batches and videos. */
import { chat, form, type Thing } from './thing.ts';

const lines = JSON.stringify({ custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: chat });
const fileForm = () => form({ purpose: 'batch', file: new File([lines], 'lines.jsonl') });

export const ofFiles: Thing[] = [
  {
    name: 'upload',
    make: async (who) => {
      const made = await who.ids(
        'key POST /v1/uploads',
        { bytes: 1, filename: 'a', mime_type: 'text/plain', purpose: 'user_data' },
        { upload: 'id' },
      );
      const part = await who.ids(
        'key POST /v1/uploads/{upload}/parts',
        form({ data: new File(['a'], 'a') }),
        { part: 'id' },
        made,
      );
      const open = await who.ids(
        'key POST /v1/uploads',
        { bytes: 9, filename: 'a', mime_type: 'text/plain', purpose: 'user_data' },
        { open: 'id' },
      );
      return { ...made, ...part, ...open };
    },
    acts: [
      ['key POST /v1/uploads/{open}/parts', () => form({ data: new File(['a'], 'a') })],
      ['key POST /v1/uploads/{upload}/complete', ({ part }) => ({ part_ids: [part] })],
    ],
    ends: [
      ['key POST /v1/uploads/{upload}/cancel', undefined, 'again'],
      ['key POST /v1/uploads/{open}/cancel', undefined, 'again'],
    ],
  },
  {
    name: 'file',
    make: (who) => who.ids('key POST /v1/files', fileForm(), { file: 'id' }),
    acts: [
      ['key GET /v1/files/{file}/content'],
      [
        'key POST /v1/batches',
        ({ file }) => ({ input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' }),
      ],
      [
        'key POST /v1/messages',
        ({ file }) => ({
          ...chat,
          messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: file } }] }],
        }),
      ],
    ],
    ends: [['key DELETE /v1/files/{file}'], ['key DELETE /v1/anthropic/files/{file}']],
  },
  {
    name: 'batch',
    make: async (who) => {
      const file = await who.ids('key POST /v1/files', fileForm(), { file: 'id' });
      const body = { input_file_id: file.file, endpoint: '/v1/chat/completions', completion_window: '24h' };
      return { ...file, ...(await who.ids('key POST /v1/batches', body, { batch: 'id' })) };
    },
    acts: [['key DELETE /v1/files/{file}'], ['key POST /v1/batches/{batch}/cancel'], ['key GET /v1/batches/{batch}']],
    ends: [],
  },
  {
    name: 'batch of messages',
    make: (who) =>
      who.ids('key POST /v1/messages/batches', { requests: [{ custom_id: 'a', params: chat }] }, { batch: 'id' }),
    acts: [
      ['key DELETE /v1/messages/batches/{batch}'],
      ['key POST /v1/messages/batches/{batch}/cancel'],
      ['key GET /v1/messages/batches/{batch}/results'],
    ],
    ends: [],
  },
  {
    name: 'ended batch',
    make: async (who) => {
      const made = await who.ids(
        'key POST /v1/messages/batches',
        { requests: [{ custom_id: 'a', params: chat }] },
        { batch: 'id' },
      );
      for (let i = 0; i < 100; i++) {
        const { status } = await who.ids(
          'key GET /v1/messages/batches/{batch}',
          undefined,
          { status: 'processing_status' },
          made,
        );
        if (status === 'ended') return made;
        await Bun.sleep(50);
      }
      throw new Error('slow batch');
    },
    acts: [
      ['key POST /v1/messages/batches/{batch}/cancel'],
      ['key GET /v1/messages/batches/{batch}/results'],
      ['key GET /v1/messages/batches'],
    ],
    ends: [['key DELETE /v1/messages/batches/{batch}']],
  },
  {
    name: 'video',
    make: (who) => who.ids('key POST /v1/videos', { model: 'demo/video', prompt: 'waves' }, { video: 'id' }),
    acts: [['key GET /v1/videos/{video}'], ['key GET /v1/videos/{video}/content']],
    ends: [['key DELETE /v1/videos/{video}', undefined, 'again']],
  },
];
