export default {
  'Your profile, password, second factors, logged-in devices and data.':
    '管理个人资料、密码与双重验证、已登录的设备，以及你的数据。',
  'Confirms your identity to MCP servers': '会在 MCP 服务器为你证明身份',
  'Profile saved': '个人资料已保存',
  'Picture address': '头像地址',
  'The profile was not saved': '个人资料未保存',
  'Verify your email address': '验证邮箱地址',
  'A link will be sent to {email}. Once verified, it can be used to reset your password.':
    '验证链接将发送至 {email}。验证后，该邮箱可用于重置密码。',
  'Your password': '你的密码',
  'Language of emails and pages': '邮件和页面的语言',
  'Used for all emails to you and for the pages in this browser': '用于发给你的所有邮件，以及此浏览器中的页面',
  'The language was not saved': '语言未保存',
  'Password saved. Every other device has been logged out.': '密码已保存，其他设备均已退出登录。',
  'The new passwords do not match.': '两次输入的新密码不一致。',
  'You have no password yet. You can set one within 15 minutes of signing in; all other devices are then logged out.':
    '你还没有密码。登录后 15 分钟内可以设置，设置后其他设备会退出登录。',
  'Changing it logs out all your other devices.': '更改密码后，其他设备会退出登录。',
  'Current password': '当前密码',
  'Set password': '设置密码',
  'Change password': '更改密码',

  'Connected##when': '关联时间',
  '{account} ({provider})': '{provider} 账号 {account}',
  Disconnect: '解除关联',
  'Connect an account': '关联账号',
  'Connect your account at {name}': '关联你在 {name} 的账号',
  'You will be sent to {name}. The account that you sign in to there can then be used to log in here.':
    '接下来会前往 {name}。你在那里登录的账号之后可用于登录本服务。',
  'No account was connected': '未关联账号',
  'Connected accounts': '已关联的账号',
  'Accounts at other services that you can sign in with.': '可用于登录本服务的第三方账号。',
  'No connected accounts': '尚未关联账号',

  'Second factor': '双重验证',
  'Required after your password, so that the password alone is not enough to log in.':
    '输入密码后还需再次验证，仅凭密码无法登录。',
  'Administrators need a second factor': '管理员必须设置双重验证',
  'You cannot open the administration pages until you have set one up.': '设置完成前，你无法访问管理员页面。',
  'Authenticator app': '身份验证器应用',
  'Codes from an app on your phone.': '使用手机应用生成的验证码。',
  'Turned on {time}': '{time}开启',
  'Set up': '设置',
  'Turn off': '关闭',
  'Recovery codes': '恢复代码',
  '{count} left. Each can be used once when you do not have your device.':
    '剩余 {count} 个，无法使用设备时每个可登录一次。',
  'New codes': '生成新代码',
  'Turn off the authenticator app?': '关闭身份验证器应用？',
  'You will no longer be asked for its codes.': '登录时将不再要求输入该应用的验证码。',
  'Remove this passkey?': '移除此通行密钥？',
  'You can no longer log in with {name}.': '{name} 将无法再用于登录。',
  'An authenticator app on your phone shows a new code every 30 seconds. You will be asked for one after your password.':
    '手机上的身份验证器应用每 30 秒显示一个新验证码。登录时，输入密码后还需输入该验证码。',
  'Scan this QR code with the app, or enter the secret manually.': '用应用扫描此二维码，或手动输入密钥。',
  'QR code of the secret for the app': '供应用扫描的密钥二维码',
  Secret: '密钥',
  'Code from the app': '应用显示的验证码',
  'The authenticator app was not turned on': '未能开启',
  'Turn on': '开启',
  Passkeys: '通行密钥',
  'Log in without a password, using your device’s fingerprint, face or PIN check.':
    '由设备验证指纹、面容或 PIN 后直接登录，无需密码。',
  'Passkeys need a supporting browser, and a domain name with https.':
    '需要支持通行密钥的浏览器，并通过域名和 https 访问。',
  'Add a passkey': '添加通行密钥',
  'added {time}': '{time}添加',
  'used {time}': '{time}使用',
  'Rename passkey': '为通行密钥命名',
  'New passkey': '新通行密钥',
  'Your device will ask for your fingerprint, face or PIN. From then on you can log in without a password.':
    '设备将要求验证指纹、面容或 PIN，此后无需密码即可登录。',
  'Name to recognise it by, such as the device': '便于辨认的名称，例如设备名',
  'Not saved': '未保存',
  'The passkey was not added': '通行密钥未添加',
  Add: '添加',
  'Your recovery codes': '你的恢复代码',
  'Store them where you can find them without your device. Each code works once, and they cannot be shown again.':
    '请保存在没有设备时也能找到的地方。每个代码只能登录一次，且不会再次显示。',
  'Copy all recovery codes': '复制全部恢复代码',

  'This device': '当前设备',
  'Log out {device}': '退出登录：{device}',
  '{count, plural, one {Device logged out} other {# devices logged out}}':
    '{count, plural, =1 {已退出该设备的登录} other {已退出 # 台设备的登录}}',
  'Log out all other devices': '退出其他所有设备',
  'No devices': '暂无设备',

  'Your data': '你的数据',
  'Everything the service stores about you in one JSON file: profile, devices, keys, applications, conversations, knowledge, runs, videos, usage and ledger. It contains no passwords, key values or other secrets.':
    '本服务保存的与你有关的全部数据，汇总为一个 JSON 文件：个人资料、设备、密钥列表、应用、对话、知识库、运行任务、视频、用量和账目。其中不含密码、密钥本身及其他机密信息。',
  'Download my data': '下载我的数据',
  'Preparing your file…': '正在生成文件…',
  'Preparing your file: {size} so far': '正在生成文件：已接收 {size}',
  'Done: {file}, {size}': '已完成：{file}，{size}',
  'Your data could not be downloaded': '数据下载失败',
  'The connection was lost before the file was complete. Nothing was saved.':
    '文件尚未接收完整，连接就已中断。未保存任何内容。',

  'Delete your account': '删除账号',
  'The root user cannot be deleted, because nobody else could manage the service.':
    'root 用户无法删除，否则本服务将无人管理。',
  'Disables every way to log in immediately and deletes your data. Download your data first if you want to keep it.':
    '立即停用所有登录方式，并删除属于你的内容。如需保留，请先下载数据。',
  'Delete my account': '删除我的账号',
  'Delete your account?': '删除你的账号？',
  'Deleted immediately or within minutes': '立即或在几分钟内删除',
  'Profile, password, API keys; every device is logged out': '个人资料、密码、API 密钥；所有设备退出登录',
  'Sessions, messages, knowledge, runs and preferences': '会话、消息、知识库、运行任务和偏好设置',
  'Videos and their files, routing decisions': '视频及其文件、路由决策',
  'Your OAuth applications, and the access you granted to others': '你的 OAuth 应用，以及你授予其他应用的访问权限',
  Kept: '保留',
  'Usage and ledger entries, without your name, for a year unless the operator set another period; daily totals are kept so that the accounts balance':
    '用量与账目记录：隐去姓名后保留一年，除非运营方另有设置；每日汇总会一直保留，以确保账目平衡',
  'Audit entries, without name, address and browser, for a year unless the operator set another period':
    '审计记录：隐去姓名、地址和浏览器信息后保留一年，除非运营方另有设置',
  'Images that models generated for you, until they are 24 hours old': '模型为你生成的图片：保留至生成满 24 小时',
  'Earlier backups, for as long as the operator keeps them': '此前的备份：保留时间由运营方决定',
  'Your balance of {amount} can no longer be used. Your username becomes available to others.':
    '余额中的 {amount} 将无法再使用。你的用户名将可供他人使用。',
  'Your username becomes available to others.': '你的用户名将可供他人使用。',
  'This cannot be undone. It is possible only within 15 minutes of signing in.':
    '此操作无法撤销，且只能在登录后 15 分钟内执行。',
  'This cannot be undone. Enter your password to confirm that it is you.': '此操作无法撤销。请输入密码，确认是你本人。',
  'Your account was not deleted': '账号未删除',
  'Your storage': '你的存储',
  'When your storage is full, nothing more is stored until something is deleted. Follow a name to where its data can be deleted; responses are deleted here, files and batches with your API keys.':
    '账号的存储空间用完后，新的内容会被拒绝，直到删除一些内容：点击名称可前往相应页面删除；响应在此处删除；文件和批处理需使用密钥删除，方法见 API 参考。',
} as const;
