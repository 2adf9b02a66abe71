/** Account, its keys, money, and chats of the playground. */
export default {
  'Register, and log in': '注册并登录',
  'Log in; 202 for those of whom a second factor is asked, and no session yet':
    '登录；需要双重验证时返回 202，此时尚无会话',
  'Log in: the code of an app or a recovery code, after the password':
    '登录：输入密码后，提交验证器应用的验证码或恢复代码',
  'Log out': '退出登录',
  'Who I am': '我的账号信息',
  'Change my profile or password': '修改我的资料或密码',
  'Delete my account and what belongs to it; with the password, where there is one':
    '删除我的账号及其所有内容；设有密码时须提供密码',
  'Where I am logged in': '我的登录会话',
  'End all my sessions but this one': '结束我的其他所有会话',
  'End one of my sessions': '结束我的某个会话',
  'Begin to log in with a passkey: what the browser is to be given': '开始用通行密钥登录：返回要交给浏览器的参数',
  'Log in with a passkey': '用通行密钥登录',
  'My second factors': '我的双重验证方式',
  'A secret for an authenticator app; nothing is asked for until a code of it was shown':
    '获取验证器应用的密钥；提交过一次验证码后才会生效',
  'Ask for codes of the app no more': '停用验证器应用',
  'Ask for codes of the app from now on; answers the recovery codes, once': '启用验证器应用；返回恢复代码，仅显示一次',
  'New recovery codes, shown once; the old ones count no more': '生成新的恢复代码，仅显示一次；旧代码随即失效',
  'Begin to register a passkey: what the browser is to be given': '开始注册通行密钥：返回要交给浏览器的参数',
  'Register a passkey; the first factor comes with recovery codes, shown once':
    '注册通行密钥；首个双重验证方式附带恢复代码，仅显示一次',
  'Name one of my passkeys': '为我的通行密钥命名',
  'Remove one of my passkeys': '移除我的通行密钥',
  'Prove my second factor again with a code': '用验证码重新完成双重验证',
  'Begin to prove my second factor with a passkey: what the browser is to be given':
    '开始用通行密钥重新完成双重验证：返回要交给浏览器的参数',
  'Prove my second factor again with a passkey': '用通行密钥重新完成双重验证',
  'Send me the link that verifies my address': '发送验证我邮箱的链接',
  'Verify my address with the secret of a link that was made for my account':
    '用为我的账户生成的链接中的密钥验证我的邮箱',
  'Send a link for a new password, if a verified address is this one; the answer does not tell':
    '若该地址是已验证的邮箱，则发送重置密码的链接；响应不会透露是否如此',
  'Choose a new password with the secret of a link; ends all sessions': '用链接中的密钥设置新密码；会结束所有会话',
  'What I am to know about my account, the newest 20 first': '我的账号通知，最近 20 条，最新的在前',
  'Put a notice away': '忽略一条通知',
  'Providers through which people may sign in': '可用于登录的身份提供商',
  'Sign in through a provider: for browsers, which are sent there':
    '通过身份提供商登录：供浏览器使用，会跳转到该提供商',
  'Where a provider sends browsers back to': '身份提供商将浏览器送回的地址',
  'Which account has the address of somebody who signed in through a provider':
    '查询通过身份提供商登录者的邮箱属于哪个账号',
  'Connect the two: with the session of that account, or its password': '关联两个账号：需要该账号的会话或密码',
  'Accounts elsewhere that let me in': '可用于登录的外部账号',
  'Begin to connect an account elsewhere: the address to send the browser to':
    '开始关联外部账号：返回浏览器要前往的地址',
  'Disconnect an account elsewhere, unless nothing else lets me in': '取消关联外部账号；若它是唯一的登录方式则不允许',
  'My spending limits, what is used of them, and the newest 20 times that I was told':
    '我的支出限额、已用金额，以及最近 20 次提醒',
  'When my days, weeks and months begin, and the address that warnings are posted to':
    '设置我的日、周、月从何时开始，以及接收提醒的 Webhook 地址',
  'Limit what I spend in a day, week, month or in all; what was spent before it was set does not count':
    '限制我每日、每周、每月或总计的支出；设置之前的支出不计入',
  'Take a limit of mine away': '取消我的某个限额',
  'A new secret by which my warnings are signed; shown once': '生成用于签名提醒的新密钥；仅显示一次',
  'Everything the service holds about me, without secrets': '服务保存的关于我的全部数据，不含密钥',

  'My API keys, masked': '我的 API 密钥（已遮盖）',
  'Create an API key; the full key is shown once': '创建 API 密钥；完整密钥仅显示一次',
  'Change an API key': '修改 API 密钥',
  'Delete an API key': '删除 API 密钥',
  'Give an API key a new secret, which is shown once; the old one goes on for a while':
    '为 API 密钥更换密钥值，仅显示一次；旧值在一段时间内仍可用',
  'End the secret that an API key had before it was rotated': '停用 API 密钥轮换前的密钥值',
  'What my API keys may spend in a month, and have spent in this one': '我的 API 密钥的每月限额和本月支出',
  'Set what an API key may spend in a month of the calendar (UTC), and at which shares of it you are told':
    '设置 API 密钥每个自然月（UTC）的支出限额，以及在达到哪些比例时提醒',
  'Let an API key spend what it likes in a month': '取消 API 密钥的每月限额',

  'My requests, newest first; `format=csv` for a file': '我的请求，最新的在前；`format=csv` 返回文件',
  'My usage added up per day, model or API key': '我的用量汇总，按日、模型或 API 密钥',
  'Every change of my balance, newest first': '我的余额变动明细，最新的在前',
  'My requests that nobody answered, newest first': '我的失败请求，最新的在前',
  'Whether what I ask models, and what they answer, is kept with my requests': '查询我的提问和模型的回答是否随请求保存',
  'Let what I ask and what is answered be kept, for me and administrators; or not, which deletes what was':
    '允许保存我的提问和回答，供我和管理员查看；不允许时会删除已保存的内容',
  'My requests to models and tools, whatever became of them, newest first':
    '我对模型和工具的请求，无论结果如何，最新的在前',
  'Everything that is known of one of my requests: cost in parts, routing, error, what it belongs to':
    '我的某个请求的全部信息：费用明细、路由、错误及所属任务',

  'Redeem a code: what it is worth is added to my balance': '兑换码：将其金额加入我的余额',
  'Redemption codes, masked, newest first; `format=csv` for a file':
    '兑换码（已遮盖），最新的在前；`format=csv` 返回文件',
  'Make redemption codes; each is shown once': '生成兑换码；每个仅显示一次',
  'Withdraw a redemption code, or make it good again': '停用兑换码，或恢复使用',
  'What I paid, newest first, and what can be paid': '我的充值记录（最新的在前）及可充值的金额',
  'Begin to pay an amount: answers the address of the page where it is paid': '开始充值：返回支付页面的地址',
  'What all users or one paid, newest first': '所有用户或某个用户的充值记录，最新的在前',
  'Events of Stripe, signed by it': 'Stripe 的事件，由其签名',

  'List chats, most recently used first; with q only those whose name or messages contain every word of it':
    '列出对话，最近使用的在前；指定 q 时仅列出名称或消息中包含其所有词的对话',
  'One chat with everything that was said': '单个对话及其全部内容',
  'Save a chat as it is now, under an id of my choice; 409 where it was saved since by somebody else':
    '以自选的 ID 保存对话的当前状态；若其间已在别处保存则返回 409',
  'Delete a chat for good': '永久删除对话',
  'Rename a chat': '重命名对话',
  'System prompts that I have saved, by name': '我保存的系统提示词，按名称排列',
  'Save a system prompt under a name': '以某个名称保存系统提示词',
  'Change a saved system prompt, or its name': '修改已保存的系统提示词或其名称',
  'Delete a saved system prompt': '删除已保存的系统提示词',
  'What I keep here, in bytes': '我的存储占用（字节）',
  'What an account may keep; null where nothing is refused': '账号的存储上限；null 表示不限',
  'The application that has made it; null where somebody did': '创建它的应用；由用户自己创建时为 null',
  'Delete all my responses and conversations, whichever key they were made with':
    '删除我的所有响应和对话，无论由哪个密钥创建',
} as const;
