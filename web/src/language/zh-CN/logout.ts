export default {
  'You are logged out': '你已退出登录',
  'Log out of svc?': '退出登录 svc？',
  'An application requested it.': '由某个应用发起的请求。',
  'You will be logged out here, and applications that you signed in to from here are notified.':
    '你将在此退出登录，由此登录的应用也会收到通知。',
  'You are still logged in': '你仍处于登录状态',
  'Stay logged in': '保持登录',
  'Log out of svc': '退出登录 svc',
  'One moment.': '请稍候。',
} as const;
