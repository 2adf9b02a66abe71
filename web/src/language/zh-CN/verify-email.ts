export default {
  'Your address is verified': '邮箱地址已验证',
  'To your account': '前往账号',
  'The address was not verified': '邮箱地址未验证',
  'Log in to the account that it is to belong to. If you have none here, somebody else has entered your address: close this page.':
    '请登录要使用此邮箱的账号。如果你在这里没有账号，则是他人填写了你的邮箱，请关闭此页面。',
  'This address is mine': '这是我的邮箱',
  'This link is not complete. Open it as it stands in the mail.': '链接不完整，请打开邮件中的完整链接。',
} as const;
