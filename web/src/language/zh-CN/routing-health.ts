export default {
  'Success and latency of the last hour, per provider, model and channel. Refreshes every 5 seconds.':
    '最近一小时的成功率和延迟，按提供商、模型和渠道统计。每 5 秒刷新一次。',
  'Open circuits': '已熔断',
  'Not called until they recover': '恢复前不再调用',
  'Being probed': '探测中',
  'Tested with a few requests': '用少量请求试探是否恢复',
  'Requests, last hour': '最近一小时请求',
  'Successes and failures': '成功与失败合计',
  'Success, last hour': '最近一小时成功率',
  'No data yet': '暂无数据',
  'Of these requests': '占上述请求的比例',
  'Not refreshed: the last attempt failed': '未刷新：上次刷新失败',
  'Updated {time}': '更新于 {time}',
  'Nothing to show': '没有可显示的内容',
  'No provider serves a matching model.': '没有提供商提供符合条件的模型。',
  'Provider and model': '提供商与模型',
  '{count, plural, one {# request in the last hour} other {# requests in the last hour}}':
    '最近一小时 {count, plural, other {#}} 个请求',
} as const;
