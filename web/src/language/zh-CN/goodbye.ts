export default {
  'Your account is deleted': '你的账号已删除',
  'Goodbye, and thank you for having been here.': '再见，感谢你的使用。',
  'You are logged out everywhere, and your keys are refused. What belonged to the account is being deleted; that is done in a few minutes and goes on by itself.':
    '所有设备均已退出登录，你的密钥已失效。账号中的内容正在删除，几分钟内会自动完成。',
} as const;
