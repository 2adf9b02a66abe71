/** Kept responses, conversations, sessions, runs and knowledge. */
import { chat, form, type Thing } from './thing.ts';

export const ofAnswers: Thing[] = [
  {
    name: 'response',
    make: (who) => who.ids('key POST /v1/responses', { model: 'demo/chat', input: 'hi' }, { response: 'id' }),
    acts: [
      ['key GET /v1/responses/{response}'],
      ['key GET /v1/responses/{response}/input_items'],
      [
        'key POST /v1/responses',
        ({ response }) => ({ model: 'demo/chat', input: 'more', previous_response_id: response }),
      ],
      [
        'key POST /v1/responses',
        ({ response }) => ({ model: 'demo/chat', input: 'more', stream: true, previous_response_id: response }),
      ],
      ['key POST /v1/responses/compact', ({ response }) => ({ model: 'demo/chat', previous_response_id: response })],
    ],
    ends: [['key DELETE /v1/responses/{response}'], ['DELETE /api/user/self/kept/responses', undefined, 'again']],
  },
  {
    name: 'background response',
    make: (who) =>
      who.ids(
        'key POST /v1/responses',
        { model: 'demo/chat', input: 'hi', background: true, store: true },
        { response: 'id' },
      ),
    acts: [
      ['key POST /v1/responses/{response}/cancel'],
      ['key GET /v1/responses/{response}'],
      ['key GET /v1/responses/{response}?stream=true'],
      ['key GET /v1/responses/{response}/input_items'],
      [
        'key POST /v1/responses',
        ({ response }) => ({ model: 'demo/chat', input: 'more', previous_response_id: response }),
      ],
    ],
    ends: [['key DELETE /v1/responses/{response}']],
  },
  {
    name: 'conversation',
    make: async (who) => {
      const items = [{ id: `msg_${crypto.randomUUID().slice(0, 8)}`, type: 'message', role: 'user', content: 'hi' }];
      return {
        ...(await who.ids('key POST /v1/conversations', { items }, { conversation: 'id' })),
        item: items[0]!.id,
      };
    },
    acts: [
      ['key POST /v1/conversations/{conversation}', { metadata: { a: 'b' } }],
      [
        'key POST /v1/conversations/{conversation}/items',
        { items: [{ type: 'message', role: 'user', content: 'ho' }] },
      ],
      ['key GET /v1/conversations/{conversation}/items'],
      ['key POST /v1/responses', ({ conversation }) => ({ model: 'demo/chat', input: 'more', conversation })],
    ],
    ends: [
      ['key DELETE /v1/conversations/{conversation}'],
      ['key DELETE /v1/conversations/{conversation}/items/{item}'],
    ],
  },
  {
    name: 'session of svc-ms',
    make: async (who) => {
      const session = `s-${crypto.randomUUID()}`;
      await who.ids('key POST /api/svc-ms/sessions', { session_id: session }, {});
      return { session };
    },
    acts: [
      ['key POST /api/svc-ms/sessions', ({ session }) => ({ session_id: session })],
      [
        'key POST /api/svc-ms/autonomous/execute',
        ({ session }) => ({ session_id: session, message: 'tea', stream_events: false, config: { max_iterations: 1 } }),
        'once',
      ],
      ['key POST /api/svc-ms/autonomous/cancel', ({ session }) => ({ session_id: session })],
      ['key GET /api/svc-ms/autonomous/{session}/status'],
      ['key POST /v1/chat/completions', ({ session }) => ({ ...chat, model: 'svc/svc-ms', session_id: session })],
    ],
    ends: [['key DELETE /api/svc-ms/sessions/{session}']],
  },
  {
    name: 'ended run',
    make: async (who) => {
      const session = `s-${crypto.randomUUID()}`;
      await who.ids(
        'key POST /api/svc-ms/autonomous/execute',
        { session_id: session, message: 'tea', stream_events: false, config: { max_iterations: 1 } },
        {},
      );
      await Bun.sleep(400);
      return { session };
    },
    acts: [
      ['key POST /api/svc-ms/autonomous/cancel', ({ session }) => ({ session_id: session })],
      ['key GET /api/svc-ms/autonomous/{session}/status'],
      ['key GET /api/svc-ms/autonomous/{session}/events'],
      ['key GET /api/svc-ms/autonomous/{session}/timeline'],
      [
        'key POST /api/svc-ms/autonomous/execute',
        ({ session }) => ({
          session_id: session,
          message: 'more',
          stream_events: false,
          config: { max_iterations: 1 },
        }),
      ],
      [
        'key POST /api/svc-ms/autonomous/execute',
        ({ session }) => ({ session_id: session, message: 'more', stream_events: true, config: { max_iterations: 1 } }),
      ],
    ],
    ends: [['key DELETE /api/svc-ms/sessions/{session}']],
  },
  {
    name: 'knowledge',
    make: async (who) => ({
      ...(await who.ids(
        'POST /api/svc-ms/knowledge',
        { category: 'fact', title: 'A', content: 'It is known.' },
        { fact: 'id' },
      )),
      ...(await who.ids(
        'key POST /api/svc-ms/knowledge/import',
        form({ file: new File([`It is ${Math.random()}.`], 'a.txt') }),
        { source: 'files.0.source.id' },
      )),
    }),
    acts: [
      ['PUT /api/svc-ms/knowledge/{fact}', { content: 'It is not.' }],
      ['POST /api/svc-ms/knowledge', { category: 'fact', title: 'A', content: 'It is known.' }],
      ['key POST /api/svc-ms/knowledge/import', () => form({ file: new File(['It is the same.'], 'b.txt') })],
      ['GET /api/svc-ms/knowledge/sources/{source}'],
    ],
    ends: [
      ['DELETE /api/svc-ms/knowledge/{fact}'],
      ['DELETE /api/svc-ms/knowledge/sources/{source}', undefined, 'again'],
    ],
  },
];
