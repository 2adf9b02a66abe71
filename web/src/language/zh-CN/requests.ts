export default {
  'All requests of all users, whatever their outcome. Open one to see its cost, routing and error.':
    '所有用户的全部请求，无论结果如何。打开任意一条，可查看费用、路由和错误。',
  'All your requests, whatever their outcome. Open one to see its cost, routing and error.':
    '你的全部请求，无论结果如何。打开任意一条，可查看费用、路由和错误。',
  'Keep my prompts and answers for {days, plural, one {# day} other {# days}}':
    '将我的提示词和回答保留 {days, plural, other {# 天}}',
  'Encrypted and visible only to you and the administrators of this service. Turning this off deletes what was kept.':
    '加密保存，仅你和本服务的管理员可见。关闭后会删除已保留的内容。',
  'Stop keeping prompts and answers?': '不再保留提示词和回答？',
  'Delete kept content': '删除已保留的内容',
  'All kept prompts and answers of your requests will be deleted. The requests stay in the list.':
    '你的请求中已保留的所有提示词和回答都会被删除。请求本身仍会留在列表中。',

  'Filter requests': '筛选请求',
  'Partially answered': '部分响应',
  '400: invalid request': '400：无法理解',
  '403: not allowed': '403：不允许',
  '404: model not found': '404：没有该模型',
  '429: too many requests': '429：请求过多',
  '502: provider error': '502：提供商错误',
  '503: no provider available': '503：无可用提供商',
  'My own': '我自己的',
  'Searching…': '查找中…',
  'No matching users': '没有这个用户',
  'Key number': '密钥编号',
  'Key {id}': '密钥 {id}',

  'Nothing found so far': '暂未找到',
  'Many requests were searched. Continue with older ones, or narrow the dates.':
    '已检索大量请求。可以继续查找更早的请求，或缩小日期范围。',
  'Change the filters or dates, or make your first request with one of your keys.':
    '请调整筛选条件或日期，或使用你的密钥发起第一个请求。',
  'Pages of requests': '请求分页',
  Newest: '最新',
  Older: '更早',
  'No model': '无模型',
  '(request {requestId})': '（请求 {requestId}）',
  'The answer was cached from an earlier request': '回答来自先前请求的缓存',

  'All requests': '所有请求',
  'No record of this request': '没有该请求的记录',
  'It did not call a model, or it is older than the retention period. Look for this id in the log of the service.':
    '它没有请求任何模型，或者早于保留期限。可凭此 ID 在服务日志中查找。',
  'It did not call a model, is not yours, or is older than the retention period. The operator of this service can find it in the log by this id.':
    '它没有请求任何模型、不属于你，或者早于保留期限。本服务的运营者可凭此 ID 在日志中查找。',
  'No provider was chosen for this request.': '没有为它选择提供商。',

  'View run': '查看运行任务',
  Endpoint: '接口',
  Streamed: '流式',
  Yes: '是',
  Ended: '结束时间',
  'Part of': '所属',
  'A {maker}': '{maker}',

  'This request used the caller’s own provider key. The cost is only the fee.':
    '该请求使用调用方自己的提供商密钥发出，费用仅为手续费。',
  'The balance did not cover {amount} of the cost.': '其中 {amount} 超出余额，未能扣除。',
  'Calls made': '发起的调用',
  '{answered} answered, {failed} failed, {cost} in total': '成功 {answered} 次，失败 {failed} 次，共 {cost}',
  '{answered} answered, {cost} in total': '成功 {answered} 次，共 {cost}',

  'Prompt and answer': '提示词与回答',
  'Too long: only part of it was kept.': '内容过长，仅保留了一部分。',
  '{role}, message {number}': '{role}，第 {number} 条消息',
  'There was no answer.': '没有得到回答。',
  'The answer is empty.': '回答为空。',
} as const;
