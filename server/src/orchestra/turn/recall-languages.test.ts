import { expect, test } from 'bun:test';
import { scriptedModels, stage } from '../scripted.fixture.ts';

/*
 * Statements and questions that have words in common, found by words alone at the default threshold, in languages with
 * and without spaces between words. Nothing else is found with them.
 */
const talks: Record<string, { said: string[]; facts: [string, string][] }> = {
  English: {
    said: ['Tell me a joke.', 'How do I sort a list in Python?', 'Why is the sky blue?'],
    facts: [
      ['My sister Anna is allergic to peanuts.', 'What is Anna allergic to?'],
      ['I parked the car on level 4, row C.', 'Where did I park the car?'],
      ['The project deadline moved to next Friday.', 'When is the project deadline?'],
    ],
  },
  Chinese: {
    said: ['讲个笑话。', '怎么用Python排序列表？', '为什么天空是蓝色的？', '这个周末有什么好看的电影？'],
    facts: [
      ['我妹妹小红对花生过敏。', '小红对什么过敏？'],
      ['我把车停在四楼C排。', '我的车停在哪里了？'],
      ['我五月十二号飞里斯本。', '我什么时候去里斯本？'],
      ['小屋的无线密码是bluebird77。', '小屋的无线网密码是多少？'],
      ['我老婆喜欢百合花，不喜欢玫瑰。', '我老婆喜欢什么花？'],
    ],
  },
  Japanese: {
    said: ['冗談を言ってください。', 'Pythonでリストを並べ替えるには？', '空はなぜ青いのですか？'],
    facts: [
      ['飼い猫の名前はミケで、三歳です。', '飼っている猫の名前は何でしたか？'],
      ['妻はユリの花が好きです。', '妻の好きな花は何ですか？'],
      ['車は4階のC列に停めました。', '車はどこに停めましたか？'],
    ],
  },
  Korean: {
    said: ['농담 하나 해줘.', '파이썬에서 리스트를 정렬하려면?', '하늘은 왜 파란가요?'],
    facts: [
      ['내 여동생 안나는 땅콩 알레르기가 있어요.', '안나는 무슨 알레르기가 있나요?'],
      ['오두막 와이파이 비밀번호는 bluebird77이야.', '오두막의 와이파이 비밀번호가 뭐였지?'],
    ],
  },
  Thai: {
    said: ['เล่าเรื่องตลกให้ฟังหน่อย', 'จะเรียงลำดับลิสต์ในไพทอนอย่างไร', 'ทำไมท้องฟ้าถึงเป็นสีฟ้า'],
    facts: [
      ['น้องสาวของฉันชื่อแอนนาแพ้ถั่วลิสง', 'แอนนาแพ้อะไร'],
      ['แมวของฉันชื่อมะลิ', 'แมวของฉันชื่ออะไร'],
    ],
  },
};

test.each(Object.entries(talks))(
  '%s: a question finds the statement that answers it',
  async (_name, { said, facts }) => {
    const s = await stage(() => 'ok', { models: () => scriptedModels.filter(({ type }) => type === 'chat') });
    const force = { force_model: 'v/small' };
    for (const [i, [fact]] of facts.entries()) {
      for (const text of [said[i % said.length]!, fact]) await s.ask(text, { session_id: `said-${i}`, ...force });
    }
    await s.settled();
    for (const [i, [fact, asked]] of facts.entries()) {
      await s.ask(asked, { session_id: `asked-${i}`, use_vector_search: true, remember: false, ...force });
      const told = JSON.stringify(s.calls.at(-1)!.messages);
      for (const [other] of facts) expect([asked, other, told.includes(other)]).toEqual([asked, other, other === fact]);
    }
    await s.close();
  },
);
