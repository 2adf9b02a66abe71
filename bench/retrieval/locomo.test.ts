import { expect, test } from 'bun:test';
import { samplesOf } from './locomo.ts';

const said = (id: string, speaker: string, text: string) => ({ dia_id: id, speaker, text });
const asked = (question: string, category: number, evidence: string[]) => ({ question, category, evidence });

test('reads conversations, four kinds of questions and their evidence as published', () => {
  const conversation = {
    speaker_a: 'Ana',
    speaker_b: 'Ben',
    session_1_date_time: '1:56 pm on 8 May, 2023',
    session_1: [said('D1:1', 'Ana', 'Hello'), { ...said('D1:2', 'Ben', 'Look'), blip_caption: 'a photo of a boat' }],
    // Some sessions have a date but no messages.
    session_2_date_time: '9:00 am on 1 June, 2023',
    session_3_date_time: '12:09 am on 3 June, 2023',
    session_3: [said('D3:1', 'Ben', 'Again')],
  };
  const qa = [
    asked('Who?', 4, ['D1:1']),
    asked('Both?', 1, ['D1:2; D3:01', 'D:1:1', 'D1:1']),
    asked('When?', 2, ['D']),
    asked('Never said?', 5, ['D1:1']),
  ];
  const [sample] = samplesOf([{ sample_id: 'conv-1', conversation, qa }]);
  expect(sample!.sessions.map((session) => session.map(({ role, text }) => `${role} ${text}`))).toEqual([
    ['user Ana: Hello', 'assistant Ben: Look [shares a photo of a boat]'],
    ['assistant Ben: Again'],
  ]);
  expect(sample!.sessions[1]![0]!.at).toBe(Date.UTC(2023, 5, 3, 0, 9));
  expect(sample!.questions).toEqual([
    { kind: 'one fact', text: 'Who?', evidence: [[0, 0]] },
    {
      kind: 'several facts',
      text: 'Both?',
      evidence: [
        [0, 1],
        [1, 0],
        [0, 0],
      ],
    },
  ]);
  expect(sample!.unusable).toBe(1);
});
