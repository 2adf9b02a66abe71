export default {
  'Each change is saved when you make it, and counts at once on every process.':
    '每项更改会立即保存，并在所有进程上即时生效。',
  'The options could not be loaded': '无法加载选项',
  'Name or word of an option': '选项名称或关键词',
  'No option fits': '没有匹配的选项',
  'Try fewer or other words.': '请减少或更换关键词。',
  Accounts: '账号',
  'Limits##of calls': '调用限制',
  'Models and orchestration': '模型与编排',
  'Credits and kept answers': '额度与缓存的回答',
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
  'Picked automatically': '自动选择',
  'As started': '沿用启动时的设置',

  'Save all the same': '仍要保存',
  'No application can sign anybody in, and tokens of applications stop working.':
    '所有应用都无法让用户登录，应用的令牌也会停止工作。',
  'Nothing limits calls any more: whoever has a key, or none, can call as fast as the network allows.':
    '调用将不再受任何限制：无论有没有密钥，任何人都可以不限速率地调用。',
  'Nothing limits these calls any more.': '这类调用将不再受限制。',
  'An access token that is stolen works for {duration}.': '访问令牌一旦被盗，{duration}内仍然有效。',
  'A code that is stolen on its way back works for {duration}; ten minutes are advised at most.':
    '授权码如果在返回途中被盗，{duration}内仍然有效；建议不超过十分钟。',
  'After {duration} it has run out, before slow applications have used it.':
    '{duration}后即过期，响应较慢的应用可能来不及使用。',
  'Everybody who registers is given {amount}.': '每个注册的用户都会获得 {amount}。',
  'What is older than {days, plural, one {# day} other {# days}} is deleted within minutes, for good.':
    '超过 {days, number} 天的数据会在几分钟内永久删除。',
  'Batches are free for everybody.': '批处理将对所有人免费。',
  'Pages of every site may call /v1 and /mcp from the browsers of your users.':
    '任何网站的页面都可以通过你的用户的浏览器调用 /v1 和 /mcp。',
  'Any program may register itself as a client, unless a token is asked for (OAuth2RegistrationTokenSha256).':
    '任何程序都可以自行注册为客户端，除非要求提供令牌（OAuth2RegistrationTokenSha256）。',
  'Failures are no longer logged, and nobody can find out about them later.': '故障将不再写入日志，事后无法追查。',
} as const;
