export default {
  'A channel is one address of a provider and the credentials used to call it.':
    '一个渠道对应提供商的一个地址，以及访问该地址所用的凭据。',
  'Add channel': '添加渠道',
  'The built-in simulation is answering requests because no other enabled channel serves a model. It stops automatically when one does.':
    '当前由内置模拟响应请求，因为没有其他已启用的渠道提供模型。一旦有渠道可用，内置模拟会自动退出。',
  'The built-in simulation is answering requests.': '当前由内置模拟响应请求。',
  'No channels yet': '还没有渠道',
  'Add a provider with just its API key, or any OpenAI-compatible server by its address.':
    '只需密钥即可添加提供商，也可以通过地址添加任何兼容 OpenAI 的服务器。',
  'Channel saved': '渠道已保存',
  'Enable {name} anyway?': '仍要启用 {name} 吗？',
  'Enable anyway': '仍要启用',
  'Test failed: {error}': '测试失败：{error}',
  'Requests sent to this channel would fail too.': '发往该渠道的请求也会失败。',
  'Delete channel': '删除渠道',
  'Its credentials and models are deleted too. Requests go to other channels that serve the same models, if any.':
    '该渠道的凭据及其提供的模型会一并删除。如果其他渠道提供相同的模型，请求会转到那些渠道。',

  'in process': '进程内',
  'No key': '无密钥',
  'Key stored': '密钥已存储',
  'Key {hint}': '密钥 {hint}',
  'Priority, weight': '优先级、权重',
  'Sync models': '同步模型',
  'Models and prices': '模型与价格',
  '{name}: {added, plural, one {# model} other {# models}} added, {kept} already present{missing, plural, =0 {} other {, # no longer listed by the provider}}{unpriced, plural, =0 {} other {, # of the new models disabled until priced (see Models)}}.':
    '{name}：新增 {added, plural, other {# 个模型}}，{kept} 个已存在{missing, plural, =0 {} other {，# 个已不在提供商的列表中}}{unpriced, plural, =0 {} other {，新增模型中有 # 个在设置价格前保持停用（见“模型”页面）}}。',

  'Known provider': '已知提供商',
  Custom: '自定义',
  'OpenAI-compatible': '兼容 OpenAI',
  'A complete service account key file, or an API key. Stored encrypted, never shown again':
    '服务账号的密钥文件（完整粘贴），或 API 密钥。加密存储，之后不再显示',
  'A Bedrock API key, or an access key in the form ID:secret. Stored encrypted, never shown again':
    'Bedrock 的 API 密钥，或访问密钥：ID、冒号、密钥。加密存储，之后不再显示',
  'Base URL': '基础 URL',
  Credential: '凭据',
  Stored: '已存储',
  'Stored: {hint}': '已存储：{hint}',
  'Enter the credential again: the stored one is not sent to a new address, kind or provider':
    '地址、类型或提供商已更改：请重新输入凭据，已存储的凭据不会发送到新地址',
  Weight: '权重',
  Timeout: '超时时间',
  'Models without their own price': '未单独定价的模型',
  'Names are passed on unchanged; free for everyone unless the DefaultModelPrice option sets a price':
    '名称原样传给上游；除非选项 DefaultModelPrice 另有设置，否则对所有人免费',
  'The channel was not saved': '渠道未保存',
  'Use lower-case letters, digits and . _ -': '请使用小写字母、数字和 . _ -',
  'Enter the credential again for the new address, kind or provider.': '地址、类型或提供商已更改，请重新输入凭据。',

  'Credentials of {name}': '{name} 的凭据',
  'Credentials could not be loaded': '无法加载凭据',
  'Requests are distributed by weight. A conversation stays with one credential to benefit from its cache. If a credential is refused or at its limit, the next one is tried.':
    '请求按权重分配给各个凭据；同一对话固定使用一个凭据，以便利用其缓存；某个凭据被拒绝或达到限额时，改用下一个。',
  'No credentials': '没有凭据',
  'Requests to the upstream are sent without a credential.': '访问上游时不使用凭据。',
  'Add credential': '添加凭据',
  'Add a credential': '添加凭据',
  'Credential saved': '凭据已保存',
  'The credential was not saved': '凭据未保存',
  'Remove credential': '移除凭据',
  'Credential removed': '凭据已移除',
  'The key is deleted here and stays unchanged at the provider. It is the only credential: requests to the upstream will be sent without one.':
    '密钥仅从本服务中删除，在提供商处不受影响。这是唯一的凭据，移除后访问上游时将不使用凭据。',
  'The key is deleted here and stays unchanged at the provider.': '密钥仅从本服务中删除，在提供商处不受影响。',
  'Share of requests relative to the other credentials': '决定其相对于其他凭据的请求份额',
  'Dollars per day': '每天金额（美元）',
  'Enter a number of 0 or more.': '请输入不小于 0 的数字。',
  'Enter at least 1, or leave empty for no limit.': '至少为 1，留空表示不限。',
  'Enter more than 0, or leave empty for no limit.': '须大于 0，留空表示不限。',

  'Circuit open for {open} of {all, plural, one {# model} other {# models}}':
    '{all, number} 个模型中有 {open} 个已熔断',
  'Being tested again': '正在重新探测',
  'Circuit closed': '未熔断',
  'At its limit': '已达限额',
  'The channel’s own': '渠道自带',
  '{key} · weight {weight}': '{key} · 权重 {weight}',
  '{amount} per day': '每天 {amount}',
  ', ##between limits': '，',
  'At most {limits}': '上限：{limits}',
  'Measured together with its channel; see Health': '随渠道一并统计，见“健康状况”页面',
  'Today: {requests, plural, one {# request} other {# requests}}, {failures} failed, {tokens, plural, one {# token} other {# tokens}}, {spent}':
    '今天：{requests, number} 个请求，{failures} 个失败，{tokens, number} 个 token，{spent}',
} as const;
