export default {
  'Which channel serves which model, under what name, and at what price per million tokens.':
    '各渠道提供哪些模型，以及对应的名称和每百万 token 的价格。',
  'All channels': '所有渠道',
  'Add model': '添加模型',
  'Provider models': '提供商模型',
  'Model saved': '模型已保存',
  'Add a channel first: models and prices of known providers come with it.':
    '请先添加渠道，已知提供商的模型和价格会随之添加。',
  'Enable {name} without a price?': '在未设置价格的情况下启用 {name}？',
  'Enable for free': '免费启用',
  'Everybody who may call it would do so for nothing, and you would pay the provider. Edit the model to set a price.':
    '所有有权调用的人都可免费使用，而提供商的费用由你承担。可编辑该模型来设置价格。',
  'Delete model': '删除模型',
  'This channel no longer serves the model. Other channels that do go on.':
    '该渠道将不再提供此模型，其他提供该模型的渠道不受影响。',

  'upstream: {name}': '上游：{name}',
  'Longest answer: {count} tokens': '最长回答：{count} 个 token',
  '{name} enabled': '启用 {name}',

  'The name callers use': '调用方使用的名称',
  'Upstream name': '上游名称',
  'What the provider calls it; empty: the same': '提供商使用的名称，留空则相同',
  'Prompt, per million tokens': '输入，每百万 token',
  'Completion, per million tokens': '输出，每百万 token',
  'Per {unit}': '按{unit}计费',
  'Context, tokens': '上下文（token）',
  'Longest answer, tokens': '最长回答（token）',
  '0: unknown': '0 表示未知',
  'Quality to start with': '初始质量分',
  '0 to 1': '0 到 1',
  'Without a price it is free for everybody who may call it.': '未设置价格时，所有有权调用的人都可免费使用。',
  'The model was not saved': '模型未保存',
  'A name without spaces, like vendor/model.': '名称不能包含空格，例如 vendor/model。',
  'No spaces.': '不能包含空格。',
  'Choose who serves it.': '请选择提供该模型的渠道。',

  'Caches, reasoning, sound, searches and long prompts': '缓存、推理、音频、搜索与长提示词',
  'Dollars per million tokens, where the provider prices them apart.':
    '单位为美元 / 百万 token，适用于提供商单独定价的部分。',
  'Written for an hour': '缓存写入（1 小时）',
  'as prompt': '与输入相同',
  'as completion': '与输出相同',
  'none are run': '不执行搜索',
  'Long prompts': '长提示词',
  'Prompts above': '提示词超过',
  'Add prices of long prompts': '添加长提示词价格',
  'Long prompts need a size, and prices of prompt and completion.': '请填写长提示词的长度，以及输入和输出价格。',
  'Each size must be larger than the one before.': '每一档的长度必须大于前一档。',
} as const;
