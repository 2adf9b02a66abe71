/** OpenAI's own client, which the clients of other vendors are modelled on. */
import { prompt, textOf, toolPrompt, weather, weatherSchema } from '../client-tasks.mjs';

const messages = [{ role: 'user', content: prompt }];
const tools = [{ type: 'function', function: { name: 'weather', parameters: weatherSchema } }];

export const chat = (client, model) => ({
  whole: async () => (await client.chat.completions.create({ model, messages })).choices[0].message.content,
  stream: async () =>
    textOf(
      await client.chat.completions.create({ model, messages, stream: true }),
      (chunk) => chunk.choices[0]?.delta.content,
    ),
  tools: async () => {
    const asked = [{ role: 'user', content: toolPrompt }];
    const { message } = (await client.chat.completions.create({ model, messages: asked, tools })).choices[0];
    const results = message.tool_calls.map((call) => ({
      role: 'tool',
      tool_call_id: call.id,
      content: weather(JSON.parse(call.function.arguments)),
    }));
    const answer = await client.chat.completions.create({ model, messages: [...asked, message, ...results], tools });
    return answer.choices[0].message.content;
  },
  structured: async () => {
    const json_schema = { name: 'place', strict: true, schema: { ...weatherSchema, additionalProperties: false } };
    const response_format = { type: 'json_schema', json_schema };
    const answer = await client.chat.completions.create({
      model,
      messages: [{ role: 'user', content: 'Reply in JSON' }],
      response_format,
    });
    return JSON.parse(answer.choices[0].message.content).city;
  },
});

export const embeddings = (client) => ({
  embeddings: async () => (await client.embeddings.create({ model: 'demo/embed', input: ['a', 'b'] })).data.length,
});

export const responses = (client, model) => ({
  turns: async () => {
    const first = await client.responses.create({ model, input: prompt });
    const next = await client.responses.create({ model, input: 'Again?', previous_response_id: first.id });
    return next.output_text;
  },
});
