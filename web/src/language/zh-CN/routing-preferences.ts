export default {
  'How providers are chosen for your requests. A request can override this with its provider object.':
    '如何为你的请求选择提供商。单个请求可通过 provider 对象另行指定。',
  'Selection strategy': '选择方式',
  'As configured for the model': '按模型配置',
  'The administrator’s choice for each model, or balanced if none is set':
    '使用管理员为各模型设定的策略，未设定时为均衡',
  'Their score is multiplied by 1.5': '得分按 1.5 倍计算',
  Blocked: '屏蔽',
  'Never called for you': '你的请求永不调用',
  'Maximum price': '最高价格',
  'Per million tokens; never exceeded': '每百万 token；绝不超出',
  'Minimum success rate': '最低成功率',
  'Providers below this rate come last': '低于此值的提供商排在最后',
  'Maximum latency': '最长延迟',
  ' ms': ' 毫秒',
  'Providers slower than this come last': '慢于此值的提供商排在最后',
  'Preferences saved': '偏好已保存',
  'The preferences were not saved': '偏好未保存',
  'Undo changes': '撤消更改',
} as const;
