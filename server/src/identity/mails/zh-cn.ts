/** All mail messages in Chinese. */
export default {
  'Hello,': '你好：',
  'Hello {name},': '{name}，你好：',
  '{subject} ({host})': '{subject}（{host}）',
  'If you did not ask for it, do nothing.': '如果这不是你本人的操作，请忽略此邮件。',

  'Verify your address': '验证你的邮箱',
  'This link shows that this address is yours. It works once, for {time}.':
    '打开此链接即可确认这个邮箱属于你。链接只能使用一次，{time}内有效。',
  'Choose a new password': '设置新密码',
  'With this link you choose a new password. It works once, for {time}.':
    '打开此链接即可设置新密码。链接只能使用一次，{time}内有效。',
  'Your account': '你的账号',
  'An account was made for you. With this link you choose its password. It works once, for {time}.':
    '已为你创建账号。打开此链接即可设置密码。链接只能使用一次，{time}内有效。',

  'Your second factors were removed': '你的双重验证已被移除',
  '{by} removed the second factors of your account. You log in with your password alone now; set them up again on your account page.':
    '{by} 移除了你账号的双重验证。现在仅凭密码即可登录，请在账号页面重新设置双重验证。',
  'Your account was changed': '你的账号有变更',
  '{what, select, password {Your account has a new password.} address {Your account has another address.} factor_added {Your account has a new second factor.} factor_removed {A second factor of your account was removed.} recovery_codes {Your account has new recovery codes.} other {Your account was connected to one elsewhere, by which you can log in.}}':
    '{what, select, password {你的账号密码已更改。} address {你的账号邮箱已更改。} factor_added {你的账号新增了一种双重验证方式。} factor_removed {你的账号移除了一种双重验证方式。} recovery_codes {你的账号生成了新的恢复码。} other {你的账号已关联一个外部账号，可用它登录。}}',
  'You were logged out': '你已被退出登录',
  '{by} ended the sessions of your account. Log in again.': '{by} 结束了你账号的登录会话，请重新登录。',
  'A password reset link was created': '已生成重设密码的链接',
  '{by} made a link by which a new password can be chosen for your account.':
    '{by} 生成了一个链接，可用来为你的账号设置新密码。',
  'If you did not ask for this, tell your administrator.': '如果这不是你要求的，请告知管理员。',

  '{percent} % of your spending limit is used': '支出限额已使用 {percent}%',
  'You have spent {used} {window, select, day {today} week {this week} month {this month} other {in all}}, and your limit is {limit}.':
    '你{window, select, day {今天} week {本周} month {本月} other {累计}}已花费 {used}，限额为 {limit}。',
  'Requests beyond it are refused.': '超出后请求将被拒绝。',
  'Requests beyond it go on.': '超出后请求仍会继续。',

  '{organisation}: {percent} % of a budget is used': '{organisation}：一项预算已使用 {percent}%',
  'In {organisation}, {percent} % of the budget of {level, select, organisation {organisation} team {team} member {member} other {key}} {name} is used: {used} of {limit} {window, select, day {today} week {this week} month {this month} other {in all}}.':
    '{organisation} 中，{level, select, organisation {组织} team {团队} member {成员} other {密钥}} {name} 的预算已使用 {percent}%：{window, select, day {今天} week {本周} month {本月} other {累计}}已花费 {used}，预算为 {limit}。',
  '{key}: {percent} % of its limit is used': '{key}：限额已使用 {percent}%',
  '{percent} % of what your API key {key} may spend is used: {used} of {limit} {window, select, day {today} week {this week} month {this month} other {in all}}.':
    '你的 API 密钥 {key} 的限额已使用 {percent}%：{window, select, day {今天} week {本周} month {本月} other {累计}}已花费 {used}，限额为 {limit}。',

  'Join {organisation}': '加入 {organisation}',
  'You are invited to join {organisation} on {host}, as {role, select, owner {owner} admin {admin} member {member} other {viewer}}. This link works once, for {time}.':
    '邀请你在 {host} 上以{role, select, owner {所有者} admin {管理员} member {成员} other {查看者}}身份加入 {organisation}。此链接只能使用一次，{time}内有效。',
  'If you do not know what this is about, do nothing.': '如果你不清楚这是什么，请忽略此邮件。',
} as const;
