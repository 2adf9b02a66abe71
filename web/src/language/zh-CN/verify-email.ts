export default {
  'Your address is verified': '邮箱地址已验证',
  'To your account': '前往账号',
  'The address was not verified': '邮箱地址未验证',
  'This address is mine': '这是我的邮箱',
  'This link is not complete. Open it as it stands in the mail.': '链接不完整，请打开邮件中的完整链接。',
} as const;
