export default {
  Endpoints: '接口',
  'Search endpoints': '搜索接口',
  '{description} Send an API key as <code>Authorization: Bearer sk-…</code>; every response has an <code>x-request-id</code>. Machine-readable version: <link>/openapi.json</link>':
    '{description} 请求时携带 API 密钥：<code>Authorization: Bearer sk-…</code>；每个响应都带有 <code>x-request-id</code>。供程序读取的同一份文档：<link>/openapi.json</link>',
  '1. Create a key': '1. 创建密钥',
  'Log in and create one under <link>Keys</link>. It starts with <code>sk-</code>, is shown only once and spends your balance. Store it where only your programs can read it.':
    '登录后在<link>密钥</link>页面创建。密钥以 <code>sk-</code> 开头，只显示一次，使用时会消耗你的余额，请只保存在你的程序能读取的地方。',
  '2. Configure the base URL and the key': '2. 在程序中填写地址和密钥',
  'SDKs and most tools read them from OPENAI_BASE_URL and OPENAI_API_KEY, ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY, or GOOGLE_GEMINI_BASE_URL and GEMINI_API_KEY.':
    '各家 SDK 和多数工具会读取这些环境变量：OPENAI_BASE_URL 和 OPENAI_API_KEY、ANTHROPIC_BASE_URL 和 ANTHROPIC_API_KEY，或 GOOGLE_GEMINI_BASE_URL 和 GEMINI_API_KEY。',
  'Anthropic and Gemini base URL': 'Anthropic 和 Gemini base URL',
  '3. Call a model': '3. 调用模型',
  'Use any model from the <link>Models</link> page or from <code>GET /v1/models</code>; every chat model answers in every format. With <code>"stream": true</code> the answer is streamed as it is generated.':
    '可填写<link>模型</link>页面或 <code>GET /v1/models</code> 列出的任何模型，每个对话模型都支持所有格式。设置 <code>"stream": true</code> 后，回答会边生成边返回。',
  '4. Handle errors': '4. 出错时怎么办',
  'Every response has an <code>x-request-id</code>; <link>Requests</link> shows its outcome. The status tells you what to do:':
    '每个响应都带有 <code>x-request-id</code>，可在<link>请求</link>页面查看其结果。状态码说明该怎么做：',
  'The key is missing, mistyped, disabled or expired.': '密钥缺失、有误、已停用或已过期。',
  'The balance or a limit is used up, or the key does not allow this use.':
    '余额或限额已用完，或该密钥不允许这样使用。',
  'The model does not exist, or none of its providers fits the request.': '没有这个模型，或没有符合请求要求的提供商。',
  'Too many requests. Wait for the time given in retry-after.': '请求过多，请按 retry-after 给出的时间等待后重试。',
  'The provider failed, or no provider is available. Try again in a moment.': '提供商出错或暂时无人可答，请稍后重试。',
  'No matching endpoints': '没有匹配的接口',
  'Search covers methods, paths and descriptions.': '搜索范围包括方法、路径和描述。',

  'Session##of login': '登录会话',
  'Access token': '访问令牌',
  '{names} (administrators only)': '{names}（限管理员）',
  Path: '路径参数',
  Query: '查询参数',
  'Copy link to this endpoint': '复制该接口的链接',
  Body: '请求体',
  'Body ({type})': '请求体（{type}）',
  'Response {status}': '响应 {status}',

  required: '必填',
  'may be absent': '可能缺失',
  '{count, plural, one {# field} other {# fields}}': '{count, plural, other {# 个字段}}',
  '{before} or {last}': '{before} 或 {last}',
  any: '任意',
  'array of {type}': '{type} 数组',
  '{least} to {most} characters': '{least} 到 {most} 个字符',
  '{least} to {most}': '{least} 到 {most}',
  'at most {most, plural, one {# character} other {# characters}}': '最多 {most, number} 个字符',
  'at most {most}': '最大 {most}',
  'at least {least, plural, one {# character} other {# characters}}': '至少 {least, number} 个字符',
  'at least {least}': '最小 {least}',
  'default {value}': '默认 {value}',
} as const;
