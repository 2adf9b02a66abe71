export default {
  'Enter the code shown on your device.': '请输入设备上显示的代码。',
  'The code could not be checked': '未能查询代码',
  'Code##of a device': '代码',
  'Eight letters': '8 个字母',
  'Your device is connected': '设备已连接',
  'Your device was not connected': '设备未连接',
  '{name} continues automatically in a few seconds. You can close this page.':
    '{name} 将在几秒后自动继续。你可以关闭此页面。',
  '{name} is notified. You can close this page.': '{name} 会收到通知。你可以关闭此页面。',
  'Applications with access': '有访问权限的应用',
  'Connect {name}': '连接 {name}',
  'A device requests access to your svc account.': '有设备请求访问你的 svc 账号。',
  'Allow it only if a device in front of you shows {code}. Nobody should ask you for this code.':
    '请仅在你面前的设备显示 {code} 时允许。任何人都不需要向你索要此代码。',
} as const;
