export default {
  'The account <b>{username}</b> uses the address {address}. Connect it to sign in with {provider} from now on.':
    '账号 <b>{username}</b> 使用的邮箱为 {address}。关联后，即可通过 {provider} 登录。',
  'The account <b>{username}</b> uses the address {address}. Confirm that it is yours to sign in with {provider} from now on.':
    '账号 <b>{username}</b> 使用的邮箱为 {address}。确认该账号属于你后，即可通过 {provider} 登录。',
  'The account was not connected': '账号未关联',
  'Password of {username}': '{username} 的密码',
  'Connect##an account': '关联',
  'Log in as {username} first': '先以 {username} 登录',
  'Sign in another way': '使用其他方式登录',
  'No account to connect': '没有可关联的账号',
} as const;
