export default {
  'Models served by each channel, with their names and prices per million tokens.':
    '各渠道提供哪些模型，以及对应的名称和每百万 token 的价格。',
  'All channels': '所有渠道',
  'Add model': '添加模型',
  'Provider models': '提供商模型',
  'Model saved': '模型已保存',
  'Add a channel first. Models and prices of known providers are added with it.':
    '请先添加渠道，已知提供商的模型和价格会随之添加。',
  'Enable {name} without a price?': '在未设置价格的情况下启用 {name}？',
  'Enable for free': '免费启用',
  'Everyone with access could call it for free while you pay the provider. Edit the model to set a price.':
    '所有有权调用的人都可免费使用，而提供商的费用由你承担。可编辑该模型来设置价格。',
  'Delete model': '删除模型',
  'This channel will no longer serve the model. Other channels that serve it are not affected.':
    '该渠道将不再提供此模型，其他提供该模型的渠道不受影响。',

  'upstream: {name}': '上游：{name}',
  'Maximum output: {count} tokens': '最长回答：{count} 个 token',
  '{name} enabled': '启用 {name}',

  'The name callers use': '调用方使用的名称',
  'Upstream name': '上游名称',
  'The provider’s name for it; leave empty if it is the same': '提供商使用的名称，留空则相同',
  'Prompt, per million tokens': '输入，每百万 token',
  'Completion, per million tokens': '输出，每百万 token',
  'Per {unit}': '按{unit}计费',
  'Context, tokens': '上下文（token）',
  'Maximum output, tokens': '最长回答（token）',
  '0: unknown': '0 表示未知',
  'Initial quality score': '初始质量分',
  '0 to 1': '0 到 1',
  'Without a price, the model is free for everyone with access.': '未设置价格时，所有有权调用的人都可免费使用。',
  'The model was not saved': '模型未保存',
  'Enter a name without spaces, for example vendor/model.': '名称不能包含空格，例如 vendor/model。',
  'Spaces are not allowed.': '不能包含空格。',
  'Choose a channel.': '请选择提供该模型的渠道。',

  'Caching, reasoning, audio, search and long prompts': '缓存、推理、音频、搜索与长提示词',
  'In dollars per million tokens, if the provider prices them separately.':
    '单位为美元 / 百万 token，适用于提供商单独定价的部分。',
  'Written to cache (1 hour)': '缓存写入（1 小时）',
  'same as prompt': '与输入相同',
  'same as completion': '与输出相同',
  'no searches': '不执行搜索',
  'Long prompts': '长提示词',
  'Prompts above': '提示词超过',
  'Add long prompt prices': '添加长提示词价格',
  'Enter a size, a prompt price and a completion price for long prompts.': '请填写长提示词的长度，以及输入和输出价格。',
  'Each size must be larger than the previous one.': '每一档的长度必须大于前一档。',
} as const;
