/** One turn of the Agents SDK. Arguments: address, key, model, message and the previous response. Prints id and answer. */
import { Agent, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents';

const [url, key, model, said, previousResponseId] = process.argv.slice(2);
setTracingDisabled(true);
const runner = new Runner({ modelProvider: new OpenAIProvider({ baseURL: `${url}/v1`, apiKey: key }) });
const { lastResponseId, finalOutput } = await runner.run(
  new Agent({ name: 'chain', model }),
  said,
  previousResponseId ? { previousResponseId } : {},
);
process.stdout.write(`\n${JSON.stringify({ id: lastResponseId, answer: finalOutput })}\n`);
process.exit(0);
