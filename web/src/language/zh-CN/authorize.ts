export default {
  'This application requests access to your svc account.': '该应用请求访问你的 svc 账号。',
  'Signing in to {name}': '正在登录 {name}',
  'Returning to the application': '正在返回应用',
  'One moment. <a>Continue</a> if nothing happens.': '请稍候。如果没有反应，请<a>点此继续</a>。',
  'The link you followed is not registered by the application, is incomplete, or has expired.':
    '打开此页面的链接未由该应用登记、不完整或已失效。',
  'This application cannot request access at the moment.': '该应用目前不能请求访问权限。',
  'No application with this client ID is registered.': '本服务没有注册使用此客户端 ID 的应用。',
  'This request cannot be processed': '无法处理此请求',
  'Not a valid authorization request': '授权请求无效',
  '{reason} Nothing was shared, and you were not redirected back. If you trust the application, tell its developers.':
    '{reason}没有共享任何信息，也没有将你带回应用。如果你信任该应用，请告知其开发者。',
  'Authorize {name}': '授权 {name}',
  'Redirecting… <a>Continue</a> if nothing happens.': '正在跳转…如果没有反应，请<a>点此继续</a>。',
  'Either choice redirects you to {destination}': '无论允许或拒绝，都将前往 {destination}',
  'an app on this device ({protocol})': '此设备上的应用（{protocol}）',

  'You have already allowed this application. Continue to sign in again.': '你此前已允许该应用。继续即可再次登录。',
  '{name} asks for more access than you have allowed so far. New permissions are marked.':
    '{name} 申请的权限超出了你此前允许的范围，新增项已标出。',
  'You have already allowed this application. Because it specifies the resources it will use, you are asked each time.':
    '你此前已允许该应用。由于它指明了要使用的内容，每次都需要重新确认。',
  'Your earlier permission is no longer valid. Please decide again.': '你此前的授权已失效，请重新决定。',
  'This application is not registered with us. Its name is provided by {host}. Allow it only if you know that address and have just started the application yourself.':
    '该应用未在本服务注册，其名称由 {host} 提供。请仅在你了解该地址、且刚刚亲自启动了该应用时允许。',
  'This application registered itself and chose its own name. Allow it only if you have just started it yourself.':
    '该应用为自行注册，名称由其自定。请仅在你刚刚亲自启动了该应用时允许。',
  'We have not verified who runs this application. Allow it only if you know it.':
    '本服务尚未验证该应用的运营者。请仅在你了解该应用时允许。',
  'Requested access': '申请的权限',
  'It may spend up to {amount} per month': '每月最多可花费 {amount}',
  'It may spend up to {amount} in total': '累计最多可花费 {amount}',
  Deny: '拒绝',
  Allow: '允许',

  'Signed in as {name}': '当前登录账号：{name}',
  '{name} ({username})': '{name}（{username}）',
  'Not you? Switch account': '不是你？切换账号',

  '<b>{server}</b>: all tools, currently {count, plural, one {# tool} other {# tools}}, and any added later':
    '<b>{server}</b>：全部工具，目前 {count, plural, other {# 个}}，以及日后新增的工具',
  '<b>{server}</b>: only {count, plural, one {# tool} other {# tools}}':
    '<b>{server}</b>：仅 {count, plural, other {# 个工具}}',
  'Show {count, plural, one {# tool} other {# tools}}': '显示 {count, plural, other {# 个工具}}',
  'Can be used only at': '仅用于',
  'There are currently no tools that you can use.': '目前没有你可以使用的工具。',
} as const;
