export default {
  'Bring the keys that you have at providers, and pay them yourself.':
    '使用你在提供商处的密钥，费用由你直接支付给提供商。',
  'Keys that the team has at providers. Requests for the team go out with them first.':
    '团队在提供商处的密钥。团队的请求会优先使用这些密钥。',
  'Keys that you have at providers yourself. Your requests go out with them first.':
    '你在提供商处的密钥。你的请求会优先使用这些密钥。',
  'Requests with them cost nothing here: the provider sends its own bill.':
    '使用这些密钥的请求在本服务不收费，由提供商另行收费。',
  'Requests with them cost {share} of the model’s price here, and what the provider bills.':
    '使用这些密钥的请求，本服务按模型价格的 {share} 收费，提供商另行收费。',
  'Keys of your own are not in use on this service. An administrator allows them by the option OwnKeys.':
    '本服务未启用自有密钥。管理员可通过选项 OwnKeys 启用。',
  'There is no provider yet to add a key for': '暂无可添加密钥的提供商',
  'A provider is one once a channel of it serves a model. Add a channel, then bring your key for it here.':
    '提供商需要先有可提供模型的渠道。请先添加渠道，再在此添加你的密钥。',
  'No provider serves models to you. Ask your administrator to connect the one that you have a key for.':
    '目前没有提供商为你提供模型。请联系管理员接入你拥有密钥的提供商。',
  'Open channels': '打开渠道',
  'Add key': '添加密钥',
  'No provider keys': '暂无提供商密钥',
  'There is nothing to add here.': '当前无法添加密钥。',
  'Add one, and the provider bills you for these requests itself.': '添加密钥后，相关请求由提供商直接向你收费。',
  'Models of {name}': '{name} 的模型',
  'The provider serves no model that you may use.': '该提供商没有你可以使用的模型。',
  stored: '已存储',
  'others may answer': '允许回退',
  Added: '添加时间',
  'Remove key': '移除密钥',
  'Key removed': '密钥已移除',
  'It is deleted here; at the provider it stays what it is. Requests go out with the keys of this service again, at their price.':
    '密钥仅从本服务中删除，在提供商处不受影响。此后请求将重新使用本服务的密钥，并按其价格计费。',
  'Add a provider key': '添加提供商密钥',
  'Choose whose key it is.': '请选择密钥所属的提供商。',
  'Stored: {hint}. Enter another to replace it.': '已存储：{hint}。输入新密钥即可替换。',
  'Stored. Enter another to replace it.': '已存储。输入新密钥即可替换。',
  'Others may answer where this key does not': '此密钥无法响应时，允许回退到其他渠道',
  'At their full price. Otherwise this key answers, or nobody': '回退时按其全价计费。关闭后仅使用此密钥',
} as const;
