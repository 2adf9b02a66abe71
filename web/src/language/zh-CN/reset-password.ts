export default {
  'The two differ.': '两次输入的密码不一致。',
  'Open it as it stands in the mail, or ask for a new one.': '请打开邮件中的完整链接，或重新获取链接。',
  'Ask for a new link': '重新获取链接',
  'Your password is changed': '密码已更改',
  'Every device has been logged out.': '所有设备均已退出登录。',
} as const;
