/** Account, its keys, money, and chats of the playground. */
export default {
  'Register an account and log in': '注册并登录',
  'Log in with a password; 202 without a session if a second factor is required':
    '登录；需要双重验证时返回 202，此时尚无会话',
  'Complete a login with an authenticator or recovery code after the password':
    '登录：输入密码后，提交验证器应用的验证码或恢复代码',
  'Log out': '退出登录',
  'Get your account': '我的账号信息',
  'Update your profile or password': '修改我的资料或密码',
  'Delete your account and all its data; requires the password if one is set':
    '删除我的账号及其所有内容；设有密码时须提供密码',
  'List your sessions': '我的登录会话',
  'End all your other sessions': '结束我的其他所有会话',
  'End one of your sessions': '结束我的某个会话',
  'Start a passkey login; returns the options for the browser': '开始用通行密钥登录：返回要交给浏览器的参数',
  'Log in with a passkey': '用通行密钥登录',
  'List your second factors': '我的双重验证方式',
  'Create a secret for an authenticator app; takes effect once a code is confirmed':
    '获取验证器应用的密钥；提交过一次验证码后才会生效',
  'Turn off the authenticator app': '停用验证器应用',
  'Turn on the authenticator app; returns the recovery codes, which are shown only once':
    '启用验证器应用；返回恢复代码，仅显示一次',
  'Create new recovery codes, shown only once; the old ones stop working':
    '生成新的恢复代码，仅显示一次；旧代码随即失效',
  'Start registering a passkey; returns the options for the browser': '开始注册通行密钥：返回要交给浏览器的参数',
  'Register a passkey; the first factor comes with recovery codes, shown only once':
    '注册通行密钥；首个双重验证方式附带恢复代码，仅显示一次',
  'Rename one of your passkeys': '为我的通行密钥命名',
  'Remove one of your passkeys': '移除我的通行密钥',
  'Confirm your second factor again with a code': '用验证码重新完成双重验证',
  'Start confirming your second factor with a passkey; returns the options for the browser':
    '开始用通行密钥重新完成双重验证：返回要交给浏览器的参数',
  'Confirm your second factor again with a passkey': '用通行密钥重新完成双重验证',
  'Send a link to verify your email address': '发送验证我邮箱的链接',
  'Verify your email address with the secret from a link created for your account':
    '用为我的账户生成的链接中的密钥验证我的邮箱',
  'Send a password reset link if the address is the verified address of an account; the response does not reveal whether it is':
    '若该地址是已验证的邮箱，则发送重置密码的链接；响应不会透露是否如此',
  'Set a new password with the secret from a link; ends all sessions': '用链接中的密钥设置新密码；会结束所有会话',
  'List the 20 latest notices about your account, newest first': '我的账号通知，最近 20 条，最新的在前',
  'Dismiss a notice': '忽略一条通知',
  'List the identity providers available for sign-in': '可用于登录的身份提供商',
  'Sign in with an identity provider; for browsers, which are redirected to it':
    '通过身份提供商登录：供浏览器使用，会跳转到该提供商',
  'Callback that an identity provider redirects browsers to': '身份提供商将浏览器送回的地址',
  'Get the existing account that has the email address of a person who signed in with an identity provider':
    '查询通过身份提供商登录者的邮箱属于哪个账号',
  'Connect that account to the provider, with its session or password': '关联两个账号：需要该账号的会话或密码',
  'List the external accounts you can sign in with': '可用于登录的外部账号',
  'Start connecting an external account; returns the address to send the browser to':
    '开始关联外部账号：返回浏览器要前往的地址',
  'Disconnect an external account, unless it is your only way to sign in':
    '取消关联外部账号；若它是唯一的登录方式则不允许',
  'Get your spending limits, their usage and the 20 latest alerts': '我的支出限额、已用金额，以及最近 20 次提醒',
  'Set the time zone of your spending windows and the webhook address for alerts':
    '设置我的日、周、月从何时开始，以及接收提醒的 Webhook 地址',
  'Set a spending limit per day, week, month or in total; earlier spending does not count':
    '限制我每日、每周、每月或总计的支出；设置之前的支出不计入',
  'Remove one of your spending limits': '取消我的某个限额',
  'Create a new secret for signing alerts; shown only once': '生成用于签名提醒的新密钥；仅显示一次',
  'Export all data stored about you, without secrets': '服务保存的关于我的全部数据，不含密钥',

  'List your API keys, masked': '我的 API 密钥（已遮盖）',
  'Create an API key; the full key is shown only once': '创建 API 密钥；完整密钥仅显示一次',
  'Update an API key': '修改 API 密钥',
  'Delete an API key': '删除 API 密钥',
  'Rotate an API key; the new secret is shown only once, and the old one keeps working for a while':
    '为 API 密钥更换密钥值，仅显示一次；旧值在一段时间内仍可用',
  'Revoke the previous secret of a rotated API key': '停用 API 密钥轮换前的密钥值',
  'List the monthly limits of your API keys and their spending this month': '我的 API 密钥的每月限额和本月支出',
  'Set the spending limit of an API key per calendar month (UTC), and its alert thresholds':
    '设置 API 密钥每个自然月（UTC）的支出限额，以及在达到哪些比例时提醒',
  'Remove the monthly limit of an API key': '取消 API 密钥的每月限额',

  'List your requests, newest first; `format=csv` returns a file': '我的请求，最新的在前；`format=csv` 返回文件',
  'Get your usage in whole days (UTC) by day, model or API key': '我的用量汇总，以整日（UTC）计，按日、模型或 API 密钥',
  'List the changes to your balance, newest first': '我的余额变动明细，最新的在前',
  'List your failed requests, newest first': '我的失败请求，最新的在前',
  'Get whether your prompts and answers are stored with your requests': '查询我的提问和模型的回答是否随请求保存',
  'Set whether your prompts and answers are stored for you and administrators; turning it off deletes what was stored':
    '允许保存我的提问和回答，供我和管理员查看；不允许时会删除已保存的内容',
  'List all your requests to models and tools, whatever their outcome, newest first':
    '我对模型和工具的请求，无论结果如何，最新的在前',
  'Get all details of one of your requests: cost breakdown, routing, error and the work it belongs to':
    '我的某个请求的全部信息：费用明细、路由、错误及所属任务',

  'Redeem a code; its value is added to your balance': '兑换码：将其金额加入我的余额',
  'List redemption codes, masked, newest first; `format=csv` returns a file':
    '兑换码（已遮盖），最新的在前；`format=csv` 返回文件',
  'Create redemption codes; each is shown only once': '生成兑换码；每个仅显示一次',
  'Disable or re-enable a redemption code': '停用兑换码，或恢复使用',
  'List your top-ups, newest first, and the available amounts': '我的充值记录（最新的在前）及可充值的金额',
  'Start a top-up; returns the address of the payment page': '开始充值：返回支付页面的地址',
  'List the top-ups of all users or one user, newest first': '所有用户或某个用户的充值记录，最新的在前',
  'Receive events from Stripe, signed by Stripe': 'Stripe 的事件，由其签名',

  'List chats, most recently used first; with q only those whose name or messages contain every word of it':
    '列出对话，最近使用的在前；指定 q 时仅列出名称或消息中包含其所有词的对话',
  'Get a chat with all its messages': '单个对话及其全部内容',
  'Save a chat under an ID of your choice; 409 if it was saved elsewhere in the meantime':
    '以自选的 ID 保存对话的当前状态；若其间已在别处保存则返回 409',
  'Delete a chat permanently': '永久删除对话',
  'Rename a chat': '重命名对话',
  'List your saved system prompts by name': '我保存的系统提示词，按名称排列',
  'Save a system prompt under a name': '以某个名称保存系统提示词',
  'Update a saved system prompt or its name': '修改已保存的系统提示词或其名称',
  'Delete a saved system prompt': '删除已保存的系统提示词',
  'Get your storage usage, in bytes': '我的存储占用（字节）',
  'Storage limit of the account; null for no limit': '账号的存储上限；null 表示不限',
  'Application that created it; null if created by a user': '创建它的应用；由用户自己创建时为 null',
  'Delete all your responses and conversations, whichever key created them':
    '删除我的所有响应和对话，无论由哪个密钥创建',
} as const;
