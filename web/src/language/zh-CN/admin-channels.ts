export default {
  'A channel is one address of one provider, with the credentials that it is asked with.':
    '一个渠道对应提供商的一个地址，以及访问该地址所用的凭据。',
  'Add channel': '添加渠道',
  'The built-in simulation is answering because no other channel that is enabled serves a model. It steps back when one does.':
    '当前由内置模拟响应请求，因为没有其他已启用的渠道提供模型。一旦有渠道可用，内置模拟会自动退出。',
  'The built-in simulation is answering.': '当前由内置模拟响应请求。',
  'No channels yet': '还没有渠道',
  'Add a provider with nothing but its key, or any OpenAI-compatible server by its address.':
    '只需密钥即可添加提供商，也可以通过地址添加任何兼容 OpenAI 的服务器。',
  'Channel saved': '渠道已保存',
  'Enable {name} all the same?': '仍要启用 {name} 吗？',
  'Enable all the same': '仍要启用',
  'Its test failed: {error}': '测试失败：{error}',
  'Requests that are sent there would fail as well.': '发往该渠道的请求也会失败。',
  'Delete channel': '删除渠道',
  'Its credentials and the models it serves are deleted with it. Requests go to other channels, if any serve the same models.':
    '该渠道的凭据及其提供的模型会一并删除。如果其他渠道提供相同的模型，请求会转到那些渠道。',

  'in process': '进程内',
  'No key': '无密钥',
  'Key stored': '密钥已存储',
  'Key {hint}': '密钥 {hint}',
  'Priority, weight': '优先级、权重',
  'Sync models': '同步模型',
  'Models and prices': '模型与价格',
  '{name}: {added, plural, one {# model} other {# models}} added, {kept} known already{missing, plural, =0 {} other {, # no longer listed there}}{unpriced, plural, =0 {} other {, # of the new ones stay disabled until they have a price (see Models)}}.':
    '{name}：新增 {added, plural, other {# 个模型}}，{kept} 个已存在{missing, plural, =0 {} other {，# 个已不在提供商的列表中}}{unpriced, plural, =0 {} other {，新增模型中有 # 个在设置价格前保持停用（见“模型”页面）}}。',

  'Known provider': '已知提供商',
  Custom: '自定义',
  'OpenAI-compatible': '兼容 OpenAI',
  'The key file of a service account, pasted whole, or an API key. Stored encrypted, never shown again':
    '服务账号的密钥文件（完整粘贴），或 API 密钥。加密存储，之后不再显示',
  'An API key of Bedrock, or an access key: its id, a colon and its secret. Stored encrypted, never shown again':
    'Bedrock 的 API 密钥，或访问密钥：ID、冒号、密钥。加密存储，之后不再显示',
  'Base URL': '基础 URL',
  Credential: '凭据',
  Stored: '已存储',
  'Stored: {hint}': '已存储：{hint}',
  'The address, kind or provider changes: enter the credential again, the stored one is not sent there':
    '地址、类型或提供商已更改：请重新输入凭据，已存储的凭据不会发送到新地址',
  Weight: '权重',
  Timeout: '超时时间',
  'Models without a price of their own': '未单独定价的模型',
  'Names passed on as they are, free for everybody unless the option DefaultModelPrice says otherwise':
    '名称原样传给上游；除非选项 DefaultModelPrice 另有设置，否则对所有人免费',
  'The channel was not saved': '渠道未保存',
  'Use lower-case letters, digits and . _ -': '请使用小写字母、数字和 . _ -',
  'Enter the credential again for the new address, kind or provider.': '地址、类型或提供商已更改，请重新输入凭据。',

  'Credentials of {name}': '{name} 的凭据',
  'Credentials could not be loaded': '无法加载凭据',
  'Requests are shared among them by weight, conversations stay with one for the sake of its cache, and where one is refused or at its limit the next is tried.':
    '请求按权重分配给各个凭据；同一对话固定使用一个凭据，以便利用其缓存；某个凭据被拒绝或达到限额时，改用下一个。',
  'No credentials': '没有凭据',
  'The upstream is asked without any.': '访问上游时不使用凭据。',
  'Add credential': '添加凭据',
  'Add a credential': '添加凭据',
  'Credential saved': '凭据已保存',
  'The credential was not saved': '凭据未保存',
  'Remove credential': '移除凭据',
  'Credential removed': '凭据已移除',
  'The key is deleted here; at the provider it stays what it is. It is the only one: the upstream is then asked without any.':
    '密钥仅从本服务中删除，在提供商处不受影响。这是唯一的凭据，移除后访问上游时将不使用凭据。',
  'The key is deleted here; at the provider it stays what it is.': '密钥仅从本服务中删除，在提供商处不受影响。',
  'Its share of requests beside the others': '决定其相对于其他凭据的请求份额',
  'Dollars a day': '每天金额（美元）',
  'A number of 0 or more.': '请输入不小于 0 的数字。',
  'At least 1, or nothing for no limit.': '至少为 1，留空表示不限。',
  'More than 0, or nothing for no limit.': '须大于 0，留空表示不限。',

  'Circuit open for {open} of {all, plural, one {# model} other {# models}}':
    '{all, number} 个模型中有 {open} 个已熔断',
  'Being tested again': '正在重新探测',
  'Circuit closed': '未熔断',
  'At its limit': '已达限额',
  'The channel’s own': '渠道自带',
  '{key} · weight {weight}': '{key} · 权重 {weight}',
  '{amount} a day': '每天 {amount}',
  ', ##between limits': '，',
  'At most {limits}': '上限：{limits}',
  'Measured with its channel: see Health': '随渠道一并统计，见“健康状况”页面',
  'Today: {requests, plural, one {# request} other {# requests}}, {failures} failed, {tokens, plural, one {# token} other {# tokens}}, {spent}':
    '今天：{requests, number} 个请求，{failures} 个失败，{tokens, number} 个 token，{spent}',
} as const;
