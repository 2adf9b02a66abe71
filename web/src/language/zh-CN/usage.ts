export default {
  'Usage and cost of your keys and this app.': '你的密钥和本应用的用量及费用。',
  'Usage and cost of one turn or run.': '单次对话轮次或运行任务的用量及费用。',
  'Filter usage': '筛选用量',

  'By day': '按天',
  'Measure shown in the charts': '图表内容',
  '{measure} per day, {total} in {days, plural, one {# day} other {# days}}':
    '每日{measure}，{days, number} 天共 {total}',
  'Usage by model': '各模型用量',
  'Usage by key': '各密钥用量',
  'Deleted key {id}': '已删除的密钥 {id}',

  'Requests to show': '显示哪些请求',
  'All requests, including failed ones': '所有请求，包括失败的',
  '{endpoint} by {provider}': '{endpoint} · {provider}',
  '{request} · streamed': '{request} · 流式',
  '{promptTokens} in, {completionTokens} out': '输入 {promptTokens}，输出 {completionTokens}',
  '{cacheReadTokens} read from cache': '缓存读取 {cacheReadTokens}',
  '{cacheWriteTokens} written to cache': '缓存写入 {cacheWriteTokens}',
  '{reasoningTokens} for reasoning': '推理 {reasoningTokens}',
  'First token after {duration}': '首 token 用时 {duration}',
  'Cost of request {id}': '请求 {id} 的费用明细',
  'Copy request id {id}': '复制请求 ID {id}',
  'View request': '查看该请求的全部信息',

  'From all users': '所有用户',
  'Failed requests': '失败的请求',
  'No failed requests in this period': '所选日期内没有失败的请求',
  'Details of failed request {requestId}:': '失败请求 {requestId} 的详情：',
  'Response from {provider}': '{provider} 的响应',
  'Response from the provider': '提供商的响应',
} as const;
