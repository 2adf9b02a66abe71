export default {
  'Welcome, {name}': '欢迎，{name}',
  'One address for every model. Here is how to make your first call.':
    '一个地址，调用所有模型。按下面的步骤发起第一次调用。',
  'Add a provider': '添加提供商',
  'Only a key is needed; models and prices are set up for you.': '只需一个密钥，模型和价格会随之就绪。',
  'Add another provider by its address': '通过地址添加其他提供商',
  'Your balance is empty': '余额为零',
  'Paid models refuse your requests until you have credits; free models still answer. <link>Get credits</link>':
    '在获得额度之前，收费模型会拒绝你的请求，免费模型仍可使用。<link>获取额度</link>',
  'Spent today': '今日花费',
  'Requests today': '今日请求',
  'Tokens today': '今日 token',
  'Latest requests': '最近请求',
  'No requests yet': '还没有请求',
  'New requests appear here.': '新的请求会显示在这里。',

  'Available now': '当前可用',
  'Open the playground': '打开操练场',
  '{provider} · {count, plural, one {# model} other {# models}}': '{provider} · {count, plural, other {# 个模型}}',
  '{provider} · circuit open': '{provider} · 已熔断',
  '{provider} · {works} of {count, plural, one {# model} other {# models}}':
    '{provider} · {count, plural, other {# 个模型}}中 {works} 个可用',
  'The built-in simulation is answering': '当前由内置模拟响应',
  'It is not a language model: it runs offline and for free, so you can try every endpoint, streaming and tools right away. Add a provider key below to use real models.':
    '它不是语言模型，而是离线、免费运行的模拟，让你可以立即试用所有接口、流式输出和工具。在下方添加提供商密钥，即可使用真实模型。',
  'It is not a language model: it runs offline and for free, so you can try every endpoint, streaming and tools right away. Ask your administrator to add a provider.':
    '它不是语言模型，而是离线、免费运行的模拟，让你可以立即试用所有接口、流式输出和工具。如需使用真实模型，请联系管理员添加提供商。',
  'No provider is set up yet, so no model can be called. Add one with its key below.':
    '还没有配置提供商，暂时无法调用模型。请在下方用密钥添加一个。',
  'No provider is set up yet, so no model can be called. Ask your administrator to add one.':
    '还没有配置提供商，暂时无法调用模型。请联系管理员添加。',

  'Any OpenAI or Anthropic SDK works: change the base URL and the key.':
    '任何 OpenAI 或 Anthropic SDK 都可使用：只需更改 base URL 和密钥。',
  'First steps': '快速上手',
  'It is inserted into the examples below.': '创建后会自动填入下方示例。',
  'The key was not created': '密钥未创建',
  'Copy your key now and keep it safe. It cannot be shown again.': '请立即复制密钥并妥善保存，之后无法再次查看。',
  'Your API key': '你的 API 密钥',
  'OpenAI base URL': 'OpenAI base URL',
  'Anthropic base URL': 'Anthropic base URL',

  Shortcuts: '快捷入口',
  'Every endpoint, with its fields': '所有接口及其字段',
} as const;
