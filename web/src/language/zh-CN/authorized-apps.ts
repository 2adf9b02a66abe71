export default {
  'Applications that you have allowed to act for you. Revoking ends their access at once.':
    '你已允许代表你操作的应用。撤销后，其访问权限立即失效。',
  'No application has access': '没有应用拥有访问权限',
  'When you sign in to another application with your account here, it appears in this list.':
    '使用本服务的账号登录其他应用后，该应用会显示在此列表中。',
  'May use': '可使用',
  'Last agreed': '上次授权',
  '{spent} of {limit} a month': '{spent} / 每月 {limit}',
  '{spent} of {limit}': '{spent} / {limit}',
  '{text}. Change what {appName} may spend': '{text}。更改 {appName} 的支出限额',
  'Revoke access of {appName}': '撤销 {appName} 的访问权限',
  'Revoke access of {appName}?': '撤销 {appName} 的访问权限？',
  'Revoke access': '撤销访问权限',
  '{appName} has no access any more': '{appName} 已无访问权限',
  'It is signed out and can do nothing more in your name.': '它会被登出，不能再以你的名义做任何事。',
  '{count, plural, one {Delete the API key that it has created for you, too} other {Delete the # API keys that it has created for you, too}}':
    '{count, plural, other {同时删除它为你创建的 # 个 API 密钥}}',
  'Whoever has a key can go on using models at your expense. Programs that use it stop working when it is deleted.':
    '持有密钥的任何人都能继续用你的余额调用模型。密钥删除后，使用它的程序将停止工作。',
  'What {appName} may spend': '{appName} 的支出限额',
  'Spent this month: {amount}': '本月已花费：{amount}',
  'Spent so far: {amount}': '累计已花费：{amount}',
  '{appName} may spend {limit}': '{appName} 可花费 {limit}',
  'The limit was not changed': '限额未更改',
} as const;
