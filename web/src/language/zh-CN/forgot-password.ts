export default {
  'Check your email': '请查收邮件',
  'Back to login': '返回登录',
  '{message} The link is valid for 30 minutes.': '{message}邮件中的链接 30 分钟内有效。',
  'Enter your verified email address. We will send a link to reset your password.':
    '请输入你验证过的邮箱，我们会向其发送重置密码的链接。',
} as const;
