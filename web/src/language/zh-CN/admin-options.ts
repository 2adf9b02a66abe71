export default {
  'Changes are saved immediately and take effect on all processes at once.':
    '每项更改会立即保存，并在所有进程上即时生效。',
  'The options could not be loaded': '无法加载选项',
  'Option name or keyword': '选项名称或关键词',
  'No options found': '没有匹配的选项',
  'Try fewer or different words.': '请减少或更换关键词。',
  Accounts: '账号',
  'Limits##of calls': '调用限制',
  'Models and orchestration': '模型与编排',
  'Credits and cached answers': '额度与缓存的回答',
  Records: '日志与记录',

  '{help}. Default: {initial}. Now {now}.': '{help}。默认值：{initial}。当前值：{now}。',
  '{label}: {value}?': '{label}：{value}？',
  empty: '空',
  ' / M tokens': ' / 百万 token',
  ' / minute': ' / 分钟',
  ' days': ' 天',
  seconds: '秒',
  minutes: '分钟',
  hours: '小时',
  days: '天',
  '{count, plural, one {# day} other {# days}}': '{count, plural, other {# 天}}',
  '{count, plural, one {# hour} other {# hours}}': '{count, plural, other {# 小时}}',
  '{count, plural, one {# minute} other {# minutes}}': '{count, plural, other {# 分钟}}',
  '{count, plural, one {# second} other {# seconds}}': '{count, number} 秒',
  'Unit of {label}': '{label}的单位',
  'Selected automatically': '自动选择',
  'As set at startup': '沿用启动时的设置',

  'Save anyway': '仍要保存',
  'Applications can no longer sign users in, and application tokens stop working.':
    '所有应用都无法让用户登录，应用的令牌也会停止工作。',
  'Calls are no longer limited: anyone, with or without a key, can call as fast as the network allows.':
    '调用将不再受任何限制：无论有没有密钥，任何人都可以不限速率地调用。',
  'These calls are no longer limited.': '这类调用将不再受限制。',
  'A stolen access token works for {duration}.': '访问令牌一旦被盗，{duration}内仍然有效。',
  'A code stolen in transit works for {duration}; ten minutes or less is recommended.':
    '授权码如果在返回途中被盗，{duration}内仍然有效；建议不超过十分钟。',
  'It expires after {duration}, before slow applications can use it.':
    '{duration}后即过期，响应较慢的应用可能来不及使用。',
  'Every user who registers receives {amount}.': '每个注册的用户都会获得 {amount}。',
  'Data older than {days, plural, one {# day} other {# days}} is permanently deleted within minutes.':
    '超过 {days, number} 天的数据会在几分钟内永久删除。',
  'Batches are free for everyone.': '批处理将对所有人免费。',
  'Any website can call /v1 and /mcp from your users’ browsers.':
    '任何网站的页面都可以通过你的用户的浏览器调用 /v1 和 /mcp。',
  'Any program can register itself as a client unless a token is required (OAuth2RegistrationTokenSha256).':
    '任何程序都可以自行注册为客户端，除非要求提供令牌（OAuth2RegistrationTokenSha256）。',
  'Failures are no longer logged and cannot be investigated later.': '故障将不再写入日志，事后无法追查。',
} as const;
