export default {
  'Your account has been deleted': '你的账号已删除',
  'Goodbye, and thank you for using svc.': '再见，感谢你的使用。',
  'You are logged out on all devices, and your keys no longer work. The account’s data is being deleted; this finishes automatically in a few minutes.':
    '所有设备均已退出登录，你的密钥已失效。账号中的内容正在删除，几分钟内会自动完成。',
} as const;
