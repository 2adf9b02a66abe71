export default {
  'Log in to svc': '登录 svc',
  'New here?': '还没有账号？',
  'Could not log in': '登录失败',
  'Log in with a passkey': '使用通行密钥登录',
  'Log in another way': '使用其他方式登录',
  'Two-factor authentication': '双重验证',
  'Your account has a second factor. Complete it to log in.': '你已开启双重验证，请完成验证。',
} as const;
