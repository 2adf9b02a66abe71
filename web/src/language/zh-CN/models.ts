export default {
  'What you can call: prices in dollars per million tokens, from the cheapest provider of each.':
    '你可以调用的模型。价格以美元 / 百万 token 计，取各模型最便宜的提供商。',
  'Models come with the channels that serve them.': '添加渠道后，其提供的模型会出现在这里。',
  'Ask your administrator to add some.': '请联系管理员添加。',
  'Filter models': '筛选模型',
  'Search models': '搜索模型',
  'Name of a model': '模型名称',
  Capability: '能力',
  'Any capability': '不限能力',
  Sort: '排序',

  alias: '别名',
  untyped: '未分类',
  'Price / M tokens': '价格 / 百万 token',
  Can: '能力',
  'Try {id}': '试用 {id}',

  'The model could not be shown': '无法显示该模型',
  "Copy the model's id": '复制模型 ID',
  'Not known': '未知',
  '{count, plural, one {# token} other {# tokens}}': '{count, number} 个 token',
  'Over the last hour': '最近一小时',
  'Asked in this order, where one does not answer.': '按此顺序请求，前一个没有响应时改用下一个。',
  'Dollars per million tokens; of several providers, the cheapest.':
    '以美元 / 百万 token 计；有多个提供商时，取最便宜的。',
  'What it takes': '支持的参数',
  'Nothing besides its input.': '除输入外没有其他参数。',

  Prices: '价格',
  'It asks other models in your place, and each call costs what that model costs.':
    '它会代你调用其他模型，每次调用按所用模型的价格计费。',
  'as {part}': '同{part}',

  'Providers of this model': '由谁提供',
  'Nobody serves it by itself': '没有提供商直接提供该模型',
  'It asks the models that fit each task.': '它会为每个任务调用合适的模型。',
} as const;
