export default {
  'You are invited': '你收到一份邀请',
  'An organisation that uses svc has invited you.': '邀请你加入一个使用 svc 的组织。',
  'Log in or create an account to see the organisation and join.': '登录或创建账号后，即可查看组织信息并加入。',
  'Not now': '暂不加入',
  'This invitation cannot be used': '此邀请无法使用',
  'You are logged in as {username}.': '你当前以 {username} 的身份登录。',
  'Join {organisation} as {role}. Its owners and admins can see your username and the usage of your keys there.':
    '以{role}身份加入 {organisation}。该组织的所有者和管理员可以看到你的用户名，以及你在其中的密钥用量。',
  'You have not joined': '未能加入',
  Join: '加入',
  'Open the full link, including everything after the #.': '请打开完整的链接，包括 # 之后的全部内容。',
} as const;
