export default {
  'Your address is verified': '邮箱地址已验证',
  'Go to your account': '前往账号',
  'The address was not verified': '邮箱地址未验证',
  'Log in to the account that should use this address. If you have no account here, someone else entered your address; close this page.':
    '请登录要使用此邮箱的账号。如果你在这里没有账号，则是他人填写了你的邮箱，请关闭此页面。',
  'Confirm my address': '这是我的邮箱',
  'This link is not complete. Open the full link from the email.': '链接不完整，请打开邮件中的完整链接。',
} as const;
