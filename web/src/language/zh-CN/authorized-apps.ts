export default {
  'Applications that you have allowed to act for you. Revoking ends their access immediately.':
    '你已允许代表你操作的应用。撤销后，其访问权限立即失效。',
  'No application has access': '没有应用拥有访问权限',
  'Applications that you sign in to with your svc account appear here.':
    '使用本服务的账号登录其他应用后，该应用会显示在此列表中。',
  'Access to': '可使用',
  'Last authorized': '上次授权',
  '{spent} of {limit} per month': '{spent} / 每月 {limit}',
  '{spent} of {limit}': '{spent} / {limit}',
  '{text}. Change the spending limit of {appName}': '{text}。更改 {appName} 的支出限额',
  'Revoke access for {appName}': '撤销 {appName} 的访问权限',
  'Revoke access for {appName}?': '撤销 {appName} 的访问权限？',
  'Revoke access': '撤销访问权限',
  '{appName} no longer has access': '{appName} 已无访问权限',
  'It is signed out and can no longer act on your behalf.': '它会被登出，不能再以你的名义做任何事。',
  '{count, plural, one {Also delete the API key that it created for you} other {Also delete the # API keys that it created for you}}':
    '{count, plural, other {同时删除它为你创建的 # 个 API 密钥}}',
  'Anyone who has a key can keep using models at your expense. Programs that use a key stop working when it is deleted.':
    '持有密钥的任何人都能继续用你的余额调用模型。密钥删除后，使用它的程序将停止工作。',
  'Spending limit of {appName}': '{appName} 的支出限额',
  'Spent this month: {amount}': '本月已花费：{amount}',
  'Spent so far: {amount}': '累计已花费：{amount}',
  '{appName} may spend {limit}': '{appName} 可花费 {limit}',
  'The limit was not changed': '限额未更改',
} as const;
