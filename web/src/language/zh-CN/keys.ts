export default {
  'API keys call models on your behalf. Send one as <code>Authorization: Bearer sk-…</code>':
    'API 密钥以你的名义调用模型。请求时这样携带密钥：<code>Authorization: Bearer sk-…</code>',
  'Create one for each program or person, so that you can limit and revoke each separately.':
    '建议为每个程序或使用者单独创建密钥，以便分别限制和撤销。',
  'The key belongs to the team and is listed with the organisation': '密钥归团队所有，可在组织页面查看',
  'Limit saved': '限额已保存',
  'Programs that use it stop working immediately. This cannot be undone.':
    '使用该密钥的程序会立即停止工作。此操作无法撤消。',
  'Your new key': '你的新密钥',

  'Limit reached': '已达限额',
  '{count, plural, one {# model} other {# models}}': '{count, plural, other {# 个模型}}',
  '{count, plural, one {# address} other {# addresses}}': '{count, plural, other {# 个地址}}',
  'Responses are cached for {seconds, plural, one {# second} other {# seconds}}': '回答缓存 {seconds, number} 秒',
  'cached responses': '缓存回答',
  'Old secret <number>…{ending}</number> expires {endsAt}': '旧密钥 <number>…{ending}</number> 将于 {endsAt} 失效',
  '{amount} saved by {count, plural, one {# cached response} other {# cached responses}}':
    '{count, plural, other {# 次缓存回答}}节省 {amount}',
  Expires: '到期时间',
  Never: '永不',
  'Never##used': '从未',
  'Monthly limit': '每月限额',

  'In 7 days': '7 天后',
  'In 30 days': '30 天后',
  'In 90 days': '90 天后',
  'In a year': '一年后',
  'On a date…': '指定日期…',
  'For 5 minutes': '5 分钟',
  'For an hour': '1 小时',
  'For a day': '1 天',
  'For {seconds, plural, one {# second} other {# seconds}}': '{seconds, number} 秒',
  'Give the key a name.': '请填写密钥名称。',
  'Use at most 50 characters.': '最多 50 个字符。',
  'Choose a day.': '请选择日期。',
  'Enter how much the key may spend.': '请填写该密钥可花费的金额。',
  '{address} is not an IP address or a range such as 10.0.0.0/8.': '{address} 不是 IP 地址或 10.0.0.0/8 这样的地址段。',

  'Backend, laptop, CI…': '后端、笔记本、CI…',
  'No spending limit': '不限支出',
  'When off, the key stops working when it has spent the amount below': '关闭后，密钥花费达到下方金额即停止使用',
  'IP addresses': 'IP 地址',
  'Addresses or ranges that may use the key; leave empty to allow any':
    '允许使用该密钥的 IP 地址或地址段；留空则不限制',
  'Response caching': '使用缓存回答',
  'Identical requests get the same response free of charge; requests with tools are never cached':
    '相同的请求直接返回相同的回答，不产生费用；带工具的请求除外',
  'Any temperature': '不限 temperature',
  'When off, only requests with a temperature of 0 are cached': '关闭后，仅对 temperature 为 0 的请求生效',

  '{used} of {amount} this month': '本月已用 {used}，共 {amount}',
  'Usage of the monthly limit of {name}': '{name} 本月限额的使用情况',
  'Monthly limit of {name}': '{name} 的每月限额',
  'Resets {resetsAt}; leave empty for no limit': '将于 {resetsAt} 重新计算；留空则不限',
  'Per calendar month (UTC); leave empty for no limit': '按 UTC 自然月计算；留空则不限',
  'Reject requests over the limit': '超出后拒绝请求',
  'When off, you are only notified': '关闭后，超出时仅提醒你',
  'Each once per month, by email to your verified address': '每个阈值每月提醒一次，发送至你已验证的邮箱',
  'The limit was not saved': '限额未保存',
  'Enter an amount in dollars, or leave empty for no limit.': '请输入美元金额；留空则不限。',

  'New secret for {name}': '轮换 {name} 的密钥',
  'The key gets a new secret, which is shown once. Its limits, quota and usage stay the same, whichever secret is used.':
    '将生成新的密钥内容，仅显示一次。无论使用新旧哪一个，限额、额度和用量都保持不变。',
  'Keep the old secret valid': '旧密钥继续有效',
  'Allow enough time to replace it everywhere it is used': '请预留足够的时间，让所有使用方换上新密钥',
  'No, revoke it now': '不保留，立即失效',
  'For a week': '1 周',
  'For 30 days': '30 天',
  'The earlier secret, {key}, still valid until {endsAt}, will stop working immediately.':
    '更早的密钥 {key} 原定有效至 {endsAt}，现在将立即失效。',
  'The secret was not changed': '密钥未更换',
  'Create new secret': '生成新密钥',
  'Created by <link>{name}</link>': '由 <link>{name}</link> 创建',
  'application {id}': '应用 {id}',
} as const;
