import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { prompt, textOf, toolPrompt, weather } from '../client-tasks.mjs';

const place = z.object({ city: z.string() });

export const langchain = (chat) => ({
  whole: async () => (await chat.invoke(prompt)).text,
  stream: async () => textOf(await chat.stream(prompt), (chunk) => chunk.text),
  tools: async () => {
    const bound = chat.bindTools([tool(weather, { name: 'weather', description: 'Weather', schema: place })]);
    const asked = new HumanMessage(toolPrompt);
    let message;
    for await (const chunk of await bound.stream([asked])) message = message ? message.concat(chunk) : chunk;
    const results = message.tool_calls.map(
      ({ id, name, args }) => new ToolMessage({ tool_call_id: id, name, content: weather(args) }),
    );
    return (await bound.invoke([asked, message, ...results])).text;
  },
  structured: async () => (await chat.withStructuredOutput(place).invoke('Reply in JSON')).city,
});
