export default {
  'Use your own keys from providers and pay the providers directly.':
    '使用你在提供商处的密钥，费用由你直接支付给提供商。',
  'The team’s own keys at providers. The team’s requests use them first.':
    '团队在提供商处的密钥。团队的请求会优先使用这些密钥。',
  'Your own keys at providers. Your requests use them first.': '你在提供商处的密钥。你的请求会优先使用这些密钥。',
  'Requests with these keys are free here; the provider bills you separately.':
    '使用这些密钥的请求在本服务不收费，由提供商另行收费。',
  'Requests with these keys cost {share} of the model’s price here, plus what the provider bills.':
    '使用这些密钥的请求，本服务按模型价格的 {share} 收费，提供商另行收费。',
  'Own keys are turned off on this service. An administrator can turn them on with the option OwnKeys.':
    '本服务未启用自有密钥。管理员可通过选项 OwnKeys 启用。',
  'No providers to add a key for': '暂无可添加密钥的提供商',
  'A provider is available once one of its channels serves a model. Add a channel first, then add your key here.':
    '提供商需要先有可提供模型的渠道。请先添加渠道，再在此添加你的密钥。',
  'No provider serves models to you. Ask your administrator to connect the provider you have a key for.':
    '目前没有提供商为你提供模型。请联系管理员接入你拥有密钥的提供商。',
  'Open channels': '打开渠道',
  'Add key': '添加密钥',
  'No provider keys': '暂无提供商密钥',
  'No keys can be added at the moment.': '当前无法添加密钥。',
  'Add a key, and the provider bills you directly for these requests.': '添加密钥后，相关请求由提供商直接向你收费。',
  'Models of {name}': '{name} 的模型',
  'The provider serves no models that you can use.': '该提供商没有你可以使用的模型。',
  stored: '已存储',
  'fallback allowed': '允许回退',
  Added: '添加时间',
  'Remove key': '移除密钥',
  'Key removed': '密钥已移除',
  'The key is deleted only here, not at the provider. Requests then use this service’s keys again, at their price.':
    '密钥仅从本服务中删除，在提供商处不受影响。此后请求将重新使用本服务的密钥，并按其价格计费。',
  'Add a provider key': '添加提供商密钥',
  'Choose the provider of the key.': '请选择密钥所属的提供商。',
  'Stored: {hint}. Enter a new key to replace it.': '已存储：{hint}。输入新密钥即可替换。',
  'Stored. Enter a new key to replace it.': '已存储。输入新密钥即可替换。',
  'Fall back to other channels when this key fails': '此密钥无法响应时，允许回退到其他渠道',
  'Fallback requests are charged at full price. When off, only this key is used':
    '回退时按其全价计费。关闭后仅使用此密钥',
} as const;
