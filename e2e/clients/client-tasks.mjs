/** Tasks for the clients and the expected results; a client's file in sdk/ says how it performs them. */
export const prompt = 'hi';
export const toolPrompt = 'What is the weather in Paris?';
export const weather = ({ city }) => `sunny in ${city}`;
export const weatherSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

export const asks = {
  whole: { means: 'an answer without streaming', expected: 'Hello, world' },
  stream: { means: 'a streamed answer', expected: 'Hello, world' },
  tools: { means: 'a tool call, its result, and the answer to it', expected: 'It is sunny.' },
  structured: { means: 'an object that matches a schema', expected: 'Paris' },
  turns: { means: 'a second turn that refers to the first by id only', expected: 'Hello again' },
  embeddings: { means: 'vectors for texts', expected: 2 },
  rerank: { means: 'documents ranked by relevance', expected: 2 },
};

export const textOf = async (stream, pick) => {
  let text = '';
  for await (const piece of stream) text += pick(piece) ?? '';
  return text;
};
