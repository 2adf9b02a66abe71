export default {
  'The passwords do not match.': '两次输入的密码不一致。',
  'Open the full link from the email, or request a new one.': '请打开邮件中的完整链接，或重新获取链接。',
  'Request a new link': '重新获取链接',
  'Your password has been changed': '密码已更改',
  'Every device has been logged out.': '所有设备均已退出登录。',
} as const;
