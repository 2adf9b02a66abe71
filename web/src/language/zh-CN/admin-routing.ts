export default {
  'Each model can have its own strategy and weights; all other models use the balanced defaults.':
    '每个模型都可以单独设置策略和权重；未设置的模型按默认权重均衡路由。',
  'Configure a model': '配置模型',
  'Configure a model…': '配置模型…',
  'Configured models': '已配置的模型',
  'Balanced (default)': '均衡（默认）',
  'Reset to default': '恢复默认',
  'Every model uses the defaults': '所有模型均使用默认配置',
  'Balanced: success 0.4, latency 0.3, price 0.2, priority 0.1. Choose a model above to change that.':
    '均衡：成功率 0.4、延迟 0.3、价格 0.2、优先级 0.1。如需更改，请在上方选择模型。',
  '{model} cannot be configured': '无法配置 {model}',
  'Reset routing of {model} to default?': '将 {model} 恢复为默认路由？',
  'Its strategy and weights are deleted.': '其策略和权重设置将被清除。',

  'Not set': '不单独设置',
  'Balanced, unless the user or the request specifies another strategy': '均衡，除非用户或请求另有指定',
  'At least one weight must be above zero.': '至少有一项权重必须大于零。',
  'The performance score (success, speed, quality, channel priority) counts {performance} %, the cost score {price} %.':
    '性能得分（成功率、速度、质量、渠道优先级）占 {performance}%，成本得分占 {price}%。',
  'The performance score (success, speed, quality, channel priority) counts {performance} %, the cost score {price} %. The remaining {priority} % lowers all scores equally.':
    '性能得分（成功率、速度、质量、渠道优先级）占 {performance}%，成本得分占 {price}%。其余 {priority}% 会同等降低所有得分。',
  '{explanation} Weights apply only when the balanced strategy is used.': '{explanation}权重仅在均衡策略生效时起作用。',
  'Ranking with current data': '按当前数据的排名',
  'Routing saved': '路由已保存',
  'The routing was not saved': '路由未保存',
} as const;
