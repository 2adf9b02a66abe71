/** The model vendor of the benchmarks: answers immediately, complete or as a stream of 60 events. */
const answer = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'bench-model',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Hello to everybody who reads this!' }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 31, completion_tokens: 8, total_tokens: 39 },
});
const chunk = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'bench-model', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const usage = `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'bench-model', choices: [], usage: { prompt_tokens: 31, completion_tokens: 58, total_tokens: 89 } })}\n\n`;
const encoder = new TextEncoder();
const word = encoder.encode(chunk({ content: 'word ' }, null));
const head = encoder.encode(chunk({ role: 'assistant', content: '' }, null));
const tail = encoder.encode(`${chunk({}, 'stop')}${usage}data: [DONE]\n\n`);
const everyMs = Number(process.env.EVENT_MS ?? 20);

function events(): ReadableStream {
  let timer: Timer;
  let sent = 0;
  return new ReadableStream({
    start(controller) {
      controller.enqueue(head);
      timer = setInterval(() => {
        sent += 1;
        if (sent < 58) return controller.enqueue(word);
        clearInterval(timer);
        controller.enqueue(tail);
        controller.close();
      }, everyMs);
    },
    cancel: () => clearInterval(timer),
  });
}

Bun.serve({
  port: Number(process.env.PORT),
  hostname: '127.0.0.1',
  idleTimeout: 0,
  fetch: async (request) => {
    if (request.method === 'GET') return new Response('ok');
    const body = await request.text();
    if (body.includes('"stream":true'))
      return new Response(events(), { headers: { 'content-type': 'text/event-stream' } });
    return new Response(answer, { headers: { 'content-type': 'application/json' } });
  },
});
