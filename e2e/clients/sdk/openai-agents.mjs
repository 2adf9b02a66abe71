import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents';
import { z } from 'zod';
import { prompt, textOf, toolPrompt, weather } from '../client-tasks.mjs';

// Its traces go to OpenAI, where our key is not valid.
setTracingDisabled(true);

export default ({ url, key, model }) => {
  const runner = new Runner({ modelProvider: new OpenAIProvider({ baseURL: `${url}/v1`, apiKey: key }) });
  const parameters = z.object({ city: z.string() });
  const plain = new Agent({ name: 'plain', model });
  const tools = [tool({ name: 'weather', description: 'Weather', parameters, execute: weather })];
  return {
    whole: async () => (await runner.run(plain, prompt)).finalOutput,
    stream: async () => textOf((await runner.run(plain, prompt, { stream: true })).toTextStream(), (text) => text),
    tools: async () => (await runner.run(new Agent({ name: 'tools', model, tools }), toolPrompt)).finalOutput,
    structured: async () =>
      (await runner.run(new Agent({ name: 'typed', model, outputType: parameters }), 'Reply in JSON')).finalOutput.city,
    turns: async () => {
      const { lastResponseId } = await runner.run(plain, prompt);
      return (await runner.run(plain, 'Again?', { previousResponseId: lastResponseId })).finalOutput;
    },
  };
};
