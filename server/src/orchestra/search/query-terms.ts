import { isUnspaced, terms } from './terms.ts';

/**
 * Words of scripts without spaces that only make a text a question or a sentence. They share letter pairs with the
 * words beside them, and few statements contain them: with them, 小红对什么过敏？ would hardly be covered by 小红对花生过敏.
 * Documents keep them, because a pair may also be part of another word.
 */
const fillers = new Set(
  `什么 什么时候 时候 怎么 怎么样 怎样 为什么 哪 哪里 哪儿 哪个 哪些 哪位 多少 几 几点 几号 谁 谁的 吗 呢 吧 啊 的 了 是 在 有 和
  我 我的 我在 我们 你 你的 你们 他 她 它 这 那 这个 那个 请 请问 什麼 什麼時候 時候 怎麼 怎麼樣 怎樣 為什麼 哪裡 哪兒 哪個 幾 幾點
  幾號 誰 誰的 嗎 我們 你們 這 這個 那個 請 請問
  は が を に の で と へ も か な や です ます た だ した ました でした でしょう ください て って てい いる する 何 何で 何時 なに なん
  どこ いつ だれ 誰 どう どの どれ なぜ 私 僕 この その
  อะไร ไหน ที่ไหน เมื่อ ไหร่ เมื่อไหร่ ใคร ทำไม อย่างไร ยังไง เท่าไหร่ ที่ คือ ของ ฉัน ผม จะ ได้ ไว้ ไหม ครับ ค่ะ คะ`.split(/\s+/),
);

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** The terms that are searched for: without the fillers, unless the query consists of nothing else. */
export function queryTerms(text: string): string[] {
  if (!isUnspaced(text)) return terms(text);
  const said = Array.from(segmenter.segment(text), ({ segment }) => (fillers.has(segment) ? ' ' : segment));
  const found = terms(said.join(''));
  return found.length > 0 ? found : terms(text);
}
