export default {
  'Back to the login': '返回登录',
  '{message} Its link works for 30 minutes.': '{message}邮件中的链接 30 分钟内有效。',
  'The address that you verified. A link for a new password will be sent to it.':
    '请输入你验证过的邮箱，我们会向其发送重置密码的链接。',
} as const;
